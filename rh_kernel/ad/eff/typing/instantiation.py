"""Types with other types in the place of their variables: ``A[B/x, E/e]``."""

from collections.abc import Mapping, Sequence

from rh_kernel.ad.eff.types import (
    Base,
    ComputationMeta,
    ComputationType,
    Data,
    Function,
    Label,
    Meta,
    Parameter,
    Product,
    Returner,
    Row,
    RowVariable,
    Thunk,
    ValueType,
    Variable,
    With,
)


class Instance:
    """``[B/x, …, E/e, …]``; a variable that is not among them stays."""

    __slots__ = ("_rows", "_types")

    def __init__(self, types: Mapping[str, ValueType], rows: Mapping[str, Row]) -> None:
        self._types, self._rows = types, rows

    def value(self, A: ValueType) -> ValueType:
        """``A[B/x, E/e]``"""
        match A:
            case Variable(name):
                return self._types.get(name, A)
            case Base() | Meta():
                return A
            case Product(components):
                return Product(tuple(map(self.value, components)))
            case Data(name, arguments):
                return Data(name, tuple(map(self.argument, arguments))) if arguments else A
            case Thunk(row, computation):
                return Thunk(self.row(row), self.computation(computation))

    def argument(self, A: ValueType | Row) -> ValueType | Row:
        """The same of what a data type or an effect is applied to."""
        return self.row(A) if isinstance(A, Row) else self.value(A)

    def label(self, L: Label) -> Label:
        """The same of a label."""
        return Label(L.effect, tuple(map(self.argument, L.arguments))) if L.arguments else L

    def row(self, E: Row) -> Row:
        """``E'[B/x, E/e]``: what stands for its tail is around its labels"""
        labels = tuple(map(self.label, E.labels))
        match E.tail:
            case RowVariable(name) if name in self._rows:
                around = self._rows[name]
                return Row(around.labels + labels, around.tail)
            case tail:
                return Row(labels, tail)

    def computation(self, C: ComputationType) -> ComputationType:
        """``C[B/x, E/e]``"""
        match C:
            case Returner(A):
                return Returner(self.value(A))
            case Function(A, D):
                return Function(self.value(A), self.computation(D))
            case With(D, D2):
                return With(self.computation(D), self.computation(D2))
            case ComputationMeta():
                return C


def applied(parameters: Sequence[Parameter], arguments: Sequence[ValueType | Row]) -> Instance:
    """``[B/x, …]`` for the parameters of a data type or an effect, whose kinds are those of the arguments."""
    types: dict[str, ValueType] = {}
    rows: dict[str, Row] = {}
    for parameter, B in zip(parameters, arguments, strict=True):
        if isinstance(B, Row):
            rows[parameter.name] = B
        else:
            types[parameter.name] = B
    return Instance(types, rows)
