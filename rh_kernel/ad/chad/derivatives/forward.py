"""``D_Γ(M) : D(Γ)_1 ⊢ D(A)_1 × (D(Γ)_2 ⊸ D(A)_2)``, the forward derivative of ``Γ ⊢ M : A`` (CHAD §7.3–7.4)."""

from collections.abc import Generator

from rh_kernel.ad.chad.derivatives.forward_arrays import array_rule
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
    lets,
    second,
    sides_of,
)
from rh_kernel.ad.chad.source import Context, NameSupply, OperationTerm, operation, size_of
from rh_kernel.ad.chad.target import terms as to
from rh_kernel.ad.chad.target.types import Mode, primal, tangent
from rh_kernel.ad.language import core
from rh_kernel.ad.language.binding import binders, parts
from rh_kernel.ad.language.types import Function, Real, Type
from rh_kernel.ad.language.types import Product as SourceProduct
from rh_kernel.source.trampoline import Descent, descend

_F = Mode.FORWARD


def forward_derivative(gamma: Context, M: core.Term, derivation: Derivation | None = None) -> Derived:
    """``D_Γ(M)``"""
    if derivation is None:
        derivation = Derivation(NameSupply((*gamma.names, *binders(M))))
    return descend(_derivative(gamma, M, derivation))


def _derivative(gamma: Context, M: core.Term, d: Derivation) -> Descent[Derived]:
    v = d.linear(gamma.tangents)
    match M:
        case core.Constant() | core.Apply() | core.Array() | core.Index() | core.Total() | core.Replicate() | core.Dot():
            return (yield _operation(gamma, M, d))
        case core.Variable(x):
            d.used.add(Rule.VARIABLE)
            i = gamma.index(x)
            return Derived(dual(to.Variable(x), v.lambda_(to.Projection(i, v.variable))), gamma.types[i - 1])
        case core.Let(x, bound, body):
            d.used.add(Rule.LET)
            t = yield _derivative(gamma, bound, d)
            s = yield _derivative(gamma.extended((x, t.type)), body, d)
            x_, (y, y_) = d.supply.fresh(f"{x}'"), d.supply.pair("y")
            pushed = call(y_, to.Extend(v.variable, call(x_, v.variable)))
            return Derived(let((x, x_), t.term, let((y, y_), s.term, dual(to.Variable(y), v.lambda_(pushed)))), s.type)
        case core.Tuple(()):
            d.used.add(Rule.UNIT)
            return Derived(dual(to.Tuple(()), v.lambda_(to.Tuple(()))), SourceProduct(()))
        case core.Tuple(components):
            d.used.add(Rule.TUPLE)
            items = yield from _all(gamma, components, d)
            names = [d.supply.pair("x") for _ in items]
            values = to.Tuple(tuple(to.Variable(x) for x, _ in names))
            pushed = to.Tuple(tuple(call(x_, v.variable) for _, x_ in names))
            return Derived(
                lets(names, items, dual(values, v.lambda_(pushed))), SourceProduct(tuple(item.type for item in items))
            )
        case core.Projection(i, N):
            d.used.add(Rule.PROJECTION)
            t = yield _derivative(gamma, N, d)
            x, x_ = d.supply.pair("x")
            value = dual(to.Projection(i, to.Variable(x)), v.lambda_(to.Projection(i, call(x_, v.variable))))
            return Derived(let((x, x_), t.term, value), component_of(t.type, i))
        case core.Lambda(x, A, body):
            d.used.add(Rule.LAMBDA)
            t = yield _derivative(gamma.extended((x, A)), body, d)
            y, (z, z_), a, b = d.supply.fresh("y"), d.supply.pair("z"), d.supply.fresh(x), d.supply.fresh(x)
            w, A1 = d.linear(tangent(A, _F)), primal(A, _F)
            inner = dual(to.Variable(z), w.lambda_(call(z_, to.Extend(to.Zero(gamma.tangents), w.variable))))
            function = to.Lambda(A1, to.Scope((a,), let((z, z_), to.Call(to.Variable(y), to.Variable(a)), inner)))
            pushed = to.LinearCall(second(to.Call(to.Variable(y), to.Variable(b))), to.Extend(v.variable, to.Zero(w.type)))
            value = dual(function, v.lambda_(to.Lambda(A1, to.Scope((b,), pushed))))
            return Derived(let((y,), to.Lambda(A1, to.Scope((x,), t.term)), value), Function(A, t.type))
        case core.Call(N, L):
            d.used.add(Rule.CALL)
            t = yield _derivative(gamma, N, d)
            s = yield _derivative(gamma, L, d)
            (x, x_), (y, y_), (z, z_) = d.supply.pair("x"), d.supply.pair("y"), d.supply.pair("z")
            pushed = to.Plus(to.Call(call(x_, v.variable), to.Variable(y)), call(z_, call(y_, v.variable)))
            called = let((z, z_), to.Call(to.Variable(x), to.Variable(y)), dual(to.Variable(z), v.lambda_(pushed)))
            return Derived(let((x, x_), t.term, let((y, y_), s.term, called)), domain_of(t.type)[1])
        case core.Inject(side, A, N):
            d.used.add(Rule.INJECT)
            t = yield _derivative(gamma, N, d)
            x, x_ = d.supply.pair("x")
            other = tangent(A.right if side == 1 else A.left, _F)
            pushed = to.LinearInject(side, other, call(x_, v.variable))
            return Derived(let((x, x_), t.term, dual(to.Inject(side, primal(A, _F), to.Variable(x)), v.lambda_(pushed))), A)
        case core.Case(N, x, left, y, right):
            d.used.add(Rule.CASE)
            t = yield _derivative(gamma, N, d)
            A, B = sides_of(t.type)
            e, e_ = d.supply.pair("e")
            s = yield _derivative(gamma.extended((x, A)), left, d)
            r = yield _derivative(gamma.extended((y, B)), right, d)
            one = to.Scope((x,), _branch(gamma, 1, s, A, e_, d))
            other_ = to.Scope((y,), _branch(gamma, 2, r, B, e_, d))
            return Derived(let((e, e_), t.term, to.Case(to.Variable(e), one, other_)), s.type)
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
    v = d.linear(gamma.tangents)
    tangents = tuple(call(x_, v.variable) for _, x_ in names)
    A = Real(op.codomain)
    if not names:
        pushed: to.Term = to.Zero(tangent(A, _F))
    else:
        pushed = to.Differential(_F, op, point, tangents[0] if len(tangents) == 1 else to.Tuple(tangents))
    return Derived(lets(names, items, dual(to.Apply(op, point), v.lambda_(pushed))), A)


def _all(gamma: Context, terms: tuple[core.Term, ...], d: Derivation) -> Generator[Descent[Derived], Derived, list[Derived]]:
    items: list[Derived] = []
    for M in terms:
        item = yield _derivative(gamma, M, d)
        items.append(item)
    return items


def _branch(gamma: Context, side: int, s: Derived, A: Type, e_: str, d: Derivation) -> to.Term:
    """``let ⟨q, q'⟩ = D(s) in ⟨q, λ̲v. q' • ⟨v, lout (e' • v)⟩⟩``"""
    q, q_ = d.supply.pair("q")
    v = d.linear(gamma.tangents)
    pushed = call(q_, to.Extend(v.variable, to.LinearOut(side, tangent(A, _F), call(e_, v.variable))))
    return let((q, q_), s.term, dual(to.Variable(q), v.lambda_(pushed)))
