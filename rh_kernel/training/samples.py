"""``D : x ↦ N samples of type A``: named arrays of equal length, samples first, all of them finite reals (LANGUAGE §6)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import prod
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from rh_kernel.loops.ir import Integers
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.trampoline import exhaust
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.types import Type, real
from rh_kernel.training.errors import LengthsDiffer, NoSamples, NotExact, NotFinite, NotNumbers
from rh_kernel.training.reading.reader import Blocks, first_names
from rh_kernel.training.sources import InMemory, Source, View

_BLOCK = 1 << 18
"""Entries that are checked or copied between two pauses."""

EXACT = 1 << 53
"""Integers below this magnitude are float64 numbers; of larger ones only some are."""


@dataclass(frozen=True, slots=True, eq=False)
class DataSet:
    """N samples: ``sources`` maps the name of each component to its values. ``notice`` says what the user should know of it.

    ``summaries`` has the range of each component, if that was found on the way.
    """

    name: str
    sources: Mapping[str, Source]
    notice: str = ""
    summaries: "Mapping[str, Summary]" = field(default_factory=lambda: MappingProxyType({}))

    @property
    def size(self) -> int:
        """The number N of samples."""
        return next(iter(self.sources.values())).shape[0]

    @property
    def types(self) -> Mapping[str, Type]:
        """The type ``Real(d1, …, dk)`` of each component of a sample."""
        return MappingProxyType({name: real(*source.shape[1:]) for name, source in self.sources.items()})

    @property
    def reals(self) -> int:
        """The number of entries of all components."""
        return sum(prod(source.shape) for source in self.sources.values())

    @property
    def held(self) -> int:
        """The number of entries that are in memory."""
        return sum(prod(source.shape) for source in self.sources.values() if isinstance(source, InMemory))

    @property
    def is_in_memory(self) -> bool:
        """Whether all components are arrays in memory."""
        return self.held == self.reals

    @property
    def arrays(self) -> Mapping[str, Array]:
        """All samples: for each component a read-only float64 array of shape (N, d1, …, dk), read from its file if need be."""
        return MappingProxyType({name: _whole(source) for name, source in self.sources.items()})

    def part(self, name: str, rows: Integers) -> Blocks["DataSet"]:
        """Return the samples with these indices, in that order: copied in blocks, or a view of what is not in memory.

        Raises ``Rejected`` if there are none.
        """
        if not len(rows):
            found, hint = f'{self.size} in all of "{self.name}"', "there are too few samples to split: use the whole set"
            raise Rejected(NoSamples(what=f'"{name}"', found=found, hint=hint))
        parts: dict[str, Source] = {}
        for key, source in self.sources.items():
            if not isinstance(source, InMemory):
                parts[key] = View(source, rows)
                continue
            part = np.empty((len(rows), *source.shape[1:]))
            for piece in pieces(part.shape):
                part[piece] = source.array[rows[piece]]
                yield
            parts[key] = InMemory(_read_only(part))
        return DataSet(name, MappingProxyType(parts), self.notice)


def data_set(name: str, arrays: Mapping[str, npt.ArrayLike]) -> DataSet:
    """Make a data set of arrays, samples along the first axis; an array of shape (N,) becomes (N, 1).

    A float64 array is not copied, so a caller that may still write to it must copy it first. Raises ``Rejected`` unless all are
    arrays of finite reals, of the same length, which is not 0.
    """
    found = {key: real_array(key, value) for key, value in arrays.items()}
    check_lengths(name, {key: len(array) for key, array in found.items()})
    return exhaust(samples(name, found))


def samples(name: str, arrays: Mapping[str, Array], check: "Checking | None" = None) -> Blocks[DataSet]:
    """Make a data set of arrays of the same length, checked in blocks. Raises ``Rejected`` as ``check`` does."""
    check = check or Checking()
    columns = {key: array.reshape(-1, 1) if array.ndim == 1 else array for key, array in arrays.items()}
    checked = 0
    for key, array in columns.items():
        for rows in pieces(array.shape):
            check(key, array[rows], rows.start)
            checked += array[rows].size
            if checked >= _BLOCK:
                checked = 0
                yield
    sources = {key: InMemory(_read_only(array)) for key, array in columns.items()}
    return DataSet(name, MappingProxyType(sources), summaries=check.summaries)


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
    dtype, array = array.dtype, np.asarray(array, dtype=np.float64)
    check_exact(name, dtype, array, 0)
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


def pieces(shape: tuple[int, ...]) -> Iterator[slice]:
    """Slices of the rows of an array of this shape, each as much as is checked or copied between two pauses."""
    step = max(1, _BLOCK // max(1, prod(shape[1:])))
    for start in range(0, shape[0], step):
        yield slice(start, min(start + step, shape[0]))


@dataclass(frozen=True, slots=True, eq=False)
class Summary:
    """The least and the greatest number of a component, and how many samples each class has if it is one-hot."""

    low: float
    high: float
    counts: tuple[int, ...] | None


class Checking:
    """Checks that the numbers of arrays, of these dtypes in a file, can be used, and summarises them on the way.

    ``name`` is how the program refers to the data, for messages; the array without a name is called by it.
    """

    def __init__(self, name: str = "", dtypes: Mapping[str, np.dtype[Any]] = MappingProxyType({})) -> None:
        self._name = name
        self._dtypes = dtypes
        self._ends: dict[str, tuple[float, float]] = {}
        self._counts: dict[str, npt.NDArray[np.int64] | None] = {}

    @property
    def summaries(self) -> Mapping[str, Summary]:
        """The summary of each array, of what was checked."""
        found: dict[str, Summary] = {}
        for array, (low, high) in self._ends.items():
            counts = self._counts[array]
            found[array] = Summary(low, high, None if counts is None else tuple(counts.tolist()))
        return MappingProxyType(found)

    def __call__(self, array: str, part: Array, first: int) -> None:
        """Check and add samples of an array, the first of which has this number.

        Raises ``Rejected`` if an entry is not finite, or is an integer that float64 may not have.
        """
        if not part.size:
            return
        low, high = float(part.min()), float(part.max())
        called, where = array or self._name, f' in "{self._name}"' if array and self._name else ""
        if not (np.isfinite(low) and np.isfinite(high)):
            place, value = _first_place(called, ~np.isfinite(part), part, first)
            hint = "remove or repair the samples with missing numbers; they would spread to every weight"
            raise Rejected(NotFinite(place=place + where, found=str(value), expected="a finite number", hint=hint))
        if array in self._dtypes:
            check_exact(called, self._dtypes[array], part, first, where)
        before = self._ends.get(array, (low, high))
        self._ends[array] = min(low, before[0]), max(high, before[1])
        self._counts[array] = self._counted(array, part, low, high)

    def _counted(self, array: str, part: Array, low: float, high: float) -> npt.NDArray[np.int64] | None:
        """How many samples each class has so far; ``None`` if the array is not one-hot."""
        before = self._counts.get(array, np.zeros(part.shape[-1], np.int64))
        if before is None or part.ndim != 2 or part.shape[1] < 2 or (low, high) != (0.0, 1.0):
            return None
        ones = part == 1.0
        if np.count_nonzero(part) != len(part) or not (ones.sum(axis=1) == 1).all():
            return None
        return before + ones.sum(axis=0)


def check_exact(name: str, dtype: np.dtype[Any], part: Array, first: int, where: str = "") -> None:
    """Raise ``Rejected`` if an integer of this type may not be the float64 number that it was converted to."""
    if dtype.kind not in "iu" or dtype.itemsize < 8 or not part.size or max(part.max(), -part.min()) < EXACT:
        return
    place, value = _first_place(name, np.abs(part) >= EXACT, part, first)
    expected = f"an integer between -{EXACT:,} and {EXACT:,}, exclusive"
    hint = "larger integers are not all numbers in float64: divide or subtract first, or one-hot encode an identifier"
    raise Rejected(NotExact(place=place + where, found=f"about {value:.6g}", expected=expected, hint=hint))


def _first_place(name: str, wrong: npt.NDArray[np.bool_], part: Array, first: int) -> tuple[str, float]:
    row, *others = np.argwhere(wrong)[0].tolist()
    return f"`{name}`[{', '.join([str(i) for i in (first + row, *others)])}]", float(part[(row, *others)])


def summarising(data: DataSet) -> Blocks[Mapping[str, Summary]]:
    """Return the summary of each component, read in blocks if it is not known. Raises ``Rejected`` as the sources do."""
    check = Checking(data.name)
    total, done = data.reals, 0
    for name, source in data.sources.items():
        if name in data.summaries:
            continue
        for rows in pieces(source.shape):
            check(name, source.take(np.arange(rows.start, rows.stop)), rows.start)
            done += prod((rows.stop - rows.start, *source.shape[1:]))
            yield f'"{data.name}" {100 * done // max(total, 1)} %'
    return MappingProxyType({**data.summaries, **check.summaries})


def _whole(source: Source) -> Array:
    return source.array if isinstance(source, InMemory) else _read_only(source.take(np.arange(source.shape[0])))


def _read_only(array: Array) -> Array:
    view = array.view()
    view.setflags(write=False)
    return view
