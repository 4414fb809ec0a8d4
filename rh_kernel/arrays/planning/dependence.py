"""The views that steps read and write."""

from collections.abc import Callable
from dataclasses import replace

from rh_kernel.loops.ir import (
    Call,
    Check,
    Contract,
    Gather,
    GatherAt,
    IndexCheck,
    Loop,
    Map,
    Reduce,
    Rows,
    ScatterAdd,
    Step,
    Store,
    View,
)


def reads(step: Step) -> tuple[View, ...]:
    """Return the views that a step reads, including those it adds to."""
    match step:
        case Map():
            added = [store.view for store in step.stores if store.accumulate]
            return (*step.arguments, *added) if added else step.arguments
        case Contract():
            return (step.left, step.right, step.output) if step.accumulate else (step.left, step.right)
        case Reduce() | Gather():
            return (step.argument,)
        case GatherAt() | ScatterAdd():
            return (step.argument, step.index)
        case IndexCheck():
            return (step.index,)
        case Call() | Check():
            return step.arguments
        case Loop(_, rows):
            # What is carried from round to round was written before the loop, even if no round reads it.
            own = {row.first.buffer for row in rows}
            carried = [view for view in _outside(step, writes) if view.buffer not in own]
            return tuple({view.buffer: view for view in (*carried, *_outside(step, reads))}.values())


def writes(step: Step) -> tuple[View, ...]:
    """Return the views that a step writes."""
    match step:
        case Map():
            return tuple([store.view for store in step.stores])
        case Contract() | Reduce() | Gather() | GatherAt() | ScatterAdd() | Call():
            return (step.output,)
        case Check() | IndexCheck():
            return ()
        case Loop():
            return _outside(step, writes)


def _outside(loop: Loop, found: Callable[[Step], tuple[View, ...]]) -> tuple[View, ...]:
    """A view of each buffer that the steps of a loop read or write; for rows, of the buffer that they are part of."""
    places = {row.buffer: row.first for row in loop.rows}
    views = [places.get(view.buffer, view) for step in loop.steps for view in found(step)]
    return tuple({view.buffer: view for view in views}.values())


def restricted(step: Step, axis: int, start: int, extent: int) -> Step:
    """Restrict a step, with the same axes in all its views up to this one, to ``extent`` indices of an axis."""

    def image(view: View) -> View:
        shape = (*view.shape[:axis], extent, *view.shape[axis + 1 :])
        return View(view.buffer, view.offset + start * view.strides[axis], shape, view.strides)

    part = with_views(step, image)
    match part:
        case Map():
            return replace(part, shape=part.stores[0].view.shape)
        case Contract():
            return replace(part, extents=part.output.shape)
        case _:
            return part


def with_views(step: Step, image: Callable[[View], View]) -> Step:
    """Replace each view of the step by its image."""
    match step:
        case Map():
            stores = tuple([Store(image(store.view), store.value, store.accumulate) for store in step.stores])
            return Map(step.shape, tuple([image(v) for v in step.arguments]), step.body, stores)
        case Contract():
            left, right = image(step.left), image(step.right)
            return Contract(step.extents, image(step.output), left, right, step.scale, step.accumulate)
        case Reduce(fold, output, argument, scale):
            return Reduce(fold, image(output), image(argument), scale)
        case Gather(output, argument, table):
            return Gather(image(output), image(argument), table)
        case GatherAt(output, argument, index):
            return GatherAt(image(output), image(argument), image(index))
        case ScatterAdd(output, argument, index):
            return ScatterAdd(image(output), image(argument), image(index))
        case IndexCheck(index, n, span):
            return IndexCheck(image(index), n, span)
        case Call(function, output, arguments):
            return Call(function, image(output), tuple([image(v) for v in arguments]))
        case Check(function, arguments, span, shown):
            return Check(function, tuple([image(v) for v in arguments]), span, shown)
        case Loop(rounds, rows, steps):
            moved = tuple([Rows(row.buffer, image(row.first), row.stride) for row in rows])
            return Loop(rounds, moved, tuple([with_views(inner, image) for inner in steps]))
