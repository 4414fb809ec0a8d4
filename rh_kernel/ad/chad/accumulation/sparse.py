"""Sparse cotangents: zeros are not stored, and an addition costs at most what its operands cost (digest of CHAD, §5).

``None`` is zero at any type. The cotangent of a tuple, of an array or of captured variables is a ``Sparse`` of the entries that
are not zero, or a Python tuple of all entries. Every cotangent is used once, so addition may update an operand in place.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from rh_kernel.ad.chad.values import Counters, TargetValue
from rh_kernel.ad.language.types import Function, Product, Real, Sum, Type
from rh_kernel.ad.language.values import Injection, Value, array
from rh_kernel.source.diagnostic import KernelBug


@dataclass(slots=True)
class Sparse:
    """The entries that are not zero, by their places from 0."""

    entries: dict[int, TargetValue]


def family(size: int, entries: dict[int, TargetValue]) -> TargetValue:
    """Return the array of ``size`` entries with these at their places; an array of one entry is that entry."""
    if size == 1:
        return entries.get(0)
    return Sparse(entries) if entries else None


def entry(V: TargetValue, i: int) -> TargetValue:
    """Return entry i, counted from 0."""
    if isinstance(V, Sparse):
        return V.entries.get(i)
    return None if V is None else V[i]


def entries_of(size: int, V: TargetValue) -> Iterator[tuple[int, TargetValue]]:
    """Yield the entries of an array that are not zero, with their places."""
    if V is None:
        return
    if size == 1:
        yield 0, V
    elif isinstance(V, Sparse):
        yield from V.entries.items()
    else:
        yield from enumerate(V)


def plus(V: TargetValue, W: TargetValue, counters: Counters) -> TargetValue:
    """``V + W``; may update V or W in place, in time proportional to the smaller number of entries"""
    if V is None:
        return W
    if W is None:
        return V
    if isinstance(V, float):
        counters.additions += 1
        counters.operations += 1
        return V + cast(float, W)
    if isinstance(V, Injection):
        other = cast(Injection, W)
        if V.side != other.side:
            raise KernelBug("cotangents of different sides of a sum were added")
        return Injection(V.side, plus(V.value, other.value, counters))
    left, right = _entries(V), _entries(W)
    larger, smaller = (left, right) if len(left) >= len(right) else (right, left)
    counters.visits += len(smaller)
    for i, U in smaller.items():
        larger[i] = plus(larger.get(i), U, counters)
    return Sparse(larger)


def _entries(V: TargetValue) -> dict[int, TargetValue]:
    return V.entries if isinstance(V, Sparse) else dict(enumerate(cast(tuple[TargetValue, ...], V)))


def full(A: Type, V: TargetValue) -> Value:
    """Return the cotangent with its zeros, for a type of arrays and products."""
    match A:
        case Real(1):
            return 0.0 if V is None else V
        case Real(n):
            return array([0.0 if (x := entry(V, i)) is None else x for i in range(n)])
        case Product(factors):
            return tuple(full(B, entry(V, i)) for i, B in enumerate(factors))
        case Sum() | Function():
            raise KernelBug(f"{A} contains functions or sums")
