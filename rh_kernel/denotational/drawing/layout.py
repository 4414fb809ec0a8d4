"""Layout of diagrams (RH §6.1, §7.4): the coordinates of every box, frame and wire of ``⟦P⟧``.

A command without handlers is a row from left to right. The interpretation of a reverse handler is U-shaped. A clause is a frame
around its boxes, or if folded one box ``⟦Qᶠ FC[w0]⟧`` as in Example 7.17. Wires of the unit type are omitted.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from rh_kernel.denotational.arrows import Arrow
from rh_kernel.denotational.drawing import elements as e
from rh_kernel.denotational.drawing.bands import banded, space_beside
from rh_kernel.denotational.drawing.elements import Block, Drawing, Port, extended, together
from rh_kernel.denotational.drawing.folding import Folding, folding
from rh_kernel.denotational.drawing.grid import Spacing
from rh_kernel.denotational.drawing.layers import Padding, Side, row
from rh_kernel.denotational.drawing.legs import Make, net
from rh_kernel.denotational.drawing.nests import nested
from rh_kernel.denotational.drawing.outline import (
    Cluster,
    Group,
    Item,
    Leaf,
    Nested,
    Net,
    interface,
    nodes,
    outline,
    with_closed_rounds,
)
from rh_kernel.denotational.drawing.sketch import BoxShape, Figure, Sketch, part_gloss, part_title, sketch
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


def placed(s: Sketch, *, folded: bool | Collection[int], closes_rounds: bool = False) -> Layout:
    """Lay out a sketch. Given numbers of folds, open folds have frames and can be closed.

    Without them, rounds between others that are drawn are one box, and with ``closes_rounds`` all rounds are.
    """
    if isinstance(folded, bool):
        return _placed(s, with_closed_rounds(outline(s), every=closes_rounds), is_folded=folded)
    found = folding(s, folded)
    return replace(_placed(s, found.items, is_folded=False), folding=found)


def _placed(s: Sketch, items: tuple[Item, ...], *, is_folded: bool) -> Layout:
    block = _Page(s, is_folded=is_folded).row(items, Side(s.inputs), Side(s.outputs), _WHOLE)
    before = max([type_width(s.types[w]) + 12.0 for w in s.inputs], default=2.0)
    after = max([type_width(s.types[w]) + 12.0 for w in s.outputs], default=2.0)
    end = before + block.width + 8.0
    labels = [e.Label(p.wire, 2.0, p.y - 3.5) for p in block.ins]
    labels += [e.Label(p.wire, end, p.y - 3.5) for p in block.outs if not _is_labelled(block, p)]
    whole = extended(block, before, after)
    drawing = together([whole.drawing, Drawing(labels=tuple(labels))])
    return Layout(whole.width, max(block.height, 24.0), drawing, s, is_folded)


class _Page:
    """Turns items into blocks."""

    def __init__(self, s: Sketch, *, is_folded: bool) -> None:
        self._s = s
        self._is_folded = is_folded
        self._readers: dict[int, set[int]] = {}
        for node in s.every.values():
            leaving = [] if node.nest is None else [w for branch in node.nest.branches for w in branch.results]
            for w in (*node.inputs, *leaving):
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
                    own = e.box(node.figure, (node.number,), node.inputs, node.outputs, self._s.types)
                    return row([own], left, right, _BARE)
                inputs = sorted(node.inputs, key=left.wires.index)
                outputs = sorted(node.outputs, key=lambda w: right.wires.index(w) if w in right.wires else len(right.wires))
                return e.box(node.figure, (node.number,), _at(left, inputs), outputs, self._s.types)
            case Nested():
                return row([nested(item, self._s.types, self.row)], left, right, _BARE)
            case Cluster(part):
                title, gloss = part_title(part), part_gloss(part)
                if self._is_folded:
                    return self._one_box(item, f"⟦{title}⟧", gloss, left, right)
                return self._framed(item, e.PlacedFrame(part.leg, title, gloss, 0.0, 0.0, 0.0, 0.0), left, right)
            case Net():
                return banded(net(item, left.wires, right.wires, self._read, self._maker_for(item)), item.bands)
            case Group(fold, label, gloss, is_closed=is_closed):
                if not is_closed:
                    frame = e.PlacedFrame(fold.leg, fold.title, gloss, 0.0, 0.0, 0.0, 0.0, fold)
                    return self._framed(item, frame, left, right)
                made = self._one_box(item, label, gloss, left, right)
                boxes = tuple([replace(placed_box, fold=fold) for placed_box in made.drawing.boxes])
                return replace(made, drawing=replace(made.drawing, boxes=boxes))

    def _maker_for(self, item: Net) -> Make:
        """Return the function that lays out the stages of a net, leaving space beside them for frames."""
        space = space_beside(item.bands)
        if not space:
            return self.block
        return lambda inner, left, right: extended(self.block(inner, left, right), space, space)

    def _framed(self, item: Cluster | Group, frame: e.PlacedFrame, left: Side, right: Side) -> Block:
        """Lay out items in a row inside a frame, with space for its title above."""
        inner = self.row(item.items, left, right, _FRAME)
        missing = width(frame.title, SMALL) + 16.0 - inner.width
        if missing > 0:
            inner = extended(inner, missing / 2, missing / 2)
        frame = replace(frame, width=inner.width, height=inner.height)
        return replace(inner, drawing=together([Drawing(frames=(frame,)), inner.drawing]))

    def _one_box(self, item: Item, label: str, gloss: str, left: Side, right: Side) -> Block:
        inside = nodes(item)
        has_effects = any(node.figure.shape is BoxShape.OPERATION for node in inside)
        shape = BoxShape.OPERATION if has_effects else BoxShape.PURE
        boxes = "1 box" if len(inside) == 1 else f"{len(inside)} boxes"
        figure = Figure(shape, label, f"{gloss}, folded: {boxes}")
        kept = right.ranks.count(0)
        outs = [Port(w, e.FIRST + e.PORT * i) if i < kept else w for i, w in enumerate(right.wires)]
        return e.box(figure, tuple([node.number for node in inside]), _at(left, left.wires), outs, self._s.types)

    def _sides(self, item: Item) -> tuple[Side, Side]:
        """Return the wires at the sides of an item; all those of a single box, even if it reads one twice."""
        one = isinstance(item, Leaf | Nested)
        ins, outs = (item.node.inputs, item.node.outputs) if one else interface(item, self._read)
        return Side(ins), Side(outs)

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
