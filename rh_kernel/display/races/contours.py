"""Contour lines of values on a grid, by linear interpolation along its edges (marching squares)."""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from math import isfinite

Point = tuple[float, float]


def contour(values: Sequence[Sequence[float]], level: float) -> Iterator[tuple[Point, Point]]:
    """Yield pieces of the line where the values are at the level, in columns and rows of the grid; none beside a ``nan``."""
    for j, (low, high) in enumerate(pairwise(values)):
        for i in range(len(low) - 1):
            corners = (low[i], low[i + 1], high[i + 1], high[i])
            if not all(map(isfinite, corners)):
                continue
            places = ((i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1))
            edges = [(k, (k + 1) % 4) for k in range(4)]
            crossed = [(a, b) for a, b in edges if (corners[a] < level) != (corners[b] < level)]
            found = [_between(places[a], places[b], corners[a], corners[b], level) for a, b in crossed]
            if len(found) == 4 and (sum(corners) / 4 < level) != (corners[0] < level):
                # A saddle: the middle is not on the side of the first corner, so one of the pieces cuts that corner off.
                found = [found[3], *found[:3]]
            yield from [(found[k], found[k + 1]) for k in range(0, len(found), 2)]


def _between(a: tuple[int, int], b: tuple[int, int], at_a: float, at_b: float, level: float) -> Point:
    share = (level - at_a) / (at_b - at_a)
    return a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])


def contour_path(
    values: Sequence[Sequence[float]], level: float, x: Callable[[float], float], y: Callable[[float], float]
) -> str:
    """The ``d`` of a path along the contour line; ``x`` and ``y`` map columns and rows to pixels."""
    pieces = contour(values, level)
    return "".join([f"M{x(a[0]):.1f} {y(a[1]):.1f}L{x(b[0]):.1f} {y(b[1]):.1f}" for a, b in pieces])
