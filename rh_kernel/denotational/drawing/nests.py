"""Layout of boxes with diagrams in them: rounds, whose state comes round, and choices between branches.

Rounds are drawn once, in a frame. A wire of the state leaves the round on the right and comes round to the left above it: the
trace of a traced monoidal category, with the first state joining it where it enters the round.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from rh_kernel.denotational.drawing.elements import Block, Dot, Drawing, PlacedFrame, Port, Strand, box, together
from rh_kernel.denotational.drawing.grid import Spacing
from rh_kernel.denotational.drawing.layers import Padding, Side, row
from rh_kernel.denotational.drawing.outline import Item, Leaf, Nested
from rh_kernel.denotational.drawing.sketch import BoxShape, Coming, Nest, Node
from rh_kernel.denotational.drawing.text_metrics import SMALL, type_width, width
from rh_kernel.syntax.types import Type

Lay: TypeAlias = Callable[[Sequence[Item], Side, Side, Padding], Block]
"""Lays out items in a row."""

_TITLE, _BELOW = 19.0, 9.0
_LANE = 9.0
"""The distance between wires that come round."""

_TURN = 14.0
"""The space for the curve at which a wire turns."""

_INNER = Padding(4.0, 0.0, Spacing(6.0, 10.0, 6.0))
_CHOICE = Padding(_TITLE, _BELOW, Spacing(10.0, 14.0, 10.0))
_BRANCH = Padding(_TITLE - 2.0, 7.0, Spacing(8.0, 10.0, 8.0))


def nested(item: Nested, types: Sequence[Type], lay: Lay) -> Block:
    """Lay out a box with diagrams in it."""
    return _rounds(item, types, lay) if item.nest.is_loop else _choice(item, types, lay)


def _rounds(item: Nested, types: Sequence[Type], lay: Lay) -> Block:
    nest, node = item.nest, item.node
    starts, ends = [c.start for c in nest.round], [c.end for c in nest.round]
    into = [w for w in dict.fromkeys(node.inputs) if w not in starts or node.inputs.count(w) > starts.count(w)]
    out = [w for w in node.outputs if w not in ends]
    left = Side((*[c.state for c in nest.round], *into), (*[0] * len(starts), *[1] * len(into)))
    right = Side((*[c.after for c in nest.round], *out), (*[0] * len(ends), *[1] * len(out)))
    items = [*_leaf(nest.begin), *item.branches[0], *_leaf(nest.end)]
    inner = lay(items, left, right, _INNER)

    count = len(nest.round)
    beside = _TURN + 8.0 + _LANE * max(count - 1, 0)
    before = max([beside, *[type_width(types[c.state]) + beside for c in nest.round]])
    top = _TITLE + _LANE * count
    wide = max(before + inner.width + beside, width(nest.title, SMALL) + 16.0)
    beside = wide - before - inner.width
    parts = [inner.drawing.moved(before, top)]
    order = sorted(range(count), key=lambda i: (inner.ins[i].y, inner.outs[i].y))
    for rank, i in enumerate(order):
        y_in, y_out = top + inner.ins[i].y, top + inner.outs[i].y
        joint, fork = _TURN + 4.0 + _LANE * (count - 1 - rank), wide - _TURN - 4.0 - _LANE * (count - 1 - rank)
        lane = top - 4.0 - _LANE * rank
        parts.append(_coming_round(nest.round[i], (joint, y_in), (fork, y_out), lane, before, wide - beside, wide))
    strands = [Strand(p.wire, ((0.0, top + p.y), (before, top + p.y))) for p in inner.ins[count:]]
    strands += [Strand(p.wire, ((wide - beside, top + p.y), (wide, top + p.y))) for p in inner.outs[count:]]
    high = top + inner.height + _BELOW
    frame = _frame(nest, item, wide, high)
    return Block(
        wide,
        high,
        (*_ports(starts, inner.ins[:count], top), *_ports(into, inner.ins[count:], top)),
        (*_ports(ends, inner.outs[:count], top), *_ports(out, inner.outs[count:], top)),
        together([Drawing(frames=(frame,), strands=tuple(strands)), *parts]),
        has_effects=inner.has_effects,
    )


def _coming_round(
    c: Coming, joint: tuple[float, float], fork: tuple[float, float], lane: float, before: float, after: float, wide: float
) -> Drawing:
    """Draw one wire of the state: in at the left, once through the round, out at the right, and round above it."""
    (x_in, y_in), (x_out, y_out) = joint, fork
    around = ((x_out, y_out), (x_out, lane), (x_in, lane), (x_in, y_in))
    return Drawing(
        strands=(
            Strand(c.start, ((0.0, y_in), (x_in, y_in))),
            Strand(c.state, ((x_in, y_in), (before, y_in))),
            Strand(c.after, ((after, y_out), (x_out, y_out))),
            Strand(c.after, around),
            Strand(c.end, ((x_out, y_out), (wide, y_out))),
        ),
        dots=(Dot(c.state, x_in, y_in), Dot(c.after, x_out, y_out)),
    )


def _choice(item: Nested, types: Sequence[Type], lay: Lay) -> Block:
    """Draw the branches one above the other, and behind them the box that joins them."""
    nest, node = item.nest, item.node
    blocks: list[Block] = []
    for branch, items in zip(nest.branches, item.branches, strict=True):
        made = {w for inner in branch.nodes for w in inner.outputs}
        results = [w for w in dict.fromkeys(branch.results) if w in made]
        reads = [w for w in dict.fromkeys(node.inputs) if any(w in inner.inputs for inner in branch.nodes)]
        inner = lay(items, Side(tuple(reads)), Side(tuple(results)), _BRANCH)
        wide = max(inner.width, width(branch.title, SMALL) + 20.0)
        frame = PlacedFrame(None, branch.title, f"the branch {branch.title}", 0.0, 0.0, wide, inner.height)
        strands = tuple([Strand(p.wire, ((inner.width, p.y), (wide, p.y))) for p in inner.outs if wide > inner.width])
        drawing = together([Drawing(frames=(frame,), strands=strands), inner.drawing])
        blocks.append(replace(inner, width=wide, drawing=drawing, has_effects=False))
    has_effects = any(placed.figure.shape is BoxShape.OPERATION for block in blocks for placed in block.drawing.boxes)
    if nest.end is not None:
        blocks.append(box(nest.end.figure, (nest.end.number,), nest.end.inputs, nest.end.outputs, types))
    made_block = row(blocks, Side(tuple(dict.fromkeys(node.inputs))), Side(node.outputs), _CHOICE)
    frame = _frame(nest, item, made_block.width, made_block.height)
    return replace(made_block, drawing=together([Drawing(frames=(frame,)), made_block.drawing]), has_effects=has_effects)


def _leaf(node: Node | None) -> list[Item]:
    return [] if node is None else [Leaf(node)]


def _frame(nest: Nest, item: Nested, wide: float, high: float) -> PlacedFrame:
    return PlacedFrame(None, nest.title, nest.gloss, 0.0, 0.0, wide, high, item.fold)


def _ports(wires: Sequence[int], inside: Sequence[Port], top: float) -> list[Port]:
    return [Port(w, top + port.y) for w, port in zip(wires, inside, strict=True)]
