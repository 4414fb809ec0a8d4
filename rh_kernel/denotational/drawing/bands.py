"""Frames around what a declared net is on the way forward through a reverse handler, and what it is on the way back.

The stages of a net stand in columns of their own, and those of one leg of it beside each other. So the frame of a band is the
least rectangle around its boxes, and there is nothing else in it but wires that pass.
"""

from collections.abc import Sequence
from dataclasses import replace

from rh_kernel.denotational.drawing.lettering import SMALL, shortened, width
from rh_kernel.denotational.drawing.outline import Band
from rh_kernel.denotational.drawing.pieces import Block, Drawing, PlacedGroup, Strand, together

_ABOVE, _BESIDE = 17.0, 5.0


def room_beside(bands: Sequence[Band]) -> float:
    """The room that frames in frames need at each side of a stage, beyond what is there anyway."""
    deepest = max([sum(b.members >= band.members for b in bands) for band in bands], default=0)
    return max(deepest - 1, 0) * _BESIDE


def banded(block: Block, bands: Sequence[Band]) -> Block:
    """The block with these frames, and room for them above and below; inner bands come after outer ones."""
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
    """The rectangle around the boxes of a band, the frames that they have, and the bands inside of it."""
    boxes = [box for box in drawing.boxes if band.members.issuperset(box.members)]
    things = [*boxes, *[g for g in drawing.groups if band.members.issuperset(g.fold.members)], *inner]
    left, top = min([thing.x for thing in things]) - _BESIDE, min([thing.y for thing in things]) - _ABOVE
    right = max([thing.x + thing.width for thing in things]) + _BESIDE
    bottom = max([thing.y + thing.height for thing in things]) + _BESIDE
    title = _fitting(band.title, right - left - 16.0)
    return PlacedGroup(band.fold, title, band.gloss, left, top, right - left, bottom - top)


def _fitting(title: str, room: float) -> str:
    """The title, or as much of it as there is room for: a frame must not reach into the next one."""
    most = len(title)
    while most > 2 and width(shortened(title, most), SMALL) > room:
        most -= 1
    return shortened(title, most)
