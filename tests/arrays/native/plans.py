"""Plans at random: each step has buffers of its own, so that one library tries many."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import TypeAlias, TypeVar

import numpy as np
from hypothesis import strategies as st

from rh_kernel.loops import scalars
from rh_kernel.loops.ir import (
    Buffer,
    Contract,
    Fold,
    Gather,
    Input,
    Instruction,
    Kept,
    Map,
    Number,
    Plan,
    Precision,
    Reduce,
    Scratch,
    Step,
    Store,
    View,
)
from rh_kernel.syntax.core import Array

UNARY = tuple([f for f in scalars.SCALAR_OPS if f.arity == 1])
BINARY = tuple([f for f in scalars.SCALAR_OPS if f.arity == 2])
SMOOTH = (scalars.ADD, scalars.SUB, scalars.MUL, scalars.MAX, scalars.MIN)
KINDS = ((1, 1, 0), (1, 0, 1), (0, 1, 1), (1, 1, 1), (0, 1, 0), (1, 0, 0))
"""Which of output, left and right depend on an axis; the first three are those of a product of matrices."""


T = TypeVar("T")
Kind: TypeAlias = "Callable[[Drawing], None]"
"""What draws a step, and adds it to the others."""


@dataclass
class Drawing:
    """The buffers and steps drawn so far. The first buffer is the input."""

    size: int
    rng: np.random.Generator
    buffers: list[Buffer] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    results: list[View] = field(default_factory=list)
    scratch: int = 0

    def between(self, low: int, high: int) -> int:
        """A number, both ends included."""
        return int(self.rng.integers(low, high + 1))

    def among(self, values: Sequence[T]) -> T:
        """One of some values."""
        return values[self.between(0, len(values) - 1)]

    def side(self) -> int:
        """An extent: as often a small one."""
        return self.between(1, 5) if self.between(0, 1) else self.between(6, 40)

    def argument(self, shape: tuple[int, ...], strides: tuple[int, ...]) -> View:
        """A view of the input with those strides, wherever it fits."""
        low = sum(min(0, (n - 1) * s) for n, s in zip(shape, strides, strict=True) if n)
        high = sum(max(0, (n - 1) * s) for n, s in zip(shape, strides, strict=True) if n)
        spare = self.size - (high - low) - 1
        assert spare >= 0, (shape, strides)
        return View(0, -low + self.between(0, min(spare, 9)), shape, strides)

    def output(self, shape: tuple[int, ...], strides: tuple[int, ...], *, kept: bool = True) -> View:
        """A view of a new buffer with those strides; its entries hold something already."""
        low = sum(min(0, (n - 1) * s) for n, s in zip(shape, strides, strict=True) if n)
        high = sum(max(0, (n - 1) * s) for n, s in zip(shape, strides, strict=True) if n)
        size = high - low + 1 + self.between(0, 3)
        if kept:
            self.buffers.append(Kept(self.rng.normal(size=size)))
        else:
            self.buffers.append(Scratch(self.scratch, size))
            self.scratch += size
        number = len(self.buffers) - 1
        if kept:
            self.results.append(View(number, 0, (size,), (1,)))
        return View(number, -low, shape, strides)

    def dense(self, extents: tuple[int, ...]) -> tuple[int, ...]:
        """Strides under which no two indices meet: some order of the axes, some gaps."""
        order = list(range(len(extents)))
        for i in range(len(order) - 1):
            j = self.between(i, len(order) - 1)
            order[i], order[j] = order[j], order[i]
        strides, step = [0] * len(extents), 1
        for axis in order:
            if self.between(0, 9) == 0:
                step += 1
            strides[axis] = step if self.between(0, 9) else -step
            step *= extents[axis]
        return tuple(strides)

    def plan(self, precision: Precision) -> Plan:
        """What was drawn, as a plan whose result is every buffer that was written to."""
        return Plan(
            precision, None, ((self.size,),), tuple(self.buffers), self.scratch, tuple(self.steps), tuple(self.results), ()
        )


def product(d: Drawing) -> None:
    """A product: each axis belongs to any two of the three arrays, or to one, or to all; or the views overlap as a window's."""
    kinds = [KINDS[d.among((0, 1, 2, 0, 1, 2, 0, 1, 2, 3, 4, 5))] for _ in range(d.between(1, 4))]
    sides = [d.side() for _ in kinds]
    while prod(sides) > 20_000:
        sides[sides.index(max(sides))] = 2
    extents = tuple(sides)
    views: list[View] = []
    for v in range(3):
        mine = [i for i, kind in enumerate(kinds) if kind[v]]
        steps = d.dense(tuple([extents[i] for i in mine]))
        strides = [0] * len(kinds)
        for i, s in zip(mine, steps, strict=True):
            strides[i] = s
        if len(mine) >= 2 and d.between(0, 4) == 0:
            # A window: two axes walk over the same entries.
            strides[mine[0]] = strides[mine[1]] = 1
        views.append(d.output(extents, tuple(strides)) if v == 0 else d.argument(extents, tuple(strides)))
    scale = d.among((1.0, 1.0, -0.25, 3.0))
    d.steps.append(Contract(extents, views[0], views[1], views[2], scale, bool(d.between(0, 1))))


def fold(d: Drawing) -> None:
    """A fold over some axes."""
    outer = tuple([d.side() for _ in range(d.between(0, 2))])
    inner = tuple([d.side() for _ in range(d.between(0, 2))])
    while prod((*outer, *inner)) > 20_000:
        outer, inner = outer[:1], inner[:1]
    argument = d.argument((*outer, *inner), d.dense((*outer, *inner)))
    fold = d.among((Fold.SUM, Fold.MAX, Fold.ARGMAX))
    scale = d.among((1.0, 0.5))
    d.steps.append(Reduce(fold, d.output(outer, d.dense(outer)), argument, scale))


def entrywise(d: Drawing) -> None:
    """A body of a few functions, stored once or twice; at times in place, at times added to what is there."""
    shape = tuple([d.side() for _ in range(d.between(0, 3))])
    while prod(shape) > 20_000:
        shape = shape[1:]
    place = d.output(shape, d.dense(shape))
    arguments = [d.argument(shape, d.dense(shape)) for _ in range(d.between(0, 2))]
    if shape and arguments and d.between(0, 3) == 0:
        arguments.append(View(0, 0, shape, (0,) * len(shape)))
    if d.between(0, 2) == 0:
        arguments.append(place)
    body: list[Number | Instruction] = []
    for _ in range(d.between(0 if arguments else 1, 4)):
        n = len(arguments) + len(body)
        match d.between(0, 3) if arguments else 0:
            case 0:
                body.append(Number(d.among((0.0, 1.0, -2.5, 0.1))))
            case 1:
                # What is not smooth is given arguments as they are: rounding before it could make all the difference.
                function = d.among((*UNARY, *BINARY))
                given = tuple([d.between(0, len(arguments) - 1) for _ in range(1 if function in UNARY else 2)])
                body.append(Instruction(function, given))
            case _:
                body.append(Instruction(d.among(SMOOTH), (d.between(0, n - 1), d.between(0, n - 1))))
    last = len(arguments) + len(body) - 1
    stores = [Store(place, d.between(0, last), bool(d.between(0, 1)))]
    if d.between(0, 1):
        stores.append(Store(d.output(shape, d.dense(shape)), d.between(0, last)))
    d.steps.append(Map(shape, tuple(arguments), tuple(body), tuple(stores)))


def selection(d: Drawing) -> None:
    """Rows by a table, with or without missing entries."""
    rows = tuple([d.between(1, 5) for _ in range(d.between(0, 2))])
    length, count, depth = d.side(), d.side(), d.between(1, 6)
    table = d.rng.integers(d.among((0, -1)), length, (count, depth))
    argument, output = (*rows, length), (*rows, count)
    d.steps.append(Gather(d.output(output, d.dense(output)), d.argument(argument, d.dense(argument)), table.astype(np.intp)))


def neighbours(d: Drawing) -> None:
    """Rows by a table whose entries lie near each other, as they do where rows are stretched, or the other way round."""
    rows = tuple([d.between(1, 5) for _ in range(d.between(0, 2))])
    length, count, depth = d.between(1, 70), d.between(1, 70), d.between(1, 3)
    middle = np.arange(count)[:, None] * length // count + np.arange(depth)
    table = np.clip(middle + d.rng.integers(0, d.between(1, 4), (count, depth)), 0, length - 1)
    table[d.rng.random((count, depth)) < d.among((0.0, 0.1, 0.8))] = -1
    view = d.argument((*rows, length), row_major((*rows, length)))
    d.steps.append(Gather(d.output((*rows, count), row_major((*rows, count))), view, table.astype(np.intp)))


def row_major(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The strides of an array without gaps."""
    return tuple([prod(shape[i + 1 :]) for i in range(len(shape))])


def between(d: Drawing) -> None:
    """A loop that takes every other entry, or every third, and those between them; and puts some in place of others."""
    step = d.between(2, 3)
    shape = (d.between(1, 4), d.side())
    strides = (shape[1] * step, step)
    first = d.argument((*shape, step), (*strides, 1))
    arguments = [View(0, first.offset + i, shape, strides) for i in range(step) if d.between(0, 3)]
    whole = d.output((*shape, step), (*strides, 1))
    written = [View(whole.buffer, whole.offset + i, shape, strides) for i in range(step) if d.between(0, 3)] or [
        View(whole.buffer, whole.offset, shape, strides)
    ]
    arguments += [view for view in written if d.between(0, 1)]
    arguments = arguments or [written[0]]
    body = [Instruction(d.among(SMOOTH), (d.between(0, len(arguments) - 1), d.between(0, len(arguments) - 1))) for _ in written]
    values = [d.between(0, len(arguments) + len(body) - 1) for _ in written]
    stores = [Store(view, value, bool(d.between(0, 1))) for view, value in zip(written, values, strict=True)]
    d.steps.append(Map(shape, tuple(arguments), tuple(body), tuple(stores)))


@st.composite
def plans(draw: st.DrawFn, kind: Callable[[Drawing], None], precision: Precision, steps: int = 12) -> tuple[Plan, Array]:
    """A plan of steps of one kind, and an input for it: a few of its numbers are 0, infinite, or none."""
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    d = Drawing(400_000, rng)
    d.buffers.append(Input(0, d.size))
    for _ in range(steps):
        kind(d)
    x = rng.normal(size=d.size).astype(precision)
    if draw(st.booleans()):
        for special in (0.0, np.inf, -np.inf, np.nan):
            x[rng.integers(0, d.size, 40)] = special
    return d.plan(precision), x
