"""Arrays converted to ``.npy`` files in the user's cache folder, because their format can be read in order only.

A file is named by the hash of the path, time and size of the original, so a changed original is converted again. The cache is
bounded in bytes, and the files used longest ago are removed first; one that is still open stays readable until it is closed.
"""

import os
import shutil
import stat
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import numpy as np

from rh_kernel.arrays.native.compile_cache import ABANDONED, MODE, digest, folder
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.runtime_errors import readable
from rh_kernel.training.errors import NoRoom
from rh_kernel.training.reading.reader import Header

BYTES = "RH_DATA_CACHE_BYTES"
"""The environment variable that limits the size of the converted data in bytes."""

MOST_BYTES = 1 << 35
"""The limit in bytes if the variable is not set."""

SPARE = 1 << 28
"""Bytes of the disk that a conversion leaves free."""


def most_bytes() -> int:
    """Return the limit in bytes: ``RH_DATA_CACHE_BYTES`` if that is a whole number, else the default."""
    limit = os.environ.get(BYTES, "").strip()
    return int(limit) if limit.isascii() and limit.isdigit() else MOST_BYTES


def cache_folder() -> Path:
    """Return the folder of converted data, which only the user can write to; create it if necessary. Raises ``OSError``."""
    path = folder() / "data"
    path.mkdir(mode=MODE, exist_ok=True)
    return path


def place(file: Path, array: str, stamp: tuple[int, int]) -> Path:
    """Return the path of the converted array of a file with this time and size. Raises ``OSError``."""
    name = digest(str(file.resolve()).encode(), array.encode(), *[str(number).encode() for number in stamp])
    return cache_folder() / f"{name}.npy"


def stored(header: Header) -> np.dtype[Any]:
    """Return the type in which the numbers of an array are written: its own if float64 holds all of that, else float64."""
    return header.dtype if header.dtype.itemsize <= np.dtype(np.float64).itemsize else np.dtype(np.float64)


def used(path: Path) -> None:
    """Mark the file as used now; the time of its last change stays."""
    with suppress(OSError):
        os.utime(path, ns=(time.time_ns(), path.stat().st_mtime_ns))


def make_room(name: str, needed: int) -> None:
    """Remove converted files that were used longest ago until there is room for so many bytes.

    Raises ``Rejected`` if there is none, and ``OSError`` if the folder cannot be used.
    """
    most, place = most_bytes(), cache_folder()
    kept: list[tuple[int, int, Path]] = []
    for entry in place.iterdir():
        with suppress(FileNotFoundError):
            state = entry.lstat()
            if not stat.S_ISREG(state.st_mode):
                continue
            if entry.suffix == ".npy":
                kept.append((state.st_atime_ns, state.st_size, entry))
            elif entry.suffix == ".new" and state.st_mtime < time.time() - ABANDONED:
                entry.unlink(missing_ok=True)
    total = sum(size for _, size, _ in kept)
    for _, size, path in sorted(kept):
        if total + needed <= most and shutil.disk_usage(place).free >= needed + SPARE:
            break
        with suppress(OSError):
            path.unlink(missing_ok=True)
            total -= size
    free = min(most - total, shutil.disk_usage(place).free - SPARE)
    if needed > free:
        found, expected = f"room for {readable(max(free, 0))} in {place}", readable(needed)
        hint = f"write it as .npy files, free space on the disk, or set the environment variable {BYTES}"
        raise Rejected(NoRoom(name=name, found=found, expected=expected, hint=hint))


class Writing:
    """An ``.npy`` file that is being written, rows in order."""

    def __init__(self, file: IO[bytes], header: Header) -> None:
        self._file = file
        self._dtype = stored(header)
        described = np.lib.format.dtype_to_descr(self._dtype)
        np.lib.format.write_array_header_2_0(file, {"descr": described, "fortran_order": False, "shape": header.shape})

    def write(self, rows: Array) -> None:
        """Write further rows, whose entries are numbers of the stored type. Raises ``OSError``."""
        self._file.write(np.ascontiguousarray(rows, self._dtype).data)


@contextmanager
def writing(path: Path, header: Header) -> Generator[Writing, None, None]:
    """Write an ``.npy`` file, which is there after the block, unless that raised. Raises ``OSError``."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.stem[:16], suffix=".new")
    try:
        with os.fdopen(handle, "wb") as file:
            yield Writing(file, header)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(MODE)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
