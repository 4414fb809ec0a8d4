"""The forward derivatives of ``map`` (CHAD §10, App. A) and, in its manner, of the other array forms."""

from rh_kernel.ad.chad.derivatives.folds import Steps
from rh_kernel.ad.chad.derivatives.reverse_arrays import ArrayRuleTerm, call2
from rh_kernel.ad.chad.rules import Derivation, Derive, Derived, Rule, call, dual, first, let, second
from rh_kernel.ad.chad.source import Context, size_of
from rh_kernel.ad.chad.target.terms import (
    Call,
    Extend,
    Indices,
    Lambda,
    LinearCall,
    LinearReplicate,
    LinearVariable,
    LinearZip,
    LinearZipWith,
    Map,
    MapDifferential,
    Plus,
    Scope,
    Term,
    Tuple,
    Variable,
    Zero,
)
from rh_kernel.ad.chad.target.types import NUMBER, Mode, primal
from rh_kernel.ad.language import core
from rh_kernel.ad.language.binding import free
from rh_kernel.ad.language.types import SCALAR, Real
from rh_kernel.source.descent import Descent

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
    values = Map(n, Scope((a,), first(Call(Variable(y), Variable(a)))), (Variable(z),))
    step = LinearCall(second(Call(Variable(y), Variable(b))), LinearVariable(w))
    forward = MapDifferential(_F, n, Variable(z), Scope((b, w), step), Variable(z_), gamma.tangents)
    value = let((z, z_), s.term, dual(values, v.lambda_(LinearCall(forward, v.variable))))
    return Derived(let((y,), Lambda(NUMBER, Scope((x,), t.term)), value), s.type)


def _map_function(gamma: Context, f: core.Term, N: core.Term, d: Derivation, derive: Derive) -> Descent[Derived]:
    """``⟨map(x. fst (f x), z), λ̲v. zipWith(x v. (snd (f x)) • v, z, z' • v) + map(x. (f' • v) x, z)⟩``"""
    d.used.add(Rule.MAP_FUNCTION)
    t = yield derive(gamma, f, d)
    s = yield derive(gamma, N, d)
    n = size_of(s.type)
    (y, y_), (z, z_) = d.supply.pair("f"), d.supply.pair("z")
    a, b, c = (d.supply.fresh("x") for _ in range(3))
    v, u, w = d.linear(gamma.tangents), d.supply.fresh("v"), d.supply.fresh("v")
    values = Map(n, Scope((a,), first(Call(Variable(y), Variable(a)))), (Variable(z),))
    step = LinearCall(second(Call(Variable(y), Variable(c))), LinearVariable(w))
    of_entries = LinearZipWith(n, (Variable(z),), call(z_, v.variable), Scope((c, w), step))
    directions = LinearReplicate(n, call(y_, v.variable))
    of_function = LinearZipWith(n, (Variable(z),), directions, Scope((b, u), Call(LinearVariable(u), Variable(b))))
    value = let((z, z_), s.term, dual(values, v.lambda_(Plus(of_entries, of_function))))
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
    both = Variable(z), Variable(u)
    function = Lambda(NUMBER, Scope((names[0],), Lambda(NUMBER, Scope((names[1],), t.term))))
    values = Map(n, Scope((a, b), first(call2(y, a, b))), both)
    entries = LinearZip(n, Tuple((call(z_, v.variable), call(u_, v.variable))))
    operand = LinearZip(n, Tuple((LinearReplicate(n, v.variable), entries)))
    p = LinearVariable(w)
    step = LinearCall(second(call2(y, c, e)), Extend(Extend(first(p), first(second(p))), second(second(p))))
    pushed = LinearZipWith(n, both, operand, Scope((c, e, w), step))
    value = let((z, z_), s.term, let((u, u_), r.term, dual(values, v.lambda_(pushed))))
    return Derived(let((y,), function, value), s.type)


def _generate(gamma: Context, n: int, i: str, body: core.Term, d: Derivation, derive: Derive) -> Descent[Derived]:
    """``λ̲v. zipWith(i v. (snd (y i)) • ⟨v, 0⟩, [0, …, n − 1], replicate v)``"""
    d.used.add(Rule.GENERATE)
    t = yield derive(gamma.extended((i, SCALAR)), body, d)
    y, a, b, w = d.supply.fresh("y"), d.supply.fresh(i), d.supply.fresh(i), d.supply.fresh("v")
    v = d.linear(gamma.tangents)
    values = Map(n, Scope((a,), first(Call(Variable(y), Variable(a)))), (Indices(n),))
    step = LinearCall(second(Call(Variable(y), Variable(b))), Extend(LinearVariable(w), Zero(NUMBER)))
    pushed = LinearZipWith(n, (Indices(n),), LinearReplicate(n, v.variable), Scope((b, w), step))
    return Derived(let((y,), Lambda(NUMBER, Scope((i,), t.term)), dual(values, v.lambda_(pushed))), Real(n))


def _fold(gamma: Context, M: core.Reduce | core.Foldl | core.Scanl, d: Derivation, derive: Derive) -> Descent[Derived]:
    """``let ⟨r, b⟩ = mapAccumL(a x. y a x, z, s) in ⟨r, λ̲v. mapAccumL(b w. …, b, ⟨z' • v, …⟩).1⟩``"""
    scans = isinstance(M, core.Scanl)
    d.used.add(Rule.SCANL if scans else Rule.FOLDL)
    z0 = yield derive(gamma, M.start, d)
    s = yield derive(gamma, M.array, d)
    t = yield derive(gamma.extended((M.accumulator, z0.type), (M.name, SCALAR)), M.body, d)
    steps, result = Steps(size_of(s.type), scans, d.supply), Real(size_of(s.type) + 1) if scans else z0.type
    y, (z, z_), (u, u_) = d.supply.fresh("y"), d.supply.pair("z"), d.supply.pair("s")
    function = Lambda(primal(z0.type, _F), Scope((M.accumulator,), Lambda(NUMBER, Scope((M.name,), t.term))))
    v = d.linear(gamma.tangents)

    def forward(values: Term, kept: Term) -> Term:
        pushed = steps.pushed(kept, v.variable, call(z_, v.variable), call(u_, v.variable))
        return dual(values, v.lambda_(pushed))

    value = steps.kept(Variable(z), Variable(u), lambda a, x: Call(Call(Variable(y), a), x), forward)
    return Derived(let((y,), function, let((z, z_), z0.term, let((u, u_), s.term, value))), result)
