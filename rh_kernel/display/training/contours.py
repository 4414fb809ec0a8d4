"""The lines on which a function on a grid is zero, by marching squares."""

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np

from rh_kernel.syntax.core import Array

Point: TypeAlias = tuple[float, float]


def zero_lines(field: Array) -> Iterator[tuple[Point, Point]]:
    """Yield line segments ((x, y), (x, y)), in cells of the grid, on which the field (rows, columns) is zero.

    It is interpolated linearly along the edges of each cell; cells with an entry that is not finite have no line.
    """
    above = field > 0
    corners = (above[:-1, :-1], above[:-1, 1:], above[1:, 1:], above[1:, :-1])
    count = sum(corner.astype(np.int64) for corner in corners)
    finite = np.isfinite(field)
    known = finite[:-1, :-1] & finite[:-1, 1:] & finite[1:, 1:] & finite[1:, :-1]
    for row, column in np.argwhere((count > 0) & (count < 4) & known).tolist():
        ends = [*_crossings(field, row, column)]
        # In a saddle two lines cross the cell.
        yield from zip(ends[::2], ends[1::2], strict=True)


def _crossings(field: Array, row: int, column: int) -> Iterator[Point]:
    """Yield where the edges of a cell have a zero, clockwise from the upper edge: two or four points."""
    places = ((row, column), (row, column + 1), (row + 1, column + 1), (row + 1, column))
    for (i, j), (k, m) in zip(places, (*places[1:], places[0]), strict=True):
        a, b = float(field[i, j]), float(field[k, m])
        if (a > 0) != (b > 0):
            share = a / (a - b)
            yield j + share * (m - j), i + share * (k - i)
