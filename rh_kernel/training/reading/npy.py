"""NumPy's formats: ``.npy``, one array, and ``.npz``, an archive of arrays by name. Nothing is unpickled."""

import io
import struct
import tempfile
import warnings
import zipfile
from collections.abc import Generator, Iterator, Mapping, Sequence
from math import prod
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from rh_kernel.syntax.core import Array
from rh_kernel.training.reading.converted import cache_folder
from rh_kernel.training.reading.format import Format, opener
from rh_kernel.training.reading.mapped import MappedFile
from rh_kernel.training.reading.reader import BLOCK, Blocks, Damaged, Header, as_damaged, error_text, shortened, store
from rh_kernel.training.reading.rows import Integers, RowReader, as_float64
from rh_kernel.training.reading.sequential import SequentialReader

_MAGIC = b"\x93NUMPY"
_LONGEST_HEADER = 10_000
_SUFFIX = ".npy"


class SingleArray(RowReader):
    """An ``.npy`` file, whose only array has the name ``""``. Rows are read from a memory map."""

    random_access = True

    def __init__(self, file: Path) -> None:
        with as_damaged():
            self._file = MappedFile(file)
        self._stream = self._file.stream
        self._mapped: npt.NDArray[Any] | None = None
        self.names: Sequence[str] = ("",)

    def header(self, name: str) -> Header:
        """Return the shape and dtype. Raises ``Damaged``."""
        with as_damaged():
            return self._start(name)[0]

    def rows(self, name: str, start: int, stop: int) -> Array:
        """Return these rows in float64. Raises ``Damaged``."""
        with as_damaged():
            return as_float64(self._map(name)[start:stop])

    def take(self, name: str, rows: Integers) -> Array:
        """Return these rows in float64. Raises ``Damaged``."""
        with as_damaged():
            return as_float64(self._map(name)[rows])

    def read(self, names: Sequence[str]) -> Blocks[dict[str, Array]]:
        """Return the array in float64. Raises ``Damaged``."""
        arrays: dict[str, Array] = {}
        for name in names:
            with as_damaged():
                header, fortran = self._start(name)
                arrays[name] = yield from _array(self._stream, header, "the array", fortran=fortran)
        return arrays

    def close(self) -> None:
        """Close the file."""
        self._mapped = None
        self._file.close()

    def _map(self, name: str) -> npt.NDArray[Any]:
        """Return the array as a view of the file. Raises ``Damaged``."""
        self._file.check()
        if self._mapped is None:
            header, fortran = self._start(name)
            self._mapped = self._file.map(header, self._stream.tell(), "F" if fortran else "C")
        return self._mapped

    def _start(self, name: str) -> tuple[Header, bool]:
        del name
        self._stream.seek(0)
        header, fortran = _header(self._stream, "the array")
        _check_length(header, self._file.size - self._stream.tell(), "the array")
        return header, fortran


class Archive(SequentialReader):
    """An ``.npz`` file, which is a zip archive of ``.npy`` files."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        with as_damaged():
            if _start_of(file) == _MAGIC:
                raise Damaged("a single array, without a name")
            self._zip = zipfile.ZipFile(file)
        self._members = {member.filename.removesuffix(_SUFFIX): member for member in self._zip.infolist()}
        self.names: Sequence[str] = tuple(self._members)

    def header(self, name: str) -> Header:
        """Return the shape and dtype. Raises ``Damaged``."""
        with as_damaged(), self._zip.open(self._members[name].filename) as stream:
            return self._start(name, stream)[0]

    def first_row(self, name: str, row: int) -> int:
        """Return 0: a packed array is unpacked from its start."""
        return 0

    def blocks(self, name: str, row: int) -> Generator[Array, None, None]:
        """Yield the rows in blocks. Raises ``Damaged``."""
        with self._zip.open(self._members[name].filename) as stream:
            header, fortran = self._start(name, stream)
            yield from (_transposed if fortran and len(header.shape) > 1 else _row_blocks)(stream, header, self.step(name))
            # Reading the end of a member verifies its checksum.
            if stream.read(1):
                raise Damaged(f"`{shortened(name)}` is longer than its header says")

    def read(self, names: Sequence[str]) -> Blocks[dict[str, Array]]:
        """Return the arrays of these names in float64. Raises ``Damaged``."""
        arrays: dict[str, Array] = {}
        for name in names:
            with as_damaged(), self._zip.open(self._members[name].filename) as stream:
                header, fortran = self._start(name, stream)
                arrays[name] = yield from _array(stream, header, f"`{shortened(name)}`", fortran=fortran)
                # Reading the end of a member verifies its checksum.
                if stream.read(1):
                    raise Damaged(f"`{shortened(name)}` is longer than its header says")
        return arrays

    def close(self) -> None:
        """Close the file."""
        super().close()
        self._zip.close()

    def _start(self, name: str, stream: IO[bytes]) -> tuple[Header, bool]:
        member = self._members[name]
        if not member.filename.endswith(_SUFFIX):
            raise Damaged(f"`{shortened(name)}` is no array saved by NumPy")
        header, fortran = _header(stream, f"`{shortened(name)}`")
        _check_length(header, member.file_size - stream.tell(), f"`{shortened(name)}`")
        return header, fortran


def is_archive(file: Path) -> bool:
    """Whether the file begins as a zip archive. Raises ``OSError``."""
    return _start_of(file)[:4] in (b"PK\3\4", b"PK\5\6")


def _start_of(file: Path) -> bytes:
    with file.open("rb") as stream:
        return stream.read(len(_MAGIC))


def _header(stream: IO[bytes], name: str) -> tuple[Header, bool]:
    """Read the header of an array: its shape and dtype, and whether it is stored in Fortran order.

    Raises ``Damaged`` if the header is invalid or longer than ``_LONGEST_HEADER``, or the entries are Python objects.
    """
    start = stream.read(len(_MAGIC) + 2)
    if not start.startswith(_MAGIC):
        raise Damaged(f"{name} is no array saved by NumPy")
    count = "<H" if start[len(_MAGIC) :] == b"\1\0" else "<I"
    written = stream.read(struct.calcsize(count))
    if start[len(_MAGIC) :] not in (b"\1\0", b"\2\0", b"\3\0") or len(written) < struct.calcsize(count):
        raise Damaged(f"{name} has a broken header")
    (length,) = struct.unpack(count, written)
    if length > _LONGEST_HEADER:
        raise Damaged(f"{name} has a header of {length:,} bytes")
    text = stream.read(length)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # Headers of version 3 are in UTF-8 instead of ASCII, which matters only for structured dtypes: no real numbers.
            read = np.lib.format.read_array_header_1_0 if count == "<H" else np.lib.format.read_array_header_2_0
            shape, fortran, dtype = read(io.BytesIO(written + text))
    except Exception as failure:  # e.g. of Python's parser, which reads the header, or MemoryError
        raise Damaged(f"{name} has a broken header: {error_text(failure)}") from failure
    if dtype.hasobject:
        raise Damaged(f"{name} contains Python objects")
    return Header(tuple([int(n) for n in shape]), dtype).checked(name), fortran


def _check_length(header: Header, available: int, name: str) -> None:
    """Raise ``Damaged`` if there are fewer bytes than the array has."""
    needed = header.reals * header.dtype.itemsize
    if available < needed:
        raise Damaged(f"{name} ends after {max(available, 0):,} of {needed:,} bytes")


def _array(stream: IO[bytes], header: Header, name: str, *, fortran: bool) -> Blocks[Array]:
    array = np.empty(header.shape)
    size = header.dtype.itemsize
    step = max(1, BLOCK // size)
    for start in range(0, array.size, step):
        count = min(step, array.size - start)
        data = _exactly(stream, count * size)
        if len(data) < count * size:
            raise Damaged(f"{name} ends after {start * size + len(data):,} of {array.size * size:,} bytes")
        store(np.frombuffer(data, header.dtype), array, start, fortran=fortran and len(header.shape) > 1)
        yield
    return array


def _row_blocks(stream: IO[bytes], header: Header, step: int) -> Iterator[Array]:
    """Yield so many rows at a time of an array in C order."""
    length, *row = header.shape
    for start in range(0, length, step):
        rows = min(step, length - start)
        data = _exactly(stream, rows * prod(row) * header.dtype.itemsize)
        yield as_float64(np.frombuffer(data, header.dtype).reshape(rows, *row))


def _transposed(stream: IO[bytes], header: Header, step: int) -> Iterator[Array]:
    """Yield so many rows at a time of an array in Fortran order, which is unpacked into a temporary file first."""
    with tempfile.TemporaryFile(dir=cache_folder()) as file:
        left = header.reals * header.dtype.itemsize
        while left and (data := stream.read(min(left, BLOCK))):
            file.write(data)
            left -= len(data)
        file.flush()
        array = np.memmap(file, header.dtype, "r", 0, header.shape, "F")
        for start in range(0, header.shape[0], step):
            yield as_float64(array[start : start + step])


def _exactly(stream: IO[bytes], size: int) -> bytes:
    """Read so many bytes, or fewer if the stream ends."""
    data = stream.read(size)
    while len(data) < size and (more := stream.read(size - len(data))):
        data += more
    return data


def write_npz(contents: Mapping[str, Array], file: IO[bytes]) -> None:
    """Write the arrays as an ``.npz`` file."""
    with zipfile.ZipFile(file, "w", allowZip64=True) as archive:
        for name, array in contents.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asarray(array), allow_pickle=False)


NPY = Format(
    "npy", (".npy",), "an array saved as .npy", opener(SingleArray), "write it with numpy.save, without Python objects"
)
NPZ = Format(
    "npz",
    (".npz",),
    "an archive of arrays",
    opener(Archive),
    "write it with numpy.savez(file, x=…, t=…), without Python objects",
    write=write_npz,
)

FORMATS = (NPY, NPZ)
