"""The reverse derivatives of ``map`` (CHAD §10, App. A) and, in its manner, of the other array forms.

In each the derivative of the body is a function ``y`` of what the body binds. A fold keeps the backpropagators of all of its
steps, and runs them from the last to the first.
"""

from typing import TypeAlias

from rh_kernel.ad.chad.derivatives.folds import Steps
from rh_kernel.ad.chad.rules import (
    Derivation,
    Derive,
    Derived,
    Rule,
    call,
    dual,
    each,
    first,
    let,
    let_linear,
    second,
)
from rh_kernel.ad.chad.source import Context, size_of
from rh_kernel.ad.chad.target import terms as to
from rh_kernel.ad.chad.target.types import NUMBER, Mode, primal, tangent, vector
from rh_kernel.ad.language import core
from rh_kernel.ad.language.binding import free
from rh_kernel.ad.language.types import SCALAR, Real
from rh_kernel.source.trampoline import Descent

_R = Mode.REVERSE

ArrayRuleTerm: TypeAlias = core.Map | core.Map2 | core.Generate | core.Reduce | core.Foldl | core.Scanl


def array_rule(gamma: Context, M: ArrayRuleTerm, d: Derivation, derive: Derive) -> Descent[Derived]:
    """``D_Γ(M)`` for a form that binds in a term of arrays"""
    match M:
        case core.Map(x, core.Call(f, core.Variable(y)), N) if x == y and x not in free(f):
            return (yield _map_function(gamma, f, N, d, derive))
        case core.Map(x, body, N):
            return (yield _map(gamma, x, body, N, d, derive))
        case core.Map2(x, y, body, left, right):
            return (yield _map2(gamma, (x, y), body, (left, right), d, derive))
        case core.Generate(n, i, body):
            return (yield _generate(gamma, n, i, body, d, derive))
        case core.Reduce() | core.Foldl() | core.Scanl():
            return (yield _fold(gamma, M, d, derive))


def _map(gamma: Context, x: str, body: core.Term, N: core.Term, d: Derivation, derive: Derive) -> Descent[Derived]:
    """``let y = λx. D(t) in let ⟨z, z'⟩ = D(s) in ⟨map(x. fst (y x), z), λ̲v. Dmapᵗ(x. (snd (y x)) • v, z, z') • v⟩``"""
    d.used.add(Rule.MAP)
    t = yield derive(gamma.extended((x, SCALAR)), body, d)
    s = yield derive(gamma, N, d)
    n = size_of(s.type)
    y, (z, z_), a, b, w = d.supply.fresh("y"), d.supply.pair("z"), d.supply.fresh(x), d.supply.fresh(x), d.supply.fresh("v")
    v = d.linear(vector(n, NUMBER))
    values = to.Map(n, to.Scope((a,), first(to.Call(to.Variable(y), to.Variable(a)))), (to.Variable(z),))
    step = to.LinearCall(second(to.Call(to.Variable(y), to.Variable(b))), to.LinearVariable(w))
    backward = to.MapDifferential(_R, n, to.Variable(z), to.Scope((b, w), step), to.Variable(z_), gamma.tangents)
    value = let((z, z_), s.term, dual(values, v.lambda_(to.LinearCall(backward, v.variable))))
    return Derived(let((y,), to.Lambda(NUMBER, to.Scope((x,), t.term)), value), s.type)


def _map_function(gamma: Context, f: core.Term, N: core.Term, d: Derivation, derive: Derive) -> Descent[Derived]:
    """``⟨map(x. fst (f x), z), λ̲v. f' • (sum of !zi⊗vi) + z' • zipWith(x v. (snd (f x)) • v, z, v)⟩``"""
    d.used.add(Rule.MAP_FUNCTION)
    t = yield derive(gamma, f, d)
    s = yield derive(gamma, N, d)
    n = size_of(s.type)
    (y, y_), (z, z_) = d.supply.pair("f"), d.supply.pair("z")
    a, b, c = (d.supply.fresh("x") for _ in range(3))
    v, u, w = d.linear(vector(n, NUMBER)), d.supply.fresh("v"), d.supply.fresh("v")
    values = to.Map(n, to.Scope((a,), first(to.Call(to.Variable(y), to.Variable(a)))), (to.Variable(z),))
    calls = to.LinearZipWith(
        n, (to.Variable(z),), v.variable, to.Scope((b, u), to.Single(to.Variable(b), to.LinearVariable(u)))
    )
    step = to.LinearCall(second(to.Call(to.Variable(y), to.Variable(c))), to.LinearVariable(w))
    entries = to.LinearZipWith(n, (to.Variable(z),), v.variable, to.Scope((c, w), step))
    pulled = to.Plus(call(y_, to.LinearSum(n, tangent(t.type, _R), calls)), call(z_, entries))
    return Derived(let((y, y_), t.term, let((z, z_), s.term, dual(values, v.lambda_(pulled)))), s.type)


def _map2(
    gamma: Context, names: tuple[str, str], body: core.Term, arrays: tuple[core.Term, core.Term], d: Derivation, derive: Derive
) -> Descent[Derived]:
    """``λ̲v. let q = zipWith(x y v. (snd (y x y)) • v, s, r, v) in sum q.Γ + s' • q.x + r' • q.y``"""
    d.used.add(Rule.MAP2)
    t = yield derive(gamma.extended(*((x, SCALAR) for x in names)), body, d)
    s = yield derive(gamma, arrays[0], d)
    r = yield derive(gamma, arrays[1], d)
    n = size_of(s.type)
    y, (z, z_), (u, u_) = d.supply.fresh("y"), d.supply.pair("z"), d.supply.pair("z")
    a, b, c, e = (d.supply.fresh(x) for x in (*names, *names))
    v, w, q = d.linear(vector(n, NUMBER)), d.supply.fresh("v"), d.supply.fresh("q")
    both = to.Variable(z), to.Variable(u)
    function = to.Lambda(NUMBER, to.Scope((names[0],), to.Lambda(NUMBER, to.Scope((names[1],), t.term))))
    values = to.Map(n, to.Scope((a, b), first(call2(y, a, b))), both)
    step = to.LinearCall(second(call2(y, c, e)), to.LinearVariable(w))
    first_, second_, third = (d.supply.fresh("v") for _ in range(3))
    pulled = to.Plus(
        to.Plus(
            to.LinearSum(
                n, gamma.tangents, each(n, first_, to.LinearVariable(q), to.Initial(to.Initial(to.LinearVariable(first_))))
            ),
            call(z_, each(n, second_, to.LinearVariable(q), to.Last(to.Initial(to.LinearVariable(second_))))),
        ),
        call(u_, each(n, third, to.LinearVariable(q), to.Last(to.LinearVariable(third)))),
    )
    backward = v.lambda_(let_linear(q, to.LinearZipWith(n, both, v.variable, to.Scope((c, e, w), step)), pulled))
    value = let((z, z_), s.term, let((u, u_), r.term, dual(values, backward)))
    return Derived(let((y,), function, value), s.type)


def _generate(gamma: Context, n: int, i: str, body: core.Term, d: Derivation, derive: Derive) -> Descent[Derived]:
    """``λ̲v. sum (zipWith(i v. fst ((snd (y i)) • v), [0, …, n − 1], v))``: nothing flows back to i"""
    d.used.add(Rule.GENERATE)
    t = yield derive(gamma.extended((i, SCALAR)), body, d)
    y, a, b, w = d.supply.fresh("y"), d.supply.fresh(i), d.supply.fresh(i), d.supply.fresh("v")
    v = d.linear(vector(n, NUMBER))
    values = to.Map(n, to.Scope((a,), first(to.Call(to.Variable(y), to.Variable(a)))), (to.Indices(n),))
    step = to.Initial(to.LinearCall(second(to.Call(to.Variable(y), to.Variable(b))), to.LinearVariable(w)))
    backward = to.LinearSum(n, gamma.tangents, to.LinearZipWith(n, (to.Indices(n),), v.variable, to.Scope((b, w), step)))
    return Derived(let((y,), to.Lambda(NUMBER, to.Scope((i,), t.term)), dual(values, v.lambda_(backward))), Real(n))


def _fold(gamma: Context, M: core.Reduce | core.Foldl | core.Scanl, d: Derivation, derive: Derive) -> Descent[Derived]:
    """``let ⟨r, b⟩ = mapAccumL(a x. y a x, z, s) in ⟨r, λ̲v. let q = mapAccumR(b v. …) in sum q.2.1 + z' • q.1 + …⟩``"""
    scans = isinstance(M, core.Scanl)
    d.used.add(Rule.SCANL if scans else Rule.FOLDL)
    z0 = yield derive(gamma, M.start, d)
    s = yield derive(gamma, M.array, d)
    t = yield derive(gamma.extended((M.accumulator, z0.type), (M.name, SCALAR)), M.body, d)
    steps, result = Steps(size_of(s.type), scans, d.supply), Real(size_of(s.type) + 1) if scans else z0.type
    y, (z, z_), (u, u_) = d.supply.fresh("y"), d.supply.pair("z"), d.supply.pair("s")
    function = to.Lambda(primal(z0.type, _R), to.Scope((M.accumulator,), to.Lambda(NUMBER, to.Scope((M.name,), t.term))))
    v = d.linear(tangent(result, _R))

    def backward(values: to.Term, kept: to.Term) -> to.Term:
        body = steps.pulled(kept, v.variable, gamma.tangents, lambda c, a, e: to.Plus(to.Plus(c, call(z_, a)), call(u_, e)))
        return dual(values, v.lambda_(body))

    value = steps.kept(to.Variable(z), to.Variable(u), lambda a, x: to.Call(to.Call(to.Variable(y), a), x), backward)
    return Derived(let((y,), function, let((z, z_), z0.term, let((u, u_), s.term, value))), result)


def call2(y: str, a: str, b: str) -> to.Term:
    """``y a b``"""
    return to.Call(to.Call(to.Variable(y), to.Variable(a)), to.Variable(b))
