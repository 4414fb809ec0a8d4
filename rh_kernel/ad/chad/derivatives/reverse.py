"""``D_Γ(M) : D(Γ)_1 ⊢ D(A)_1 × (D(A)_2 ⊸ D(Γ)_2)``, the reverse derivative of ``Γ ⊢ M : A`` (CHAD §2.3, §7.3, §7.5).

Every rule mentions the derivative of each subterm once, so that the code is as long as the program but for a constant.
"""

from collections.abc import Generator
from functools import reduce

from rh_kernel.ad.chad.derivatives.reverse_arrays import array_rule
from rh_kernel.ad.chad.rules import (
    Derivation,
    Derived,
    Rule,
    call,
    component_of,
    domain_of,
    dual,
    first,
    let,
    let_linear,
    lets,
    product_of,
    second,
    sides_of,
)
from rh_kernel.ad.chad.source import Context, NameSupply, OperationTerm, operation, size_of
from rh_kernel.ad.chad.target import terms as to
from rh_kernel.ad.chad.target.types import UNIT, AnyType, Mode, primal, tangent
from rh_kernel.ad.language import core
from rh_kernel.ad.language.binding import binders, parts
from rh_kernel.ad.language.types import Function, Real
from rh_kernel.ad.language.types import Product as SourceProduct
from rh_kernel.source.trampoline import Descent, descend

_R = Mode.REVERSE


def reverse_derivative(gamma: Context, M: core.Term, derivation: Derivation | None = None) -> Derived:
    """``D_Γ(M)``"""
    if derivation is None:
        derivation = Derivation(NameSupply((*gamma.names, *binders(M))))
    return descend(_derivative(gamma, M, derivation))


def _derivative(gamma: Context, M: core.Term, d: Derivation) -> Descent[Derived]:
    tangents = gamma.tangents
    match M:
        case core.Constant() | core.Apply() | core.Array() | core.Index() | core.Total() | core.Replicate() | core.Dot():
            return (yield _operation(gamma, M, d))
        case core.Variable(x):
            d.used.add(Rule.VARIABLE)
            i = gamma.index(x)
            v = d.linear(tangents.factors[i - 1])
            return Derived(dual(to.Variable(x), v.lambda_(to.Coprojection(i, tangents, v.variable))), gamma.types[i - 1])
        case core.Let(x, bound, body):
            d.used.add(Rule.LET)
            t = yield _derivative(gamma, bound, d)
            s = yield _derivative(gamma.extended((x, t.type)), body, d)
            x_, (y, y_) = d.supply.fresh(f"{x}'"), d.supply.pair("y")
            v, w = d.linear(tangent(s.type, _R)), d.supply.fresh("v")
            pulled = to.Plus(to.Initial(to.LinearVariable(w)), call(x_, to.Last(to.LinearVariable(w))))
            rest = dual(to.Variable(y), v.lambda_(let_linear(w, call(y_, v.variable), pulled)))
            return Derived(let((x, x_), t.term, let((y, y_), s.term, rest)), s.type)
        case core.Tuple(()):
            d.used.add(Rule.UNIT)
            return Derived(dual(to.Tuple(()), d.linear(UNIT).lambda_(to.Zero(tangents))), SourceProduct(()))
        case core.Tuple(components):
            d.used.add(Rule.TUPLE)
            items = yield from _all(gamma, components, d)
            names = [d.supply.pair("x") for _ in items]
            A = SourceProduct(tuple(item.type for item in items))
            v = d.linear(tangent(A, _R))
            pulled = [call(x_, to.Projection(i, v.variable)) for i, (_, x_) in enumerate(names, 1)]
            value = to.Tuple(tuple(to.Variable(x) for x, _ in names))
            return Derived(lets(names, items, dual(value, v.lambda_(_sum(pulled)))), A)
        case core.Projection(i, N):
            d.used.add(Rule.PROJECTION)
            t = yield _derivative(gamma, N, d)
            A = component_of(t.type, i)
            x, x_ = d.supply.pair("x")
            v = d.linear(tangent(A, _R))
            put = to.Coprojection(i, product_of(tangent(t.type, _R)), v.variable)
            return Derived(let((x, x_), t.term, dual(to.Projection(i, to.Variable(x)), v.lambda_(call(x_, put)))), A)
        case core.Lambda(x, A, body):
            d.used.add(Rule.LAMBDA)
            t = yield _derivative(gamma.extended((x, A)), body, d)
            y, (z, z_), a, b = d.supply.fresh("y"), d.supply.pair("z"), d.supply.fresh(x), d.supply.fresh(x)
            v, c, w = d.linear(tangent(t.type, _R)), d.linear(tangent(Function(A, t.type), _R)), d.supply.fresh("v")
            A1 = primal(A, _R)
            inner = dual(to.Variable(z), v.lambda_(to.Last(call(z_, v.variable))))
            function = to.Lambda(A1, to.Scope((a,), let((z, z_), to.Call(to.Variable(y), to.Variable(a)), inner)))
            of_context = to.Initial(to.LinearCall(second(to.Call(to.Variable(y), to.Variable(b))), to.LinearVariable(w)))
            captured = to.Fold(gamma.tangents, c.variable, to.Scope((b, w), of_context))
            value = dual(function, c.lambda_(captured))
            return Derived(let((y,), to.Lambda(A1, to.Scope((x,), t.term)), value), Function(A, t.type))
        case core.Call(N, L):
            d.used.add(Rule.CALL)
            t = yield _derivative(gamma, N, d)
            s = yield _derivative(gamma, L, d)
            B = domain_of(t.type)[1]
            (x, x_), (y, y_), (z, z_) = d.supply.pair("x"), d.supply.pair("y"), d.supply.pair("z")
            v = d.linear(tangent(B, _R))
            pulled = to.Plus(call(x_, to.Single(to.Variable(y), v.variable)), call(y_, call(z_, v.variable)))
            called = let((z, z_), to.Call(to.Variable(x), to.Variable(y)), dual(to.Variable(z), v.lambda_(pulled)))
            return Derived(let((x, x_), t.term, let((y, y_), s.term, called)), B)
        case core.Inject(side, A, N):
            d.used.add(Rule.INJECT)
            t = yield _derivative(gamma, N, d)
            x, x_ = d.supply.pair("x")
            v, B = d.linear(tangent(A, _R)), A.left if side == 1 else A.right
            put = v.lambda_(call(x_, to.LinearOut(side, tangent(B, _R), v.variable)))
            value = dual(to.Inject(side, primal(A, _R), to.Variable(x)), put)
            return Derived(let((x, x_), t.term, value), A)
        case core.Case(N, x, left, y, right):
            d.used.add(Rule.CASE)
            t = yield _derivative(gamma, N, d)
            A, B = sides_of(t.type)
            e, e_ = d.supply.pair("e")
            s = yield _derivative(gamma.extended((x, A)), left, d)
            r = yield _derivative(gamma.extended((y, B)), right, d)
            one = to.Scope((x,), _branch(1, s, tangent(B, _R), e_, d))
            other = to.Scope((y,), _branch(2, r, tangent(A, _R), e_, d))
            return Derived(let((e, e_), t.term, to.Case(to.Variable(e), one, other)), s.type)
        case core.If(smaller, larger, then, otherwise):
            d.used.add(Rule.IF)
            t = yield _derivative(gamma, smaller, d)
            s = yield _derivative(gamma, larger, d)
            r = yield _derivative(gamma, then, d)
            q = yield _derivative(gamma, otherwise, d)
            sign = to.Sign(first(t.term), first(s.term))
            return Derived(
                to.Case(sign, to.Scope((d.supply.fresh("u"),), r.term), to.Scope((d.supply.fresh("u"),), q.term)), r.type
            )
        case core.Map() | core.Map2() | core.Generate() | core.Reduce() | core.Foldl() | core.Scanl():
            return (yield array_rule(gamma, M, d, _derivative))


def _operation(gamma: Context, M: OperationTerm, d: Derivation) -> Descent[Derived]:
    d.used.add(Rule.OPERATION)
    items = yield from _all(gamma, tuple(N for _, N in parts(M)), d)
    op = operation(M, tuple(size_of(item.type) for item in items))
    names = [d.supply.pair("x") for _ in items]
    point = tuple(to.Variable(x) for x, _ in names)
    v = d.linear(tangent(Real(op.codomain), _R))
    w = d.supply.fresh("v")
    if names:
        pulled = [call(x_, _component(i, len(names), to.LinearVariable(w))) for i, (_, x_) in enumerate(names, 1)]
        backward = let_linear(w, to.Differential(_R, op, point, v.variable), _sum(pulled))
    else:
        backward = to.Zero(gamma.tangents)
    return Derived(lets(names, items, dual(to.Apply(op, point), v.lambda_(backward))), Real(op.codomain))


def _all(gamma: Context, terms: tuple[core.Term, ...], d: Derivation) -> Generator[Descent[Derived], Derived, list[Derived]]:
    items: list[Derived] = []
    for M in terms:
        item = yield _derivative(gamma, M, d)
        items.append(item)
    return items


def _component(i: int, k: int, t: to.Term) -> to.Term:
    """``proj_i(t)`` of k components; t itself if that is all there is."""
    return t if k == 1 else to.Projection(i, t)


def _branch(side: int, s: Derived, other: AnyType, e_: str, d: Derivation) -> to.Term:
    """``let ⟨q, q'⟩ = D(s) in ⟨q, λ̲v. let v = q' • v in fst v + e' • (linl (snd v))⟩``"""
    q, q_ = d.supply.pair("q")
    v, w = d.linear(tangent(s.type, _R)), d.supply.fresh("v")
    pulled = to.Plus(to.Initial(to.LinearVariable(w)), call(e_, to.LinearInject(side, other, to.Last(to.LinearVariable(w)))))
    return let((q, q_), s.term, dual(to.Variable(q), v.lambda_(let_linear(w, call(q_, v.variable), pulled))))


def _sum(terms: list[to.Term]) -> to.Term:
    """``t1 + … + tn`` for n ≥ 1"""
    return reduce(to.Plus, terms)
