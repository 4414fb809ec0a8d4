"""The context of a lowering: one application of a function symbol in a program, and the loops built so far."""

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

    An argument has an axis of samples in front if it is ``batched``, and so has the result if one of them is. ``numbers`` has
    the one number that all entries of an argument are, where there is one.
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
        """How many axes there are in front of those that the types speak of: 1 for the samples, or 0."""
        return 1 if any(self.batched) else 0

    @property
    def shape(self) -> Extent:
        """The shape of the result."""
        return (self.samples, *self.extent) if self.front else self.extent

    def argument(self, i: int) -> Layout:
        """An argument with as many axes in front as the result."""
        x = self.arguments[i]
        return broadcast_axis(x, 0, self.samples) if self.front and not self.batched[i] else x

    def fresh(self) -> Layout:
        """Room for the result."""
        return self.loops.fresh(self.shape, samples=self.front == 1)

    def operand(self, i: int) -> Layout | float:
        """An argument for a ``Map``: a number if it is one, everywhere."""
        number = self.numbers[i]
        return self.argument(i) if number is None else number

    def filled(self) -> Layout:
        """The first argument, a scalar, at each entry of the result."""
        a = self.argument(0)
        x = replace(a, axes=a.axes[: self.front])
        for i, n in enumerate(self.shape[self.front :], start=self.front):
            x = broadcast_axis(x, i, n)
        return x

    def factor(self, i: int, axes: str) -> tuple[Layout, str]:
        """An argument for a ``Contract``, with a letter for each of its axes: z for the samples."""
        return self.arguments[i], ("z" if self.batched[i] else "") + axes

    def summed(self, axes: str) -> str:
        """The letters of a result that has these axes."""
        return ("z" if self.front else "") + axes

    def entries(self, M: Formula, *operands: Layout | float) -> Layout:
        """The result, as a formula of operands entry by entry; without operands, of the arguments."""
        y = self.fresh()
        given = operands or tuple([self.operand(i) for i in range(len(self.arguments))])
        self.loops.map(given, [(M, y)])
        return y


Lowering: TypeAlias = Callable[[LoweringContext], "Layout | None"]
"""Adds the loops of a symbol and returns the layout of the result; ``None`` if the symbol's kernel is to be called instead."""
