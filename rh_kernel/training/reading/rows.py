"""``RowReader``: a reader whose arrays can be read by rows, so that a data set need not fit into memory."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from math import prod
from typing import Any, ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt

from rh_kernel.source.diagnostic import Rejected
from rh_kernel.syntax.core import Array
from rh_kernel.training.errors import NotNumbers
from rh_kernel.training.reading.reader import BLOCK, Blocks, Header, shortened

Integers: TypeAlias = npt.NDArray[np.integer]
"""Numbers of rows, from 0, of shape (n,)."""


class RowReader(ABC):
    """A ``Reader`` that reads any rows of its arrays, where a row is an entry along the first axis.

    With ``random_access``, ``take`` costs about as much as the rows that it returns; without it, the file should be read in
    order.
    """

    random_access: ClassVar[bool]
    names: Sequence[str] = ()

    @abstractmethod
    def header(self, name: str) -> Header:
        """Return the shape and dtype of an array without reading it.

        Raises ``Damaged``, or ``Rejected`` if the entries are something for which NumPy has no dtype.
        """

    @abstractmethod
    def rows(self, name: str, start: int, stop: int) -> Array:
        """Return the rows ``start`` … ``stop - 1`` in float64, contiguous and writeable.

        The numbers are within the shape of the array. Raises ``Damaged``, or ``Rejected`` if the error has a place in the file.
        """

    def take(self, name: str, rows: Integers) -> Array:
        """Return these rows, in any order, possibly with duplicates; otherwise like ``rows``."""
        wanted, places = np.unique(rows, return_inverse=True)
        found = np.empty((len(wanted), *self.header(name).shape[1:]))
        ends = [*(np.flatnonzero(np.diff(wanted) > 1) + 1).tolist(), len(wanted)]
        begin = 0
        for end in ends if len(wanted) else []:
            found[begin:end] = self.rows(name, int(wanted[begin]), int(wanted[end - 1]) + 1)
            begin = end
        return found[places]

    def step(self, name: str) -> int:
        """Return how many rows to read at once, in at most about 20 ms."""
        header = self.header(name)
        return max(1, BLOCK // max(1, prod(header.shape[1:]) * max(header.dtype.itemsize, 8)))

    def read(self, names: Sequence[str]) -> Blocks[dict[str, Array]]:
        """Return the arrays of these names in float64, read in blocks of rows. Raises as ``rows`` does."""
        arrays: dict[str, Array] = {}
        for name in names:
            array = np.empty(self.header(name).shape)
            step = self.step(name)
            for start in range(0, len(array), step):
                stop = min(start + step, len(array))
                array[start:stop] = self.rows(name, start, stop)
                yield
            arrays[name] = array
        return arrays

    @abstractmethod
    def close(self) -> None:
        """Close the file."""


def as_float64(values: npt.NDArray[Any]) -> Array:
    """Return a copy in float64, contiguous and writeable."""
    with np.errstate(all="ignore"):
        return np.array(values, np.float64, order="C")


def not_real(name: str, entries: str, hint: str = "one-hot encode a class, and remove what is no number") -> Rejected:
    """Return the error that an array contains ``entries`` instead of real numbers."""
    found = f"an array of {shortened(entries)}"
    return Rejected(NotNumbers(array=shortened(name), found=found, expected="an array of numbers", hint=hint))
