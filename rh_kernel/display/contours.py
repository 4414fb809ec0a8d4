"""Contour lines of values on a grid, by linear interpolation along its edges (marching squares)."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from rh_kernel.syntax.core import Array

Point: TypeAlias = tuple[float, float]


def contour(values: Array | Sequence[Sequence[float]], level: float) -> Iterator[tuple[Point, Point]]:
    """Yield pieces of the line where the values (rows × columns) are at the level, as points (column, row).

    A cell of the grid with a corner that is not finite has none.
    """
    field = np.asarray(values, np.float64)
    below = field < level
    count = sum(corner.astype(np.int64) for corner in _corners(below))
    crossed = (count > 0) & (count < 4)
    for corner in _corners(np.isfinite(field)):
        crossed &= corner
    for row, column in np.argwhere(crossed).tolist():
        places = ((column, row), (column + 1, row), (column + 1, row + 1), (column, row + 1))
        at = [float(field[j, i]) for i, j in places]
        edges = [(k, (k + 1) % 4) for k in range(4)]
        found = [_between(places[a], places[b], at[a], at[b], level) for a, b in edges if (at[a] < level) != (at[b] < level)]
        if len(found) == 4 and (sum(at) / 4 < level) != (at[0] < level):
            # A saddle: the middle is not on the side of the first corner, so one of the pieces cuts that corner off.
            found = [found[3], *found[:3]]
        yield from [(found[k], found[k + 1]) for k in range(0, len(found), 2)]


def _corners(field: npt.NDArray[np.bool_]) -> Iterator[npt.NDArray[np.bool_]]:
    """Yield the four corners of all cells."""
    yield from (field[:-1, :-1], field[:-1, 1:], field[1:, 1:], field[1:, :-1])


def _between(a: tuple[int, int], b: tuple[int, int], at_a: float, at_b: float, level: float) -> Point:
    share = (level - at_a) / (at_b - at_a)
    return a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])


def contour_path(
    values: Sequence[Sequence[float]], level: float, x: Callable[[float], float], y: Callable[[float], float]
) -> str:
    """The ``d`` of a path along the contour line; ``x`` and ``y`` map columns and rows to pixels."""
    pieces = contour(values, level)
    return "".join([f"M{x(a[0]):.1f} {y(a[1]):.1f}L{x(b[0]):.1f} {y(b[1]):.1f}" for a, b in pieces])
