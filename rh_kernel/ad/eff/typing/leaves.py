"""What a type is made of in the end: its variables, and what is not known of it, from left to right."""

from collections.abc import Iterator
from typing import TypeAlias

from rh_kernel.ad.eff import types

Leaf: TypeAlias = types.Variable | types.RowVariable | types.Meta | types.RowMeta | types.ComputationMeta


def leaves(A: types.ValueType | types.Row) -> Iterator[Leaf]:
    """The leaves of a value type or of a row."""
    match A:
        case types.Variable() | types.Meta():
            yield A
        case types.Base():
            return
        case types.Product(components):
            for B in components:
                yield from leaves(B)
        case types.Data(_, arguments):
            for B in arguments:
                yield from leaves(B)
        case types.Thunk(row, computation):
            yield from leaves(row)
            yield from leaves_of_computation(computation)
        case types.Row(labels, tail):
            if tail is not None:
                yield tail
            for L in labels:
                for B in L.arguments:
                    yield from leaves(B)


def leaves_of_computation(C: types.ComputationType) -> Iterator[Leaf]:
    """The leaves of a computation type."""
    match C:
        case types.Returner(A):
            yield from leaves(A)
        case types.Function(A, D):
            yield from leaves(A)
            yield from leaves_of_computation(D)
        case types.With(D, D2):
            yield from leaves_of_computation(D)
            yield from leaves_of_computation(D2)
        case types.ComputationMeta():
            yield C


def inside(A: types.ValueType, B: types.ValueType) -> bool:
    """Whether A is a part of B, or B itself."""
    return A == B or any(A == C or (not isinstance(C, types.Row) and inside(A, C)) for C in _parts(B))


def _parts(B: types.ValueType) -> Iterator[types.ValueType]:
    match B:
        case types.Variable() | types.Base() | types.Meta():
            return
        case types.Product(components):
            yield from components
        case types.Data(_, arguments):
            for A in arguments:
                yield from _values(A)
        case types.Thunk(row, computation):
            yield from _values(row)
            yield from _of_computation(computation)


def _values(A: types.ValueType | types.Row) -> Iterator[types.ValueType]:
    if isinstance(A, types.Row):
        for L in A.labels:
            for B in L.arguments:
                yield from _values(B)
    else:
        yield A


def _of_computation(C: types.ComputationType) -> Iterator[types.ValueType]:
    match C:
        case types.Returner(A):
            yield A
        case types.Function(A, D):
            yield A
            yield from _of_computation(D)
        case types.With(D, D2):
            yield from _of_computation(D)
            yield from _of_computation(D2)
        case types.ComputationMeta():
            return


def names(A: types.ValueType | types.Row) -> Iterator[str]:
    """The keys of the data types and the effects in a type."""
    match A:
        case types.Variable() | types.Meta() | types.Base():
            return
        case types.Product(components):
            for B in components:
                yield from names(B)
        case types.Data(name, arguments):
            yield name
            for B in arguments:
                yield from names(B)
        case types.Thunk(row, computation):
            yield from names(row)
            for B in _of_computation(computation):
                yield from names(B)
        case types.Row(labels):
            for L in labels:
                yield L.effect
                for B in L.arguments:
                    yield from names(B)
