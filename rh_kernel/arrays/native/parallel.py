"""Steps in pieces that several threads can run at the same time.

The pieces depend on the plan and on how many cores the machine has, not on the number of threads, and no piece writes what
another one uses, so a run computes the same digits with any number of threads.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, prod

from rh_kernel.arrays.arena import round_up
from rh_kernel.arrays.native.axes import axes, entangled, reach
from rh_kernel.arrays.native.launches import operations
from rh_kernel.arrays.native.strip_mining import Strips
from rh_kernel.arrays.planning.dependence import restricted
from rh_kernel.arrays.threads import cores_of_machine
from rh_kernel.loops.ir import Contract, Map, Number, Reduce, Step, Store, View

PIECE = 400_000
"""Operations that make a piece worth handing to another thread: about ten microseconds."""

MOST = 4
"""The most pieces of a step, on a machine with that many cores. Each piece packs and reads again what all of them use: in one
thread, two pieces of a matrix product take 2 % longer than the whole, and four 10 %."""

COPYING = 32
"""Operations that a copy of a sum is worth, for each entry: it is cleared, and added to the sum."""

UNIT = 16
"""Pieces begin at multiples of this if there are enough indices, so that they consist of whole vectors and cache lines."""


def most_pieces() -> int:
    """Return the most pieces of a step on this machine."""
    return min(MOST, cores_of_machine())


def pieces(step: Step) -> list[Step]:
    """Split a step that takes long along one of its axes; return it alone if it takes too little time or cannot be split."""
    count = min(most_pieces(), operations(step) // PIECE)
    found = _axis(step, count) if count > 1 else None
    if found is None:
        return [step]
    axis, extent = found
    return [restricted(step, axis, start, length) for start, length in intervals(extent, count)]


def chunks(strips: Strips) -> list[tuple[int, int]]:
    """Divide the strips into intervals (first, count) that may run at the same time."""
    work = strips.count * sum(operations(piece.step) for piece in strips.pieces)
    copied = sum(_entries(view) for view in strips.sums)
    count = min(most_pieces(), work // (PIECE + COPYING * copied), strips.count) if strips.independent else 1
    return list(intervals(strips.count, max(1, count), unit=1))


@dataclass(frozen=True, slots=True)
class Copies:
    """Copies of the sums of some strips: steps that clear them, and steps that add them to the sums afterwards.

    ``places`` has the copy of each sum, in a buffer of ``size`` entries.
    """

    places: Mapping[View, View]
    clear: tuple[Map, ...]
    add: tuple[Map, ...]
    size: int


def copies(sums: Sequence[View], buffer: int, start: int) -> Copies:
    """Place copies of the sums in a buffer, from an entry on. They begin with 0.0, so no part of a sum is −0.0."""
    places: dict[View, View] = {}
    clear: list[Map] = []
    add: list[Map] = []
    at = start
    for view in sums:
        low, high = reach(view).low, reach(view).high
        places[view] = View(buffer, at + view.offset - low, view.shape, view.strides)
        axes_of = [i for i, stride in enumerate(view.strides) if stride]
        shape = tuple([view.shape[i] for i in axes_of])
        here, there = [View(v.buffer, v.offset, shape, tuple([v.strides[i] for i in axes_of])) for v in (places[view], view)]
        clear.append(Map(shape, (), (Number(0.0),), (Store(here, 0),)))
        add.append(Map(shape, (here,), (), (Store(there, 0, accumulate=True),)))
        at += round_up(high - low + 1)
    return Copies(places, tuple(clear), tuple(add), at - start)


def _entries(view: View) -> int:
    return prod([n for n, stride in zip(view.shape, view.strides, strict=True) if stride])


def intervals(extent: int, count: int, unit: int = UNIT) -> Iterator[tuple[int, int]]:
    """Divide so many indices into at most ``count`` intervals (start, length), all but the last of one length.

    >>> list(intervals(100, 4)), list(intervals(5, 2))
    ([(0, 32), (32, 32), (64, 32), (96, 4)], [(0, 3), (3, 2)])
    """
    length = ceil(extent / count)
    if length >= unit:
        length = ceil(length / unit) * unit
    for start in range(0, extent, length):
        yield start, min(length, extent - start)


def _axis(step: Step, count: int) -> tuple[int, int] | None:
    """The axis along which a step is split, and its extent: long enough, so that little is read by all pieces, far outside."""
    factors: tuple[View, ...] = ()
    match step:
        case Contract(extents, output, left, right):
            factors = left, right
            overlaps = bool(entangled(axes(extents, [output]), 0))
            found = [(i, n) for i, n in enumerate(extents) if output.strides[i] and not overlaps]
        case Map(shape):
            output, found = step.stores[0].view, list(enumerate(shape))
        case Reduce(_, output):
            found = list(enumerate(output.shape))
        case _:
            return None
    found = [(i, n) for i, n in found if n >= count]
    long = [(i, n) for i, n in found if n >= count * UNIT]
    if not long:
        return max(found, key=lambda pair: pair[1], default=None)

    def costs(pair: tuple[int, int]) -> tuple[int, int]:
        return sum(_entries(view) for view in factors if not view.strides[pair[0]]), -abs(output.strides[pair[0]])

    return min(long, key=costs)
