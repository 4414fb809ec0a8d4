"""The derivatives of ``map f``, ``foldl f`` and ``scanl f`` as arrows, from that of f (digest of CHAD, §3.5)."""

from collections.abc import Callable
from typing import Protocol

from rh_kernel.ad.chad.combinators.arrows import Entries, Folding, Mapping, Object
from rh_kernel.ad.chad.derivatives.folds import Steps
from rh_kernel.ad.chad.rules import Derivation, each, first, let, second
from rh_kernel.ad.chad.target import terms as to
from rh_kernel.ad.chad.target.types import NUMBER, AnyType
from rh_kernel.ad.language.types import Real


class Maker(Protocol):
    """What makes functions and pairs of a value and a linear function, in one of the modes."""

    back: bool
    names: Derivation

    def two(self, A: Object) -> AnyType:
        """``A_2``"""
        ...

    def function(self, A: Object, body: Callable[[to.Term], to.Term]) -> to.Term:
        """``λx. …``"""
        ...

    def dual(self, A: Object, B: Object, value: to.Term, derivative: Callable[[to.Term], to.Term]) -> to.Term:
        """``⟨t, λ̲v. …⟩``"""
        ...

    def also(self, t: to.Term, body: Callable[[to.Term], to.Term]) -> to.Term:
        """``let v = t in …``"""
        ...


def mapped(make: Maker, A: Entries, f: Mapping, t: to.Term) -> tuple[to.Term, Object]:
    """``λp. ⟨map(x. (f ⟨γ, x⟩).1, z), λ̲v. …⟩`` where t is the derivative of the body."""
    n, k, supply = f.size, f.arrays, make.names.supply
    width, B, g = max(k, 1), Real(n), supply.fresh("f")
    gamma = make.two(Entries(A.types[: len(A.types) - k]))

    def called(p: to.Term, names: list[str]) -> to.Term:
        argument = _initial(k, p)
        for x in names:
            argument = to.Extend(argument, to.Variable(x))
        return to.Call(to.Variable(g), argument)

    def pulled(p: to.Term, rows: tuple[to.Term, ...], v: to.Term) -> to.Term:
        names, w = [supply.fresh("x") for _ in range(width)], supply.fresh("v")
        step = to.LinearCall(second(called(p, names)), to.LinearVariable(w))
        return make.also(to.LinearZipWith(n, rows, v, to.Scope((*names, w), step)), found)

    def found(q: to.Term) -> to.Term:
        c = supply.fresh("v")
        result: to.Term = to.LinearSum(n, gamma, each(n, c, q, _initial(width, to.LinearVariable(c))))
        for i in range(k):
            c = supply.fresh("v")
            result = to.Extend(result, each(n, c, q, to.Last(_initial(k - 1 - i, to.LinearVariable(c)))))
        return result

    def pushed(p: to.Term, rows: tuple[to.Term, ...], v: to.Term) -> to.Term:
        names, w = [supply.fresh("x") for _ in range(width)], supply.fresh("v")
        tangents: to.Term = to.LinearReplicate(n, _initial(k, v))
        each_ = to.LinearVariable(w)
        if k == 0:
            inner = to.Extend(each_, to.Zero(NUMBER))
        elif k == 1:
            tangents = to.LinearZip(n, to.Tuple((tangents, to.Last(v))))
            inner = to.Extend(first(each_), second(each_))
        else:
            tangents = to.LinearZip(n, to.Tuple((tangents, to.LinearZip(n, to.Tuple((to.Last(to.Initial(v)), to.Last(v)))))))
            inner = to.Extend(to.Extend(first(each_), first(second(each_))), second(second(each_)))
        return to.LinearZipWith(n, rows, tangents, to.Scope((*names, w), to.LinearCall(second(called(p, names)), inner)))

    def body(p: to.Term) -> to.Term:
        rows = tuple(to.Last(_initial(k - 1 - i, p)) for i in range(k)) or (to.Indices(n),)
        names = [supply.fresh("x") for _ in range(width)]
        value = to.Map(n, to.Scope(tuple(names), first(called(p, names))), rows)
        return make.dual(A, B, value, lambda v: pulled(p, rows, v) if make.back else pushed(p, rows, v))

    return let((g,), t, make.function(A, body)), B


def folded(make: Maker, A: Entries, f: Folding, t: to.Term) -> tuple[to.Term, Object]:
    """``λp. let ⟨r, b⟩ = mapAccumL(a x. f ⟨γ, a, x⟩, z, s) in ⟨r, λ̲v. …⟩`` where t is the derivative of the body."""
    steps, g = Steps(f.size, f.scans, make.names.supply), make.names.supply.fresh("f")
    gamma = make.two(Entries(A.types[:-2]))
    B = Real(f.size + 1) if f.scans else A.types[-2]

    def derivative(kept: to.Term, v: to.Term) -> to.Term:
        if make.back:
            return steps.pulled(kept, v, gamma, lambda c, a, e: to.Extend(to.Extend(c, a), e))
        return steps.pushed(kept, _initial(2, v), to.Last(to.Initial(v)), to.Last(v))

    def body(p: to.Term) -> to.Term:
        return steps.kept(
            to.Last(to.Initial(p)),
            to.Last(p),
            lambda a, x: to.Call(to.Variable(g), to.Extend(to.Extend(_initial(2, p), a), x)),
            lambda values, kept: make.dual(A, B, values, lambda v: derivative(kept, v)),
        )

    return let((g,), t, make.function(A, body)), B


def _initial(k: int, t: to.Term) -> to.Term:
    """``fst (… (fst t))``"""
    for _ in range(k):
        t = to.Initial(t)
    return t
