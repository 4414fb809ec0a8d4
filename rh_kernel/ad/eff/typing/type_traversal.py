"""Traversals of EFF's types: parts, leaves, maps, and the parts of two types side by side."""

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias, TypeVar, cast

from rh_kernel.ad.eff import types as t

TypeNode: TypeAlias = t.ValueType | t.ComputationType | t.Row | t.RowVariable | t.RowMeta | t.Label

Leaf: TypeAlias = t.Variable | t.RowVariable | t.Meta | t.RowMeta | t.ComputationMeta

AnyType = TypeVar("AnyType", t.ValueType, t.ComputationType, t.Row, t.Label, "t.ValueType | t.Row")

_VALUE_TYPES = (t.Variable, t.Base, t.Product, t.Data, t.Thunk, t.Meta)


def parts(A: TypeNode) -> tuple[TypeNode, ...]:
    """The immediate parts of a type, as they are written: the tail of a row comes before its labels."""
    match A:
        case t.Product(components):
            return components
        case t.Data(_, arguments) | t.Label(_, arguments):
            return arguments
        case t.Thunk(E, C):
            return E, C
        case t.Row(labels, tail):
            return labels if tail is None else (tail, *labels)
        case t.Returner(B):
            return (B,)
        case t.Function(B, C) | t.With(B, C):
            return B, C
        case t.Variable() | t.RowVariable() | t.Base() | t.Meta() | t.RowMeta() | t.ComputationMeta():
            return ()


def nodes(A: TypeNode) -> Iterator[TypeNode]:
    """A and all its parts, from left to right, a whole before its parts."""
    yield A
    for B in parts(A):
        yield from nodes(B)


def leaves(A: TypeNode) -> Iterator[Leaf]:
    """The variables and the unknown types in A, from left to right."""
    if isinstance(A, t.Variable | t.Meta | t.RowVariable | t.RowMeta | t.ComputationMeta):
        yield A
    else:
        for B in parts(A):
            yield from leaves(B)


def mapped(A: AnyType, f: Callable[[Any], Any]) -> AnyType:
    """A with the image under ``f`` of each immediate part; the tail of a row stays."""
    match A:
        case t.Product(components):
            B: TypeNode = t.Product(tuple(map(f, components)))
        case t.Data(name, arguments) if arguments:
            B = t.Data(name, tuple(map(f, arguments)))
        case t.Label(effect, arguments) if arguments:
            B = t.Label(effect, tuple(map(f, arguments)))
        case t.Thunk(E, C):
            B = t.Thunk(f(E), f(C))
        case t.Row(labels, tail) if labels:
            B = t.Row(tuple(map(f, labels)), tail)
        case t.Returner(C):
            B = t.Returner(f(C))
        case t.Function(C, D):
            B = t.Function(f(C), f(D))
        case t.With(C, D):
            B = t.With(f(C), f(D))
        case _:
            return A
    return cast(AnyType, B)


def pairs(A: TypeNode, B: TypeNode) -> Iterator[tuple[t.ValueType, t.ValueType]]:
    """The value types in corresponding places of A and B, a whole before its parts.

    Labels of one effect correspond, counted from the innermost one.
    """
    if isinstance(A, _VALUE_TYPES) and isinstance(B, _VALUE_TYPES):
        yield A, B
    match A, B:
        case t.Row(), t.Row():
            for effect in dict.fromkeys(L.effect for L in A.labels):
                ours, theirs = ([L for L in reversed(E.labels) if L.effect == effect] for E in (A, B))
                for L, M in zip(ours, theirs, strict=False):
                    yield from pairs(L, M)
        case t.Thunk(E, C), t.Thunk(F, D):
            yield from pairs(C, D)
            yield from pairs(E, F)
        case t.Product(M), t.Product(N) if len(M) != len(N):
            return
        case t.Data(name), t.Data(other) if name != other:
            return
        case _ if type(A) is type(B):
            for C, D in zip(parts(A), parts(B), strict=False):
                yield from pairs(C, D)
        case _:
            return
