"""Arrays as records for a page: type, extremes, norm, one line of text, and the entries within a budget.

Entries that are not finite are the strings ``nan``, ``inf`` and ``-inf``, as in ``display.data``.
"""

import math

import numpy as np

from rh_kernel.display.data import Json, Record, strict_json
from rh_kernel.display.values import content_text, short
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.types import real

SOME = 1024
"""The entries of a larger array are sent only on request."""

BUDGET = 100_000
"""The largest total number of entries that are sent without a request."""

EQUAL = "equal"
"""The result of ``difference`` for equal arrays."""


class EntryBudget:
    """Counts the entries that may still be sent without a request."""

    def __init__(self, left: int = BUDGET) -> None:
        self._left = left

    def content(self, array: Array) -> Record:
        """``content`` of an array, with its entries if they fit in the budget."""
        most = min(SOME, self._left)
        if array.size <= most:
            self._left -= array.size
        return content(array, most)


def content(array: Array, most: int) -> Record:
    """The record of an array; ``values`` is the flat list of its entries, ``None`` if there are more than ``most``.

    ``min`` and ``max`` are those of the finite entries, ``None`` if there are none.
    """
    finite = array[np.isfinite(array)]
    values: list[Json] = [strict_json(float(x)) for x in array.ravel()] if array.size <= most else []
    return {
        "type": str(real(*array.shape)),
        "text": content_text(array),
        "shape": [*array.shape],
        "norm": strict_json(norm(array)),
        "min": float(finite.min()) if finite.size else None,
        "max": float(finite.max()) if finite.size else None,
        "values": values if array.size <= most else None,
    }


def difference(one: Array, other: Array) -> str:
    """Describe the largest absolute difference of two arrays: ``equal``, ``another shape``, or a number."""
    if one.shape != other.shape:
        return "another shape"
    if np.array_equal(one, other, equal_nan=True):
        return EQUAL
    with np.errstate(all="ignore"):
        return short(float(np.abs(np.subtract(one, other, dtype=np.float64)).max(initial=0.0)))


def rows_of(array: Array, most: int) -> list[Json]:
    """The entries as texts of four digits, in rows along the last axis; ``[]`` for an array of more than ``most`` entries."""
    if not 0 < array.size <= most:
        return []
    return [[short(float(x)) for x in row] for row in array.reshape(-1, array.shape[-1])]


def norm(array: Array) -> float:
    """The Euclidean norm, computed without overflow; infinite or ``nan`` if an entry is."""
    entries = np.asarray(array, dtype=np.float64).ravel()
    with np.errstate(all="ignore"):
        squares = float(entries @ entries)
        if (math.isfinite(squares) and squares > _SMALL_SQUARES) or not entries.size:
            return math.sqrt(squares)
        largest = float(np.abs(entries).max())
        return largest * float(np.linalg.norm(entries / largest)) if largest and math.isfinite(largest) else largest


_SMALL_SQUARES = 1e-280
