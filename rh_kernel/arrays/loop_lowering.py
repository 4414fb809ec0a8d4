"""Layouts of the arrays that a loop goes through row by row."""

from math import prod

from rh_kernel.arrays.program import Loop
from rh_kernel.loops import ir
from rh_kernel.loops.builder import Loops
from rh_kernel.loops.layouts import Layout, as_scalar, dense, known, reshaped
from rh_kernel.loops.trees import leaves
from rh_kernel.source.diagnostic import KernelBug


def is_map(f: Loop) -> bool:
    """Whether the rounds are independent, and can be computed like the samples of a batch.

    If a value that they share differs from sample to sample, they are not: it would be copied for each round.
    """
    carried, rows = f.arity
    shared = leaves(f.body.inputs)[carried + rows :]
    return not carried and not any(f.body.batched[r] for r in shared) and not f.body.joins_batch


def as_samples(loops: Loops, x: Layout, n: int, samples: int | None) -> Layout:
    """Make one axis of the n rows of each of so many samples, or of one array."""
    if samples is None:
        return loops.single(x, 0)
    shape = (samples * n, *x.shape[2:])
    return reshaped(x, shape) or known(reshaped(loops.copied(x), shape))


def as_rows(loops: Loops, y: Layout, n: int, samples: int | None) -> Layout:
    """Undo ``as_samples``."""
    if samples is None:
        return y
    shape = (samples, n, *y.shape[1:])
    return reshaped(y, shape) or known(reshaped(loops.copied(y), shape))


def first_sample(y: Layout) -> Layout:
    """The array of the first sample."""
    return Layout(y.buffer, y.offset, y.axes[1:])


def row_of(loops: Loops, x: Layout, axis: int, f: Loop, shape: ir.Extent, rows: list[ir.Rows]) -> Layout:
    """Return the layout of a row, of that shape, of x along the axis, and add it to ``rows``.

    The rows of an array with no other axis but that of the samples are numbers, arrays with one entry.
    """
    # An axis of a single row has no parts.
    parts = x.axes[axis] or ((1, 0),)
    if len(parts) != 1:
        raise KernelBug("the axis of the rows has several parts")
    ((n, stride),) = parts
    rest = Layout(x.buffer, x.offset, (*x.axes[:axis], *x.axes[axis + 1 :]))
    if len(rest.axes) < len(shape):
        rest = as_scalar(rest)
    start = x.offset + (n - 1) * stride if f.backward else x.offset
    size = 1 + sum([(m - 1) * abs(step) for part in rest.axes for m, step in part])
    buffer = loops.buffer(ir.Row(size))
    rows.append(ir.Rows(buffer, Layout(x.buffer, start, rest.axes).view(), -stride if f.backward else stride))
    return Layout(buffer, 0, rest.axes)


def stacked_rows(loops: Loops, f: Loop, shape: ir.Extent, rows: list[ir.Rows]) -> tuple[int, Layout]:
    """Allocate an array for a result of each round, of that shape; return the buffer of a row, and the array's layout."""
    whole = dense(loops.buffer(ir.Scratch(0, f.rounds * prod(shape))), (f.rounds, *shape))
    rows_before = len(rows)
    row_of(loops, whole, 0, f, shape, rows)
    return rows[rows_before].buffer, whole
