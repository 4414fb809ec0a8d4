"""The NumPy arrays that the steps of a plan work on: views of buffers, literals, and scratch arrays within a step."""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from rh_kernel.loops.ir import Extent, View
from rh_kernel.syntax.core import Array


class Arrays:
    """Views of buffers, and scratch arrays that successive steps reuse."""

    def __init__(self, buffers: Sequence[tuple[Array, int]], dtype: "np.dtype[Any]") -> None:
        """A buffer is given as an array and the index of its first entry there."""
        self.buffers = buffers
        self.dtype = dtype
        self.pool: list[Array] = []
        self._free: list[Array] = []
        self._numbers: dict[float | str, Array] = {}

    def of(self, view: View) -> Array:
        """Return the array of a view."""
        return self.laid(view.buffer, view.offset, view.shape, view.strides)

    def laid(self, buffer: int, offset: int, shape: Extent, strides: Sequence[int]) -> Array:
        """Return a strided array of a buffer's entries; offset and strides are counted in entries."""
        if 0 in shape:
            return np.zeros(shape, self.dtype)
        item = self.dtype.itemsize
        held, start = self.buffers[buffer]
        return np.ndarray(shape, self.dtype, held, (start + offset) * item, [s * item for s in strides])

    def begin(self) -> None:
        """Start a step: all scratch arrays are free again."""
        self._free = self.pool.copy()

    def scratch(self, shape: Extent) -> Array:
        """Return a scratch array of that shape for this step: the smallest free one that fits, or a new one."""
        size = prod(shape)
        for i, found in enumerate(self._free):
            if found.size >= size:
                del self._free[i]
                return found[:size].reshape(shape)
        made = np.empty(size, self.dtype)
        self.pool.append(made)
        self.pool.sort(key=np.size)
        return made.reshape(shape)

    def flags(self, shape: Extent) -> npt.NDArray[np.bool_]:
        """Return a scratch array of Booleans."""
        return np.ndarray(shape, np.bool_, self.scratch((-(-prod(shape) // self.dtype.itemsize),)))

    def number(self, value: float) -> Array:
        """Return a zero-dimensional array."""
        key = value or str(value)  # 0 and −0 are equal
        found = self._numbers.get(key)
        if found is None:
            found = self._numbers[key] = np.array(value, self.dtype)
        return found
