"""The forward derivatives of ``map`` (CHAD §10, App. A) and, in its manner, of the other array forms."""

from rh_kernel.ad.chad.derivatives.folds import Steps
from rh_kernel.ad.chad.derivatives.reverse_arrays import ArrayRuleTerm, call2
from rh_kernel.ad.chad.rules import Derivation, Derive, Derived, Rule, call, dual, first, let, second
from rh_kernel.ad.chad.source import Context, size_of
from rh_kernel.ad.chad.target import terms as to
from rh_kernel.ad.chad.target.types import NUMBER, Mode, primal
from rh_kernel.ad.language import core
from rh_kernel.ad.language.binding import free
from rh_kernel.ad.language.types import SCALAR, Real
from rh_kernel.source.trampoline import Descent

_F = Mode.FORWARD


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
    """``let y = λx. D(t) in let ⟨z, z'⟩ = D(s) in ⟨map(x. fst (y x), z), λ̲v. Dmap(x. (snd (y x)) • v, z, z') • v⟩``"""
    d.used.add(Rule.MAP)
    t = yield derive(gamma.extended((x, SCALAR)), body, d)
    s = yield derive(gamma, N, d)
    n = size_of(s.type)
    y, (z, z_), a, b, w = d.supply.fresh("y"), d.supply.pair("z"), d.supply.fresh(x), d.supply.fresh(x), d.supply.fresh("v")
    v = d.linear(gamma.tangents)
    values = to.Map(n, to.Scope((a,), first(to.Call(to.Variable(y), to.Variable(a)))), (to.Variable(z),))
    step = to.LinearCall(second(to.Call(to.Variable(y), to.Variable(b))), to.LinearVariable(w))
    forward = to.MapDifferential(_F, n, to.Variable(z), to.Scope((b, w), step), to.Variable(z_), gamma.tangents)
    value = let((z, z_), s.term, dual(values, v.lambda_(to.LinearCall(forward, v.variable))))
    return Derived(let((y,), to.Lambda(NUMBER, to.Scope((x,), t.term)), value), s.type)


def _map_function(gamma: Context, f: core.Term, N: core.Term, d: Derivation, derive: Derive) -> Descent[Derived]:
    """``⟨map(x. fst (f x), z), λ̲v. zipWith(x v. (snd (f x)) • v, z, z' • v) + map(x. (f' • v) x, z)⟩``"""
    d.used.add(Rule.MAP_FUNCTION)
    t = yield derive(gamma, f, d)
    s = yield derive(gamma, N, d)
    n = size_of(s.type)
    (y, y_), (z, z_) = d.supply.pair("f"), d.supply.pair("z")
    a, b, c = (d.supply.fresh("x") for _ in range(3))
    v, u, w = d.linear(gamma.tangents), d.supply.fresh("v"), d.supply.fresh("v")
    values = to.Map(n, to.Scope((a,), first(to.Call(to.Variable(y), to.Variable(a)))), (to.Variable(z),))
    step = to.LinearCall(second(to.Call(to.Variable(y), to.Variable(c))), to.LinearVariable(w))
    of_entries = to.LinearZipWith(n, (to.Variable(z),), call(z_, v.variable), to.Scope((c, w), step))
    directions = to.LinearReplicate(n, call(y_, v.variable))
    of_function = to.LinearZipWith(
        n, (to.Variable(z),), directions, to.Scope((b, u), to.Call(to.LinearVariable(u), to.Variable(b)))
    )
    value = let((z, z_), s.term, dual(values, v.lambda_(to.Plus(of_entries, of_function))))
    return Derived(let((y, y_), t.term, value), s.type)


def _map2(
    gamma: Context, names: tuple[str, str], body: core.Term, arrays: tuple[core.Term, core.Term], d: Derivation, derive: Derive
) -> Descent[Derived]:
    """``λ̲v. zipWith(x y w. (snd (y x y)) • w, s, r, zip ⟨replicate v, zip ⟨s' • v, r' • v⟩⟩)``"""
    d.used.add(Rule.MAP2)
    t = yield derive(gamma.extended(*((x, SCALAR) for x in names)), body, d)
    s = yield derive(gamma, arrays[0], d)
    r = yield derive(gamma, arrays[1], d)
    n = size_of(s.type)
    y, (z, z_), (u, u_) = d.supply.fresh("y"), d.supply.pair("z"), d.supply.pair("z")
    a, b, c, e = (d.supply.fresh(x) for x in (*names, *names))
    v, w = d.linear(gamma.tangents), d.supply.fresh("v")
    both = to.Variable(z), to.Variable(u)
    function = to.Lambda(NUMBER, to.Scope((names[0],), to.Lambda(NUMBER, to.Scope((names[1],), t.term))))
    values = to.Map(n, to.Scope((a, b), first(call2(y, a, b))), both)
    entries = to.LinearZip(n, to.Tuple((call(z_, v.variable), call(u_, v.variable))))
    operand = to.LinearZip(n, to.Tuple((to.LinearReplicate(n, v.variable), entries)))
    p = to.LinearVariable(w)
    step = to.LinearCall(second(call2(y, c, e)), to.Extend(to.Extend(first(p), first(second(p))), second(second(p))))
    pushed = to.LinearZipWith(n, both, operand, to.Scope((c, e, w), step))
    value = let((z, z_), s.term, let((u, u_), r.term, dual(values, v.lambda_(pushed))))
    return Derived(let((y,), function, value), s.type)


def _generate(gamma: Context, n: int, i: str, body: core.Term, d: Derivation, derive: Derive) -> Descent[Derived]:
    """``λ̲v. zipWith(i v. (snd (y i)) • ⟨v, 0⟩, [0, …, n − 1], replicate v)``"""
    d.used.add(Rule.GENERATE)
    t = yield derive(gamma.extended((i, SCALAR)), body, d)
    y, a, b, w = d.supply.fresh("y"), d.supply.fresh(i), d.supply.fresh(i), d.supply.fresh("v")
    v = d.linear(gamma.tangents)
    values = to.Map(n, to.Scope((a,), first(to.Call(to.Variable(y), to.Variable(a)))), (to.Indices(n),))
    step = to.LinearCall(second(to.Call(to.Variable(y), to.Variable(b))), to.Extend(to.LinearVariable(w), to.Zero(NUMBER)))
    pushed = to.LinearZipWith(n, (to.Indices(n),), to.LinearReplicate(n, v.variable), to.Scope((b, w), step))
    return Derived(let((y,), to.Lambda(NUMBER, to.Scope((i,), t.term)), dual(values, v.lambda_(pushed))), Real(n))


def _fold(gamma: Context, M: core.Reduce | core.Foldl | core.Scanl, d: Derivation, derive: Derive) -> Descent[Derived]:
    """``let ⟨r, b⟩ = mapAccumL(a x. y a x, z, s) in ⟨r, λ̲v. mapAccumL(b w. …, b, ⟨z' • v, …⟩).1⟩``"""
    scans = isinstance(M, core.Scanl)
    d.used.add(Rule.SCANL if scans else Rule.FOLDL)
    z0 = yield derive(gamma, M.start, d)
    s = yield derive(gamma, M.array, d)
    t = yield derive(gamma.extended((M.accumulator, z0.type), (M.name, SCALAR)), M.body, d)
    steps, result = Steps(size_of(s.type), scans, d.supply), Real(size_of(s.type) + 1) if scans else z0.type
    y, (z, z_), (u, u_) = d.supply.fresh("y"), d.supply.pair("z"), d.supply.pair("s")
    function = to.Lambda(primal(z0.type, _F), to.Scope((M.accumulator,), to.Lambda(NUMBER, to.Scope((M.name,), t.term))))
    v = d.linear(gamma.tangents)

    def forward(values: to.Term, kept: to.Term) -> to.Term:
        pushed = steps.pushed(kept, v.variable, call(z_, v.variable), call(u_, v.variable))
        return dual(values, v.lambda_(pushed))

    value = steps.kept(to.Variable(z), to.Variable(u), lambda a, x: to.Call(to.Call(to.Variable(y), a), x), forward)
    return Derived(let((y,), function, let((z, z_), z0.term, let((u, u_), s.term, value))), result)
