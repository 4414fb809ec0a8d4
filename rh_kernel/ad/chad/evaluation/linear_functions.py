"""``LFun(L, M)`` and ``Copower(A, L)`` as abstract types of an ordinary functional language (CHAD §9.1–9.2, Fig. 8).

Inside, a linear function is a function and a copower a list of pairs. As nothing else makes or takes them apart, every
``LFun`` is a homomorphism and no one sees the order of the list.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from rh_kernel.ad.chad.evaluation.values import Bag, Counters, TargetValue, array_of, items_of, plus, zero
from rh_kernel.ad.chad.target.types import AnyType

Function: TypeAlias = Callable[[TargetValue], TargetValue]


@dataclass(frozen=True, slots=True, eq=False)
class LFun:
    """A linear function."""

    _run: Function

    def __call__(self, argument: TargetValue) -> TargetValue:
        """What it gives for a linear value."""
        return self._run(argument)


@dataclass(frozen=True, slots=True)
class Api:
    """The functions of the interface; ``counters`` count zeros and additions."""

    counters: Counters

    def identity(self) -> LFun:
        """``lid : LFun(L, L)``"""
        return LFun(lambda v: v)

    def then(self, f: LFun, g: LFun) -> LFun:
        """``f ;ₗ g : LFun(L, N)``"""
        return LFun(lambda v: g(f(v)))

    def operation(self, run: Function) -> LFun:
        """``lop(t, …)``, for a function that is linear"""
        return LFun(run)

    def zero(self, A: AnyType) -> LFun:
        """``0 : LFun(L, A)``"""
        return LFun(lambda _: zero(A, self.counters))

    def plus(self, f: LFun, g: LFun) -> LFun:
        """``f + g``"""
        return LFun(lambda v: plus(f(v), g(v), self.counters))

    def pair(self, functions: Sequence[LFun]) -> LFun:
        """``lpair(f, …) : LFun(L, M1 × …)``"""
        return LFun(lambda v: tuple([f(v) for f in functions]))

    def component(self, i: int) -> LFun:
        """``lfst`` and ``lsnd``: component i, from 1"""
        return LFun(lambda v: v[i - 1])

    def swap(self, f: Callable[[TargetValue], LFun]) -> LFun:
        """``lswap f : LFun(L, A → M)`` for ``f : A → LFun(L, M)``"""
        return LFun(lambda v: partial(_at, f, v))

    def evaluation(self, x: TargetValue) -> LFun:
        """``leval_x : LFun(A → L, L)``"""
        return LFun(lambda h: h(x))

    def single(self, x: TargetValue) -> LFun:
        """``{(x, −)} : LFun(L, Copower(A, L))``"""
        return LFun(lambda v: Bag(((x, v),)))

    def fold(self, A: AnyType, f: Callable[[TargetValue], LFun]) -> LFun:
        """``lcopowfold f : LFun(Copower(B, L), A)`` for ``f : B → LFun(L, A)``"""
        return LFun(lambda bag: self._sum(A, [f(x)(v) for x, v in bag.items]))

    def each(self, n: int, f: Callable[[int], LFun]) -> LFun:
        """``LFun(L^n, M^n)`` by a linear function for each entry"""
        return LFun(lambda v: array_of([f(i)(w) for i, w in enumerate(items_of(n, v))]))

    def sum(self, n: int, A: AnyType) -> LFun:
        """``LFun(A^n, A)``"""
        return LFun(lambda v: self._sum(A, items_of(n, v)))

    def _sum(self, A: AnyType, values: Sequence[TargetValue]) -> TargetValue:
        total = zero(A, self.counters)
        for v in reversed(values):
            total = plus(v, total, self.counters)
        return total


def _at(f: Callable[[TargetValue], LFun], v: TargetValue, x: TargetValue) -> TargetValue:
    return f(x)(v)
