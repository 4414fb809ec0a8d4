"""Arrays as a page is told of them: type, extremes, norm, a line of text, and the entries as far as there is room.

What is no finite number is the string ``nan``, ``inf`` or ``-inf``, as everywhere in data.
"""

import math

import numpy as np

from rh_kernel.display.data import Json, Record, strict_json
from rh_kernel.display.values import content_text, short
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.types import real

SOME = 1024
"""An array of more entries is sent only when it is asked for."""

ROOM = 100_000
"""All arrays together that are sent without being asked for have at most so many entries."""


EQUAL = "equal"
"""Said of two arrays that do not differ."""


class Room:
    """How many entries may still be sent without being asked for."""

    def __init__(self, left: int = ROOM) -> None:
        self._left = left

    def content(self, array: Array) -> Record:
        """``content`` of an array, with its entries if there is room for them."""
        most = min(SOME, self._left)
        if array.size <= most:
            self._left -= array.size
        return content(array, most)


def content(array: Array, most: int) -> Record:
    """An array; ``values`` are its entries one after the other, ``None`` if there are more than ``most``.

    ``min`` and ``max`` are of the finite entries, ``None`` if there are none.
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
    """By how much two arrays differ, in a word or two."""
    if one.shape != other.shape:
        return "another shape"
    if np.array_equal(one, other, equal_nan=True):
        return EQUAL
    with np.errstate(all="ignore"):
        return short(float(np.abs(np.subtract(one, other, dtype=np.float64)).max(initial=0.0)))


def rows_of(array: Array, most: int) -> list[Json]:
    """The rows of a matrix as texts to four digits, of more axes those along the last one; none of what is too large."""
    if not 0 < array.size <= most:
        return []
    return [[short(float(x)) for x in row] for row in array.reshape(-1, array.shape[-1])]


def norm(array: Array) -> float:
    """The root of the sum of squares, without overflow on the way; infinite or ``nan`` if an entry is."""
    entries = np.asarray(array, dtype=np.float64).ravel()
    with np.errstate(all="ignore"):
        squares = float(entries @ entries)
        if (math.isfinite(squares) and squares > _SMALL_SQUARES) or not entries.size:
            return math.sqrt(squares)
        largest = float(np.abs(entries).max())
        return largest * float(np.linalg.norm(entries / largest)) if largest and math.isfinite(largest) else largest


_SMALL_SQUARES = 1e-280
