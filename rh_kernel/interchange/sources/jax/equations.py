"""Equations of a jaxpr, and what an operation that is read is."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from rh_kernel.interchange.sources.builder import Builder, Operand, Unsupported
from rh_kernel.interchange.sources.libraries import Untyped
from rh_kernel.source.records import frozen

Slot: TypeAlias = Operand | None
"""A value, or ``None`` for truth values that no term says."""


@frozen
class Equation:
    """An equation of a jaxpr: the name of the primitive, the primitive, its arguments and results, and its parameters"""

    name: str
    primitive: Untyped
    arguments: tuple[Untyped, ...]
    results: tuple[Untyped, ...]
    params: Mapping[str, Untyped]

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the first result."""
        return tuple(self.results[0].aval.shape)


Operation: TypeAlias = Callable[[Builder, Equation, Sequence[Slot]], Slot | list[Slot]]


def operand(x: Slot) -> Operand:
    """Return a value. Raises ``Unsupported`` for truth values that no term says."""
    if x is None:
        raise Unsupported("it depends on whether values are equal", "compare with > or <")
    return x
