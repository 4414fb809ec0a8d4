"""What a type is made of in the end: its variables, and what is not known of it, from left to right."""

from collections.abc import Iterator
from typing import TypeAlias

from rh_kernel.ad.eff.types import (
    Base,
    ComputationMeta,
    ComputationType,
    Data,
    Function,
    Meta,
    Product,
    Returner,
    Row,
    RowMeta,
    RowVariable,
    Thunk,
    ValueType,
    Variable,
    With,
)

Leaf: TypeAlias = Variable | RowVariable | Meta | RowMeta | ComputationMeta


def leaves(A: ValueType | Row) -> Iterator[Leaf]:
    """The leaves of a value type or of a row."""
    match A:
        case Variable() | Meta():
            yield A
        case Base():
            return
        case Product(components):
            for B in components:
                yield from leaves(B)
        case Data(_, arguments):
            for B in arguments:
                yield from leaves(B)
        case Thunk(row, computation):
            yield from leaves(row)
            yield from leaves_of_computation(computation)
        case Row(labels, tail):
            if tail is not None:
                yield tail
            for L in labels:
                for B in L.arguments:
                    yield from leaves(B)


def leaves_of_computation(C: ComputationType) -> Iterator[Leaf]:
    """The leaves of a computation type."""
    match C:
        case Returner(A):
            yield from leaves(A)
        case Function(A, D):
            yield from leaves(A)
            yield from leaves_of_computation(D)
        case With(D, D2):
            yield from leaves_of_computation(D)
            yield from leaves_of_computation(D2)
        case ComputationMeta():
            yield C


def inside(A: ValueType, B: ValueType) -> bool:
    """Whether A is a part of B, or B itself."""
    return A == B or any(A == C or (not isinstance(C, Row) and inside(A, C)) for C in _parts(B))


def _parts(B: ValueType) -> Iterator[ValueType]:
    match B:
        case Variable() | Base() | Meta():
            return
        case Product(components):
            yield from components
        case Data(_, arguments):
            for A in arguments:
                yield from _values(A)
        case Thunk(row, computation):
            yield from _values(row)
            yield from _of_computation(computation)


def _values(A: ValueType | Row) -> Iterator[ValueType]:
    if isinstance(A, Row):
        for L in A.labels:
            for B in L.arguments:
                yield from _values(B)
    else:
        yield A


def _of_computation(C: ComputationType) -> Iterator[ValueType]:
    match C:
        case Returner(A):
            yield A
        case Function(A, D):
            yield A
            yield from _of_computation(D)
        case With(D, D2):
            yield from _of_computation(D)
            yield from _of_computation(D2)
        case ComputationMeta():
            return


def names(A: ValueType | Row) -> Iterator[str]:
    """The keys of the data types and the effects in a type."""
    match A:
        case Variable() | Meta() | Base():
            return
        case Product(components):
            for B in components:
                yield from names(B)
        case Data(name, arguments):
            yield name
            for B in arguments:
                yield from names(B)
        case Thunk(row, computation):
            yield from names(row)
            for B in _of_computation(computation):
                yield from names(B)
        case Row(labels):
            for L in labels:
                yield L.effect
                for B in L.arguments:
                    yield from names(B)
