"""Printing of types in results and diagnostics, truncated to ``PARTS`` parts."""

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
"""The most parts of a type that are printed."""

_OMITTED = Variable("…")

Part = TypeVar("Part")


def value(A: ValueType) -> str:
    """A"""
    return types.value(_Cropping().value(A))


def computation(C: ComputationType, E: Row | None = None) -> str:
    """C, with its row in front of its result, if it is given."""
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
    """Truncates types; ``_left`` is the number of parts that may still be printed."""

    __slots__ = ("_left",)

    def __init__(self) -> None:
        self._left = PARTS

    def value(self, A: ValueType) -> ValueType:
        """A, with ``…`` for omitted parts."""
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
        """C, with ``…`` for omitted parts."""
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
        """E, without the labels that are omitted."""
        return Row(self._several(E.labels, self.label, lambda hidden: Label(f"… {hidden:,} more …")), E.tail)

    def label(self, L: Label) -> Label:
        """L, which counts as a part."""
        self._left -= 1
        return Label(L.effect, self._arguments(L.arguments))

    def _arguments(self, arguments: tuple[ValueType | Row, ...]) -> tuple[ValueType | Row, ...]:
        return self._several(arguments, self._argument, self._more)

    def _argument(self, A: ValueType | Row) -> ValueType | Row:
        return self.row(A) if isinstance(A, Row) else self.value(A)

    def _several(self, parts: Sequence[Part], crop: Callable[[Part], Part], omitted: Callable[[int], Part]) -> tuple[Part, ...]:
        """The parts that are within the limit, and one that tells the number of the others."""
        found: list[Part] = []
        for n, part in enumerate(parts):
            if self._left <= 0:
                hidden = len(parts) - n
                return (*found, omitted(hidden))
            found.append(crop(part))
        return tuple(found)

    def _more(self, hidden: int) -> ValueType:
        return Variable(f"… {hidden:,} more …")
