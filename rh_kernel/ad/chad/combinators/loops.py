"""The derivatives of ``map f``, ``foldl f`` and ``scanl f`` as arrows, from that of f (digest of CHAD, §3.5)."""

from rh_kernel.ad.chad.combinators.arrow_builder import ArrowBuilder
from rh_kernel.ad.chad.combinators.arrows import Entries, Folding, Mapping, Object
from rh_kernel.ad.chad.derivatives.folds import FoldDerivative
from rh_kernel.ad.chad.target import terms as to
from rh_kernel.ad.chad.target.types import NUMBER
from rh_kernel.ad.chad.term_builder import first, let, second
from rh_kernel.ad.language.types import Real


def map_derivative(builder: ArrowBuilder, A: Entries, f: Mapping, t: to.Term) -> tuple[to.Term, Object]:
    """``λp. ⟨map(x. (f ⟨γ, x⟩).1, z), λ̲v. …⟩``, where t is the derivative of the body"""
    n, k, supply = f.size, f.arrays, builder.names
    width, B, g = max(k, 1), Real(n), supply.fresh("f")
    gamma = builder.two(Entries(A.types[: len(A.types) - k]))

    def entries() -> list[str]:
        return [supply.fresh("x") for _ in range(width)]

    def called(p: to.Term, names: list[str]) -> to.Term:
        argument = _initial(k, p)
        for x in names:
            argument = to.Extend(argument, to.Variable(x))
        return to.Call(to.Variable(g), argument)

    def vjp(p: to.Term, rows: tuple[to.Term, ...], v: to.Term) -> to.Term:
        names, w = entries(), supply.fresh("v")
        step = to.LinearCall(second(called(p, names)), to.LinearVariable(w))
        return builder.let_linear(to.LinearZipWith(n, rows, v, to.Scope((*names, w), step)), accumulated)

    def accumulated(q: to.Term) -> to.Term:
        result: to.Term = to.LinearSum(n, gamma, builder.map_linear(n, q, lambda c: _initial(width, c)))
        for i in reversed(range(k)):
            result = to.Extend(result, builder.map_linear(n, q, lambda c, i=i: to.Last(_initial(i, c))))
        return result

    def jvp(p: to.Term, rows: tuple[to.Term, ...], v: to.Term) -> to.Term:
        names, w = entries(), supply.fresh("v")
        tangents: to.Term = to.LinearReplicate(n, _initial(k, v))
        each = to.LinearVariable(w)
        if k == 0:
            inner = to.Extend(each, to.Zero(NUMBER))
        elif k == 1:
            tangents = to.LinearZip(n, to.Tuple((tangents, to.Last(v))))
            inner = to.Extend(first(each), second(each))
        else:
            tangents = to.LinearZip(n, to.Tuple((tangents, to.LinearZip(n, to.Tuple((to.Last(to.Initial(v)), to.Last(v)))))))
            inner = to.Extend(to.Extend(first(each), first(second(each))), second(second(each)))
        return to.LinearZipWith(n, rows, tangents, to.Scope((*names, w), to.LinearCall(second(called(p, names)), inner)))

    def body(p: to.Term) -> to.Term:
        rows = tuple(to.Last(_initial(k - 1 - i, p)) for i in range(k)) or (to.Indices(n),)
        names = entries()
        value = to.Map(n, to.Scope(tuple(names), first(called(p, names))), rows)
        return builder.dual_of(A, B, value, lambda v: vjp(p, rows, v) if builder.is_reverse else jvp(p, rows, v))

    return let((g,), t, builder.function(A, body)), B


def fold_derivative(builder: ArrowBuilder, A: Entries, f: Folding, t: to.Term) -> tuple[to.Term, Object]:
    """``λp. let ⟨r, b⟩ = mapAccumL(a x. f ⟨γ, a, x⟩, z, s) in ⟨r, λ̲v. …⟩``, where t is the derivative of the body"""
    fold, g = FoldDerivative(f.size, f.scans, builder), builder.names.fresh("f")
    gamma = builder.two(Entries(A.types[:-2]))
    B = Real(f.size + 1) if f.scans else A.types[-2]

    def derivative(steps: to.Term, v: to.Term) -> to.Term:
        if builder.is_reverse:
            return fold.vjp(steps, v, gamma, lambda c, a, e: to.Extend(to.Extend(c, a), e))
        return fold.jvp(steps, _initial(2, v), to.Last(to.Initial(v)), to.Last(v))

    def body(p: to.Term) -> to.Term:
        return fold.forward_pass(
            to.Last(to.Initial(p)),
            to.Last(p),
            lambda a, x: to.Call(to.Variable(g), to.Extend(to.Extend(_initial(2, p), a), x)),
            lambda value, steps: builder.dual_of(A, B, value, lambda v: derivative(steps, v)),
        )

    return let((g,), t, builder.function(A, body)), B


def _initial(k: int, t: to.Term) -> to.Term:
    """``fst (… (fst t))``"""
    for _ in range(k):
        t = to.Initial(t)
    return t
