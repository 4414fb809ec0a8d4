"""The array forms with accumulators: the body runs once for each entry, and its backpropagators are kept in an array.

The bodies add to the accumulators of what they have captured, so that a loop does not sum over whole contexts.
"""

from rh_kernel.ad.chad.accumulation.commands import Done, ForEach, FromTheRight, Send, Then
from rh_kernel.ad.chad.derivatives.reverse_arrays import ArrayRuleTerm
from rh_kernel.ad.chad.rules import Derivation, Derive, Derived, Rule, dual, first, let, second
from rh_kernel.ad.chad.source import Context, size_of
from rh_kernel.ad.chad.target import terms as to
from rh_kernel.ad.language import core
from rh_kernel.ad.language.types import SCALAR, Real
from rh_kernel.source.trampoline import Descent


def array_rule(gamma: Context, M: ArrayRuleTerm, d: Derivation, derive: Derive) -> Descent[Derived]:
    """``D_Γ(M)`` for a form that binds in a term of arrays"""
    match M:
        case core.Map(x, body, N):
            d.used.add(Rule.MAP)
            return (yield _map(gamma, (x,), body, (N,), d, derive))
        case core.Map2(x, y, body, left, right):
            d.used.add(Rule.MAP2)
            return (yield _map(gamma, (x, y), body, (left, right), d, derive))
        case core.Generate(n, i, body):
            d.used.add(Rule.GENERATE)
            t = yield derive(gamma.extended((i, SCALAR)), body, d)
            r, v, w = d.supply.fresh("r"), d.supply.fresh("v"), d.supply.fresh("v")
            backward = ForEach(n, _column(n, r, 2, d), to.LinearVariable(v), (i,), (w,), Done())
            value = dual(_column(n, r, 1, d), to.Backward(v, backward))
            return Derived(let((r,), to.Map(n, to.Scope((i,), t.term), (to.Indices(n),)), value), Real(n))
        case core.Reduce() | core.Foldl() | core.Scanl():
            return (yield _fold(gamma, M, d, derive))


def _map(
    gamma: Context, names: tuple[str, ...], body: core.Term, arrays: tuple[core.Term, ...], d: Derivation, derive: Derive
) -> Descent[Derived]:
    """``let r = map(x. D(t), z) in ⟨map(p. p.1, r), λ̲v. let d = each (b v. scope x (b • v), map(p. p.2, r), v) in z' • d⟩``"""
    derived: list[Derived] = []
    for N in arrays:
        item = yield derive(gamma, N, d)
        derived.append(item)
    t = yield derive(gamma.extended(*((x, SCALAR) for x in names)), body, d)
    n = size_of(derived[0].type)
    pairs = [d.supply.pair("z") for _ in arrays]
    r, v, results = d.supply.fresh("r"), d.supply.fresh("v"), tuple(d.supply.fresh("d") for _ in arrays)
    sent = [Send(to.Variable(z_), to.LinearVariable(w)) for (_, z_), w in zip(pairs, results, strict=True)]
    rest = sent[0] if len(sent) == 1 else Then(sent[0], sent[1])
    backward = to.Backward(v, ForEach(n, _column(n, r, 2, d), to.LinearVariable(v), names, results, rest))
    value = dual(_column(n, r, 1, d), backward)
    value = let((r,), to.Map(n, to.Scope(names, t.term), tuple(to.Variable(z) for z, _ in pairs)), value)
    for pair, item in zip(reversed(pairs), reversed(derived), strict=True):
        value = let(pair, item.term, value)
    return Derived(value, Real(n))


def _fold(gamma: Context, M: core.Reduce | core.Foldl | core.Scanl, d: Derivation, derive: Derive) -> Descent[Derived]:
    """``⟨r, λ̲v. let ⟨w, d⟩ = mapAccumR(b v. scope a x (b • v), b, v) in z' • w >> s' • d⟩``

    for ``⟨r, b⟩ = mapAccumL(a x. D(t), z, s)``. The entries of the result of ``scanl`` have cotangents of their own.
    """
    scans = isinstance(M, core.Scanl)
    d.used.add(Rule.SCANL if scans else Rule.FOLDL)
    z0 = yield derive(gamma, M.start, d)
    s = yield derive(gamma, M.array, d)
    t = yield derive(gamma.extended((M.accumulator, z0.type), (M.name, SCALAR)), M.body, d)
    n = size_of(s.type)
    (z, z_), (u, u_), r, bs = d.supply.pair("z"), d.supply.pair("s"), d.supply.fresh("r"), d.supply.fresh("b")
    v, w, g = d.supply.fresh("v"), d.supply.fresh("v"), d.supply.fresh("d")
    names, whole = (M.accumulator, M.name), to.LinearVariable(v)
    rest = Then(Send(to.Variable(z_), to.LinearVariable(w)), Send(to.Variable(u_), to.LinearVariable(g)))
    if scans:
        o, o_ = d.supply.pair("o")
        kept = to.Tuple((to.Variable(o), to.Tuple((to.Variable(o), to.Variable(o_)))))
        step = to.Accumulate(n, to.Variable(z), to.Variable(u), to.Scope(names, let((o, o_), t.term, kept)))
        rest = Then(Send(to.Variable(z_), to.Slice(0, 1, n + 1, whole)), rest)
        backward = FromTheRight(n, _column(n, bs, 2, d), None, to.Slice(1, n + 1, n + 1, whole), names, (w, g), rest)
        value, A = dual(to.Prepend(n, to.Variable(z), _column(n, bs, 1, d)), to.Backward(v, backward)), Real(n + 1)
    else:
        step = to.Accumulate(n, to.Variable(z), to.Variable(u), to.Scope(names, t.term))
        backward = FromTheRight(n, to.Variable(bs), whole, None, names, (w, g), rest)
        value, A = dual(to.Variable(r), to.Backward(v, backward)), z0.type
    value = let((r, bs), step, value)
    return Derived(let((z, z_), z0.term, let((u, u_), s.term, value)), A)


def _column(n: int, rows: str, i: int, d: Derivation) -> to.Term:
    """``map(p. p.i, r)``"""
    p = d.supply.fresh("p")
    return to.Map(n, to.Scope((p,), first(to.Variable(p)) if i == 1 else second(to.Variable(p))), (to.Variable(rows),))
