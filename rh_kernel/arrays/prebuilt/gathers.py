"""The calls for ``Gather``, ``GatherAt``, ``ScatterAdd`` and ``IndexCheck``; none if there is nothing to do."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from rh_kernel.arrays.backend import Unsupported
from rh_kernel.arrays.native.axes import Axis, axes
from rh_kernel.arrays.prebuilt.call import Call, is_empty, words
from rh_kernel.loops.ir import Gather, GatherAt, IndexCheck, ScatterAdd, View

OUT, INDEX = 0, 2


def gather_call(step: Gather) -> list[Call]:
    """Return the call, which takes the table as a further array."""
    if is_empty(step.output):
        return []
    outer = axes(step.output.shape[:-1], [_but_last(step.output), _but_last(step.argument)])
    n, terms = step.table.shape
    parameters = (len(outer), n, terms, int((step.table >= 0).all()), step.output.strides[-1], step.argument.strides[-1])
    return [Call("gather", (*parameters, *words(outer)), (step.output, step.argument))]


def table_of(step: Gather) -> npt.NDArray[np.int32]:
    """Return the table of a gather. Raises ``Unsupported`` if its numbers are too large."""
    if step.table.size and int(step.table.max()) > np.iinfo(np.int32).max:
        raise Unsupported("a table has too large numbers")
    return np.ascontiguousarray(step.table, dtype=np.int32)


def gather_at_call(step: GatherAt) -> list[Call]:
    """Return the call."""
    if is_empty(step.output):
        return []
    found = axes(step.output.shape, [step.output, _but_last(step.argument), step.index])
    outer = [axis for axis in found if axis.strides[INDEX]]
    parameters = _parameters(found, outer, step.argument)
    return [Call("gather_at", parameters, (step.output, step.argument, step.index))]


def scatter_add_call(step: ScatterAdd) -> list[Call]:
    """Return the call, for an output that has been cleared."""
    if is_empty(step.argument):
        return []
    found = axes(step.argument.shape, [_but_last(step.output), step.argument, step.index])
    # Along the other axes, the entries of the output are distinct.
    outer = [axis for axis in found if axis.strides[INDEX] or not axis.strides[OUT]]
    return [Call("scatter_add", _parameters(found, outer, step.output), (step.output, step.argument, step.index))]


def check_call(step: IndexCheck, number: int) -> list[Call]:
    """Return the call for check number ``number``, which takes the status as a further array."""
    if is_empty(step.index):
        return []
    found = axes(step.index.shape, [step.index])
    return [Call("index_check", (number, step.rows, len(found), *words(found)), (step.index,))]


def _parameters(found: Sequence[Axis], outer: Sequence[Axis], rows: View) -> tuple[int, ...]:
    inner = [axis for axis in found if axis not in outer]
    return (len(outer), len(inner), rows.shape[-1], rows.strides[-1], *words(outer), *words(inner))


def _but_last(view: View) -> View:
    return View(view.buffer, view.offset, view.shape[:-1], view.strides[:-1])
