"""The steps of a plan as NumPy calls that write to given outputs and are prepared before the first run.

Literals are zero-dimensional arrays, outputs are preallocated, and products use ``dot`` where possible. So a call costs no more
than NumPy's own dispatch, and a run is a loop over calls without arguments.
"""

from collections.abc import Callable, Sequence
from functools import partial
from math import prod

import numpy as np

from rh_kernel.arrays.numpy_backend.arrays import Arrays
from rh_kernel.arrays.numpy_backend.entries import entries
from rh_kernel.arrays.planning.dependence import reads, writes
from rh_kernel.arrays.planning.matrices import Matrices, matrices
from rh_kernel.loops.ir import (
    Call,
    Check,
    Contract,
    Fold,
    Gather,
    GatherAt,
    IndexCheck,
    Integers,
    Loop,
    Map,
    Reduce,
    ScatterAdd,
    Step,
)
from rh_kernel.loops.scalars import Action
from rh_kernel.primitives.smoothness import require_rows, require_smooth
from rh_kernel.primitives.table import kernel
from rh_kernel.syntax.core import Array

STRIP = 1 << 16
"""The approximate number of entries of an outer product that are computed at a time if it is accumulated.

A sum of such products is computed as a whole: splitting it would cost more.
"""


def calls(step: Step, arrays: Arrays) -> list[Action]:
    """Return the calls that execute the step."""
    arrays.begin()
    match step:
        case Map():
            return entries(step, arrays)
        case Reduce():
            return _reduce(step, arrays)
        case Contract():
            return _contract(step, arrays)
        case Gather(output, argument, table):
            return _gather(arrays.of(output), arrays.of(argument), table, arrays)
        case GatherAt(output, argument, index):
            return [partial(_gather_at, arrays.of(output), arrays.of(argument), arrays.of(index))]
        case ScatterAdd(output, argument, index):
            return [partial(_scatter_add, arrays.of(output), arrays.of(argument), arrays.of(index))]
        case IndexCheck(index, rows, span):
            return [partial(require_rows, arrays.of(index), rows, span)]
        case Call(f, output, arguments):
            return [partial(_call_into, kernel(f, np), arrays.of(output), [arrays.of(v) for v in arguments])]
        case Check(f, arguments, span, shown):
            return [partial(require_smooth, f, tuple([arrays.of(v) for v in arguments]), span, shown)]
        case Loop():
            return [_rounds(step, arrays)]


def _rounds(loop: Loop, arrays: Arrays) -> Action:
    """A round works on copies of the rows, so that its calls are the same in each."""
    written: set[int] = set()
    # A row that is written before it is read does not have to be there when the round begins.
    read: set[int] = set()
    for step in loop.steps:
        read |= {view.buffer for view in reads(step)} - written
        written |= {view.buffer for view in writes(step)}
    given: list[tuple[Array, Array]] = []
    made: list[tuple[Array, Array]] = []
    for row in loop.rows:
        first = row.first
        whole = arrays.laid(first.buffer, first.offset, (loop.rounds, *first.shape), (row.stride, *first.strides))
        own = arrays.laid(row.buffer, 0, first.shape, first.strides)
        if row.buffer in written:
            made.append((own, whole))
        if row.buffer in read:
            given.append((own, whole))
    inner = [action for step in loop.steps for action in calls(step, arrays)]
    return partial(_run_rounds, range(loop.rounds), given, inner, made)


def _run_rounds(
    rounds: range, given: Sequence[tuple[Array, Array]], inner: Sequence[Action], made: Sequence[tuple[Array, Array]]
) -> None:
    for k in rounds:
        for own, whole in given:
            own[...] = whole[k]
        for action in inner:
            action()
        for own, whole in made:
            whole[k] = own


def scratch_size(step: Step) -> int:
    """Return the size, about, of the largest scratch array that a step needs."""
    match step:
        case Map(shape):
            return prod(shape)
        case Contract(extents, output, _, _, _, accumulate):
            size = prod([n for n, stride in zip(extents, output.strides, strict=True) if stride])
            return min(size, STRIP) if accumulate and prod(extents) == size else size
        case Gather(output):
            return prod(output.shape)
        case Reduce() | GatherAt() | ScatterAdd() | IndexCheck() | Call() | Check():
            return 0
        case Loop(_, _, steps):
            return max([scratch_size(inner) for inner in steps], default=0)


def _without_overlap(target: Array, value: Array) -> list[tuple[Array, Array]]:
    """Split the target into parts without overlapping entries, each with the part of the value to be added there."""
    steps = [abs(stride) for stride in target.strides]
    end = target.itemsize
    for i in sorted((i for i, n in enumerate(target.shape) if n > 1), key=lambda i: (steps[i], -target.shape[i])):
        if steps[i] < end:
            x, y = np.moveaxis(target, i, 0), np.moveaxis(value, i, 0)
            return [piece for k in range(len(x)) for piece in _without_overlap(x[k, ...], y[k, ...])]
        end += (target.shape[i] - 1) * steps[i]
    return [(target, value)]


def _reduce(step: Reduce, arrays: Arrays) -> list[Action]:
    output, argument = arrays.of(step.output), arrays.of(step.argument)
    axes = tuple(range(output.ndim, argument.ndim))
    match step.fold:
        case Fold.SUM:
            done: list[Action] = [partial(np.add.reduce, argument, axes, None, output)]
        case Fold.MAX:
            done = [partial(np.maximum.reduce, argument, axes, None, output)]
        case Fold.ARGMAX:
            done = [partial(_argmax, output, argument, output.shape)]
    if step.scale != 1.0:
        done.append(partial(np.multiply, output, arrays.number(step.scale), output))
    return done


def _argmax(output: Array, argument: Array, shape: tuple[int, ...]) -> None:
    output[...] = argument.reshape(*shape, -1).argmax(axis=-1)


def _call_into(f: Callable[..., Array], output: Array, arguments: Sequence[Array]) -> None:
    np.copyto(output, f(*arguments))


def _gather(output: Array, argument: Array, table: Integers, arrays: Arrays) -> list[Action]:
    """Take the first entry of each row of the table, then add the others, if any."""
    done: list[Action] = []
    taken: Array | None = None
    for l in range(table.shape[1]):
        at, there = np.maximum(table[:, l], 0), table[:, l] >= 0
        if l == 0:
            done.append(partial(np.take, argument, at, -1, output, "clip"))
            if table.shape[1] > 1:
                done.append(partial(np.add, output, arrays.number(0.0), output))
            if not there.all():
                done.append(partial(np.copyto, output, arrays.number(0.0), where=~there))
            continue
        if there.all():
            taken = arrays.scratch(output.shape) if taken is None else taken
            done += [partial(np.take, argument, at, -1, taken, "clip"), partial(np.add, output, taken, output)]
        else:
            done.append(partial(_some_added, output, np.flatnonzero(there), argument, at[there]))
    return done


def _gather_at(output: Array, argument: Array, index: Array) -> None:
    rows = argument.shape[-1]
    if any(argument.strides[i] for i, step in enumerate(index.strides) if step and index.shape[i] > 1):
        places = _row_numbers(index, rows)[..., None]
        output[...] = np.take_along_axis(argument, places, -1)[..., 0]
        return
    # The rows are those of one array: take them as a whole.
    apart = [i for i, step in enumerate(index.strides) if step]
    along = [i for i in range(index.ndim) if i not in apart]
    places = _row_numbers(index[tuple([slice(None) if i in apart else 0 for i in range(index.ndim)])], rows)
    whole = argument[tuple([0 if i in apart else slice(None) for i in range(index.ndim)])]
    output.transpose(*apart, *along)[...] = np.moveaxis(whole, -1, 0)[places]


def _scatter_add(output: Array, argument: Array, index: Array) -> None:
    output[...] = 0.0
    places = _row_numbers(index, output.shape[-1])
    np.add.at(output, (*np.indices(argument.shape, sparse=True), places), argument)


def _row_numbers(index: Array, rows: int) -> Integers:
    return np.where(index > 0, np.minimum(np.rint(index), rows - 1), 0).astype(np.intp)


def _some_added(output: Array, here: Integers, argument: Array, at: Integers) -> None:
    output[..., here] += argument[..., at]


def _contract(step: Contract, arrays: Arrays) -> list[Action]:
    """A product, written to its output; if it is accumulated or its output overlaps itself, computed separately and added."""
    found = matrices(step)
    output = arrays.laid(step.output.buffer, step.output.offset, *found.output)
    left = arrays.laid(step.left.buffer, step.left.offset, *found.left)
    right = arrays.laid(step.right.buffer, step.right.offset, *found.right)
    done: list[Action] = []
    negative = step.accumulate and step.scale < 0
    scale = -step.scale if negative else step.scale
    high = found.product[0]
    if step.accumulate and len(found.product) == 2 and left.shape[-1] == 1:
        high = max(1, min(high, STRIP // max(1, found.product[1])))
    made = output if found.direct and not found.summed else arrays.scratch((high, *found.product[1:]))
    number: Array | None = None
    if scale != 1.0:
        # Apply the scale to the smallest array.
        number = arrays.number(scale)
        if left.size <= min(right.size, made.size):
            left, number = _scaled(left, number, arrays, done), None
        elif right.size <= made.size:
            right, number = _scaled(right, number, arrays, done), None
    if high == found.product[0]:
        return [*done, _product(left, right, made), *_finish(step, found, made, output, arrays, number, negative=negative)]
    for start in range(0, found.product[0], high):
        some = slice(start, start + high)
        strip = made[: len(left[some])]
        done.append(_product(left[some], right, strip))
        done += _finish(step, found, strip, output[some], arrays, number, negative=negative)
    return done


def _finish(
    step: Contract, found: Matrices, made: Array, output: Array, arrays: Arrays, scale: Array | None, *, negative: bool
) -> list[Action]:
    """What remains to be done with a computed product: sum over the stack, scale, and add."""
    done: list[Action] = [] if scale is None else [partial(np.multiply, made, scale, made)]
    if made is output:
        return done
    if found.summed:
        total = arrays.scratch(found.product[found.summed :])
        done.append(partial(np.add.reduce, made, tuple(range(found.summed)), None, total))
        made = total
    whole = made.reshape(output.shape)
    if not step.accumulate:
        done.append(partial(np.copyto, output, arrays.number(0.0)))
    return [*done, *[partial(np.subtract if negative else np.add, x, y, x) for x, y in _without_overlap(output, whole)]]


def _scaled(x: Array, scale: Array, arrays: Arrays, done: list[Action]) -> Array:
    # The copy keeps the memory order of the factor, so that a contiguous row stays contiguous.
    order = sorted(range(x.ndim), key=lambda i: -abs(x.strides[i]))
    copy = arrays.scratch(tuple([x.shape[i] for i in order])).transpose(np.argsort(order))
    done.append(partial(np.multiply, x, scale, copy))
    return copy


def _product(left: Array, right: Array, output: Array) -> Action:
    """``output = left · right`` for stacks of matrices; a single matrix, row or column uses ``dot``.

    The method ``dot`` is 0.1 µs faster than the function, which first checks for overrides by other array types.
    """
    if output.ndim > 2:
        return partial(np.matmul, left, right, output)
    m, n = output.shape
    if m == n == left.shape[1] == 1:
        # ``dot`` returns a single product as it is; a sum would start from 0.0.
        return partial(np.matmul, left, right, output)
    if n == 1 and output[:, 0].flags.c_contiguous:
        return partial(left.dot, right[:, 0], output[:, 0])
    if m == 1 and output[0].flags.c_contiguous:
        return partial(right.T.dot, left[0], output[0])
    if output.flags.c_contiguous:
        return partial(left.dot, right, output)
    if output.T.flags.c_contiguous:
        return partial(right.T.dot, left.T, output.T)
    return partial(np.matmul, left, right, output)
