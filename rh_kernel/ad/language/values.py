"""Values of ``%%lambda`` cells, and their conversion to and from flat sequences of numbers.

A number is a ``float``; an array of n ≠ 1 entries is a tuple of n floats; a tuple is a tuple of values, ``inl(V)`` is
``Injection(1, V)``, and a function is a Python function.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias, cast

from rh_kernel.ad.language.types import Function, Product, Real, Sum, Type
from rh_kernel.source.diagnostic import KernelBug


@dataclass(frozen=True, slots=True)
class Injection:
    """``inl(V)`` (``side`` 1) or ``inr(V)`` (``side`` 2)"""

    side: int
    value: "Value"


Value: TypeAlias = "float | tuple[Value, ...] | Injection | Callable[[Value], Value]"


def entries(V: Value) -> tuple[float, ...]:
    """The entries of an array; a number is an array of one entry."""
    return cast(tuple[float, ...], V) if isinstance(V, tuple) else (cast(float, V),)


def components(V: Value) -> tuple[Value, ...]:
    """The components of a tuple. Raises ``KernelBug`` for any other value."""
    if isinstance(V, tuple):
        return cast(tuple[Value, ...], V)
    raise KernelBug("a tuple was expected")


def array(numbers: Sequence[float]) -> Value:
    """The array of these entries; for a single one, that number."""
    return numbers[0] if len(numbers) == 1 else tuple(numbers)


def zero(A: Type) -> Value:
    """The zero of a type of arrays and products."""
    match A:
        case Real(1):
            return 0.0
        case Real(n):
            return (0.0,) * n
        case Product(factors):
            return tuple(map(zero, factors))
        case Sum() | Function():
            raise KernelBug(f"{A} has no zero that is a value")


def plus(V: Value, W: Value) -> Value:
    """``V + W``, entry by entry and component by component."""
    if isinstance(V, tuple):
        return tuple(map(plus, cast(tuple[Value, ...], V), cast(tuple[Value, ...], W)))
    return cast(float, V) + cast(float, W)


def numbers(V: Value) -> Iterator[float]:
    """Yield all numbers in a value of arrays and products, from left to right."""
    if isinstance(V, tuple):
        for part in cast(tuple[Value, ...], V):
            yield from numbers(part)
    else:
        yield cast(float, V)


def of_numbers(A: Type, stream: Iterator[float]) -> Value:
    """The value of a type of arrays and products with these numbers: the inverse of ``numbers``."""
    match A:
        case Real(1):
            return next(stream)
        case Real(n):
            return tuple(next(stream) for _ in range(n))
        case Product(factors):
            return tuple(of_numbers(B, stream) for B in factors)
        case Sum() | Function():
            raise KernelBug(f"{A} is not made of numbers")


def size(A: Type) -> int:
    """The dimension of a type of arrays and products."""
    match A:
        case Real(n):
            return n
        case Product(factors):
            return sum(map(size, factors))
        case Sum() | Function():
            raise KernelBug(f"{A} is not made of numbers")


def basis(A: Type) -> Iterator[Value]:
    """Yield the standard basis of a type of arrays and products, in the order of ``numbers``."""
    n = size(A)
    for i in range(n):
        yield of_numbers(A, iter([0.0] * i + [1.0] + [0.0] * (n - i - 1)))
