"""Values of the target language: those of the source language, closures, and linear values.

A linear value is a number, a tuple for a product or an array, a ``Bag`` for a copower, a function for a power, and an
``Injection`` or ``None``, its zero, for ``L ⊕ M``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias, cast

from rh_kernel.ad.chad.target.types import AnyType, Copower, Either, Function, LinearMap, Number, Product, Sum, Vector
from rh_kernel.ad.language.evaluation import OpCounter
from rh_kernel.ad.language.values import Injection
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.source.records import frozen

TargetValue: TypeAlias = Any
"""A value of the target language; its class depends on its type."""


@frozen
class Bag:
    """``!V1⊗W1 + … + !Vn⊗Wn``, a value of a copower, up to order and ``!V⊗W + !V⊗W' = !V⊗(W + W')``"""

    items: tuple[tuple[TargetValue, TargetValue], ...]


@dataclass(slots=True)
class Counters(OpCounter):
    """Counters of the evaluation, beside the operations on numbers.

    ``visits`` counts evaluated nodes and entries of arrays, ``applied`` and ``transposed`` the calls of operations and of their
    derivatives, ``zeros`` and ``additions`` the numbers in linear values that are created as zero and that are added.
    """

    visits: int = 0
    applied: int = 0
    transposed: int = 0
    zeros: int = 0
    additions: int = 0

    def named(self) -> tuple[tuple[str, int], ...]:
        """Return the counters by the names that are shown."""
        return (
            ("visits", self.visits),
            ("primitives run", self.applied),
            ("derivatives run", self.transposed),
            ("zeros made", self.zeros),
            ("additions", self.additions),
        )


def items_of(n: int, V: TargetValue) -> tuple[TargetValue, ...]:
    """Return the entries of an array of n entries; an array of one entry is that entry."""
    return (V,) if n == 1 else V


def array_of(entries: Sequence[TargetValue]) -> TargetValue:
    """Return the array of these entries."""
    return entries[0] if len(entries) == 1 else tuple(entries)


def zero(A: AnyType, counters: Counters) -> TargetValue:
    """``0``, dense: every component and entry is created"""
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
            return partial(_zero_at, B, counters)
        case Sum() | LinearMap():
            raise KernelBug(f"{A} has no zero")


def plus(V: TargetValue, W: TargetValue, counters: Counters) -> TargetValue:
    """``V + W``: by components; bags are concatenated, and functions are added pointwise"""
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
                raise KernelBug("cotangents of different sides of a sum were added")
            return Injection(side, plus(inner, other.value, counters))
        case _:
            return partial(_sum_at, V, W, counters)


def _zero_at(A: AnyType, counters: Counters, _: TargetValue) -> TargetValue:
    return zero(A, counters)


def _sum_at(f: TargetValue, g: TargetValue, counters: Counters, argument: TargetValue) -> TargetValue:
    return plus(f(argument), g(argument), counters)
