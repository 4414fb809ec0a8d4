"""The launch table of a plan: kernels, the addresses of their arrays, and where the addresses of inputs are patched in."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rh_kernel.arrays.arena import ALIGNMENT, address, round_up
from rh_kernel.arrays.program import Extent
from rh_kernel.loops.ir import Integers
from rh_kernel.syntax.core import Array

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class PlanInput:
    """An input: its shape, and the address it is copied to (0: not copied)"""

    shape: Extent
    copy: int = 0


@dataclass(frozen=True, slots=True)
class Table:
    """``rows`` has a kernel number and the address of its argument array for each step; ``arrays`` has these arguments.

    A row of ``patches`` is the number of an input, the index in ``arrays`` where its address goes, and an offset in bytes.
    ``samples`` is −1 if inputs are not batched; ``release`` means to release the GIL during a run. ``owner`` keeps the memory
    behind the addresses alive.
    """

    rows: Numbers
    arrays: Numbers
    patches: Numbers
    inputs: tuple[PlanInput, ...]
    samples: int
    release: bool
    dtype: np.dtype[Any]
    owner: tuple[npt.NDArray[Any], ...]

    def taken(self, inputs: Sequence[Array], more: int | None = None) -> tuple[Array, ...]:
        """Validate the inputs of a run and return them as plain arrays; given ``more``, data sets with that many more axes.

        Raises ``ValueError`` if one does not have the plan's shape and precision, or is not contiguous.
        """
        if len(inputs) != len(self.inputs):
            raise ValueError("a run is given another number of inputs")
        found: list[Array] = []
        for array, given in zip(inputs, self.inputs, strict=True):
            shape, expected = (array.shape, given.shape) if more is None else (array.shape[1:], given.shape[1 - more :])
            if shape != expected or (more is not None and not array.shape):
                raise ValueError("an input has another shape than the plan")
            if array.dtype != self.dtype:
                raise ValueError("an input has another precision than the plan")
            if not array.flags.c_contiguous or not array.flags.aligned:
                raise ValueError("an input is not a contiguous array")
            found.append(np.ndarray(array.shape, self.dtype, array.data))
        return tuple(found)

    def taken_rows(self, inputs: Sequence[Array], rows: Integers) -> tuple[tuple[Array, ...], Integers]:
        """Validate the data and the rows of several runs. Raises ``ValueError`` as ``taken`` does."""
        if rows.ndim != 2 or rows.shape[1] != (self.samples if self.samples >= 0 else 1):
            raise ValueError("the rows have another shape than runs × samples")
        data = self.taken(inputs, 1 if self.samples < 0 else 0)
        # A copy by ``np.array`` could keep the dtype object of ``rows``, but the driver only recognises NumPy's own.
        plain = np.empty(rows.shape, np.intp)
        plain[...] = rows
        return data, plain

    def header(self) -> tuple[Numbers, tuple[npt.NDArray[Any], ...]]:
        """Return the ``struct table`` of ``driver.c``, and the arrays that it points to."""
        shapes = np.array([0, *[n for given in self.inputs for n in given.shape]], dtype=np.int64)
        at = np.zeros(len(self.inputs) + 1, dtype=np.int64)
        inputs: list[int] = []
        before, staged = address(shapes) + shapes.itemsize, 0
        for given in self.inputs:
            sample = self.dtype.itemsize * int(np.prod(given.shape[self.samples >= 0 :], dtype=np.int64))
            whole = sample * given.shape[0] if self.samples >= 0 else sample
            inputs += (len(given.shape), whole, sample, staged, given.copy, before)
            before += shapes.itemsize * len(given.shape)
            staged += round_up(whole, ALIGNMENT)
        described = np.array(inputs, dtype=np.int64)
        places = [address(array) for array in (self.rows, self.arrays, self.patches, described, at)]
        counts = [len(self.rows), len(self.patches), len(self.inputs), self.samples, int(self.release), staged]
        header = np.array([*counts, *places], dtype=np.int64)
        return header, (shapes, at, described)


def table(
    steps: Sequence[tuple[int, Sequence[tuple[int, int]]]],
    bases: Sequence[int],
    inputs: Sequence[PlanInput],
    samples: int | None,
    dtype: np.dtype[Any],
    owner: Sequence[npt.NDArray[Any]],
    *,
    release: bool,
) -> Table:
    """Build the table of steps, each a kernel with its arrays as (buffer, byte offset); buffer −1 − i is input i."""
    numbers = [place for _, arrays in steps for place in arrays]
    arrays = np.array([0 if buffer < 0 else bases[buffer] + offset for buffer, offset in numbers], dtype=np.int64)
    patches = [(-1 - buffer, at, offset) for at, (buffer, offset) in enumerate(numbers) if buffer < 0]
    rows: list[tuple[int, int]] = []
    start = address(arrays)
    for kernel, places in steps:
        rows.append((kernel, start))
        start += arrays.itemsize * len(places)
    return Table(
        np.array(rows, dtype=np.int64).reshape(-1, 2),
        arrays,
        np.array(patches, dtype=np.int64).reshape(-1, 3),
        tuple(inputs),
        -1 if samples is None else samples,
        release,
        dtype,
        tuple(owner),
    )
