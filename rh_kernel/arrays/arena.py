"""An arena for the contents of locations: they are parts of one array, so one call can check or copy them all."""

from collections.abc import Iterator, Mapping
from functools import partial
from math import prod
from typing import Any

import numpy as np

from rh_kernel.arrays.backend import Memory
from rh_kernel.arrays.program import Extent
from rh_kernel.arrays.stacks import unstacked
from rh_kernel.source.interruptible import when_large
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.signature import Location

ALIGNMENT = 64
"""Bytes per cache line."""

LINE = 16
"""Entries that fill whole cache lines in either precision."""


def round_up(size: int, unit: int = LINE) -> int:
    """Round up to a multiple of ``unit``."""
    return -(-size // unit) * unit


class Layout:
    """The start of each location's content in a one-dimensional array, whose length is ``size``.

    Contents of at most ``small`` entries are packed at the front; larger ones are aligned to cache lines.
    """

    __slots__ = ("shapes", "size", "starts")

    def __init__(self, shapes: Mapping[Location, Extent], small: int = 0) -> None:
        self.shapes = shapes
        self.starts: dict[Location, int] = {}
        sizes = {location: prod(shape) for location, shape in shapes.items()}
        end = 0
        for location in sorted(sizes, key=lambda location: sizes[location] > small):
            start = round_up(end) if sizes[location] > small else end
            self.starts[location] = start
            end = start + sizes[location]
        self.size = end

    def parts(self) -> Iterator[tuple[Location, slice, Extent]]:
        """Yield for each location its slice of the array, and the shape of its content."""
        for location, shape in self.shapes.items():
            start = self.starts[location]
            yield location, slice(start, start + prod(shape)), shape


class Contents(Memory):
    """A memory on the host. ``whole`` is the array that holds all contents; padding is 0.

    A location in a stack can be looked up, too.
    """

    __slots__ = ("_known", "_layout", "_parts", "whole")

    def __init__(self, layout: Layout, dtype: "np.dtype[Any]") -> None:
        self.whole = aligned(layout.size, dtype)
        self._layout = layout
        self._parts: dict[Location, Array] = {at: self.whole[part].reshape(shape) for at, part, shape in layout.parts()}
        self._known = {**self._parts, **unstacked(self._parts)}

    def __getitem__(self, location: Location) -> Array:
        return self._known[location]

    def __iter__(self) -> Iterator[Location]:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)

    def start(self, location: Location) -> int:
        """Return the index in ``whole`` where a location's content begins."""
        return self._layout.starts[location]

    def store(self, heap: Mapping[Location, Array]) -> None:
        """Overwrite the contents of these locations."""
        with np.errstate(over="ignore"):
            for location, content in heap.items():
                when_large(content.size, partial(np.copyto, self._known[location], content))

    def close(self) -> None:
        """Make the contents read-only."""
        for part in (*self._known.values(), self.whole, self.whole.base):
            if part is not None:
                part.setflags(write=False)

    def fetch(self, over: Mapping[Location, Array] | None = None) -> "Contents":
        """Return a float64 copy, made by one call, which no signal interrupts."""
        return copied(self.whole, self._layout, over)


def contents_of(heap: Mapping[Location, Array], precision: str, small: int = 0) -> Contents:
    """Copy the contents of a heap, in that precision."""
    found = Contents(layout_of(heap, small), np.dtype(precision))
    found.store(heap)
    return found


def layout_of(heap: Mapping[Location, Array], small: int = 0) -> Layout:
    """Lay out the contents of a heap."""
    return Layout({location: content.shape for location, content in heap.items()}, small)


def copied(whole: Array, layout: Layout, over: Mapping[Location, Array] | None) -> Contents:
    """Copy an array of that layout in float64: into ``over`` if it has the layout, too, or into new contents."""
    made = over if isinstance(over, Contents) else Contents(layout, np.dtype(np.float64))
    np.copyto(made.whole, whole)
    return made


def aligned(size: int, dtype: "np.dtype[Any]") -> Array:
    """Return a one-dimensional array of zeros that starts at a cache line."""
    whole = np.zeros(size * dtype.itemsize + ALIGNMENT, dtype=np.uint8)
    start = -address(whole) % ALIGNMENT
    return whole[start : start + size * dtype.itemsize].view(dtype)


def address(array: "np.ndarray[Any, Any]") -> int:
    """Return the address of the first entry."""
    found: int = array.__array_interface__["data"][0]
    return found
