"""The machine without the C driver, using ``ctypes``: slower to call, otherwise the same."""

import ctypes

import numpy as np

from rh_kernel.arrays.arena import address
from rh_kernel.arrays.native.launch_table import Table
from rh_kernel.syntax.core import Array


class CtypesMachine:
    """A machine as ``native.machine`` describes it. Always releases the GIL during a run."""

    def __init__(self, path: str, table: Table) -> None:
        loaded = ctypes.CDLL(path)
        count = ctypes.c_long.in_dll(loaded, "rh_kernel_count").value
        kernels = (ctypes.c_uint64 * max(1, count)).in_dll(loaded, "rh_kernels")
        self._rows = np.array([(kernels[kernel], start) for kernel, start in table.rows.tolist()], dtype=np.uint64)
        self._walk = loaded.rh_long_walk if table.release and hasattr(loaded, "rh_long_walk") else loaded.rh_walk
        self._walk.argtypes, self._walk.restype = [ctypes.c_void_p, ctypes.c_long], None
        self._table = table
        self._patches: list[list[int]] = table.patches.tolist()

    def __call__(self, *inputs: Array) -> None:
        """Run once. Raises ``ValueError`` if an input does not have the plan's shape and precision, or is not contiguous."""
        self._run(self._table.taken(inputs))

    def _run(self, inputs: tuple[Array, ...]) -> None:
        starts = [address(array) for array in inputs]
        for i, (array, given) in enumerate(zip(inputs, self._table.inputs, strict=True)):
            if given.copy:
                ctypes.memmove(given.copy, starts[i], array.nbytes)
                starts[i] = given.copy
        for position, at, offset in self._patches:
            self._table.arrays[at] = starts[position] + offset
        self._walk(address(self._rows), len(self._rows))

    def steps(self, *data: Array) -> None:
        """Run once for each row of the last array, on those samples of the others. Raises ``ValueError`` as a run does."""
        inputs, rows = self._table.taken_rows(data[:-1], data[-1])
        if rows.size and any(int(rows.min()) < 0 or int(rows.max()) >= len(array) for array in inputs):
            raise ValueError("a row names a sample that is not there")
        for row in rows:
            self._run(tuple([array[row] if self._table.samples >= 0 else array[row[0]] for array in inputs]))
