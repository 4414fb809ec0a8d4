"""The U of a reverse handler (RH Ex. 7.17): down through the forward pass, the return clause, up through the backward pass.

Each level has a height of its own. What a forward stage saves for its backward partner, the auxiliary data of a clause or the
input of a pure map, runs straight across; all other wires run along the outside of the U.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from rh_kernel.denotational.drawing.coordinates import nearest
from rh_kernel.denotational.drawing.elements import Block
from rh_kernel.denotational.drawing.grid import Cell, End, Grid, Link, Spacing, assembled, weave
from rh_kernel.denotational.drawing.layers import Side
from rh_kernel.denotational.drawing.outline import Item, Net, Stage, interface, nodes
from rh_kernel.denotational.provenance import Leg

Make = Callable[[Item, Side, Side], Block]
"""Lays out an item with these wires at its sides."""

_BELOW, _APART, _STEP = 14.0, 14.0, 12.0
_SPACING = Spacing(0.0, 10.0, 0.0)


@dataclass(frozen=True, slots=True)
class _WiredStage:
    """A stage with the wires that it reads and makes: ``kept`` are saved for its partner, ``given`` were saved by it."""

    stage: Stage
    reads: tuple[int, ...]
    makes: tuple[int, ...]
    kept: tuple[int, ...] = ()
    given: tuple[int, ...] = ()

    @property
    def level(self) -> float:
        """The level; sums and zeros are half a level below the partners."""
        return self.stage.level + (0.0 if self.stage.is_core else 0.5)

    @property
    def is_backward(self) -> bool:
        """Whether it belongs to the backward pass."""
        return self.stage.leg is Leg.BACKWARD


def net(n: Net, ins: tuple[int, ...], outs: tuple[int, ...], read: Callable[[int], set[int]], make: Make) -> Block:
    """Lay out the U as one block; ``read`` returns the numbers of the boxes that read a wire."""
    wired = _wired_stages(n, read)
    blocks, partner = _blocks(wired, outs, make)
    cells = [Cell(i + 1, block) for i, block in enumerate(blocks)]
    cells += [Cell(0, None) for _ in ins] + [Cell(len(blocks) + 1, None) for _ in outs]
    links = _links(wired, blocks, partner, ins, outs)
    grid = weave(cells, links, len(blocks) + 2)
    _place_core(grid, wired, partner)
    _place_wires(grid, wired)
    return assembled(grid, ins, outs, _SPACING, 0.0, 0.0)


def _wired_stages(n: Net, read: Callable[[int], set[int]]) -> list[_WiredStage]:
    maker = {w: i for i, stage in enumerate(n.stages) for node in nodes(stage.item) for w in node.outputs}
    inside = [_WiredStage(stage, *interface(stage.item, read)) for stage in n.stages]
    partners = _partners(inside)
    for f, b in partners.items():
        given = tuple([w for w in inside[b].reads if maker.get(w, -1) <= f])
        reads = tuple(dict.fromkeys([*inside[f].reads, *[w for w in given if maker.get(w, -1) < f]]))
        inside[f] = replace(inside[f], kept=given, reads=reads)
        inside[b] = replace(inside[b], given=given)
    return inside


def _partners(wired: Sequence[_WiredStage]) -> dict[int, int]:
    """Map forward stages to their backward partners."""
    forward: dict[int, int] = {}
    found: dict[int, int] = {}
    for i, entry in enumerate(wired):
        if entry.stage.is_core and entry.stage.leg is Leg.FORWARD:
            forward[entry.stage.level] = i
        elif entry.stage.is_core and entry.is_backward and entry.stage.level in forward:
            found.setdefault(forward.pop(entry.stage.level), i)
    return found


def _blocks(wired: Sequence[_WiredStage], outs: tuple[int, ...], make: Make) -> tuple[list[Block], dict[int, int]]:
    """Return the block of each stage, and the partners; saved wires enter at the height at which they left."""
    partner = _partners(wired)
    forward = {b: f for f, b in partner.items()}
    blocks: list[Block] = []
    for i, entry in enumerate(wired):
        if i in forward:
            heights = {port.wire: port.y for port in blocks[forward[i]].outs[: len(entry.given)]}
            given = sorted(entry.given, key=lambda w: heights[w])
            others = _latest_first(wired, i, [w for w in entry.reads if w not in entry.given])
            every = (*given, *others)
            left = Side(every, tuple(range(len(every))), (*[heights[w] for w in given], *[None] * len(others)))
        else:
            reads = _latest_first(wired, i, entry.reads)
            left = Side(tuple(reads), tuple(range(len(reads))))
        elsewhere = [w for w in entry.makes if w not in entry.kept or w in outs or _is_read_on(wired, i, partner.get(i, -1), w)]
        elsewhere.sort(key=lambda w: next((j for j in range(i + 1, len(wired)) if w in wired[j].reads), len(wired)))
        right = Side((*entry.kept, *elsewhere), (*[0] * len(entry.kept), *range(1, len(elsewhere) + 1)))
        blocks.append(make(entry.stage.item, left, right))
    return blocks, partner


def _latest_first(wired: Sequence[_WiredStage], i: int, wires: Sequence[int]) -> list[int]:
    """Sort incoming wires: those from the previous stage first, those from far away last."""
    maker = {w: j for j in range(i) for w in wired[j].makes}
    return sorted(wires, key=lambda w: -maker.get(w, -1))


def _is_read_on(wired: Sequence[_WiredStage], i: int, partner: int, w: int) -> bool:
    """Whether a wire that stage i makes and saves is also read elsewhere."""
    return any(w in entry.reads for j, entry in enumerate(wired) if j not in (i, partner))


def _links(
    wired: Sequence[_WiredStage], blocks: Sequence[Block], partner: dict[int, int], ins: tuple[int, ...], outs: tuple[int, ...]
) -> list[Link]:
    count = len(blocks)
    back = set(partner.values())
    links: list[Link] = []
    sources: dict[int, End] = {w: (count + i, 0) for i, w in enumerate(ins)}
    sinks: dict[int, list[End]] = {}
    for i, (entry, block) in enumerate(zip(wired, blocks, strict=True)):
        kept = len(entry.kept) if i in partner else 0
        for k, port in enumerate(block.outs):
            if k < kept:
                into = next(n for n, p in enumerate(blocks[partner[i]].ins) if p.wire == port.wire)
                links.append(Link(port.wire, (i, k), ((partner[i], into),)))
            else:
                sources[port.wire] = (i, k)
        for k, port in enumerate(block.ins):
            if not (i in back and port.wire in entry.given):
                sinks.setdefault(port.wire, []).append((i, k))
    for i, w in enumerate(outs):
        sinks.setdefault(w, []).append((count + len(ins) + i, 0))
    return [*links, *[Link(w, source, tuple(sinks.get(w, ()))) for w, source in sources.items()]]


def _place_core(grid: Grid, wired: Sequence[_WiredStage], partner: dict[int, int]) -> None:
    """Set the heights of the partners and of the return clause, level by level."""
    back = {b: f for f, b in partner.items()}
    core = [i for i, entry in enumerate(wired) if entry.stage.is_core and i not in back]
    source = {segment.right: segment.left for segment in grid.segments}
    placed: set[int] = set()
    floor, top = -_STEP, -_STEP
    for i in sorted(core, key=lambda i: (wired[i].level, i)):
        cell, b = grid.cells[i], partner.get(i)
        offset = 0.0 if b is None else _offset(grid, i, b, len(wired[i].kept))
        top = max(top + _STEP, floor + max(0.0, -offset))
        if not wired[i].is_backward:
            for k in range(len(cell.block.ins) if cell.block else 0):
                left = source.get((i, k))
                if left is not None and left[0] in placed:
                    top = max(top, grid.start(left) - cell.into(k))
        cell.y = top
        placed.add(i)
        if b is not None:
            grid.cells[b].y = top + offset
            floor = max(floor, *[cell.y + cell.out(k) + _APART for k in range(len(wired[i].kept))], floor)


def _offset(grid: Grid, f: int, b: int, kept: int) -> float:
    """Return how much lower than its partner a backward stage is, so that saved wires run straight across."""
    forward, backward = grid.cells[f].block, grid.cells[b].block
    if forward is None or backward is None or not kept:
        return 0.0
    wire = forward.outs[0].wire
    return forward.outs[0].y - next(port.y for port in backward.ins if port.wire == wire)


def _place_wires(grid: Grid, wired: Sequence[_WiredStage]) -> None:
    """Set the heights of passing wires, and of the sums and zeros beside the partners."""
    count = len(wired)
    straight = {n for n, link in enumerate(grid.links) if _is_kept(link, wired)}
    across: dict[int, list[float]] = {}
    for i, cell in enumerate(grid.cells):
        if i >= count and cell.link in straight:
            cell.y = grid.start(grid.links[cell.link].source)
            across.setdefault(cell.column, []).append(cell.y)
    _place_loose(grid, wired, across)
    _route_outside(grid, count, straight)
    _place_ends(grid, count)


def _is_kept(link: Link, wired: Sequence[_WiredStage]) -> bool:
    """Whether a link leads from a stage to its partner."""
    source, port = link.source
    return source < len(wired) and port < len(wired[source].kept)


def _place_loose(grid: Grid, wired: Sequence[_WiredStage], across: dict[int, list[float]]) -> None:
    """Place sums and zeros at the height of their sources or sinks, below the wires that run across above them."""
    right, left = grid.right_of(), grid.left_of()
    for i, entry in enumerate(wired):
        if entry.stage.is_core:
            continue
        cell = grid.cells[i]
        wanted = [grid.start(s.left) - cell.into(s.right[1]) for s in left[i] if s.left[0] < len(wired)]
        if not wanted:
            wanted = [grid.finish(s.right) - cell.out(s.left[1]) for s in right[i] if s.right[0] < len(wired)]
        least = max([y + _APART for y in across.get(cell.column, [])], default=float("-inf"))
        cell.y = max(min(wanted, default=least if least > float("-inf") else 0.0), least)


def _route_outside(grid: Grid, count: int, straight: set[int]) -> None:
    """Route all other passing wires below the blocks that they pass, each on a line of its own."""
    spans: list[tuple[int, int, int]] = []
    for n, link in enumerate(grid.links):
        if n not in straight and link.sinks:
            first = grid.cells[link.source[0]].column + 1
            last = max(grid.cells[cell].column for cell, _ in link.sinks) - 1
            if first <= last:
                spans.append((first, last, n))
    taken: list[tuple[int, int, float]] = []
    heights: dict[int, float] = {}
    for first, last, n in sorted(spans, key=lambda span: (span[1] - span[0], span)):
        y = max(
            [grid.cells[i].y + grid.cells[i].height + _BELOW for i in range(count) if first <= grid.cells[i].column <= last]
        )
        for low, high, other in sorted(taken, key=lambda t: t[2]):
            if low <= last and first <= high and abs(other - y) < _APART:
                y = other + _APART
        taken.append((first, last, y))
        heights[n] = y
    for cell in grid.cells[count:]:
        if cell.link in heights:
            cell.y = heights[cell.link]


def _place_ends(grid: Grid, count: int) -> None:
    """Place the ends of incoming and outgoing wires at the height of their sinks and sources."""
    right, left = grid.right_of(), grid.left_of()
    last = len(grid.columns) - 1
    for column, beside, is_left in ((0, right, False), (last, left, True)):
        pins = [i for i in grid.columns[column] if i >= count]
        wanted: dict[int, float] = {}
        for i in pins:
            heights = [grid.start(s.left) if is_left else grid.finish(s.right) for s in beside[i]]
            wanted[i] = min(heights, default=0.0)
        pins.sort(key=lambda i: (wanted[i], i))
        apart = [0.0, *[_APART] * (len(pins) - 1)][: len(pins)]
        for i, y in zip(pins, nearest([wanted[i] for i in pins], [1.0] * len(pins), apart), strict=True):
            grid.cells[i].y = y
