"""Make a plan from a program: lower to loops, fuse, update in place, collapse axes, allocate buffers."""

from bisect import bisect
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from rh_kernel.arrays.arena import round_up
from rh_kernel.arrays.lowering import lowered
from rh_kernel.arrays.planning.dependence import reads, writes
from rh_kernel.arrays.planning.fusion import fused
from rh_kernel.arrays.planning.in_place import in_place
from rh_kernel.arrays.planning.row_reuse import rows_reused
from rh_kernel.arrays.program import Program, Register
from rh_kernel.arrays.rewrites.decompositions import expanded
from rh_kernel.loops.ir import Buffer, Contract, Loop, Map, Plan, Precision, Scratch, Step, Store, View, Views
from rh_kernel.loops.layouts import collapsed, reordered
from rh_kernel.loops.trees import map_tree
from rh_kernel.syntax.signature import Location


@dataclass(frozen=True, slots=True)
class UnallocatedPlan:
    """Steps on buffers that are not allocated yet; ``writes`` are the new contents that still have to be copied."""

    steps: Sequence[Step]
    buffers: Sequence[Buffer]
    result: Views
    writes: tuple[tuple[Location, View], ...] = ()


@dataclass(frozen=True, slots=True)
class Stages:
    """The output of each pass on a program, from first to last."""

    expanded: Program
    loops: UnallocatedPlan
    joined: UnallocatedPlan
    in_place: UnallocatedPlan
    plan: Plan


def planned(program: Program, samples: int | None, precision: Precision = "float64", *, matrices: bool = False) -> Plan:
    """Plan a program for ``samples`` samples in each batched input.

    With ``matrices``, products are lowered for a matrix-product library (``arrays.lowering``).
    """
    return stages(program, samples, precision, matrices=matrices).plan


def stages(program: Program, samples: int | None, precision: Precision = "float64", *, matrices: bool = False) -> Stages:
    """Plan a program as ``planned`` does, and return the output of each pass."""
    program = expanded(program)
    found = lowered(program, samples, matrices=matrices)
    buffers = found.loops.buffers
    kept = {view.buffer for view in (*found.results.values(), *(view for _, view in found.writes))}
    joined = fused(found.loops.steps, kept)
    updated = rows_reused(in_place(joined, found.loops, found.contents, found.results, found.writes), buffers)
    steps = [_flattened(step) for step in updated.steps]
    placed, scratch = _placed(buffers, steps, {view.buffer for view in updated.results.values()})
    early, result = [_result(program, views, samples) for views in (found.results, updated.results)]
    locations = tuple([location for location, _ in found.writes])
    return Stages(
        program,
        UnallocatedPlan(found.loops.steps, buffers, early, found.writes),
        UnallocatedPlan(joined, buffers, early, found.writes),
        UnallocatedPlan(updated.steps, buffers, result),
        Plan(precision, samples, found.inputs, tuple(placed), scratch, tuple(steps), result, locations),
    )


def _flattened(step: Step) -> Step:
    """The step with axes collapsed that are contiguous in all its views."""
    match step:
        case Map((n,)) if n != 1:
            return step
        case Map(_, arguments, body, stores):
            views = [*arguments, *[store.view for store in stores]]
            # Sort the axes by stride, so that as many as possible collapse.
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
        case Loop(rounds, rows, steps):
            return Loop(rounds, rows, tuple([_flattened(inner) for inner in steps]))
        case _:
            return step


def _placed(buffers: Sequence[Buffer], steps: Sequence[Step], kept: Collection[int]) -> tuple[list[Buffer], int]:
    """Allocate the scratch buffers, with disjoint lifetimes sharing memory; also return the total size."""
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
    allocator = _Allocator()
    starts: dict[int, int] = {}
    for i in range(len(steps)):
        for buffer in begins.get(i, ()):
            starts[buffer] = allocator.allocate(buffers[buffer].size)
        for buffer in ends.get(i, ()):
            allocator.free(starts[buffer], buffers[buffer].size)
    found = [
        Scratch(starts.get(i, 0), buffer.size if i in starts else 0) if isinstance(buffer, Scratch) else buffer
        for i, buffer in enumerate(buffers)
    ]
    return found, allocator.size


class _Allocator:
    """A best-fit allocator of whole cache lines: ``_free`` are the free intervals (start, end), sorted, no two adjacent."""

    def __init__(self) -> None:
        self.size = 0
        self._free: list[tuple[int, int]] = []

    def allocate(self, size: int) -> int:
        """Allocate from the smallest free interval that fits, or at the end."""
        size = round_up(size)
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

    def free(self, start: int, size: int) -> None:
        """Free an interval."""
        end = start + round_up(size)
        i = bisect(self._free, (start, end))
        if i < len(self._free) and self._free[i][0] == end:
            end = self._free.pop(i)[1]
        if i and self._free[i - 1][1] == start:
            start = self._free.pop(i - 1)[0]
            i -= 1
        self._free.insert(i, (start, end))


def _result(program: Program, views: Mapping[Register, View], samples: int | None) -> Views:
    """The result as views; a value that is the same for all samples is broadcast."""

    def image(r: Register) -> View:
        view = views[r]
        if samples is not None and not program.batched[r]:
            return View(view.buffer, view.offset, (samples, *view.shape), (0, *view.strides))
        return view

    return map_tree(program.result, image)
