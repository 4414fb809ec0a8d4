"""The contents of locations as parts of one array: so all of them are looked at, and copied, by one call."""

from collections.abc import Iterator, Mapping
from functools import partial
from math import prod
from typing import Any

import numpy as np

from rh_kernel.arrays.backend import Memory
from rh_kernel.arrays.program import Extent
from rh_kernel.source.interruptible import when_large
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.signature import Location

ALIGNMENT = 64
"""The bytes of a line of the cache."""

LINE = 16
"""So many entries fill lines of the cache, in either precision."""


class Layout:
    """Where in an array of one axis each content lies; ``size`` is how many entries that array has.

    What has more than ``small`` entries starts a line of the cache; before that lies, side by side, what has no more.
    """

    __slots__ = ("shapes", "size", "starts")

    def __init__(self, shapes: Mapping[Location, Extent], small: int = 0) -> None:
        self.shapes = shapes
        self.starts: dict[Location, int] = {}
        sizes = {location: prod(shape) for location, shape in shapes.items()}
        end = 0
        for location in sorted(sizes, key=lambda location: sizes[location] > small):
            start = -(-end // LINE) * LINE if sizes[location] > small else end
            self.starts[location] = start
            end = start + sizes[location]
        self.size = end

    def parts(self) -> Iterator[tuple[Location, slice, Extent]]:
        """Which part of the array each content is, and its shape."""
        for location, shape in self.shapes.items():
            start = self.starts[location]
            yield location, slice(start, start + prod(shape)), shape


class Contents(Memory):
    """A memory near by. ``whole`` is the array whose parts the contents are; what belongs to none of them is 0."""

    __slots__ = ("_layout", "_parts", "whole")

    def __init__(self, layout: Layout, dtype: "np.dtype[Any]") -> None:
        self.whole = aligned(layout.size, dtype)
        self._layout = layout
        self._parts: dict[Location, Array] = {at: self.whole[part].reshape(shape) for at, part, shape in layout.parts()}

    def __getitem__(self, location: Location) -> Array:
        return self._parts[location]

    def __iter__(self) -> Iterator[Location]:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)

    def start(self, location: Location) -> int:
        """Where in the whole that content begins."""
        return self._layout.starts[location]

    def store(self, heap: Mapping[Location, Array]) -> None:
        """Overwrites what is at those locations."""
        with np.errstate(over="ignore"):
            for location, content in heap.items():
                when_large(content.size, partial(np.copyto, self._parts[location], content))

    def close(self) -> None:
        """From here on nobody writes on the contents."""
        for part in (*self._parts.values(), self.whole, self.whole.base):
            if part is not None:
                part.setflags(write=False)

    def fetch(self, over: Mapping[Location, Array] | None = None) -> "Contents":
        """A copy in float64, made by one call, which no signal breaks off."""
        return copied(self.whole, self._layout, over)


def contents_of(heap: Mapping[Location, Array], precision: str, small: int = 0) -> Contents:
    """Copies of the contents of a heap in that precision."""
    found = Contents(layout_of(heap, small), np.dtype(precision))
    found.store(heap)
    return found


def layout_of(heap: Mapping[Location, Array], small: int = 0) -> Layout:
    """Where the contents of a heap may lie."""
    return Layout({location: content.shape for location, content in heap.items()}, small)


def copied(whole: Array, layout: Layout, over: Mapping[Location, Array] | None) -> Contents:
    """A copy in float64 of an array with that layout: over contents that have it too, or new."""
    made = over if isinstance(over, Contents) else Contents(layout, np.dtype(np.float64))
    np.copyto(made.whole, whole)
    return made


def aligned(size: int, dtype: "np.dtype[Any]") -> Array:
    """An array of one axis, full of zeros, whose first entry lies at the start of a cache line."""
    whole = np.zeros(size * dtype.itemsize + ALIGNMENT, dtype=np.uint8)
    start = -address(whole) % ALIGNMENT
    return whole[start : start + size * dtype.itemsize].view(dtype)


def address(array: "np.ndarray[Any, Any]") -> int:
    """Where the array's first entry lies."""
    found: int = array.__array_interface__["data"][0]
    return found
