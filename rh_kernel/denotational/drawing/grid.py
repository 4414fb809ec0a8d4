"""Blocks in columns with the wires between them: a wire that passes a column gets a cell there.

So wires only touch blocks at their ends. What remains is to find the order within each column and the heights.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from rh_kernel.denotational.drawing.elements import Block, Dot, Drawing, Point, Port, Strand, together

End: TypeAlias = tuple[int, int]
"""A cell, and the index of the port on the side in question."""


@dataclass(frozen=True, slots=True)
class Link:
    """A wire from one port to all its sinks."""

    wire: int
    source: End
    sinks: tuple[End, ...]


@dataclass(frozen=True, slots=True)
class Segment:
    """A link between two adjacent columns."""

    link: int
    left: End
    right: End


@dataclass(slots=True)
class Cell:
    """A block, or the point where a wire passes (``block`` is ``None``); ``y`` is the top of the block, or of the wire."""

    column: int
    block: Block | None
    link: int = -1
    y: float = 0.0

    @property
    def height(self) -> float:
        """The height of the block."""
        return 0.0 if self.block is None else self.block.height

    def into(self, port: int) -> float:
        """Return the offset below ``y`` at which a wire enters."""
        return 0.0 if self.block is None else self.block.ins[port].y

    def out(self, port: int) -> float:
        """Return the offset below ``y`` at which a wire leaves."""
        return 0.0 if self.block is None else self.block.outs[port].y


@dataclass(slots=True)
class Grid:
    """Cells by column from left to right, and all segments."""

    cells: list[Cell]
    columns: list[list[int]]
    links: Sequence[Link]
    segments: list[Segment] = field(default_factory=list[Segment])

    def left_of(self) -> Mapping[int, list[Segment]]:
        """Return the incoming segments of each cell."""
        return self._by_cell([segment.right[0] for segment in self.segments])

    def right_of(self) -> Mapping[int, list[Segment]]:
        """Return the outgoing segments of each cell."""
        return self._by_cell([segment.left[0] for segment in self.segments])

    def _by_cell(self, ends: Sequence[int]) -> Mapping[int, list[Segment]]:
        found: dict[int, list[Segment]] = {i: [] for i in range(len(self.cells))}
        for cell, segment in zip(ends, self.segments, strict=True):
            found[cell].append(segment)
        return found

    def start(self, end: End) -> float:
        """Return the height at which a wire leaves a cell."""
        cell = self.cells[end[0]]
        return cell.y + cell.out(end[1])

    def finish(self, end: End) -> float:
        """Return the height at which a wire enters a cell."""
        cell = self.cells[end[0]]
        return cell.y + cell.into(end[1])

    def rise(self, segment: Segment) -> float:
        """Return the difference of the heights of the ends of a segment."""
        right = self.cells[segment.right[0]]
        return abs(self.start(segment.left) - right.y - right.into(segment.right[1]))


def weave(cells: list[Cell], links: Sequence[Link], count: int) -> Grid:
    """Return the grid of these cells in ``count`` columns, adding a cell wherever a link passes a column."""
    grid = Grid(cells, [[] for _ in range(count)], links)
    for i, cell in enumerate(cells):
        grid.columns[cell.column].append(i)
    for number, link in enumerate(links):
        here, last = link.source, max([cells[cell].column for cell, _ in link.sinks], default=-1)
        by_column: dict[int, list[End]] = {}
        for sink in link.sinks:
            by_column.setdefault(cells[sink[0]].column, []).append(sink)
        for column in range(cells[link.source[0]].column + 1, last + 1):
            grid.segments += [Segment(number, here, sink) for sink in by_column.get(column, ())]
            if column < last:
                cells.append(Cell(column, None, number))
                grid.columns[column].append(len(cells) - 1)
                passing = (len(cells) - 1, 0)
                grid.segments.append(Segment(number, here, passing))
                here = passing
    return grid


@dataclass(frozen=True, slots=True)
class Spacing:
    """The least space at the left end, between columns, and at the right end."""

    before: float
    between: float
    after: float


WIRE = 7.0
"""The space above and below a wire."""

STUB = 9.0
_STEEP, _WIDEST = 0.34, 60.0


def assembled(grid: Grid, ins: Sequence[int], outs: Sequence[int], spacing: Spacing, above: float, below: float) -> Block:
    """Draw a grid whose heights are known as one block, with space above and below.

    Its cells begin with blocks, followed by the ends of the wires ``ins`` in the first column and ``outs`` in the last one.
    """
    cells = grid.cells
    top = min([cell.y if cell.block is not None else cell.y - WIRE for cell in cells], default=0.0) - above
    for cell in cells:
        cell.y = round(cell.y - top, 3)
    bottom = max([cell.y + (cell.height if cell.block is not None else WIRE) for cell in cells], default=0.0)
    wide, drawing = _draw(grid, spacing)
    blocks = [cell.block for cell in cells if cell.block is not None]
    ends = cells[len(blocks) :]
    left = tuple([Port(w, cell.y) for w, cell in zip(ins, ends, strict=False)])
    right = tuple([Port(w, cell.y) for w, cell in zip(outs, ends[len(ins) :], strict=False)])
    return Block(wide, bottom + below, left, right, drawing, has_effects=any(block.has_effects for block in blocks))


def _draw(grid: Grid, spacing: Spacing) -> tuple[float, Drawing]:
    """Return the width and the drawing of a grid whose heights are known. The first and last columns are its sides."""
    cells = grid.cells
    lefts, rights, turns = _columns(grid, spacing)
    parts: list[Drawing] = []
    edges: dict[int, tuple[float, float]] = {}
    for i, cell in enumerate(cells):
        if cell.block is None:
            edges[i] = (lefts[cell.column], rights[cell.column])
        else:
            x = (lefts[cell.column] + rights[cell.column] - cell.block.width) / 2
            edges[i] = (x, x + cell.block.width)
            parts.append(cell.block.drawing.moved(x, cell.y))
    from_end: dict[tuple[int, End], list[Segment]] = {}
    for segment in grid.segments:
        from_end.setdefault((segment.link, segment.left), []).append(segment)
    strands: list[Strand] = []
    dots: list[Dot] = []
    for number, link in enumerate(grid.links):
        for points, marks in _route(grid, number, from_end, edges, turns, lefts):
            strands += [Strand(link.wire, points)] if len(points) > 1 else []
            dots += [Dot(link.wire, x, y, is_end) for x, y, is_end in marks]
    parts.append(Drawing(strands=tuple(strands), dots=tuple(dots)))
    return rights[-1], together(parts)


def _columns(grid: Grid, spacing: Spacing) -> tuple[list[float], list[float], list[float]]:
    """Return the left and right edges of the columns, and where wires start to bend towards the next column."""
    count = len(grid.columns)
    cells = grid.cells
    widths = [
        max([block.width for i in column if (block := cells[i].block) is not None], default=0.0) for column in grid.columns
    ]
    stubs, rises, least_spaces = [0.0] * count, [0.0] * count, [0.0] * count
    starts: set[tuple[int, End]] = set()
    for segment in grid.segments:
        column = cells[segment.left[0]].column
        rises[column] = max(rises[column], grid.rise(segment))
        key = (segment.link, segment.left)
        if key in starts:
            stubs[column] = max(stubs[column], STUB)
        starts.add(key)
    for link in grid.links:
        if not link.sinks:
            column = cells[link.source[0]].column
            stubs[column] = max(stubs[column], STUB + 4.0)
    bending = _bending(grid)
    for i, cell in enumerate(cells):
        if cell.block is not None and cell.block.margin:
            needed = cell.block.margin - (widths[cell.column] - cell.block.width) / 2
            spaces = stubs if i in bending else least_spaces
            spaces[cell.column] = max(spaces[cell.column], needed)
    lefts, rights, turns = [0.0], [widths[0]], [widths[0] + stubs[0]]
    for column in range(1, count):
        least = spacing.before if column == 1 else spacing.after if column == count - 1 else spacing.between
        rise = rises[column - 1]
        least = max(least, least_spaces[column - 1]) - stubs[column - 1]
        space = max(least, min(8.0 + _STEEP * rise, _WIDEST) if rise > 0.5 else 0.0)
        lefts.append(turns[-1] + space)
        rights.append(lefts[-1] + widths[column])
        turns.append(rights[-1] + (stubs[column] if column < count - 1 else 0.0))
    return lefts, rights, turns


def _bending(grid: Grid) -> set[int]:
    """Return the blocks where the type label of a wire would be in the way: the wire goes up, or down past another wire."""
    found: set[int] = set()
    for segment in grid.segments:
        i, port = segment.left
        block = grid.cells[i].block
        if block is not None:
            rise = grid.finish(segment.right) - grid.start(segment.left)
            if rise < -1.0 or (rise > 1.0 and any(other.y > block.outs[port].y for other in block.outs)):
                found.add(i)
    return found


def _route(
    grid: Grid,
    number: int,
    from_end: Mapping[tuple[int, End], list[Segment]],
    edges: Mapping[int, tuple[float, float]],
    turns: Sequence[float],
    lefts: Sequence[float],
) -> Iterator[tuple[tuple[Point, ...], list[tuple[float, float, bool]]]]:
    """Yield the strands of one link, each with its dots."""
    cells, link = grid.cells, grid.links[number]
    y = grid.start(link.source)
    start = (edges[link.source[0]][1], y)
    if not link.sinks:
        yield (start, (start[0] + STUB, y)), [(start[0] + STUB, y, True)]
        return
    todo: list[tuple[list[Point], End]] = [([start], link.source)]
    while todo:
        points, end = todo.pop()
        dots: list[tuple[float, float, bool]] = []
        while outgoing := from_end.get((number, end), ()):
            y = points[-1][1]
            turn = (turns[cells[end[0]].column], y)
            points.append(turn)
            following, *others = sorted(outgoing, key=grid.rise)
            todo += [([turn, *_arrival(grid, other, edges, lefts)], other.right) for other in others]
            dots += [(*turn, False)] if others else []
            points += _arrival(grid, following, edges, lefts)
            end = following.right
        yield _straightened(points), dots


def _arrival(grid: Grid, segment: Segment, edges: Mapping[int, tuple[float, float]], lefts: Sequence[float]) -> list[Point]:
    """Return the points where a segment reaches its column and its block."""
    i, y = segment.right[0], grid.finish(segment.right)
    return [(lefts[grid.cells[i].column], y), (edges[i][0], y)]


def _straightened(points: Sequence[Point]) -> tuple[Point, ...]:
    """Drop points in the middle of straight pieces."""
    kept: list[Point] = []
    for point in points:
        if kept and abs(kept[-1][0] - point[0]) < 1e-9 and abs(kept[-1][1] - point[1]) < 1e-9:
            continue
        if len(kept) > 1 and kept[-2][1] == kept[-1][1] == point[1]:
            kept.pop()
        kept.append(point)
    return tuple(kept)
