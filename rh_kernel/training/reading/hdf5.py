"""``.h5``: the data sets of an HDF5 file by their paths, ``x`` or ``group/x``. Requires the library h5py.

A data set that is stored as one piece is read from a memory map, the others by the library.
"""

from collections.abc import Sequence
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rh_kernel.source.interruptible import when_large
from rh_kernel.syntax.core import Array
from rh_kernel.training.reading.format import Format
from rh_kernel.training.reading.libraries import Untyped, library
from rh_kernel.training.reading.mapped import MappedFile
from rh_kernel.training.reading.reader import BLOCK, Blocks, Damaged, Header, Reader, as_damaged, shortened
from rh_kernel.training.reading.rows import Integers, RowReader, as_float64, not_real

_CACHE = 1 << 24
"""Bytes of decoded chunks that the library keeps for each data set."""

_SLOWER = 4
"""How many times as long it takes to read compressed entries, about."""

_MOST_AT_ONCE = 1 << 22
"""The bytes of a chunk up to which it is read in one step."""


def open_hdf5(file: Path) -> Blocks[Reader]:
    """List the data sets of a file and return their reader. Raises ``Damaged``, and ``Rejected`` without the library."""
    h5py = library("h5py", "h5py", file)
    with as_damaged():
        opened = h5py.File(file, "r", rdcc_nbytes=_CACHE)
    try:
        with as_damaged():
            found = yield from _data_sets(h5py, opened)
            is_compressed = any(data.compression for data in found.values())
            return (CompressedDataSets if is_compressed else DataSets)(opened, found, MappedFile(file))
    except BaseException:
        opened.close()
        raise


def _data_sets(h5py: Untyped, file: Untyped) -> Blocks[dict[str, Any]]:
    """Return the data sets of a file by path; links to elsewhere are not followed."""
    found: dict[str, Any] = {}
    seen = {h5py.h5o.get_info(file.id).addr}
    groups = [("", file)]
    while groups:
        path, group = groups.pop()
        inner: list[tuple[str, Any]] = []
        for name in group:
            if not isinstance(group.get(name, getlink=True), h5py.HardLink):
                continue
            part = group[name]
            address = h5py.h5o.get_info(part.id).addr
            if isinstance(part, h5py.Dataset):
                found[path + name] = part
            elif isinstance(part, h5py.Group) and address not in seen:
                inner.append((f"{path}{name}/", part))
            seen.add(address)
            yield
        groups += reversed(inner)
    return found


class DataSets(RowReader):
    """An open HDF5 file."""

    random_access = True

    def __init__(self, file: Untyped, data_sets: dict[str, Any], mapped_file: MappedFile) -> None:
        self._file = file
        self._data_sets = data_sets
        self._mapped_file = mapped_file
        self._maps: dict[str, npt.NDArray[Any] | None] = {}
        self.names: Sequence[str] = tuple(data_sets)

    def header(self, name: str) -> Header:
        """Return the shape and dtype. Raises ``Damaged``, and ``Rejected`` for entries that NumPy lacks."""
        with as_damaged(name):
            data = self._data_sets[name]
            dtype: np.dtype[Any] = data.dtype
            if data.shape is None:
                raise Damaged(f"`{shortened(name)}` is empty")
            if dtype.hasobject:
                raise not_real(name, _called(dtype))
            return Header(tuple([int(n) for n in data.shape]), dtype).checked(f"`{shortened(name)}`")

    def rows(self, name: str, start: int, stop: int) -> Array:
        """Return these rows in float64. Raises ``Damaged``."""
        with as_damaged(name):
            data = self._source(name)
            return when_large(self._decoded(name, stop - start), lambda: as_float64(data[start:stop]))

    def take(self, name: str, rows: Integers) -> Array:
        """Return these rows in float64. Raises ``Damaged``."""
        with as_damaged(name):
            data = self._source(name)
            if isinstance(data, np.ndarray):
                return as_float64(data[rows])
            # The library takes increasing numbers only.
            wanted, places = np.unique(rows, return_inverse=True)
            if not len(wanted):
                return np.empty((0, *data.shape[1:]))
            return when_large(self._decoded(name, len(wanted)), lambda: as_float64(data[wanted])[places])

    def step(self, name: str) -> int:
        """Return the rows of a block, which are whole chunks unless these are very large."""
        step, chunk = super().step(name), self._chunk(name)
        if self._data_sets[name].compression:
            step = max(1, step // _SLOWER)
        row = max(1, prod(self.header(name).shape[1:]) * 8)
        whole = max(1, step // chunk) * chunk
        return whole if whole * row <= max(BLOCK, _MOST_AT_ONCE) else step

    def close(self) -> None:
        """Close the file."""
        self._maps.clear()
        self._mapped_file.close()
        self._file.close()

    def _source(self, name: str) -> Untyped:
        """Return a view of the data set in the file, or, if it cannot be mapped, the data set. Raises ``Damaged``."""
        if name not in self._maps:
            self._maps[name] = self._map(name)
        mapped = self._maps[name]
        if mapped is None:
            return self._data_sets[name]
        self._mapped_file.check()
        return mapped

    def _map(self, name: str) -> npt.NDArray[Any] | None:
        """Map a data set that is stored as one piece, in a type that NumPy has and in this file, which nobody writes to."""
        data, header = self._data_sets[name], self.header(name)
        if data.chunks or data.external or data.is_virtual or header.dtype.kind not in "fiu":
            return None
        size, at = header.reals * header.dtype.itemsize, data.id.get_offset()
        # Space may be allocated only when the first entry is written, and what this process writes may not be flushed.
        if at is None or size != data.id.get_storage_size() or at + size > self._mapped_file.size or self._file.id.get_intent():
            return None
        if not data.id.get_type().equal(_stored_type(header.dtype)):
            return None
        return self._mapped_file.map(header, at)

    def _chunk(self, name: str) -> int:
        chunks = self._data_sets[name].chunks
        return chunks[0] if chunks else 1

    def _decoded(self, name: str, rows: int) -> int:
        """Return about how many entries are decoded for so many adjacent rows."""
        return max(rows, self._chunk(name)) * prod(self.header(name).shape[1:])


class CompressedDataSets(DataSets):
    """An open HDF5 file in which some chunks are compressed: each row would take the time of its whole chunk."""

    random_access = False


def _stored_type(dtype: np.dtype[Any]) -> Untyped:
    import h5py

    return h5py.h5t.py_create(dtype)


def _called(dtype: np.dtype[Any]) -> str:
    """Return what the entries are that NumPy has no dtype for."""
    metadata = dtype.metadata or {}
    if metadata.get("vlen") in (str, bytes):
        return "words"
    return "rows of different lengths" if "vlen" in metadata else "references" if "ref" in metadata else str(dtype)


HDF5 = Format(
    "hdf5",
    (".h5", ".hdf5"),
    "an HDF5 file",
    open_hdf5,
    "write it with h5py, one data set for each array: file['x'] = x",
)

FORMATS = (HDF5,)
