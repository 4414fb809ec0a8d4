"""The context in which a function symbol is lowered: one of its applications, and the loops built so far."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

from rh_kernel.loops.builder import Formula, Loops
from rh_kernel.loops.ir import Extent
from rh_kernel.loops.layouts import Layout, broadcast_axis
from rh_kernel.syntax.core import Primitive


@dataclass(frozen=True, slots=True)
class LoweringContext:
    """``function(arguments)``, to be lowered to ``loops``; ``extent`` is the shape of the result for one sample.

    A ``batched`` argument has a leading axis of ``samples``; the result has one if any argument has. ``numbers`` has for each
    argument the value that all its entries have, or ``None``.
    """

    function: Primitive
    extent: Extent
    loops: Loops
    arguments: tuple[Layout, ...]
    numbers: tuple[float | None, ...]
    batched: tuple[bool, ...]
    samples: int

    @property
    def front(self) -> int:
        """The number of leading axes that the types do not mention: 1 for the samples, or 0."""
        return 1 if any(self.batched) else 0

    @property
    def shape(self) -> Extent:
        """The shape of the result."""
        return (self.samples, *self.extent) if self.front else self.extent

    def argument(self, i: int) -> Layout:
        """Return an argument, broadcast to the samples if the result is batched."""
        x = self.arguments[i]
        return broadcast_axis(x, 0, self.samples) if self.front and not self.batched[i] else x

    def fresh(self) -> Layout:
        """Allocate the result."""
        return self.loops.fresh(self.shape, samples=self.front == 1)

    def operand(self, i: int) -> Layout | float:
        """Return an argument of a ``Map``: a number if all its entries are that number."""
        number = self.numbers[i]
        return self.argument(i) if number is None else number

    def filled(self) -> Layout:
        """Return the first argument, a scalar, broadcast to the shape of the result."""
        a = self.argument(0)
        x = replace(a, axes=a.axes[: self.front])
        for i, n in enumerate(self.shape[self.front :], start=self.front):
            x = broadcast_axis(x, i, n)
        return x

    def factor(self, i: int, axes: str) -> tuple[Layout, str]:
        """Return an argument of a ``Contract``, with the letters of its axes; z is the axis of samples."""
        return self.arguments[i], ("z" if self.batched[i] else "") + axes

    def summed(self, axes: str) -> str:
        """Return the letters of a result with these axes."""
        return ("z" if self.front else "") + axes

    def entries(self, M: Formula, *operands: Layout | float) -> Layout:
        """Compute the result entry by entry by a formula of the operands, which default to the arguments."""
        y = self.fresh()
        given = operands or tuple([self.operand(i) for i in range(len(self.arguments))])
        self.loops.map(given, [(M, y)])
        return y


Lowering: TypeAlias = Callable[[LoweringContext], "Layout | None"]
"""Adds the loops of a symbol and returns the layout of its result, or ``None`` to call the symbol's kernel instead."""
