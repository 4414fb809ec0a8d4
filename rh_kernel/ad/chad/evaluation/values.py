"""Values of the target language: the Cartesian ones of the laboratory, closures, and what linear types are made of.

A linear value is a number, a tuple (of a product or an array), a ``Bag`` of a copower, a function of a power, or one of a sum:
``None`` is the zero of ``L ⊕ M``.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias, cast

from rh_kernel.ad.chad.target.types import AnyType, Copower, Either, Function, LinearMap, Number, Product, Sum, Vector
from rh_kernel.ad.language.evaluation import OpCounter
from rh_kernel.ad.language.values import Injection
from rh_kernel.source.diagnostic import KernelBug

TargetValue: TypeAlias = Any
"""A value of the target language; which one it is, its type says."""


@dataclass(frozen=True, slots=True)
class Bag:
    """``!V1⊗W1 + … + !Vn⊗Wn``: the values of a copower, up to order and ``!V⊗W + !V⊗W' = !V⊗(W + W')``"""

    items: tuple[tuple[TargetValue, TargetValue], ...]


@dataclass(slots=True)
class Counters(OpCounter):
    """What is counted beside operations on numbers.

    ``visits`` are evaluated nodes and entries of arrays, ``applied`` and ``transposed`` how often an operation and a derivative
    of one were run, ``zeros`` and ``additions`` numbers of linear values that were made as zero, or added.
    """

    visits: int = 0
    applied: int = 0
    transposed: int = 0
    zeros: int = 0
    additions: int = 0

    @property
    def work(self) -> int:
        """All of the above that takes time."""
        return self.visits + self.zeros + self.additions

    def named(self) -> tuple[tuple[str, int], ...]:
        """The counters by name."""
        return (
            ("visits", self.visits),
            ("primitives run", self.applied),
            ("derivatives run", self.transposed),
            ("zeros made", self.zeros),
            ("additions", self.additions),
        )


def items_of(n: int, V: TargetValue) -> tuple[TargetValue, ...]:
    """The entries of an array of n entries; one of one entry is that entry."""
    return (V,) if n == 1 else V


def array_of(entries: Sequence[TargetValue]) -> TargetValue:
    """The array of these entries."""
    return entries[0] if len(entries) == 1 else tuple(entries)


def zero(A: AnyType, counters: Counters) -> TargetValue:
    """``0``, in full: a product of zeros is made of as many"""
    match A:
        case Number():
            counters.zeros += 1
            return 0.0
        case Vector(n, Number()):
            counters.zeros += n
            return (0.0,) * n
        case Vector(n, B):
            return tuple(zero(B, counters) for _ in range(n))
        case Product(factors):
            return tuple([zero(B, counters) for B in factors])
        case Copower():
            return Bag(())
        case Either():
            return None
        case Function(_, B):
            return partial(_constantly_zero, B, counters)
        case Sum() | LinearMap():
            raise KernelBug(f"{A} has no zero")


def plus(V: TargetValue, W: TargetValue, counters: Counters) -> TargetValue:
    """``V + W``: by components, of copowers one list after the other, of powers point by point"""
    match V:
        case float():
            counters.additions += 1
            counters.operations += 1
            return V + cast(float, W)
        case tuple():
            pairs = zip(cast(tuple[TargetValue, ...], V), W, strict=True)
            return tuple([plus(x, y, counters) for x, y in pairs])
        case Bag(items):
            return Bag(items + cast(Bag, W).items)
        case None:
            return W
        case Injection(side, inner):
            if W is None:
                return V
            other = cast(Injection, W)
            if other.side != side:
                raise KernelBug("cotangents of both sides of a sum were added")
            return Injection(side, plus(inner, other.value, counters))
        case _:
            f, g = cast(Callable[[TargetValue], TargetValue], V), cast(Callable[[TargetValue], TargetValue], W)
            return partial(_pointwise, f, g, counters)


def _constantly_zero(A: AnyType, counters: Counters, _: TargetValue) -> TargetValue:
    return zero(A, counters)


def _pointwise(
    f: Callable[[TargetValue], TargetValue], g: Callable[[TargetValue], TargetValue], counters: Counters, key: TargetValue
) -> TargetValue:
    return plus(f(key), g(key), counters)
