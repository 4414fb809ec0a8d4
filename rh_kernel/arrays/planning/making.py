"""A plan for a program: its loops, joined, in place, along few axes, with room found for the buffers once and for all."""

from bisect import bisect
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from rh_kernel.arrays.equations.expanding import expanded
from rh_kernel.arrays.lowering import lowered
from rh_kernel.arrays.planning.dependence import reads, writes
from rh_kernel.arrays.planning.fusion import fused
from rh_kernel.arrays.planning.in_place import in_place
from rh_kernel.arrays.program import Program, Register, Tree
from rh_kernel.loops.ir import Buffer, Contract, Leaf, Map, Plan, Precision, Scratch, Step, Store, View
from rh_kernel.loops.layouts import collapsed, reordered
from rh_kernel.syntax.signature import Location

ALIGNMENT = 16
"""Buffers begin at multiples of so many entries: at 64 bytes, in single precision."""


@dataclass(frozen=True, slots=True)
class Loose:
    """Steps on buffers that have no place yet; ``writes`` are the new contents that are not yet where they belong."""

    steps: Sequence[Step]
    buffers: Sequence[Buffer]
    result: Leaf
    writes: tuple[tuple[Location, View], ...] = ()


@dataclass(frozen=True, slots=True)
class Stages:
    """What each pass makes of a program, from the first to the last."""

    expanded: Program
    loops: Loose
    joined: Loose
    in_place: Loose
    plan: Plan


def planned(program: Program, samples: int | None, precision: Precision = "float64", *, matrices: bool = False) -> Plan:
    """The plan of a program for so many samples in each batched input.

    With ``matrices`` the products are for a library that multiplies matrices (``arrays.lowering``).
    """
    return stages(program, samples, precision, matrices=matrices).plan


def stages(program: Program, samples: int | None, precision: Precision = "float64", *, matrices: bool = False) -> Stages:
    """The plan, as ``planned`` has it, and what it was on the way."""
    program = expanded(program)
    found = lowered(program, samples, matrices=matrices)
    buffers = found.loops.buffers
    kept = {view.buffer for view in (*found.results.values(), *(view for _, view in found.writes))}
    joined = fused(found.loops.steps, kept)
    updated = in_place(joined, found.loops, found.contents, found.results, found.writes)
    steps = [_flattened(step) for step in updated.steps]
    placed, scratch = _placed(buffers, steps, {view.buffer for view in updated.results.values()})
    early = _tree(program.result, found.results, program, samples)
    result = _tree(program.result, updated.results, program, samples)
    locations = tuple([location for location, _ in found.writes])
    return Stages(
        program,
        Loose(found.loops.steps, buffers, early, found.writes),
        Loose(joined, buffers, early, found.writes),
        Loose(updated.steps, buffers, result),
        Plan(precision, samples, found.inputs, tuple(placed), scratch, tuple(steps), result, locations),
    )


def _flattened(step: Step) -> Step:
    """The step with its axes joined where they lie one in the other."""
    match step:
        case Map((n,)) if n != 1:
            return step
        case Map(_, arguments, body, stores):
            views = [*arguments, *[store.view for store in stores]]
            # In the order in which the entries lie, so that as many axes as possible are one.
            strides = [abs(stride) for stride in stores[0].view.strides]
            if strides != sorted(strides, reverse=True):
                order = sorted(range(len(strides)), key=lambda i: -strides[i])
                views = [reordered(view, order) for view in views]
            views = collapsed(views)
            n = len(arguments)
            placed = tuple([Store(view, store.value, store.accumulate) for store, view in zip(stores, views[n:], strict=True)])
            return Map(views[0].shape, tuple(views[:n]), body, placed)
        case Contract(_, output, left, right, scale, accumulate):
            views = collapsed([output, left, right])
            return Contract(views[0].shape, views[0], views[1], views[2], scale, accumulate)
        case _:
            return step


def _placed(buffers: Sequence[Buffer], steps: Sequence[Step], kept: Collection[int]) -> tuple[list[Buffer], int]:
    """The buffers with room found, which those share that are not needed at the same time; and how much it is."""
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    for i, step in enumerate(steps):
        for view in (*writes(step), *reads(step)):
            first.setdefault(view.buffer, i)
            last[view.buffer] = i
    for buffer in kept:
        last[buffer] = len(steps)
    begins: dict[int, list[int]] = {}
    ends: dict[int, list[int]] = {}
    for buffer, i in first.items():
        if isinstance(buffers[buffer], Scratch):
            begins.setdefault(i, []).append(buffer)
            ends.setdefault(last[buffer], []).append(buffer)
    room = _Room()
    starts: dict[int, int] = {}
    for i in range(len(steps)):
        for buffer in begins.get(i, ()):
            starts[buffer] = room.take(buffers[buffer].size)
        for buffer in ends.get(i, ()):
            room.give(starts[buffer], buffers[buffer].size)
    found = [
        Scratch(starts.get(i, 0), buffer.size if i in starts else 0) if isinstance(buffer, Scratch) else buffer
        for i, buffer in enumerate(buffers)
    ]
    return found, room.size


class _Room:
    """A stretch of entries of which parts are free: sorted (start, end), none next to another."""

    def __init__(self) -> None:
        self.size = 0
        self._free: list[tuple[int, int]] = []

    def take(self, size: int) -> int:
        """The smallest free part that is large enough, or new room."""
        size = _rounded(size)
        fitting = [(end - start, i) for i, (start, end) in enumerate(self._free) if end - start >= size]
        if fitting:
            _, i = min(fitting)
            start, end = self._free[i]
            self._free[i : i + 1] = [(start + size, end)] if end - start > size else []
            return start
        if self._free and self._free[-1][1] == self.size:
            start, _ = self._free.pop()
        else:
            start = self.size
        self.size = start + size
        return start

    def give(self, start: int, size: int) -> None:
        """The part is free again."""
        end = start + _rounded(size)
        i = bisect(self._free, (start, end))
        if i < len(self._free) and self._free[i][0] == end:
            end = self._free.pop(i)[1]
        if i and self._free[i - 1][1] == start:
            start = self._free.pop(i - 1)[0]
            i -= 1
        self._free.insert(i, (start, end))


def _rounded(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT


def _tree(tree: Tree, results: Mapping[Register, View], program: Program, samples: int | None) -> Leaf:
    """The result as views: what is the same for all samples is there for each of them."""
    if isinstance(tree, tuple):
        return tuple([_tree(branch, results, program, samples) for branch in tree])
    view = results[tree]
    if samples is not None and not program.batched[tree]:
        return View(view.buffer, view.offset, (samples, *view.shape), (0, *view.strides))
    return view
