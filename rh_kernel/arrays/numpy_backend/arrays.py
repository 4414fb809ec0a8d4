"""The arrays that the steps of a plan work on: its views, numbers, and room for what is needed within a step only."""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from rh_kernel.loops.ir import Extent, View
from rh_kernel.syntax.core import Array


class Arrays:
    """Views of buffers, and rooms: each is one array, which one step after the other uses."""

    def __init__(self, buffers: Sequence[tuple[Array, int]], dtype: "np.dtype[Any]") -> None:
        """Each buffer is what an array holds from an entry on."""
        self.buffers = buffers
        self.dtype = dtype
        self.rooms: list[Array] = []
        self._free: list[Array] = []
        self._numbers: dict[float | str, Array] = {}

    def of(self, view: View) -> Array:
        """The array of a view."""
        return self.laid(view.buffer, view.offset, view.shape, view.strides)

    def laid(self, buffer: int, offset: int, shape: Extent, strides: Sequence[int]) -> Array:
        """Entries of a buffer from an offset on, in that shape and with those strides, both counted in entries."""
        if 0 in shape:
            return np.zeros(shape, self.dtype)
        item = self.dtype.itemsize
        held, start = self.buffers[buffer]
        return np.ndarray(shape, self.dtype, held, (start + offset) * item, [s * item for s in strides])

    def begin(self) -> None:
        """A new step: what the one before left in its rooms is nobody's."""
        self._free = self.rooms.copy()

    def room(self, shape: Extent) -> Array:
        """Room in that shape, which nothing else in this step has: the smallest that is there, or a new one."""
        size = prod(shape)
        for i, found in enumerate(self._free):
            if found.size >= size:
                del self._free[i]
                return found[:size].reshape(shape)
        made = np.empty(size, self.dtype)
        self.rooms.append(made)
        self.rooms.sort(key=np.size)
        return made.reshape(shape)

    def flags(self, shape: Extent) -> npt.NDArray[np.bool_]:
        """Room for truth values."""
        return np.ndarray(shape, np.bool_, self.room((-(-prod(shape) // self.dtype.itemsize),)))

    def number(self, value: float) -> Array:
        """An array of no axes."""
        key = value or str(value)  # 0 and −0 are equal
        found = self._numbers.get(key)
        if found is None:
            found = self._numbers[key] = np.array(value, self.dtype)
        return found
