"""Types as they are shown in answers and complaints: behind so many parts of one nothing is written out."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from rh_kernel.ad.eff.printing import types
from rh_kernel.ad.eff.types import (
    Base,
    ComputationMeta,
    ComputationType,
    Data,
    Function,
    HandlerScheme,
    Label,
    Meta,
    Product,
    Returner,
    Row,
    Thunk,
    ValueType,
    Variable,
    With,
)

PARTS = 300
"""So many parts of a type are shown."""

_OMITTED = Variable("…")

Part = TypeVar("Part")


def value(A: ValueType) -> str:
    """A"""
    return types.value(_Cropping().value(A))


def computation(C: ComputationType, E: Row | None = None) -> str:
    """C, and where it is given the row of what it does."""
    cropping = _Cropping()
    return types.computation(cropping.computation(C), None if E is None else cropping.row(E))


def row(E: Row) -> str:
    """``[e | L, …, L]``"""
    return types.row(_Cropping().row(E))


def label(L: Label) -> str:
    """``Smooth (Paired x)``"""
    return types.label(_Cropping().label(L))


def handler_scheme(S: HandlerScheme) -> str:
    """``A -> <L, …> B -> [E] C``"""
    cropping = _Cropping()
    around = cropping.row(S.around)
    labels = tuple([cropping.label(L) for L in types.handled(S)])
    handled = Row((*around.labels, *labels), around.tail)
    parameters, domain = tuple([cropping.value(A) for A in S.parameters]), cropping.value(S.domain)
    C = cropping.computation(S.codomain)
    return types.handler_scheme(HandlerScheme(S.variables, S.rows, parameters, domain, handled, around, C))


class _Cropping:
    """How many parts may still be shown."""

    __slots__ = ("_left",)

    def __init__(self) -> None:
        self._left = PARTS

    def value(self, A: ValueType) -> ValueType:
        """A, with ``…`` for what is left out."""
        self._left -= 1
        if self._left < 0:
            return _OMITTED
        match A:
            case Variable() | Base() | Meta():
                return A
            case Product(components):
                return Product(self._several(components, self.value, self._more))
            case Data(name, arguments):
                return Data(name, self._arguments(arguments))
            case Thunk(E, C):
                return Thunk(self.row(E), self.computation(C))

    def computation(self, C: ComputationType) -> ComputationType:
        """The same of a computation type."""
        if self._left <= 0:
            return Returner(_OMITTED)
        match C:
            case Returner(A):
                return Returner(self.value(A))
            case Function(A, D):
                return Function(self.value(A), self.computation(D))
            case With(D, D2):
                return With(self.computation(D), self.computation(D2))
            case ComputationMeta():
                return C

    def row(self, E: Row) -> Row:
        """The same of a row."""
        return Row(self._several(E.labels, self.label, lambda hidden: Label(f"… {hidden:,} more …")), E.tail)

    def label(self, L: Label) -> Label:
        """The same of a label, which counts as a part."""
        self._left -= 1
        return Label(L.effect, self._arguments(L.arguments))

    def _arguments(self, arguments: tuple[ValueType | Row, ...]) -> tuple[ValueType | Row, ...]:
        return self._several(arguments, self._argument, self._more)

    def _argument(self, A: ValueType | Row) -> ValueType | Row:
        return self.row(A) if isinstance(A, Row) else self.value(A)

    def _several(self, parts: Sequence[Part], crop: Callable[[Part], Part], omitted: Callable[[int], Part]) -> tuple[Part, ...]:
        """Parts, and behind the last one that there is room for how many more there are."""
        found: list[Part] = []
        for n, part in enumerate(parts):
            if self._left <= 0:
                hidden = len(parts) - n
                return (*found, omitted(hidden))
            found.append(crop(part))
        return tuple(found)

    def _more(self, hidden: int) -> ValueType:
        return Variable(f"… {hidden:,} more …")
