"""Arrays of rows that share memory: a loop writes the rows of one where it has read those of another for the last time.

If no later step reads an array, a loop needs each of its rows only until the round has read it. An array that the loop fills,
with rows of the same layout, can then take its place, provided that each round reads the row of the one before it writes that
of the other, or does both entry by entry.
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from rh_kernel.arrays.planning.dependence import reads, with_views, writes
from rh_kernel.arrays.planning.in_place import Updated, is_entry_by_entry
from rh_kernel.loops.ir import Buffer, Loop, Rows, Scratch, Step, View, simple_steps


def rows_reused(updated: Updated, buffers: Sequence[Buffer]) -> Updated:
    """Let arrays of rows share memory."""
    results = {view.buffer for view in updated.results.values()}
    steps, renamed = _reused(updated.steps, buffers, results)
    return Updated(steps, {r: _image(view, renamed) for r, view in updated.results.items()})


def _reused(steps: Sequence[Step], buffers: Sequence[Buffer], kept: AbstractSet[int]) -> tuple[list[Step], dict[int, int]]:
    """The steps, and a map from buffers to those in whose memory they are; ``kept`` are those that are needed afterwards."""
    mentioned = [{view.buffer for view in (*reads(step), *writes(step))} for step in steps]
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    for i, found in enumerate(mentioned):
        for buffer in found:
            first.setdefault(buffer, i)
            last[buffer] = i
    last |= dict.fromkeys(kept, len(steps))
    renamed: dict[int, int] = {}
    made: list[Step] = []
    for i, step in enumerate(steps):
        if not isinstance(step, Loop):
            made.append(with_views(step, lambda view: _image(view, renamed)) if mentioned[i] & renamed.keys() else step)
            continue
        elsewhere = {*kept, *[row.first.buffer for row in step.rows]}.union(*mentioned[:i], *mentioned[i + 1 :])
        inner, _ = _reused(step.steps, buffers, elsewhere)
        rows = tuple([replace(row, first=_image(row.first, renamed)) for row in step.rows])
        loop = Loop(step.rounds, rows, tuple([with_views(found, lambda view: _image(view, renamed)) for found in inner]))
        scratch = [row for row in _sole_rows(loop) if isinstance(buffers[row.first.buffer], Scratch)]
        old = [row for row in scratch if first[row.first.buffer] < i == last[row.first.buffer]]
        new = [row for row in scratch if first[row.first.buffer] == i]
        for o in new:
            a = next((a for a in old if _can_take_place(loop.steps, o, a)), None)
            if a is not None:
                old.remove(a)
                loop = _merged(loop, o, a)
                renamed[o.first.buffer] = a.first.buffer
                last[a.first.buffer] = last[o.first.buffer]
        made.append(loop)
    return made, renamed


def _sole_rows(loop: Loop) -> list[Rows]:
    """The rows of arrays that the loop uses in no other way."""
    arrays = [row.first.buffer for row in loop.rows]
    others = {view.buffer for step in simple_steps(loop.steps) for view in (*reads(step), *writes(step))}
    others |= {row.first.buffer for step in loop.steps if isinstance(step, Loop) for row in step.rows}
    return [row for row, array in zip(loop.rows, arrays, strict=True) if arrays.count(array) == 1 and array not in others]


def _can_take_place(steps: Sequence[Step], o: Rows, a: Rows) -> bool:
    """Whether the rows have the same layout, and a round reads a before it writes o, and does not write a."""
    if replace(o.first, buffer=a.first.buffer) != a.first or o.stride != a.stride:
        return False
    if any(view.buffer == a.buffer for step in steps for view in writes(step)):
        return False
    read = [i for i, step in enumerate(steps) if any(view.buffer == a.buffer for view in reads(step))]
    written = [i for i, step in enumerate(steps) if any(view.buffer == o.buffer for view in writes(step))]
    if not read or not written:
        return False
    return read[-1] < written[0] or (read[-1] == written[0] and is_entry_by_entry(steps[read[-1]], o.buffer, a.buffer))


def _merged(loop: Loop, o: Rows, a: Rows) -> Loop:
    """The loop with one row in place of both."""
    rows = tuple([row for row in loop.rows if row is not o])
    same = {o.buffer: a.buffer}
    return Loop(loop.rounds, rows, tuple([with_views(step, lambda view: _image(view, same)) for step in loop.steps]))


def _image(view: View, renamed: Mapping[int, int]) -> View:
    buffer = renamed.get(view.buffer)
    return view if buffer is None else replace(view, buffer=buffer)
