"""Running both branches of a conditional command, and joining what they leave behind (LANGUAGE §9).

Each branch runs from the same state up to a marker on the stack, behind which the rest follows once. The heaps are joined by
selecting each content, the tapes by an entry with both pieces, through which the backward pass goes in the same way: both
pieces, from the same state, and then the cotangents are selected. Only if an ordinary handler captures the continuation up to
beyond the marker, as it may run the rest more than once or not at all, each branch is followed by the rest of its own.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from rh_kernel.arrays.symbolic.builder import Builder
from rh_kernel.arrays.symbolic.conditionals import branch_guard
from rh_kernel.arrays.symbolic.draws import Count, Draws
from rh_kernel.arrays.symbolic.selection import negated, selected
from rh_kernel.arrays.symbolic.stack import Forwarded, Frames, Marker, Outside, Resumed, StackSegment
from rh_kernel.arrays.symbolic.tape import Branched, Region, copied, enter
from rh_kernel.arrays.symbolic.tapes import since
from rh_kernel.arrays.symbolic.values import Slot, Symbolic
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.syntax.signature import Location

Start: TypeAlias = "Callable[[], Symbolic | None]"
"""Begins a branch: its value if it has one at once; otherwise ``None``, with the next command set."""


class EscapesError(Exception):
    """A continuation that was captured leads beyond a marker."""

    def __init__(self, marker: Marker) -> None:
        self.marker = marker


class Branches:
    """The state of an abstract machine that can run both branches of a conditional."""

    def __init__(self, b: Builder) -> None:
        self.builder = b
        self.heap: dict[Location, Symbolic] = {}
        self.read: dict[Location, Slot] = {}
        self.draws = Draws(b)
        self.frames: Frames = None
        self.outside: Outside | None = None
        self.until: Marker | None = None

    def proceed(self, value: "Symbolic | None") -> "Symbolic | None":
        """Deliver the value, or take the next command if there is none."""
        raise NotImplementedError

    def finish(self, value: "Symbolic | None") -> Symbolic:
        """Go on to the innermost marker, or to the end if there is none."""
        while True:
            if value is not None and self._is_at_end():
                return value
            value = self.proceed(value)

    def _is_at_end(self) -> bool:
        if self.until is None:
            return self.frames is None and self.outside is None
        return self.frames is not None and self.frames[0] is self.until

    def joined(self, c: Slot, starts: tuple[Start, Start]) -> tuple[Symbolic, Symbolic] | None:
        """Run both branches up to here; ``None`` if a continuation that leads beyond is captured in one of them."""
        b, marker = self.builder, Marker()
        saved = b.guard, b.region, self.heap, self.frames, self.outside, self.until, len(b.equations)
        draws = self.draws.count
        region = copied(b.region)
        try:
            return self.both(c, starts, marker)
        except EscapesError as escape:
            if escape.marker is not marker:
                raise
        b.guard, _, self.heap, self.frames, self.outside, self.until, count = saved
        b.region, self.draws.count = region, draws
        del b.equations[count:]
        return None

    def both(self, c: Slot, starts: tuple[Start, Start], until: Marker | None) -> tuple[Symbolic, Symbolic]:
        """Run both branches, the first where c is 1, from here up to the marker ``until``, which may be around already."""
        b = self.builder
        guard, region, heap, around = b.guard, b.region, self.heap, self.until
        frames, outside, draws = self.frames, self.outside, self.draws.count
        ends: list[tuple[Symbolic, dict[Location, Symbolic], Region | None, Count]] = []
        for start, number in zip(starts, (c, negated(b, c)), strict=True):
            b.guard = guard
            b.guard = branch_guard(number, b)
            b.region, self.heap, self.outside, self.until = copied(region), dict(heap), outside, until
            self.frames = frames if until is around or until is None else (until, frames)
            self.draws.count = draws
            ends.append((self.finish(start()), self.heap, b.region, self.draws.count))
        b.guard, self.until = guard, around
        if until is not around:
            self.frames, self.outside = frames, outside
        (V, first, one, draws), (W, second, other, others) = ends
        b.region = None
        self.draws.join(c, draws, others)
        self.heap = {
            location: selected(b, c, self.content(location, first), self.content(location, second))
            for location in {**first, **second}
        }
        b.region = _merged(c, region, one, other)
        return V, W

    def content(self, location: Location, heap: Mapping[Location, Symbolic]) -> Symbolic:
        """Return the content of a location in a heap; at first its initial content."""
        content = heap.get(location) or self.read.get(location)
        if content is None:
            self.read[location] = content = self.builder.read(location)
        return content

    def check_captured(self, stretches: Sequence[StackSegment]) -> None:
        """Raise ``EscapesError`` if a continuation of these segments leads beyond a marker."""
        if self.until is not None:
            found = [*_markers(stretches)]
            if found:
                raise EscapesError(found[-1])


def _markers(stretches: Sequence[StackSegment]) -> Iterator[Marker]:
    """Yield the markers in segments of the stack, the outermost last."""
    for stretch in stretches:
        frames = stretch.frames
        while frames is not None:
            frame, frames = frames
            if isinstance(frame, Marker):
                yield frame
            elif isinstance(frame, Forwarded | Resumed):
                yield from _markers(frame.stretches)


def _merged(c: Slot, base: Region | None, one: Region | None, other: Region | None) -> Region | None:
    """Return the regions after both branches, which began in ``base``."""
    if one is None or other is None:
        return None
    while base is not None and base.bit != one.bit:
        base = base.outer
    if base is None or one.bit != other.bit:
        raise KernelBug("the branches end in different regions")
    then, otherwise = since(one.tape, base.tape), since(other.tape, base.tape)
    tape = base.tape if then is None and otherwise is None else (Branched(c, then, otherwise), base.tape)
    return enter(one.bit, tape, _merged(c, base.outer, one.outer, other.outer))
