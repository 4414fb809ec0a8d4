"""Layout of diagrams (RH §6.1, §7.4): the coordinates of every box, frame and wire of ``⟦P⟧``.

A command without handlers is a row from left to right. The interpretation of a reverse handler is U-shaped. A clause is a frame
around its boxes, or if folded one box ``⟦Qᶠ FC[w0]⟧`` as in Example 7.17. Wires of the unit type are omitted.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from rh_kernel.denotational.arrows import Arrow
from rh_kernel.denotational.drawing.bands import banded, space_beside
from rh_kernel.denotational.drawing.elements import (
    FIRST,
    PORT,
    Block,
    Drawing,
    Label,
    PlacedFrame,
    PlacedGroup,
    Port,
    Strand,
    box,
    together,
)
from rh_kernel.denotational.drawing.folding import Folding, folding
from rh_kernel.denotational.drawing.grid import Spacing
from rh_kernel.denotational.drawing.layers import Padding, Side, row
from rh_kernel.denotational.drawing.legs import Make, net
from rh_kernel.denotational.drawing.outline import Cluster, Group, Item, Leaf, Net, nodes, outline
from rh_kernel.denotational.drawing.sketch import Figure, Look, Sketch, part_gloss, part_title, sketch
from rh_kernel.denotational.drawing.text_metrics import SMALL, type_width, width
from rh_kernel.denotational.smooth import Smooth

_TITLE = 17.0
_FRAME = Padding(_TITLE + 2.0, 9.0, Spacing(8.0, 10.0, 8.0))
_BARE = Padding(0.0, 0.0, Spacing(0.0, 10.0, 0.0))
_WHOLE = Padding(8.0, 8.0, Spacing(14.0, 18.0, 14.0))


@dataclass(frozen=True, slots=True)
class Layout:
    """A drawing, its size, and the sketch that it shows."""

    width: float
    height: float
    drawing: Drawing
    sketch: Sketch
    is_folded: bool
    folding: Folding | None = None


def layout(a: Arrow | Smooth, *, folded: bool | Collection[int] = False) -> Layout:
    """Lay out an arrow, or a map of 𝕏; ``folded`` closes every clause, or the folds of these numbers."""
    return placed(sketch(a), folded=folded)


def placed(s: Sketch, *, folded: bool | Collection[int]) -> Layout:
    """Lay out a sketch. Given numbers of folds, open folds have frames and can be closed."""
    if isinstance(folded, bool):
        return _placed(s, outline(s), is_folded=folded)
    found = folding(s, folded)
    return replace(_placed(s, found.items, is_folded=False), folding=found)


def _placed(s: Sketch, items: tuple[Item, ...], *, is_folded: bool) -> Layout:
    page = _Page(s, is_folded=is_folded)
    block = page.row(items, Side(s.inputs), Side(s.outputs), _WHOLE)
    before = max([type_width(s.types[w]) + 12.0 for w in s.inputs], default=2.0)
    after = max([type_width(s.types[w]) + 12.0 for w in s.outputs], default=2.0)
    ends = Drawing(
        strands=(
            *[Strand(p.wire, ((0.0, p.y), (before, p.y))) for p in block.ins],
            *[Strand(p.wire, ((before + block.width, p.y), (before + block.width + after, p.y))) for p in block.outs],
        ),
        labels=(
            *[Label(p.wire, 2.0, p.y - 3.5) for p in block.ins],
            *[Label(p.wire, before + block.width + 8.0, p.y - 3.5) for p in block.outs if not _is_labelled(block, p)],
        ),
    )
    drawing = together([block.drawing.moved(before, 0.0), ends])
    return Layout(before + block.width + after, max(block.height, 24.0), drawing, s, is_folded)


def box_count(s: Sketch, *, folded: bool) -> int:
    """Return the number of boxes in the drawing; folding lowers it if a clause has several boxes."""
    return sum(map(_folded_count, outline(s))) if folded else len(s.nodes)


def passing_count(s: Sketch) -> int:
    """Return how often wires pass boxes between their ends: a measure of the cost of layout."""
    last = {w: place for place, node in enumerate(s.nodes.values()) for w in node.inputs}
    return sum(last.get(w, place) - place for place, node in enumerate(s.nodes.values()) for w in node.outputs)


def has_clauses(s: Sketch) -> bool:
    """Whether there is a clause that can be folded."""
    return any(node.place for node in s.nodes.values())


def _folded_count(item: Item) -> int:
    match item:
        case Leaf() | Cluster():
            return 1
        case Net(stages):
            return sum(_folded_count(stage.item) for stage in stages)
        case Group(items=items):
            return sum(map(_folded_count, items))


class _Page:
    """Turns items into blocks."""

    def __init__(self, s: Sketch, *, is_folded: bool) -> None:
        self._s = s
        self._is_folded = is_folded
        self._readers: dict[int, set[int]] = {}
        for node in s.nodes.values():
            for w in node.inputs:
                self._readers.setdefault(w, set()).add(node.number)
        for w in s.outputs:
            self._readers.setdefault(w, set()).add(-1)

    def row(self, items: Sequence[Item], left: Side, right: Side, padding: Padding) -> Block:
        """Lay out items in a row."""
        return row([self.block(item, *self._sides(item)) for item in items], left, right, padding)

    def block(self, item: Item, left: Side, right: Side) -> Block:
        """Lay out one item with these wires at its sides."""
        match item:
            case Leaf(node):
                if not set(right.wires) <= set(node.outputs) or len(set(right.wires)) < len(right.wires):
                    own = box(node.figure, (node.number,), node.inputs, node.outputs, self._s.types)
                    return row([own], left, right, _BARE)
                inputs = sorted(node.inputs, key=left.wires.index)
                outputs = sorted(node.outputs, key=lambda w: right.wires.index(w) if w in right.wires else len(right.wires))
                return box(node.figure, (node.number,), _at(left, inputs), outputs, self._s.types)
            case Cluster():
                return self._folded(item, left, right) if self._is_folded else self._framed(item, left, right)
            case Net():
                return banded(net(item, left.wires, right.wires, self._read, self._maker_for(item)), item.bands)
            case Group():
                return self._closed(item, left, right) if item.is_closed else self._grouped(item, left, right)

    def _maker_for(self, item: Net) -> Make:
        """Return the function that lays out the stages of a net, leaving space beside them for frames."""
        room = 2 * space_beside(item.bands)
        if not room:
            return self.block

        def made(inner: Item, left: Side, right: Side) -> Block:
            block = self.block(inner, left, right)
            return _widened(block, block.width + room)

        return made

    def _framed(self, item: Cluster, left: Side, right: Side) -> Block:
        inner = self._titled(part_title(item.part), item.items, left, right)
        frame = PlacedFrame(item.part, 0.0, 0.0, inner.width, inner.height)
        return replace(inner, drawing=together([Drawing(frames=(frame,)), inner.drawing]))

    def _grouped(self, item: Group, left: Side, right: Side) -> Block:
        inner = self._titled(item.fold.title, item.items, left, right)
        group = PlacedGroup(item.fold, item.fold.title, item.gloss, 0.0, 0.0, inner.width, inner.height)
        return replace(inner, drawing=together([Drawing(groups=(group,)), inner.drawing]))

    def _titled(self, title: str, items: Sequence[Item], left: Side, right: Side) -> Block:
        """Lay out items in a row with space for a title above."""
        inner = self.row(items, left, right, _FRAME)
        wide = max(inner.width, width(title, SMALL) + 16.0)
        return _widened(inner, wide) if wide > inner.width else inner

    def _folded(self, item: Cluster, left: Side, right: Side) -> Block:
        return self._one_box(item, f"⟦{part_title(item.part)}⟧", part_gloss(item.part), left, right)

    def _closed(self, item: Group, left: Side, right: Side) -> Block:
        made = self._one_box(item, item.label, item.gloss, left, right)
        boxes = tuple([replace(placed_box, fold=item.fold) for placed_box in made.drawing.boxes])
        return replace(made, drawing=replace(made.drawing, boxes=boxes))

    def _one_box(self, item: Item, label: str, gloss: str, left: Side, right: Side) -> Block:
        inside = nodes(item)
        has_effects = any(node.figure.look is Look.OPERATION for node in inside)
        look = Look.OPERATION if has_effects else Look.PURE
        boxes = "1 box" if len(inside) == 1 else f"{len(inside)} boxes"
        figure = Figure(look, label, f"{gloss}, folded: {boxes}")
        kept = right.ranks.count(0)
        outs = [Port(w, FIRST + PORT * i) if i < kept else w for i, w in enumerate(right.wires)]
        return box(figure, tuple([node.number for node in inside]), _at(left, left.wires), outs, self._s.types)

    def _sides(self, item: Item) -> tuple[Side, Side]:
        """Return the wires that an item reads from outside, and those of its wires that are read elsewhere."""
        inside = nodes(item)
        made = [w for node in inside for w in node.outputs]
        if isinstance(item, Leaf):
            return Side(item.node.inputs), Side(item.node.outputs)
        numbers = {node.number for node in inside}
        makes = set(made)
        reads = dict.fromkeys([w for node in inside for w in node.inputs if w not in makes])
        return Side(tuple(reads)), Side(tuple([w for w in made if self._read(w) - numbers]))

    def _read(self, w: int) -> set[int]:
        return self._readers.get(w, set())


def _is_labelled(block: Block, port: Port) -> bool:
    """Whether the type of an outgoing wire is already written near its end."""
    return any(t.wire == port.wire and t.x > block.width - 60.0 for t in block.drawing.labels)


def _at(side: Side, wires: Sequence[int]) -> list[Port | int]:
    """Return the wires, those with known heights first."""
    known = {w: y for w, y in zip(side.wires, side.heights, strict=False) if y is not None}
    first: list[Port | int] = [Port(w, known[w]) for w in side.wires if w in known]
    return [*first, *[w for w in wires if w not in known]]


def _widened(block: Block, wide: float) -> Block:
    """Widen the block by extending its wires on both sides."""
    extra = (wide - block.width) / 2
    left = [Strand(p.wire, ((0.0, p.y), (extra, p.y))) for p in block.ins]
    right = [Strand(p.wire, ((wide - extra, p.y), (wide, p.y))) for p in block.outs]
    drawing = together([block.drawing.moved(extra, 0.0), Drawing(strands=(*left, *right))])
    return replace(block, width=wide, drawing=drawing)
