"""``.safetensors``: tensors by name. The library checks the header and maps the file, so that it can be read in parts."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from math import prod
from pathlib import Path
from typing import IO

import numpy as np

from rh_kernel.syntax.core import Array
from rh_kernel.training.reading.format import Format, opener
from rh_kernel.training.reading.reader import BLOCK, Blocks, Header, as_damaged, shortened

_DTYPES = {
    "F64": "f8",
    "F32": "f4",
    "F16": "f2",
    "BOOL": "?",
    "I64": "i8",
    "I32": "i4",
    "I16": "i2",
    "I8": "i1",
    "U64": "u8",
    "U32": "u4",
    "U16": "u2",
    "U8": "u1",
}


class Tensors:
    """A ``.safetensors`` file. Requires the library safetensors."""

    def __init__(self, file: Path) -> None:
        from safetensors import safe_open

        self._open = ExitStack()
        with as_damaged():
            self._file = self._open.enter_context(safe_open(file, framework="numpy"))
            self.names: Sequence[str] = tuple(self._file.keys())

    def header(self, name: str) -> Header:
        """Return the shape and dtype, which is uninterpreted bytes if NumPy lacks it. Raises ``Damaged``."""
        with as_damaged():
            part = self._file.get_slice(name)
            dtype = part.get_dtype()
            called = "" if dtype in _DTYPES else dtype
            return Header(tuple(part.get_shape()), np.dtype(_DTYPES.get(dtype, "V1")), called).checked(f"`{shortened(name)}`")

    def read(self, names: Sequence[str]) -> Blocks[dict[str, Array]]:
        """Return the tensors of these names in float64. Raises ``Damaged``."""
        arrays: dict[str, Array] = {}
        for name in names:
            with as_damaged():
                header = self.header(name)
                array = np.empty(header.shape)
                if array.ndim == 0 or array.size == 0:
                    array[...] = self._file.get_tensor(name)
                else:
                    part = self._file.get_slice(name)
                    for place in _block_slices(header):
                        array[place] = part[place]
                        yield
                arrays[name] = array
        return arrays

    def close(self) -> None:
        """Close the file."""
        self._open.close()


def _block_slices(header: Header) -> Iterator[tuple[slice, ...]]:
    """Yield slices of an array of at most one block each, along the first axis whose entries fit into a block."""
    shape = header.shape
    axis = next((i for i in range(len(shape)) if prod(shape[i + 1 :]) * header.dtype.itemsize <= BLOCK), len(shape) - 1)
    step = max(1, BLOCK // (prod(shape[axis + 1 :]) * header.dtype.itemsize))
    for outer in np.ndindex(*shape[:axis]):
        for start in range(0, shape[axis], step):
            yield (*[slice(i, i + 1) for i in outer], slice(start, min(start + step, shape[axis])))


def _write(contents: Mapping[str, Array], file: IO[bytes]) -> None:
    from safetensors.numpy import save

    file.write(save({name: np.ascontiguousarray(array) for name, array in contents.items()}))


SAFETENSORS = Format(
    "safetensors",
    (".safetensors",),
    "a file of tensors",
    opener(Tensors),
    is_data=False,
    write=_write,
    requires="safetensors",
)

FORMATS = (SAFETENSORS,)
