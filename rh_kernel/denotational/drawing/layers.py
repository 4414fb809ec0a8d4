"""Layered layout of a row: each block to the right of those whose wires it reads, operations in order (RH §6.1).

Layers are assigned by longest paths. Sweeps from side to side sort each layer by the positions of neighbours (the barycenter
method), and the order with the fewest crossings is kept.
"""

from bisect import bisect_right, insort
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rh_kernel.denotational.drawing.coordinates import assign_heights
from rh_kernel.denotational.drawing.elements import Block, rearranged
from rh_kernel.denotational.drawing.grid import Cell, End, Grid, Link, Segment, Spacing, assembled, weave

_SWEEPS = 8
_CELLS = 6_000
"""Larger grids get fewer sweeps."""


@dataclass(frozen=True, slots=True)
class Side:
    """The incoming or outgoing wires, in groups whose vertical order is fixed; some may have fixed heights."""

    wires: tuple[int, ...]
    ranks: tuple[int, ...] = ()
    heights: tuple[float | None, ...] = ()

    def rank(self, i: int) -> int:
        """Return the group of the i-th wire."""
        return self.ranks[i] if self.ranks else 0


@dataclass(frozen=True, slots=True)
class Padding:
    """The space in a row: above its highest and below its lowest element, and between its columns."""

    above: float
    below: float
    spacing: Spacing


def row(blocks: Sequence[Block], left: Side, right: Side, padding: Padding) -> Block:
    """Lay out the blocks in a row and return them as one block."""
    grid = _build_grid(blocks, left, right)
    first, n = len(blocks), len(left.wires)
    ranks = {first + i: left.rank(i) for i in range(n)}
    ranks |= {first + n + i: right.rank(i) for i in range(len(right.wires))}
    _order(grid, ranks)
    _rearrange(grid, first)
    assign_heights(grid, {first + i: y for i, y in enumerate(left.heights) if y is not None})
    return assembled(grid, left.wires, right.wires, padding.spacing, padding.above, padding.below)


def _build_grid(blocks: Sequence[Block], left: Side, right: Side) -> Grid:
    """Build the grid: first the blocks, then the incoming wires in the first column and the outgoing ones in the last."""
    first, n = len(blocks), len(left.wires)
    columns = _columns(blocks)
    last = max(columns, default=0) + 1
    cells = [Cell(column, block) for column, block in zip(columns, blocks, strict=True)]
    cells += [Cell(0, None) for _ in left.wires] + [Cell(last, None) for _ in right.wires]
    sources: dict[int, End] = {w: (first + i, 0) for i, w in enumerate(left.wires)}
    sinks: dict[int, list[End]] = {}
    for b, block in enumerate(blocks):
        sources |= {port.wire: (b, i) for i, port in enumerate(block.outs) if port.wire not in sources}
        for i, port in enumerate(block.ins):
            sinks.setdefault(port.wire, []).append((b, i))
    for i, w in enumerate(right.wires):
        sinks.setdefault(w, []).append((first + n + i, 0))
    return weave(cells, [Link(w, source, tuple(sinks.get(w, ()))) for w, source in sources.items()], last + 1)


def _columns(blocks: Sequence[Block]) -> list[int]:
    """Return the column of each block, from 1; a block without inputs is placed just before its first reader."""
    maker = {port.wire: b for b, block in enumerate(blocks) for port in block.outs}
    columns: list[int] = []
    latest = 0
    readers: dict[int, list[int]] = {}
    for b, block in enumerate(blocks):
        before = [maker[port.wire] for port in block.ins if maker.get(port.wire, b) < b]
        column = max([columns[a] + 1 for a in before], default=1)
        if block.has_effects:
            column = latest = max(column, latest + 1)
        columns.append(column)
        for a in before:
            readers.setdefault(a, []).append(b)
    for b, block in enumerate(blocks):
        if not block.ins and not block.has_effects and b in readers:
            columns[b] = max(1, min(columns[r] for r in readers[b]) - 1)
    return columns


def _order(grid: Grid, ranks: Mapping[int, int]) -> None:
    """Order the cells of each column; at the two sides, groups keep their order."""
    left, right = grid.left_of(), grid.right_of()
    place: dict[int, float] = {}

    def arrange(column: list[int], key: Mapping[int, float]) -> None:
        column.sort(key=lambda i: (ranks.get(i, 0), key[i]))
        place.update({i: float(n) for n, i in enumerate(column)})

    for column in grid.columns:
        arrange(column, {i: float(n) for n, i in enumerate(column)})
    best, kept = None, [[*column] for column in grid.columns]
    last = len(grid.columns) - 1
    for sweep in range(_SWEEPS if len(grid.cells) < _CELLS else 2):
        forward = sweep % 2 == 0
        for c in range(1, last + 1) if forward else range(last - 1, -1, -1):
            beside = left if forward else right
            column = grid.columns[c]
            arrange(column, {i: _middle(grid, i, beside[i], place) for i in column})
        crossings = _crossings(grid, place)
        if best is None or crossings <= best:
            best, kept = crossings, [[*column] for column in grid.columns]
        if crossings == 0 and sweep:
            break
    grid.columns[:] = kept


def _middle(grid: Grid, i: int, beside: Sequence[Segment], place: Mapping[int, float]) -> float:
    """Return the mean position of the neighbours on one side, or the current position if there are none."""
    if not beside:
        return place[i]
    return sum(_place(grid, s.left if s.right[0] == i else s.right, place, is_left=s.right[0] == i) for s in beside) / len(
        beside
    )


def _place(grid: Grid, end: End, place: Mapping[int, float], *, is_left: bool) -> float:
    """Return the position of an end: that of its cell, shifted a little by the height of the port."""
    block = grid.cells[end[0]].block
    if block is None or block.is_loose:
        return place[end[0]]
    ports = block.outs if is_left else block.ins
    return place[end[0]] + 0.8 * (ports[end[1]].y / max(block.height, 1.0) - 0.5)


def _crossings(grid: Grid, place: Mapping[int, float]) -> int:
    """Return the number of crossing pairs of segments."""
    by_column: dict[int, list[tuple[float, float]]] = {}
    for s in grid.segments:
        ends = (_place(grid, s.left, place, is_left=True), _place(grid, s.right, place, is_left=False))
        by_column.setdefault(grid.cells[s.left[0]].column, []).append(ends)
    total = 0
    for pairs in by_column.values():
        met: list[float] = []
        for _, right in sorted(pairs):
            total += len(met) - bisect_right(met, right)
            insort(met, right)
    return total


def _rearrange(grid: Grid, count: int) -> None:
    """Reorder the ports of loose blocks to match the order of their sources and sinks."""
    place = {i: float(n) for column in grid.columns for n, i in enumerate(column)}
    left, right = grid.left_of(), grid.right_of()
    for b in range(count):
        block = grid.cells[b].block
        if block is None or not block.is_loose:
            continue
        ins = {s.right[1]: _place(grid, s.left, place, is_left=True) for s in left[b]}
        outs: dict[int, float] = {}
        for s in right[b]:
            outs[s.left[1]] = min(outs.get(s.left[1], float("inf")), _place(grid, s.right, place, is_left=False))
        grid.cells[b].block = rearranged(block, _ranked(ins, len(block.ins)), _ranked(outs, len(block.outs)))


def _ranked(keys: Mapping[int, float], count: int) -> list[int]:
    """Return the rank of each of ``count`` ports by their keys."""
    order = sorted(range(count), key=lambda i: (keys.get(i, float(i)), i))
    places = [0] * count
    for place, i in enumerate(order):
        places[i] = place
    return places
