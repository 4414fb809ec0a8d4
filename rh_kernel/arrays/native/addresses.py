"""The machine without an extension module, by ``ctypes``: slower to call, otherwise the same."""

import ctypes
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rh_kernel.arrays.plan import Integers
from rh_kernel.arrays.program import Extent
from rh_kernel.syntax.core import Array

OTHER_SHAPE = "an input has another shape than the plan"
Addresses = npt.NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class Patch:
    """Place ``at`` of the arrays is ``offset`` bytes into input number ``position``"""

    position: int
    at: int
    offset: int


def address(array: Array) -> int:
    """Where the array's first entry lies."""
    found: int = array.__array_interface__["data"][0]
    return found


class ByAddress:
    """A machine as ``native.machine`` describes it. Other threads run meanwhile, whether that is asked or not."""

    def __init__(
        self,
        path: str,
        table: Integers,
        bases: Addresses,
        inputs: tuple[tuple[Extent, int], ...],
        _code: str,
        samples: int,
        _release: object,
        owner: object,
        _array_type: type,
        dtype: object,
        /,
    ) -> None:
        loaded = ctypes.CDLL(path)
        count = ctypes.c_long.in_dll(loaded, "rh_kernel_count").value
        kernels = (ctypes.c_uint64 * max(1, count)).in_dll(loaded, "rh_kernels")
        found: list[int] = []
        rows: list[tuple[int, int]] = []
        self._patches: list[Patch] = []
        entries: list[int] = table.tolist()
        i = 0
        while i < len(entries):
            kernel, n = entries[i : i + 2]
            rows.append((kernels[kernel], len(found)))
            for buffer, offset in zip(entries[i + 2 : i + 2 + 2 * n : 2], entries[i + 3 : i + 2 + 2 * n : 2], strict=True):
                if buffer < 0:
                    self._patches.append(Patch(-1 - buffer, len(found), offset))
                found.append(0 if buffer < 0 else int(bases[buffer]) + offset)
            i += 2 + 2 * n
        self._arrays = np.array(found, dtype=np.uint64)
        start = address(self._arrays)
        self._rows = np.array([(kernel, start + 8 * at) for kernel, at in rows], dtype=np.uint64)
        self._count = len(rows)
        self._walk = loaded.rh_walk
        self._walk.argtypes, self._walk.restype = [ctypes.c_void_p, ctypes.c_long], None
        self._inputs, self._samples = inputs, samples
        self._dtype = dtype
        self._owner = owner

    def __call__(self, *inputs: Array) -> None:
        """One run. Raises ``ValueError`` if an input is not of the plan's shape and precision, or not contiguous."""
        if len(inputs) != len(self._inputs):
            raise ValueError("a run is given another number of inputs")
        for array, (shape, _) in zip(inputs, self._inputs, strict=True):
            if array.shape != shape:
                raise ValueError(OTHER_SHAPE)
            self._require(array)
        self._run(inputs)

    def _require(self, array: Array) -> None:
        if array.dtype != self._dtype:
            raise ValueError("an input has another precision than the plan")
        if not array.flags.c_contiguous or not array.flags.aligned:
            raise ValueError("an input is not a contiguous array")

    def _run(self, inputs: tuple[Array, ...]) -> None:
        starts = [address(array) for array in inputs]
        for i, (array, (_, copy)) in enumerate(zip(inputs, self._inputs, strict=True)):
            if copy:
                ctypes.memmove(copy, starts[i], array.nbytes)
                starts[i] = copy
        for patch in self._patches:
            self._arrays[patch.at] = starts[patch.position] + patch.offset
        self._walk(address(self._rows), self._count)

    def steps(self, inputs: tuple[Array, ...], rows: Integers, /) -> None:
        """A run for each row, on those samples. Raises ``ValueError`` as a run does, and for samples that are not there."""
        batched = self._samples >= 0
        if len(inputs) != len(self._inputs) or rows.ndim != 2 or rows.shape[1] != (self._samples if batched else 1):
            raise ValueError("the rows have another shape than runs × samples")
        for array, (shape, _) in zip(inputs, self._inputs, strict=True):
            if not array.ndim or array.shape[1:] != (shape[1:] if batched else shape):
                raise ValueError(OTHER_SHAPE)
            self._require(array)
            if rows.size and (int(rows.min()) < 0 or int(rows.max()) >= len(array)):
                raise ValueError("a row names a sample that is not there")
        for row in rows:
            self._run(tuple([array[row] if batched else array[row[0]] for array in inputs]))
