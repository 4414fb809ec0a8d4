"""Vertical coordinates for the cells of a grid with a given order in each column, with wires as straight as possible."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from rh_kernel.denotational.drawing.elements import FIRST
from rh_kernel.denotational.drawing.grid import Grid, Segment

_ROUNDS = 6
_CELLS = 4_000
"""Larger grids get fewer rounds."""


def nearest(wanted: Sequence[float], weights: Sequence[float], apart: Sequence[float]) -> list[float]:
    """Minimize the weighted sum of squared distances to ``wanted``, keeping the order and gaps of at least ``apart[i]``.

    Neighbours that are too close are merged into one group, as in isotonic regression.
    """
    shift = 0.0
    groups: list[list[float]] = []
    for y, weight, gap in zip(wanted, weights, apart, strict=True):
        shift += gap
        groups.append([y - shift, weight, 1.0])
        while len(groups) > 1 and groups[-2][0] > groups[-1][0]:
            mean, heavy, many = groups.pop()
            below = groups[-1]
            total = below[1] + heavy
            groups[-1] = [(below[0] * below[1] + mean * heavy) / total, total, below[2] + many]
    flat = [mean for mean, _, many in groups for _ in range(int(many))]
    found: list[float] = []
    shift = 0.0
    for y, gap in zip(flat, apart, strict=True):
        shift += gap
        found.append(y + shift)
    return found


BETWEEN_BLOCKS, BESIDE_BLOCK, BETWEEN_WIRES = 16.0, 12.0, 14.0


def assign_heights(grid: Grid, fixed: Mapping[int, float]) -> None:
    """Set the height of every cell; those in ``fixed`` are given."""
    left, right = grid.left_of(), grid.right_of()
    apart = [_gaps(grid, column) for column in grid.columns]
    for column, gaps in zip(grid.columns, apart, strict=True):
        y = 0.0
        for i, gap in zip(column, gaps, strict=True):
            y += gap
            grid.cells[i].y = fixed.get(i, y)
    rounds = _ROUNDS if len(grid.cells) < _CELLS else 2
    columns = range(len(grid.columns))
    for n in range(rounds):
        for c in columns:
            _align(grid, c, apart[c], fixed, left, right if n == rounds - 1 else None)
        for c in reversed(columns):
            _align(grid, c, apart[c], fixed, right, left if n == rounds - 1 else None)
    for c in columns:
        _align(grid, c, apart[c], fixed, left, None)


def _gaps(grid: Grid, column: Sequence[int]) -> list[float]:
    """Return the least distance of each cell from the one above it."""
    gaps = [0.0]
    for above, below in pairwise(column):
        a, b = grid.cells[above].block, grid.cells[below].block
        space = BETWEEN_WIRES if a is None and b is None else BESIDE_BLOCK if a is None or b is None else BETWEEN_BLOCKS
        gaps.append(grid.cells[above].height + space)
    return gaps[: len(column)]


def _align(
    grid: Grid,
    c: int,
    apart: Sequence[float],
    fixed: Mapping[int, float],
    towards: Mapping[int, list[Segment]],
    also: Mapping[int, list[Segment]] | None,
) -> None:
    """Move the cells of a column towards the ends of their wires on one side, or on both."""
    column = grid.columns[c]
    attached = [i for i in column if i in fixed or towards[i]]
    wanted: list[float] = []
    weights: list[float] = []
    for i in column:
        pulls = [_pull(grid, i, segment) for segment in (*towards[i], *(() if also is None else also[i]))]
        here = grid.cells[i].y
        if i in fixed:
            wanted.append(fixed[i])
            weights.append(1e6)
        else:
            wanted.append(_median(pulls, here) if pulls else _near_attached(grid, i, attached))
            weights.append((4.0 if grid.cells[i].block is None else 1.5) if pulls else 1e-6)
    if fixed:
        # Wires with known heights enter at the top: nothing may be higher than a box whose first wire is there.
        _, *found = nearest([min(fixed.values()) - FIRST, *wanted], [1e9, *weights], [0.0, *apart])
    else:
        found = nearest(wanted, weights, apart)
    for i, y in zip(column, found, strict=True):
        grid.cells[i].y = round(y, 3)


def _near_attached(grid: Grid, i: int, attached: Sequence[int]) -> float:
    """Return the height of the nearest cell attached to a wire; cells without wires stay close to it."""
    here = grid.cells[i].y
    return min([grid.cells[j].y for j in attached], key=lambda y: abs(y - here), default=here)


def _pull(grid: Grid, i: int, segment: Segment) -> float:
    """Return the height of the cell at which the segment is straight."""
    if segment.right[0] == i:
        return grid.start(segment.left) - grid.cells[i].into(segment.right[1])
    return grid.finish(segment.right) - grid.cells[i].out(segment.left[1])


def _median(pulls: list[float], here: float) -> float:
    """Return a median of the pulls, so that at least one wire is straight; of two medians, the nearer one."""
    ordered = sorted(pulls)
    n = len(ordered)
    return min(ordered[(n - 1) // 2], ordered[n // 2], key=lambda y: abs(y - here))
