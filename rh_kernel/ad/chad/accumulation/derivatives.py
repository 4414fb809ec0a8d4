"""``D_Γ(M) : D(A)_1 × (D(A)_2 → EVM Γ)``, reverse derivatives that add to accumulators (Efficient CHAD; digest of CHAD, §5).

A backpropagator has an accumulator for each variable in scope, so nothing is paid for those it does not use. One of a function
has accumulators of its own, for what the function has captured and for its argument, and gives the cotangents of both at once.
"""

from collections.abc import Generator

from rh_kernel.ad.chad.accumulation.arrays import array_rule
from rh_kernel.ad.chad.accumulation.commands import Add, Command, Done, LetCotangent, Returning, Scoped, Send, Spread, Then
from rh_kernel.ad.chad.rules import (
    Derivation,
    Derived,
    Rule,
    component_of,
    domain_of,
    dual,
    first,
    let,
    lets,
    product_of,
    sides_of,
)
from rh_kernel.ad.chad.source import Context, NameSupply, OperationTerm, operation, size_of
from rh_kernel.ad.chad.target import terms as to
from rh_kernel.ad.chad.target.types import NUMBER, UNIT, Mode, Product, primal, tangent
from rh_kernel.ad.language import core
from rh_kernel.ad.language.binding import binders, free, parts
from rh_kernel.ad.language.types import Function, Real
from rh_kernel.ad.language.types import Product as SourceProduct
from rh_kernel.source.trampoline import Descent, descend

_R = Mode.REVERSE


def accumulated_derivative(gamma: Context, M: core.Term) -> Derived:
    """``D_Γ(M)``"""
    return descend(_derivative(gamma, M, Derivation(NameSupply((*gamma.names, *binders(M))))))


def _derivative(gamma: Context, M: core.Term, d: Derivation) -> Descent[Derived]:
    v = d.supply.fresh("v")
    t_ = to.LinearVariable(v)
    match M:
        case core.Constant() | core.Apply() | core.Total() | core.Replicate() | core.Dot():
            return (yield _operation(gamma, M, d))
        case core.Array((N,)):
            return (yield _derivative(gamma, N, d))
        case core.Array(items):
            d.used.add(Rule.OPERATION)
            derived = yield from _all(gamma, items, d)
            names = [d.supply.pair("x") for _ in derived]
            value = to.Apply(operation(M, (1,) * len(items)), tuple(to.Variable(x) for x, _ in names))
            return Derived(lets(names, derived, dual(value, to.Backward(v, _parts(names, t_)))), Real(len(items)))
        case core.Index(N, i):
            d.used.add(Rule.OPERATION)
            t = yield _derivative(gamma, N, d)
            n, (x, x_) = size_of(t.type), d.supply.pair("x")
            put = t_ if n == 1 else to.Coprojection(i + 1, Product((NUMBER,) * n), t_)
            value = dual(to.Apply(operation(M, (n,)), (to.Variable(x),)), to.Backward(v, Send(to.Variable(x_), put)))
            return Derived(let((x, x_), t.term, value), Real())
        case core.Variable(x):
            d.used.add(Rule.VARIABLE)
            return Derived(dual(to.Variable(x), to.Backward(v, Add(x, t_))), gamma.types[gamma.index(x) - 1])
        case core.Let(x, bound, body):
            d.used.add(Rule.LET)
            t = yield _derivative(gamma, bound, d)
            s = yield _derivative(gamma.extended((x, t.type)), body, d)
            x_, (y, y_), w = d.supply.fresh(f"{x}'"), d.supply.pair("y"), d.supply.fresh("v")
            backward = Scoped(x, Send(to.Variable(y_), t_), w, Send(to.Variable(x_), to.LinearVariable(w)))
            return Derived(let((x, x_), t.term, let((y, y_), s.term, dual(to.Variable(y), to.Backward(v, backward)))), s.type)
        case core.Tuple(components):
            d.used.add(Rule.TUPLE if components else Rule.UNIT)
            derived = yield from _all(gamma, components, d)
            names = [d.supply.pair("x") for _ in derived]
            value = to.Tuple(tuple(to.Variable(x) for x, _ in names))
            A = SourceProduct(tuple(item.type for item in derived))
            return Derived(lets(names, derived, dual(value, to.Backward(v, _parts(names, t_)))), A)
        case core.Projection(i, N):
            d.used.add(Rule.PROJECTION)
            t = yield _derivative(gamma, N, d)
            x, x_ = d.supply.pair("x")
            put = to.Coprojection(i, product_of(tangent(t.type, _R)), t_)
            value = dual(to.Projection(i, to.Variable(x)), to.Backward(v, Send(to.Variable(x_), put)))
            return Derived(let((x, x_), t.term, value), component_of(t.type, i))
        case core.Lambda(x, A, body):
            d.used.add(Rule.LAMBDA)
            inside = free(body)
            captured = Context.of(_R, [(y, B) for y, B in zip(gamma.names, gamma.types, strict=True) if y in inside])
            t = yield _derivative(captured.extended((x, A)), body, d)
            (y, y_), w = d.supply.pair("y"), d.supply.fresh("v")
            own = to.Backward(w, Send(to.Variable(y_), to.LinearVariable(w)), (*captured.names, x))
            function = to.Lambda(primal(A, _R), to.Scope((x,), let((y, y_), t.term, dual(to.Variable(y), own))))
            return Derived(dual(function, to.Backward(v, Spread(captured.names, t_))), Function(A, t.type))
        case core.Call(N, L):
            d.used.add(Rule.CALL)
            t = yield _derivative(gamma, N, d)
            s = yield _derivative(gamma, L, d)
            (x, x_), (y, y_), (z, z_) = d.supply.pair("x"), d.supply.pair("y"), d.supply.pair("z")
            e, w = d.supply.fresh("e"), d.supply.fresh("v")
            both = Then(Send(to.Variable(x_), to.LinearVariable(e)), Send(to.Variable(y_), to.LinearVariable(w)))
            backward = to.Backward(v, Returning(to.Variable(z_), t_, e, w, both))
            called = let((z, z_), to.Call(to.Variable(x), to.Variable(y)), dual(to.Variable(z), backward))
            return Derived(let((x, x_), t.term, let((y, y_), s.term, called)), domain_of(t.type)[1])
        case core.Inject(side, A, N):
            d.used.add(Rule.INJECT)
            t = yield _derivative(gamma, N, d)
            x, x_ = d.supply.pair("x")
            out = to.LinearOut(side, UNIT, t_)
            return Derived(
                let(
                    (x, x_),
                    t.term,
                    dual(to.Inject(side, primal(A, _R), to.Variable(x)), to.Backward(v, Send(to.Variable(x_), out))),
                ),
                A,
            )
        case core.Case(N, x, left, y, right):
            d.used.add(Rule.CASE)
            t = yield _derivative(gamma, N, d)
            A, B = sides_of(t.type)
            e, e_ = d.supply.pair("e")
            s = yield _derivative(gamma.extended((x, A)), left, d)
            r = yield _derivative(gamma.extended((y, B)), right, d)
            one, other = to.Scope((x,), _branch(1, x, s, e_, d)), to.Scope((y,), _branch(2, y, r, e_, d))
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
    """``let v = Dopᵗ(x, …; v) in x1' • v.1 >> …``"""
    d.used.add(Rule.OPERATION)
    derived = yield from _all(gamma, tuple(N for _, N in parts(M)), d)
    op = operation(M, tuple(size_of(item.type) for item in derived))
    names = [d.supply.pair("x") for _ in derived]
    point, v, w = tuple(to.Variable(x) for x, _ in names), d.supply.fresh("v"), d.supply.fresh("v")
    pulled = to.Differential(_R, op, point, to.LinearVariable(v))
    if len(names) == 1:
        backward: Command = Send(to.Variable(names[0][1]), pulled)
    else:
        backward = LetCotangent(w, pulled, _parts(names, to.LinearVariable(w))) if names else Done()
    return Derived(lets(names, derived, dual(to.Apply(op, point), to.Backward(v, backward))), Real(op.codomain))


def _parts(names: list[tuple[str, str]], t: to.Term) -> Command:
    """``x1' • t.1 >> … >> xn' • t.n``"""
    command: Command = Done()
    for i, (_, x_) in reversed(list(enumerate(names, 1))):
        sent = Send(to.Variable(x_), to.Projection(i, t))
        command = sent if isinstance(command, Done) else Then(sent, command)
    return command


def _branch(side: int, x: str, s: Derived, e_: str, d: Derivation) -> to.Term:
    """``let ⟨q, q'⟩ = D(s) in ⟨q, λ̲v. scope x (q' • v) >>= λ̲v. e' • (linl v)⟩``"""
    (q, q_), v, w = d.supply.pair("q"), d.supply.fresh("v"), d.supply.fresh("v")
    back = Send(to.Variable(e_), to.LinearInject(side, UNIT, to.LinearVariable(w)))
    return let(
        (q, q_), s.term, dual(to.Variable(q), to.Backward(v, Scoped(x, Send(to.Variable(q_), to.LinearVariable(v)), w, back)))
    )


def _all(gamma: Context, terms: tuple[core.Term, ...], d: Derivation) -> Generator[Descent[Derived], Derived, list[Derived]]:
    found: list[Derived] = []
    for M in terms:
        item = yield _derivative(gamma, M, d)
        found.append(item)
    return found
