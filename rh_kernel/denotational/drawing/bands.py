"""Frames around the boxes of a declared net in the forward pass of a reverse handler, and around those in its backward pass.

The stages of a net have columns of their own, and those of one leg are adjacent. So the frame of a band is the bounding box of
its boxes, and contains nothing else but passing wires.
"""

from collections.abc import Sequence
from dataclasses import replace

from rh_kernel.denotational.drawing.elements import Block, Drawing, PlacedGroup, Strand, together
from rh_kernel.denotational.drawing.outline import Band
from rh_kernel.denotational.drawing.text_metrics import SMALL, shortened, width

_ABOVE, _BESIDE = 17.0, 5.0


def space_beside(bands: Sequence[Band]) -> float:
    """Return the extra space that nested frames need at each side of a stage."""
    deepest = max([sum(b.members >= band.members for b in bands) for band in bands], default=0)
    return max(deepest - 1, 0) * _BESIDE


def banded(block: Block, bands: Sequence[Band]) -> Block:
    """Return the block with these frames, and space for them above and below; inner bands come after outer ones."""
    placed: dict[Band, PlacedGroup] = {}
    for band in reversed(bands):
        inner = [group for b, group in placed.items() if b.members <= band.members]
        placed[band] = _frame(block.drawing, inner, band)
    groups = tuple(reversed(placed.values()))
    before, above = max([0.0, *[-group.x for group in groups]]), max([0.0, *[-group.y for group in groups]])
    after = max([0.0, *[group.x + group.width - block.width for group in groups]])
    below = max([0.0, *[group.y + group.height - block.height for group in groups]])
    ins = tuple([replace(port, y=port.y + above) for port in block.ins])
    outs = tuple([replace(port, y=port.y + above) for port in block.outs])
    wide = before + block.width + after
    left = [Strand(port.wire, ((0.0, port.y), (before, port.y))) for port in ins if before]
    right = [Strand(port.wire, ((wide - after, port.y), (wide, port.y))) for port in outs if after]
    inner = together([Drawing(groups=groups), block.drawing]).moved(before, above)
    drawing = together([inner, Drawing(strands=(*left, *right))])
    return replace(block, width=wide, height=block.height + above + below, ins=ins, outs=outs, drawing=drawing)


def _frame(drawing: Drawing, inner: Sequence[PlacedGroup], band: Band) -> PlacedGroup:
    """Return the rectangle around the boxes of a band, their frames, and the bands inside it."""
    boxes = [box for box in drawing.boxes if band.members.issuperset(box.members)]
    contents = [*boxes, *[g for g in drawing.groups if band.members.issuperset(g.fold.members)], *inner]
    left, top = min([thing.x for thing in contents]) - _BESIDE, min([thing.y for thing in contents]) - _ABOVE
    right = max([thing.x + thing.width for thing in contents]) + _BESIDE
    bottom = max([thing.y + thing.height for thing in contents]) + _BESIDE
    title = _truncated(band.title, right - left - 16.0)
    return PlacedGroup(band.fold, title, band.gloss, left, top, right - left, bottom - top)


def _truncated(title: str, available: float) -> str:
    """Truncate the title to the available width: a frame must not reach into the next one."""
    most = len(title)
    while most > 2 and width(shortened(title, most), SMALL) > available:
        most -= 1
    return shortened(title, most)
