"""The derivatives of ``map f``, ``foldl f`` and ``scanl f`` as arrows, from that of f (digest of CHAD, §3.5)."""

from collections.abc import Callable
from typing import Protocol

from rh_kernel.ad.chad.combinators.arrows import Entries, Folding, Mapping, Object
from rh_kernel.ad.chad.derivatives.folds import Steps
from rh_kernel.ad.chad.rules import Derivation, each, first, let, second
from rh_kernel.ad.chad.target.terms import (
    Call,
    Extend,
    Indices,
    Initial,
    Last,
    LinearCall,
    LinearReplicate,
    LinearSum,
    LinearVariable,
    LinearZip,
    LinearZipWith,
    Map,
    Scope,
    Term,
    Tuple,
    Variable,
    Zero,
)
from rh_kernel.ad.chad.target.types import NUMBER, AnyType
from rh_kernel.ad.language.types import Real


class Maker(Protocol):
    """What makes functions and pairs of a value and a linear function, in one of the modes."""

    back: bool
    names: Derivation

    def two(self, A: Object) -> AnyType:
        """``A_2``"""
        ...

    def function(self, A: Object, body: Callable[[Term], Term]) -> Term:
        """``λx. …``"""
        ...

    def dual(self, A: Object, B: Object, value: Term, derivative: Callable[[Term], Term]) -> Term:
        """``⟨t, λ̲v. …⟩``"""
        ...

    def also(self, t: Term, body: Callable[[Term], Term]) -> Term:
        """``let v = t in …``"""
        ...


def mapped(make: Maker, A: Entries, f: Mapping, t: Term) -> tuple[Term, Object]:
    """``λp. ⟨map(x. (f ⟨γ, x⟩).1, z), λ̲v. …⟩`` where t is the derivative of the body."""
    n, k, supply = f.size, f.arrays, make.names.supply
    width, B, g = max(k, 1), Real(n), supply.fresh("f")
    gamma = make.two(Entries(A.types[: len(A.types) - k]))

    def called(p: Term, names: list[str]) -> Term:
        argument = _initial(k, p)
        for x in names:
            argument = Extend(argument, Variable(x))
        return Call(Variable(g), argument)

    def pulled(p: Term, rows: tuple[Term, ...], v: Term) -> Term:
        names, w = [supply.fresh("x") for _ in range(width)], supply.fresh("v")
        step = LinearCall(second(called(p, names)), LinearVariable(w))
        return make.also(LinearZipWith(n, rows, v, Scope((*names, w), step)), found)

    def found(q: Term) -> Term:
        c = supply.fresh("v")
        result: Term = LinearSum(n, gamma, each(n, c, q, _initial(width, LinearVariable(c))))
        for i in range(k):
            c = supply.fresh("v")
            result = Extend(result, each(n, c, q, Last(_initial(k - 1 - i, LinearVariable(c)))))
        return result

    def pushed(p: Term, rows: tuple[Term, ...], v: Term) -> Term:
        names, w = [supply.fresh("x") for _ in range(width)], supply.fresh("v")
        tangents: Term = LinearReplicate(n, _initial(k, v))
        each_ = LinearVariable(w)
        if k == 0:
            inner = Extend(each_, Zero(NUMBER))
        elif k == 1:
            tangents = LinearZip(n, Tuple((tangents, Last(v))))
            inner = Extend(first(each_), second(each_))
        else:
            tangents = LinearZip(n, Tuple((tangents, LinearZip(n, Tuple((Last(Initial(v)), Last(v)))))))
            inner = Extend(Extend(first(each_), first(second(each_))), second(second(each_)))
        return LinearZipWith(n, rows, tangents, Scope((*names, w), LinearCall(second(called(p, names)), inner)))

    def body(p: Term) -> Term:
        rows = tuple(Last(_initial(k - 1 - i, p)) for i in range(k)) or (Indices(n),)
        names = [supply.fresh("x") for _ in range(width)]
        value = Map(n, Scope(tuple(names), first(called(p, names))), rows)
        return make.dual(A, B, value, lambda v: pulled(p, rows, v) if make.back else pushed(p, rows, v))

    return let((g,), t, make.function(A, body)), B


def folded(make: Maker, A: Entries, f: Folding, t: Term) -> tuple[Term, Object]:
    """``λp. let ⟨r, b⟩ = mapAccumL(a x. f ⟨γ, a, x⟩, z, s) in ⟨r, λ̲v. …⟩`` where t is the derivative of the body."""
    steps, g = Steps(f.size, f.scans, make.names.supply), make.names.supply.fresh("f")
    gamma = make.two(Entries(A.types[:-2]))
    B = Real(f.size + 1) if f.scans else A.types[-2]

    def derivative(kept: Term, v: Term) -> Term:
        if make.back:
            return steps.pulled(kept, v, gamma, lambda c, a, e: Extend(Extend(c, a), e))
        return steps.pushed(kept, _initial(2, v), Last(Initial(v)), Last(v))

    def body(p: Term) -> Term:
        return steps.kept(
            Last(Initial(p)),
            Last(p),
            lambda a, x: Call(Variable(g), Extend(Extend(_initial(2, p), a), x)),
            lambda values, kept: make.dual(A, B, values, lambda v: derivative(kept, v)),
        )

    return let((g,), t, make.function(A, body)), B


def _initial(k: int, t: Term) -> Term:
    """``fst (… (fst t))``"""
    for _ in range(k):
        t = Initial(t)
    return t
