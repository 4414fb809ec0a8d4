"""Symbolic execution of draws: their numbers are inputs of the program, whose last draws may depend on branches (LANGUAGE §9).

A draw has the number of draws made before. In general that is known; after branches that do not draw equally often it is a
value of the program, and what is drawn is selected among the numbers that are possible.
"""

from dataclasses import dataclass, field

import numpy as np

from rh_kernel.arrays.draws import Drawn
from rh_kernel.arrays.program import Extent
from rh_kernel.arrays.symbolic.builder import Builder
from rh_kernel.arrays.symbolic.rolled import NotRolledError, Rolled, RowIn
from rh_kernel.arrays.symbolic.selection import selected
from rh_kernel.arrays.symbolic.values import Slot, Symbolic, SymbolicZero
from rh_kernel.primitives.formulas import ENTRYWISE, OF_ONE_SHAPE
from rh_kernel.primitives.linear import SCALE
from rh_kernel.primitives.schemes import instantiate
from rh_kernel.source.records import frozen
from rh_kernel.syntax.dimensions import dim
from rh_kernel.syntax.signature import Family
from rh_kernel.syntax.types import real

_ONE = (dim(1),)


@frozen
class Count:
    """How many draws have been made: at least and at most so many, and ``exactly`` if that is not known before a run."""

    least: int = 0
    most: int = 0
    exactly: Slot | None = None


@dataclass(frozen=True, slots=True)
class _InRound:
    """A draw in a round of a loop, and the row of the loop that has its numbers."""

    row: Slot
    family: Family
    shape: Extent
    first: int
    rounds: tuple[tuple[int, int], ...]


@dataclass(slots=True)
class Draws:
    """The draws of an abstract machine; in a round of a loop, ``count`` is that of the round."""

    builder: Builder
    count: Count = field(default_factory=Count)
    inputs: dict[Drawn, Slot] = field(default_factory=dict[Drawn, Slot])
    _in_rounds: dict[int, list[_InRound]] = field(default_factory=dict[int, list[_InRound]])

    def draw(self, family: Family, shape: Extent) -> Symbolic:
        """Return the numbers of the next draw."""
        b, c = self.builder, self.count
        if 0 in shape:
            V: Symbolic = SymbolicZero(real(*shape))
        elif c.exactly is None:
            V = self._numbers(Drawn(family, shape, c.least))
        else:
            f = instantiate("scale", SCALE, (tuple(map(dim, shape)),))
            V = SymbolicZero(real(*shape))
            for number in range(c.least, c.most + 1):
                V = b.add(V, b.apply(f, (self._is(c.exactly, number), self._numbers(Drawn(family, shape, number)))))
        self.count = self._plus(c, 1)
        return V

    @property
    def made(self) -> "Symbolic | None":
        """How many draws have been made, as a value; ``None`` if there were none."""
        return self._value(self.count) if self.count.most else None

    def join(self, c: Slot, first: Count, second: Count) -> None:
        """Go on after two branches with these counts, the first of which was taken where c is 1."""
        if first == second:
            self.count = first
            return
        number = selected(self.builder, c, self._value(first), self._value(second))
        exactly = self.builder.as_slot(number)
        self.count = Count(min(first.least, second.least), max(first.most, second.most), exactly)

    def enter_round(self) -> Count:
        """Begin to count the draws of a round; return the count before the loop."""
        before, self.count = self.count, Count()
        return before

    def leave_rounds(self, loop: Rolled, before: Count, count: Count) -> None:
        """Go on after a loop whose round has made ``count`` draws, with the numbers of all rounds as rows of the loop.

        Raises ``NotRolledError`` if they depend on branches.
        """
        if count.exactly is not None or (before.exactly is not None and count.most):
            raise NotRolledError
        each, n = count.least, loop.rounds
        for made in self._in_rounds.pop(id(loop), ()):
            first, step = (before.least + (n - 1) * each, -each) if loop.backward else (before.least, each)
            whole = self._numbers(Drawn(made.family, made.shape, first + made.first, ((n, step), *made.rounds)))
            loop.rows.append(RowIn(whole, made.row))
        self.count = self._plus(before, n * each)

    def forget_round(self, loop: Rolled, before: Count) -> None:
        """Go back to before a loop whose round is executed again, or not at all."""
        self._in_rounds.pop(id(loop), None)
        self.count = before

    def _numbers(self, wanted: Drawn) -> Slot:
        """The numbers of a draw: an input of the program, or a row of the loop of which a round is being executed."""
        b = self.builder
        if b.active:
            loop = b.active[-1].loop
            row = b.fresh(wanted.extent)
            b.home[row.register] = loop
            made = _InRound(row, wanted.family, wanted.shape, wanted.first, wanted.rounds)
            self._in_rounds.setdefault(id(loop), []).append(made)
            return row
        if wanted not in self.inputs:
            self.inputs[wanted] = b.fresh(wanted.extent)
        return self.inputs[wanted]

    def _plus(self, c: Count, n: int) -> Count:
        if not n:
            return c
        exactly = None if c.exactly is None else self.builder.add(c.exactly, self.builder.constant(np.array([float(n)])))
        return Count(c.least + n, c.most + n, None if exactly is None else self.builder.as_slot(exactly))

    def _value(self, c: Count) -> Symbolic:
        return self.builder.constant(np.array([float(c.least)])) if c.exactly is None else c.exactly

    def _is(self, c: Slot, number: int) -> Symbolic:
        """``1 − |sign(c − number)|``: 1 where c is the number, else 0."""
        b = self.builder
        minus = instantiate("sub", OF_ONE_SHAPE, (_ONE,))
        sign, magnitude = [instantiate(name, ENTRYWISE, (_ONE,)) for name in ("sign", "abs")]
        apart = b.apply(magnitude, (b.apply(sign, (b.apply(minus, (c, b.constant(np.array([float(number)])))),)),))
        return b.apply(minus, (b.constant(np.ones(1)), apart))
