"""Frames and series of pandas and polars as arrays. Neither library is imported here."""

from collections.abc import Iterable, Mapping
from typing import Any, Protocol, TypeGuard

import numpy as np
import numpy.typing as npt

from rh_kernel.source.diagnostic import Rejected
from rh_kernel.training.errors import NotNumbers
from rh_kernel.training.reading.table import array_columns

LIBRARIES = frozenset({"pandas", "polars"})
"""The libraries whose frames and series are known."""


class Series(Protocol):
    """A column."""

    def to_numpy(self) -> npt.NDArray[Any]:
        """Return its entries, without a copy if they are an array."""
        ...


class Frame(Protocol):
    """A table with named columns."""

    @property
    def columns(self) -> Iterable[object]:
        """The names of the columns."""
        ...

    def __getitem__(self, column: object, /) -> Series:
        """Return a column."""
        ...


def is_frame(value: object) -> TypeGuard[Frame]:
    """Whether it is a frame of pandas or polars."""
    return _is("DataFrame", value)


def frame_arrays(frame: object) -> dict[str, npt.ArrayLike]:
    """Return the arrays of a frame, as of a ``.csv`` with these columns: ``x0 x1 …`` are ``x``.

    Raises ``Rejected`` if it is no frame, or its columns form no arrays.
    """
    if not is_frame(frame):
        expected, hint = "a frame of pandas or polars", 'give arrays by name: rh.data("mine", x=X, t=T)'
        raise Rejected(NotNumbers(array="data", found=f"a value of type {type(frame).__name__}", expected=expected, hint=hint))
    names = [str(name) for name in frame.columns]
    columns = dict(zip(names, [*frame.columns], strict=True))
    places = array_columns(names)
    return {name: _columns(frame, [columns[names[place]] for place in found]) for name, found in places.items()}


def unframed(arrays: Mapping[str, Any]) -> dict[str, npt.ArrayLike]:
    """Return the arrays with frames and series replaced by theirs: a frame of k columns by an array (N, k)."""
    found: dict[str, npt.ArrayLike] = {}
    for name, value in arrays.items():
        if is_frame(value):
            found[name] = _columns(value, [*value.columns])
        else:
            found[name] = value.to_numpy() if _is("Series", value) else value
    return found


def _columns(frame: Frame, columns: list[object]) -> npt.ArrayLike:
    """One column as it is, without a copy if its library has it as an array; several as a new array."""
    arrays = [frame[column].to_numpy() for column in columns]
    if len(arrays) == 1:
        return arrays[0]
    rows = np.column_stack(arrays)
    rows.setflags(write=False)
    return rows


def _is(kind: str, value: object) -> bool:
    return any(base.__name__ == kind and base.__module__.partition(".")[0] in LIBRARIES for base in type(value).__mro__)
