"""``Source``: one component of the samples of a data set, N arrays of one shape, which need not be in memory.

A source in memory is an array; one in a file reads the rows that are asked for; a view has some rows of another source.
"""

import os
import stat
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol
from weakref import finalize

import numpy as np

from rh_kernel.loops.ir import Integers
from rh_kernel.syntax.core import Array
from rh_kernel.training.reading.reader import Damaged
from rh_kernel.training.reading.rows import RowReader


class Source(Protocol):
    """N samples of one shape: ``shape`` is (N, d1, …, dk) with k ≥ 1, and ``dtype`` the type of a number as it is stored."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of all samples, the number of samples first."""
        ...

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of a number as it is stored."""
        ...

    def take(self, rows: Integers) -> Array:
        """Return the samples with these numbers, in that order, as a contiguous float64 array.

        The numbers are from 0 on, of shape (n,). Raises ``Rejected`` if a file can no longer be read.
        """
        ...


@dataclass(frozen=True, slots=True, eq=False)
class InMemory:
    """A read-only float64 array of shape (N, d1, …, dk)."""

    array: Array

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array."""
        return self.array.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of its entries."""
        return self.array.dtype

    def take(self, rows: Integers) -> Array:
        """Copy these samples."""
        return self.array[rows]


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """The samples of a source with these numbers, of shape (n,), in that order."""

    source: Source
    rows: Integers

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of these samples."""
        return len(self.rows), *self.source.shape[1:]

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of a number of the source."""
        return self.source.dtype

    def take(self, rows: Integers) -> Array:
        """Return the samples of the source. Raises as it does."""
        return self.source.take(self.rows[rows])


class OpenFile:
    """An open file of arrays, closed when it is no longer used; ``file`` is its path if that says whether it has changed.

    Errors of reading become diagnostics in the context that ``errors`` returns.
    """

    def __init__(self, file: Path | None, reader: RowReader, errors: Callable[[], AbstractContextManager[None]]) -> None:
        self.reader = reader
        self._file = file
        self._errors = errors
        self._stamp = None if file is None else stamp(file)
        finalize(self, reader.close)

    def take(self, name: str, rows: Integers) -> Array:
        """Return these rows of an array. Raises ``Rejected`` if the file cannot be read or has changed."""
        with self._errors():
            if self._file is not None and stamp(self._file) != self._stamp:
                raise Damaged("it has changed since it was opened")
            first, count = int(rows[0]) if len(rows) else 0, len(rows)
            if np.array_equal(rows, np.arange(first, first + count)):
                return self.reader.rows(name, first, first + count)
            return self.reader.take(name, rows)


def stamp(file: Path) -> tuple[int, int]:
    """Return the time of the last change of a file, in nanoseconds, and its size in bytes. Raises ``OSError``.

    Of a folder these are sums over all that is in it, since it does not change when a file in it does.
    """
    found = file.stat()
    changed, size = found.st_mtime_ns, found.st_size
    if stat.S_ISDIR(found.st_mode):
        for place, _, names in os.walk(file):
            for state in (Path(place).stat(), *[Path(place, name).stat() for name in names]):
                changed += state.st_mtime_ns
                size += state.st_size + 1
    return changed, size


@dataclass(frozen=True, slots=True)
class FilePlace:
    """Where an array is: the file, the name of its format, the name of the array in it, and the ``stamp`` of the file."""

    file: Path
    format: str
    array: str
    stamp: tuple[int, int]


@dataclass(frozen=True, slots=True, eq=False)
class InFile:
    """An array of a file, read when it is used; an array of shape (N,) is one of (N, 1)."""

    file: OpenFile
    place: FilePlace
    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    def take(self, rows: Integers) -> Array:
        """Read these samples. Raises ``Rejected`` if the file cannot be read or has changed."""
        return self.file.take(self.place.array, rows).reshape(len(rows), *self.shape[1:])


def located(source: Source, rows: Integers) -> tuple[FilePlace, Integers] | None:
    """Return the place of these samples and their numbers there, or ``None`` if they are not in a file."""
    while isinstance(source, View):
        source, rows = source.source, source.rows[rows]
    return (source.place, rows) if isinstance(source, InFile) else None
