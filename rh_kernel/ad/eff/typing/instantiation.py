"""Substitution of types for type variables: ``A[B/x, E/e]``."""

from collections.abc import Mapping, Sequence
from typing import cast

from rh_kernel.ad.eff import types as t
from rh_kernel.ad.eff.typing.type_traversal import AnyType, TypeNode, mapped


class Instance:
    """The substitution ``[B/x, …, E/e, …]``, a function on types, rows and labels; other variables stay."""

    __slots__ = ("_rows", "_types")

    def __init__(self, types: Mapping[str, t.ValueType], rows: Mapping[str, t.Row]) -> None:
        self._types, self._rows = types, rows

    def __call__(self, A: AnyType) -> AnyType:
        """``A[B/x, E/e]``; the labels of a row stay inside of those that its tail becomes."""
        B: TypeNode = A
        if isinstance(B, t.Variable):
            return cast(AnyType, self._types.get(B.name, B))
        B = mapped(A, self)
        if isinstance(B, t.Row) and isinstance(B.tail, t.RowVariable) and B.tail.name in self._rows:
            around = self._rows[B.tail.name]
            return cast(AnyType, t.Row(around.labels + B.labels, around.tail))
        return cast(AnyType, B)


def applied(parameters: Sequence[t.Parameter], arguments: Sequence[t.ValueType | t.Row]) -> Instance:
    """The substitution of arguments of the right kinds for the parameters of a data type or an effect."""
    types: dict[str, t.ValueType] = {}
    rows: dict[str, t.Row] = {}
    for parameter, B in zip(parameters, arguments, strict=True):
        if isinstance(B, t.Row):
            rows[parameter.name] = B
        else:
            types[parameter.name] = B
    return Instance(types, rows)
