"""``D : x ↦ N samples of type A``: named arrays of equal length, samples first, all of them finite reals (LANGUAGE §6)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.trampoline import exhaust
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.types import Type, real
from rh_kernel.training.errors import LengthsDiffer, NoSamples, NotFinite, NotNumbers
from rh_kernel.training.reading.reader import Blocks, first_names

_BLOCK = 1 << 18
"""Entries that are checked or copied between two pauses."""


@dataclass(frozen=True, slots=True, eq=False)
class DataSet:
    """N samples: ``arrays`` maps a name to a read-only float64 array of shape (N, d1, …, dk)."""

    name: str
    arrays: Mapping[str, Array]

    @property
    def size(self) -> int:
        """The number N of samples."""
        return len(next(iter(self.arrays.values())))

    @property
    def types(self) -> Mapping[str, Type]:
        """The type ``Real(d1, …, dk)`` of each component of a sample."""
        return MappingProxyType({name: real(*array.shape[1:]) for name, array in self.arrays.items()})

    @property
    def reals(self) -> int:
        """The number of entries of all arrays."""
        return sum(array.size for array in self.arrays.values())

    def part(self, name: str, rows: npt.NDArray[np.intp]) -> Blocks["DataSet"]:
        """Copy the samples with these indices, in that order, in blocks. Raises ``Rejected`` if there are none."""
        if not len(rows):
            found, hint = f'{self.size} in all of "{self.name}"', "there are too few samples to split: use the whole set"
            raise Rejected(NoSamples(what=f'"{name}"', found=found, hint=hint))
        arrays: dict[str, Array] = {}
        for key, array in self.arrays.items():
            arrays[key] = part = np.empty((len(rows), *array.shape[1:]))
            for piece in _pieces(part):
                part[piece] = array[rows[piece]]
                yield
        return DataSet(name, MappingProxyType({key: _read_only(array) for key, array in arrays.items()}))


def data_set(name: str, arrays: Mapping[str, npt.ArrayLike]) -> DataSet:
    """Make a data set of arrays, samples along the first axis; an array of shape (N,) becomes (N, 1).

    A float64 array is not copied, so a caller that may still write to it must copy it first. Raises ``Rejected`` unless all are
    arrays of finite reals, of the same length, which is not 0.
    """
    found = {key: real_array(key, value) for key, value in arrays.items()}
    check_lengths(name, {key: len(array) for key, array in found.items()})
    return exhaust(samples(name, found))


def samples(name: str, arrays: Mapping[str, Array]) -> Blocks[DataSet]:
    """Make a data set of arrays of the same length, checked in blocks. Raises ``Rejected`` if an entry is not finite."""
    columns = {key: array.reshape(-1, 1) if array.ndim == 1 else array for key, array in arrays.items()}
    checked = 0
    for key, array in columns.items():
        for rows in _pieces(array):
            _check_finite(key, array, rows)
            checked += array[rows].size
            if checked >= _BLOCK:
                checked = 0
                yield
    return DataSet(name, MappingProxyType({key: _read_only(array) for key, array in columns.items()}))


def check_lengths(name: str, lengths: Mapping[str, int]) -> None:
    """Raise ``Rejected`` unless there are arrays, all of the same length, which is not 0."""
    if not lengths:
        hint = "each component of a sample is an array, samples first"
        raise Rejected(NoSamples(what=f'"{name}"', found="no arrays", expected="at least one", hint=hint))
    if len(set(lengths.values())) > 1:
        counts = first_names([f"`{key}` has {length}" for key, length in lengths.items()])
        hint = "the first axis of each array is the samples"
        raise Rejected(LengthsDiffer(found=counts, expected="the same number for each", hint=hint))
    if 0 in lengths.values():
        hint = "the first axis of each array is the samples"
        raise Rejected(NoSamples(what=f'"{name}"', found="arrays of length 0", hint=hint))


def real_array(name: str, value: npt.ArrayLike) -> Array:
    """Convert to a float64 array with an axis of samples and at least one more. Raises ``Rejected`` if it is not numeric."""
    try:
        array = np.asarray(value)
    except ValueError:
        found, hint = "rows of different lengths", "all samples must have the same shape"
        raise Rejected(NotNumbers(array=name, found=found, expected="an array", hint=hint)) from None
    check_array(name, array.dtype, array.shape)
    array = np.asarray(array, dtype=np.float64)
    return np.ascontiguousarray(array.reshape(-1, 1) if array.ndim == 1 else array)


def check_array(name: str, dtype: np.dtype[Any], shape: tuple[int, ...]) -> None:
    """Raise ``Rejected`` unless this is an array of real numbers with an axis of samples."""
    if dtype.kind not in "fiub":
        expected = "an array of numbers"
        hint = "one-hot encode a class"
        raise Rejected(NotNumbers(array=name, found=f"an array of {_kind(dtype)}", expected=expected, hint=hint))
    if not shape:
        hint = "the first axis of each array is the samples"
        raise Rejected(NotNumbers(array=name, found="a single number", expected="an array of samples", hint=hint))


def one_hot(labels: npt.NDArray[np.intp], classes: int) -> Array:
    """Return the array (N, classes) with 1 at the label of each sample and 0 elsewhere."""
    return np.eye(classes)[labels]


def _kind(dtype: np.dtype[Any]) -> str:
    names = {"O": "Python objects", "c": "complex numbers", "U": "words", "S": "words", "M": "dates", "m": "times"}
    return names.get(dtype.kind, str(dtype))


def _pieces(array: Array) -> Iterator[slice]:
    """Slices of rows, each as much as is checked or copied between two pauses."""
    step = max(1, _BLOCK // max(1, prod(array.shape[1:])))
    for start in range(0, len(array), step):
        yield slice(start, min(start + step, len(array)))


def _check_finite(name: str, array: Array, rows: slice) -> None:
    part = array[rows]
    if np.isfinite(part).all():
        return
    first, *others = np.argwhere(~np.isfinite(part))[0].tolist()
    place = f"`{name}`[{', '.join([str(i) for i in (rows.start + first, *others)])}]"
    hint = "remove or repair the samples with missing numbers; they would spread to every weight"
    raise Rejected(NotFinite(place=place, found=str(part[(first, *others)]), expected="a finite number", hint=hint))


def _read_only(array: Array) -> Array:
    view = array.view()
    view.setflags(write=False)
    return view
