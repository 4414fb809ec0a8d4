"""MNIST's idx files, also packed by gzip: a header of a few bytes, then the entries of one array, without a name.

Unsigned bytes with three or more axes are pictures and become numbers from 0 to 1; with one axis they are labels and become
one-hot, with one more class than the largest label. Other entries are read as they are.
"""

import gzip
import hashlib
import os
import re
import struct
import zlib
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from rh_kernel.arrays.native.compile_cache import MODE, folder
from rh_kernel.source import scratch
from rh_kernel.syntax.core import Array
from rh_kernel.training.reading.format import Format
from rh_kernel.training.reading.reader import BLOCK, Blocks, Damaged, Header, Reader, as_damaged, error_text
from rh_kernel.training.reading.rows import Integers, RowReader, as_float64
from rh_kernel.training.samples import one_hot

_Stream: TypeAlias = "IO[bytes] | gzip.GzipFile"

_NAME = re.compile(r".*[.-]idx[0-9]+(-(ubyte|byte|short|int|float|double))?(\.gz)?", re.IGNORECASE)
_PACKED = ".gz"
_DTYPES = {0x08: "u1", 0x09: "i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}
_START = 4


def open_idx(file: Path) -> Blocks[Reader]:
    """Read the header and, of labels, the largest one; unpack a packed file first, unless that has been done.

    Raises ``Damaged``.
    """
    if file.name.lower().endswith(_PACKED):
        with as_damaged():
            file = yield from _unpacked(file)
    with as_damaged():
        stream = file.open("rb")
    try:
        with as_damaged():
            header, at = _header(stream)
            entries = _entries(stream, header, at)
            classes = (yield from _classes(entries)) if _is_labels(header) else 0
    except BaseException:
        stream.close()
        raise
    return Idx(stream, header, entries, classes)


class Idx(RowReader):
    """An idx file, mapped into memory, whose only array has the name ``""``."""

    random_access = True
    names = ("",)

    def __init__(self, stream: IO[bytes], header: Header, entries: npt.NDArray[Any], classes: int) -> None:
        self._stream = stream
        self._header = header
        self._entries = entries
        self._classes = classes

    def header(self, name: str) -> Header:
        """Return the shape and dtype of the array as it is read: float64 for pictures and labels."""
        del name
        if _is_pictures(self._header):
            return Header(self._header.shape, np.dtype(np.float64))
        return Header((*self._header.shape, self._classes), np.dtype(np.float64)) if self._classes else self._header

    def rows(self, name: str, start: int, stop: int) -> Array:
        """Return these rows in float64. Raises ``Damaged`` if the file has been cut off meanwhile."""
        del name
        return self._read(slice(start, stop))

    def take(self, name: str, rows: Integers) -> Array:
        """Return these rows in float64. Raises ``Damaged`` if the file has been cut off meanwhile."""
        del name
        return self._read(rows)

    def close(self) -> None:
        """Close the file."""
        self._stream.close()

    def _read(self, rows: "slice | Integers") -> Array:
        _check_length(self._stream, self._header, _length_of_header(self._header))
        entries = self._entries[rows]
        if self._classes:
            return one_hot(entries.astype(np.intp), self._classes)
        found = as_float64(entries)
        if _is_pictures(self._header):
            found /= 255.0
        return found


def _is_bytes(header: Header) -> bool:
    return header.dtype == np.uint8


def _is_pictures(header: Header) -> bool:
    return _is_bytes(header) and len(header.shape) >= 3


def _is_labels(header: Header) -> bool:
    return _is_bytes(header) and len(header.shape) == 1


def _header(stream: _Stream) -> tuple[Header, int]:
    """Read the header and return it with its length in bytes. Raises ``Damaged``."""
    start = stream.read(_START)
    if not start:
        raise Damaged("it is empty")
    if len(start) < _START or start[:2] != b"\0\0" or start[2] not in _DTYPES or not start[3]:
        raise Damaged(f"it begins with the bytes {start.hex(' ')} instead of 00 00, a type and a number of axes")
    axes = start[3]
    sizes = stream.read(4 * axes)
    if len(sizes) < 4 * axes:
        raise Damaged(f"its header ends after {_START + len(sizes):,} of {_START + 4 * axes:,} bytes")
    header = Header(struct.unpack(f">{axes}I", sizes), np.dtype(_DTYPES[start[2]])).checked("the array")
    return header, _length_of_header(header)


def _length_of_header(header: Header) -> int:
    return _START + 4 * len(header.shape)


def _entries(stream: IO[bytes], header: Header, at: int) -> npt.NDArray[Any]:
    """Map the entries into memory. Raises ``Damaged`` unless the file has the length that the header says."""
    _check_length(stream, header, at)
    if not header.reals:
        return np.empty(header.shape, header.dtype)
    return np.memmap(stream, header.dtype, "r", at, header.shape)


def _check_length(stream: IO[bytes], header: Header, at: int) -> None:
    found, needed = os.fstat(stream.fileno()).st_size, at + _bytes(header)
    if found != needed:
        raise Damaged(f"it has {found:,} bytes instead of {needed:,}, as its header says")


def _bytes(header: Header) -> int:
    return header.reals * header.dtype.itemsize


def _classes(labels: npt.NDArray[Any]) -> Blocks[int]:
    most = 0
    for start in range(0, len(labels), BLOCK):
        most = max(most, int(labels[start : start + BLOCK].max()))
        yield
    return most + 1


def _unpacked(file: Path) -> Blocks[Path]:
    """Return the unpacked file: beside the packed one, or in the cache folder if it cannot be there."""
    packed = file.stat()
    beside = file.with_name(file.name[: -len(_PACKED)])
    if _is_from(beside, packed):
        return beside
    cached = _cached(file, beside.name)
    if _is_from(cached, packed):
        return cached
    with gzip.open(file, "rb") as stream:
        try:
            header, at = _header(stream)
            # A file of that name that has not been unpacked from this one belongs to the user.
            place, unfinished, target = _created(cached) if beside.exists() else _created(beside, cached)
            try:
                with target:
                    yield from _unpack(stream, target, header, at)
                unfinished.chmod(packed.st_mode & 0o777)
                os.utime(unfinished, ns=(packed.st_mtime_ns, packed.st_mtime_ns))
                unfinished.replace(place)
            finally:
                unfinished.unlink(missing_ok=True)
        except (EOFError, zlib.error) as failure:
            raise Damaged(f"it cannot be unpacked: {error_text(failure)}") from None
    return place


def _unpack(stream: _Stream, target: IO[bytes], header: Header, at: int) -> Blocks[None]:
    """Copy what is behind the header. Raises ``Damaged`` unless it is as long as that says."""
    target.write(struct.pack(f">2xBB{len(header.shape)}I", _code(header), len(header.shape), *header.shape))
    size = 0
    while block := stream.read(BLOCK):
        size += len(block)
        if size > _bytes(header):
            break
        target.write(block)
        yield
    if size != _bytes(header):
        found = "more" if size > _bytes(header) else f"{at + size:,}"
        raise Damaged(f"unpacked, it has {found} bytes instead of {at + _bytes(header):,}, as its header says")


def _cached(file: Path, name: str) -> Path:
    """Return where in the cache folder the unpacked file is. Raises ``OSError`` without such a folder."""
    place = folder() / "data"
    place.mkdir(mode=MODE, exist_ok=True)
    return place / f"{hashlib.sha256(os.fsencode(file.resolve())).hexdigest()[:16]}-{name}"


def _created(*places: Path) -> tuple[Path, Path, IO[bytes]]:
    """Return the first of the places whose folder can be written, and a scratch file there."""
    *others, last = places
    for place in others:
        with suppress(OSError):
            scratch.sweep(place.parent)
            return place, *scratch.new(place.parent)
    scratch.sweep(last.parent)
    return last, *scratch.new(last.parent)


def _is_from(place: Path, packed: os.stat_result) -> bool:
    """Whether the file was unpacked from the packed one, whose time it then has."""
    try:
        return place.is_file() and place.stat().st_mtime_ns == packed.st_mtime_ns
    except OSError:
        return False


def _code(header: Header) -> int:
    return next(code for code, dtype in _DTYPES.items() if np.dtype(dtype) == header.dtype)


IDX = Format(
    "idx",
    (),
    "an idx file",
    open_idx,
    "its name ends as in train-images-idx3-ubyte, or in .gz behind that",
    matches=lambda file: _NAME.fullmatch(file.name) is not None,
)

FORMATS = (IDX,)
