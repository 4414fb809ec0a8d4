"""``.zarr``: a folder of arrays in chunks, by their paths, ``x`` or ``group/x``. Requires the library zarr."""

from collections.abc import Generator, Sequence
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from rh_kernel.source.interruptible import when_large
from rh_kernel.syntax.core import Array
from rh_kernel.training.reading.format import Format
from rh_kernel.training.reading.libraries import Untyped, library
from rh_kernel.training.reading.reader import BLOCK, Blocks, Header, Reader, as_damaged, shortened
from rh_kernel.training.reading.rows import as_float64, not_real
from rh_kernel.training.reading.sequential import SequentialReader


def open_zarr(file: Path) -> Blocks[Reader]:
    """List the arrays in a folder and return their reader. Raises ``Damaged``, and ``Rejected`` without the library."""
    zarr = library("zarr", "zarr", file)
    with as_damaged():
        opened = zarr.open(file, mode="r")
        yield
        if isinstance(opened, zarr.Array):
            return Chunks({"": opened})
        return Chunks((yield from _arrays(zarr, opened)))


def _arrays(zarr: Untyped, group: Untyped) -> Blocks[dict[str, Any]]:
    """Return the arrays of a group by path."""
    found: dict[str, Any] = {}
    groups = [("", group)]
    while groups:
        path, group = groups.pop()
        inner: list[tuple[str, Any]] = []
        for name, part in sorted(group.members(), key=lambda member: member[0]):
            if isinstance(part, zarr.Array):
                found[path + name] = part
            else:
                inner.append((f"{path}{name}/", part))
            yield
        groups += reversed(inner)
    return found


class Chunks(SequentialReader):
    """An open ``.zarr`` folder. A chunk without a file is full of the array's fill value, as the format says."""

    def __init__(self, arrays: dict[str, Any]) -> None:
        super().__init__()
        self._arrays = arrays
        self.names: Sequence[str] = tuple(arrays)

    def header(self, name: str) -> Header:
        """Return the shape and dtype. Raises ``Damaged``, and ``Rejected`` for entries that NumPy lacks."""
        with as_damaged(name):
            array = self._arrays[name]
            dtype: np.dtype[Any] = array.dtype
            if dtype.kind in "OT":
                raise not_real(name, "words or Python objects")
            return Header(tuple([int(n) for n in array.shape]), dtype).checked(f"`{shortened(name)}`")

    def first_row(self, name: str, row: int) -> int:
        """Return the first row of the chunk."""
        return row - row % self._chunk(name)

    def blocks(self, name: str, row: int) -> Generator[Array, None, None]:
        """Yield the rows of some whole chunks at a time. Raises ``Damaged``."""
        array, step = self._arrays[name], self.step(name)
        reals = step * prod(array.shape[1:])
        for start in range(row, array.shape[0], step):
            yield when_large(reals, lambda start=start: as_float64(array[start : start + step]))

    def step(self, name: str) -> int:
        """Return the rows of some whole chunks."""
        chunk = self._chunk(name)
        row = max(1, prod(self._arrays[name].shape[1:]) * 8)
        return max(1, BLOCK // (chunk * row)) * chunk

    def _chunk(self, name: str) -> int:
        """Return the rows of a chunk."""
        array = self._arrays[name]
        return max(1, int(array.chunks[0])) if array.shape else 1


ZARR = Format(
    "zarr",
    (".zarr",),
    "a Zarr folder",
    open_zarr,
    "write it with zarr, one array for each name in a group",
    is_folder=True,
)

FORMATS = (ZARR,)
