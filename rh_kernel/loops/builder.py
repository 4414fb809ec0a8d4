"""The loop builder: emits the four kinds of loops over layouts, each result in a new buffer.

Buffers are numbered and not allocated yet; ``arrays.planning`` rewrites the steps and allocates them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import TypeAlias

import numpy as np

from rh_kernel.loops import ir
from rh_kernel.loops.layouts import Axis, Layout, aligned, channels_first, common, dense, permuted
from rh_kernel.loops.scalars import ScalarOp
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.syntax.core import Array

Formula: TypeAlias = "int | float | tuple[ScalarOp, tuple[Formula, ...]]"
"""The right-hand side of a ``Map``: operand number i, a literal, or a scalar operation on formulas."""

UNROLLED = 9
"""An axis of repeated entries of at most this size is unrolled into separate loops."""


def call(function: ScalarOp, *arguments: Formula) -> Formula:
    """``f(M₁, …, Mₙ)``"""
    return (function, arguments)


@dataclass(slots=True)
class Loops:
    """The buffers and steps so far.

    With ``matrices``, the loops suit a matrix-product library: arrays with samples and channels are laid out channels first,
    and overlapping windows are copied, so that a convolution is a single product. ``repeatable`` becomes false if the emitted
    loops depend on earlier ones or have a buffer that is not scratch: then they cannot be replayed on other buffers.
    """

    matrices: bool = False
    buffers: list[ir.Buffer] = field(default_factory=list[ir.Buffer])
    steps: list[ir.Step] = field(default_factory=list[ir.Step])
    unrolled: dict[Layout, Layout] = field(default_factory=dict[Layout, Layout])
    repeatable: bool = True

    def buffer(self, buffer: ir.Buffer) -> int:
        """Add a buffer and return its number."""
        self.buffers.append(buffer)
        return len(self.buffers) - 1

    def fresh(self, shape: ir.Extent, *, samples: bool = False) -> Layout:
        """Allocate an array; ``samples`` says that its first axis is that of the samples."""
        return self._laid(self.buffer(ir.Scratch(0, prod(shape))), shape, samples=samples)

    def beside(self, shape: ir.Extent, count: int, *, samples: bool = False) -> list[Layout]:
        """Allocate ``count`` arrays of one shape, adjacent in one buffer."""
        first = self._laid(self.buffer(ir.Scratch(0, count * prod(shape))), shape, samples=samples)
        return [Layout(first.buffer, i * prod(shape), first.axes) for i in range(count)]

    def margins(self, shape: ir.Extent, *, samples: bool) -> Layout:
        """Allocate an array that is zero before the first run and persists between runs."""
        self.repeatable = False
        return self._laid(self.buffer(ir.Kept(np.zeros(prod(shape)))), shape, samples=samples)

    def _laid(self, buffer: int, shape: ir.Extent, *, samples: bool) -> Layout:
        apart = self.matrices and samples and len(shape) > 2
        return channels_first(buffer, shape) if apart else dense(buffer, shape)

    def windows(self, x: Layout, channels: int, taps: int) -> Layout:
        """Prepare windows (…, c, k…, m…) as a factor; with ``matrices``, overlapping ones are copied to (c, k…, …, m…)."""
        strides = [stride for axis in x.axes for _, stride in axis]
        if not self.matrices or len(set(strides)) == len(strides):
            return x
        self.repeatable = False
        if x not in self.unrolled:
            order = [*range(channels, channels + 1 + taps), *range(channels), *range(channels + 1 + taps, len(x.axes))]
            copy = self.fresh(tuple([x.shape[i] for i in order]))
            self.map([permuted(x, order)], [(0, copy)])
            self.unrolled[x] = permuted(copy, [order.index(i) for i in range(len(order))])
        return self.unrolled[x]

    def kept(self, array: Array, shape: ir.Extent) -> Layout:
        """Add a constant of that shape; if all entries are equal, it is stored once."""
        if array.size and not any(array.strides):
            at = self.buffer(ir.Kept(np.array([array.item(0)])))
            return Layout(at, 0, tuple([((n, 0),) if n != 1 else () for n in shape]))
        return dense(self.buffer(ir.Kept(np.ascontiguousarray(array).reshape(-1))), shape)

    def copied(self, x: Layout) -> Layout:
        """Copy an array to a new buffer in row-major order."""
        y = self.fresh(x.shape)
        self.map([x], [(0, y)])
        return y

    def unrepeated(self, x: Layout) -> Layout:
        """Copy the array if it repeats entries."""
        return self.copied(x) if x.repeats else x

    def single(self, x: Layout, axis: int) -> Layout:
        """Copy the array if the axis has several parts."""
        return self.copied(x) if len(x.axes[axis]) > 1 else x

    def single_axes(self, x: Layout, first: int) -> Layout:
        """Copy the array if an axis from number ``first`` on has several parts."""
        return self.copied(x) if any(len(axis) > 1 for axis in x.axes[first:]) else x

    def map(
        self, operands: Sequence[Layout | float], stores: Sequence[tuple[Formula, Layout]], *, accumulate: bool = False
    ) -> None:
        """Emit ``output ← formula`` at each entry, for each of the stores; operands and outputs have one shape."""
        layouts = [x for x in operands if isinstance(x, Layout)]
        outputs = [y for _, y in stores]
        if 0 in outputs[0].shape:
            return
        cut = aligned([*layouts, *outputs])
        if cut is None:
            cut = aligned([*(self.single_axes(x, 0) for x in layouts), *outputs])
        if cut is None:
            raise KernelBug("the outputs of a loop have no common parts")
        at = _repeated_axis(cut)
        if at is not None:
            self._unrolled(at, cut, operands, stores, accumulate=accumulate)
            return
        views = [x.view() for x in cut]
        self.steps.append(_map(operands, views, [M for M, _ in stores], accumulate=accumulate))

    def _unrolled(
        self,
        at: tuple[int, int],
        cut: Sequence[Layout],
        operands: Sequence[Layout | float],
        stores: Sequence[tuple[Formula, Layout]],
        *,
        accumulate: bool,
    ) -> None:
        axis, part = at
        for i in range(cut[0].axes[axis][part][0]):
            rest = iter([_fixed(x, axis, part, i) for x in cut])
            given = [next(rest) if isinstance(x, Layout) else x for x in operands]
            self.map(given, [(M, next(rest)) for M, _ in stores], accumulate=accumulate)

    def reduce(self, fold: ir.Fold, x: Layout, axes: int, scale: float = 1.0) -> Layout:
        """Fold over the last ``axes`` axes."""
        kept = len(x.axes) - axes
        y = self.fresh(x.shape[:kept])
        self.reduce_into(fold, x, y, scale)
        return y

    def reduce_into(self, fold: ir.Fold, x: Layout, y: Layout, scale: float = 1.0) -> None:
        """Fold over the axes of x that come after those of y, and store the result in y."""
        kept = len(y.axes)
        cut = aligned([Layout(x.buffer, x.offset, x.axes[:kept]), y])
        if cut is None:
            x = self.copied(x)
            cut = aligned([Layout(x.buffer, x.offset, x.axes[:kept]), y])
        if cut is None:
            raise KernelBug("the output of a fold has no parts in common with its argument")
        argument = Layout(x.buffer, x.offset, (*cut[0].axes, *x.axes[kept:]))
        self.steps.append(ir.Reduce(fold, cut[1].view(), argument.view(), scale))

    def contract(
        self,
        left: tuple[Layout, str],
        right: tuple[Layout, str],
        output: str,
        scale: float = 1.0,
        into: Layout | None = None,
    ) -> Layout:
        """Emit ``output = scale · Σ left · right``, with a letter for each axis: ``("ij", "jk", "ik")`` is a matrix product."""
        x, y = self.unrepeated(left[0]), self.unrepeated(right[0])
        sizes = {**dict(zip(left[1], x.shape, strict=True)), **dict(zip(right[1], y.shape, strict=True))}
        z = self.fresh(tuple([sizes[a] for a in output]), samples="z" in output) if into is None else into
        axes = [
            dict(zip(output, z.axes, strict=True)),
            dict(zip(left[1], x.axes, strict=True)),
            dict(zip(right[1], y.axes, strict=True)),
        ]
        order = output + "".join(a for a in sizes if a not in output)
        found = _parts(axes, order)
        if found is None:
            return self.contract((self.copied(x), left[1]), (self.copied(y), right[1]), output, scale, z)
        extents, strides = found
        if 0 in sizes.values():
            self.map([0.0], [(0, z)])
        else:
            views = [ir.View(z.buffer, z.offset, extents, strides[0])]
            views += [ir.View(v.buffer, v.offset, extents, s) for v, s in ((x, strides[1]), (y, strides[2]))]
            self.steps.append(ir.Contract(extents, views[0], views[1], views[2], scale))
        return z


def _parts(axes: Sequence[Mapping[str, Axis]], order: str) -> tuple[ir.Extent, list[tuple[int, ...]]] | None:
    extents: list[int] = []
    strides: list[list[int]] = [[] for _ in axes]
    for a in order:
        having = [i for i, of in enumerate(axes) if a in of]
        cut = common([axes[i][a] for i in having])
        if cut is None:
            return None
        for k in range(len(cut[0])):
            extents.append(cut[0][k][0])
            for i in range(len(axes)):
                strides[i].append(cut[having.index(i)][k][1] if i in having else 0)
    return tuple(extents), [tuple(s) for s in strides]


def _repeated_axis(cut: Sequence[Layout]) -> tuple[int, int] | None:
    """An axis and one of its parts along which an operand repeats each of several entries at most ``UNROLLED`` times."""
    for x in cut:
        for i, axis in enumerate(x.axes):
            if len(axis) < 2:
                continue
            for k, (n, stride) in enumerate(axis):
                if stride == 0 and n <= UNROLLED and any(s for _, s in axis[:k]):
                    return i, k
    return None


def _fixed(x: Layout, axis: int, part: int, i: int) -> Layout:
    parts = x.axes[axis]
    stride = parts[part][1]
    axes = (*x.axes[:axis], (*parts[:part], *parts[part + 1 :]), *x.axes[axis + 1 :])
    return Layout(x.buffer, x.offset + i * stride, axes)


def _map(
    operands: Sequence[Layout | float], views: Sequence[ir.View], formulas: Sequence[Formula], *, accumulate: bool
) -> ir.Map:
    arguments: list[ir.View] = []
    place: list[int | float] = []
    rest = iter(views)
    for x in operands:
        if isinstance(x, Layout):
            view = next(rest)
            if view not in arguments:
                arguments.append(view)
            place.append(arguments.index(view))
        else:
            place.append(x)
    body: list[ir.Number | ir.Instruction] = []
    known: dict[ir.Number | ir.Instruction, int] = {}
    stores = [
        ir.Store(view, _value(M, place, len(arguments), body, known), accumulate)
        for M, view in zip(formulas, rest, strict=True)
    ]
    return ir.Map(views[0].shape, tuple(arguments), tuple(body), tuple(stores))


def _value(
    M: Formula,
    place: Sequence[int | float],
    first: int,
    body: list[ir.Number | ir.Instruction],
    known: dict[ir.Number | ir.Instruction, int],
) -> int:
    """Append the lines that compute M to the body, whose lines are numbered from ``first``; return the number of M's value."""
    match M:
        case int():
            found = place[M]
            if isinstance(found, int):
                return found
            line: ir.Number | ir.Instruction = ir.Number(found)
        case float():
            line = ir.Number(M)
        case (function, parts):
            line = ir.Instruction(function, tuple([_value(N, place, first, body, known) for N in parts]))
    number = known.setdefault(line, first + len(body))
    if number == first + len(body):
        body.append(line)
    return number
