"""Frames around the boxes of a declared net in the forward pass of a reverse handler, and around those in its backward pass.

The stages of a net have columns of their own, and those of one leg are adjacent. So the frame of a band is the bounding box of
its boxes, and contains nothing else but passing wires.
"""

from collections.abc import Sequence
from dataclasses import replace

from rh_kernel.denotational.drawing.elements import Block, Drawing, PlacedFrame, extended, together
from rh_kernel.denotational.drawing.outline import Band
from rh_kernel.denotational.drawing.text_metrics import SMALL, shortened, width

_ABOVE, _BESIDE = 17.0, 5.0


def space_beside(bands: Sequence[Band]) -> float:
    """Return the extra space that nested frames need at each side of a stage."""
    deepest = max([sum(b.members >= band.members for b in bands) for band in bands], default=0)
    return max(deepest - 1, 0) * _BESIDE


def banded(block: Block, bands: Sequence[Band]) -> Block:
    """Return the block with these frames, and space for them above and below; inner bands come after outer ones."""
    placed: dict[Band, PlacedFrame] = {}
    for band in reversed(bands):
        inner = [frame for b, frame in placed.items() if b.members <= band.members]
        placed[band] = _frame(block.drawing, inner, band)
    frames = tuple(reversed(placed.values()))
    before, above = max([0.0, *[-frame.x for frame in frames]]), max([0.0, *[-frame.y for frame in frames]])
    after = max([0.0, *[frame.x + frame.width - block.width for frame in frames]])
    below = max([0.0, *[frame.y + frame.height - block.height for frame in frames]])
    ins = tuple([replace(port, y=port.y + above) for port in block.ins])
    outs = tuple([replace(port, y=port.y + above) for port in block.outs])
    drawing = together([Drawing(frames=frames), block.drawing]).moved(0.0, above)
    higher = replace(block, height=block.height + above + below, ins=ins, outs=outs, drawing=drawing)
    return extended(higher, before, after)


def _frame(drawing: Drawing, inner: Sequence[PlacedFrame], band: Band) -> PlacedFrame:
    """Return the rectangle around the boxes of a band, their frames, and the bands inside it."""
    members = band.members
    boxes = [box for box in drawing.boxes if members.issuperset(box.members)]
    frames = [frame for frame in drawing.frames if frame.fold is not None and members.issuperset(frame.fold.members)]
    contents = [*boxes, *frames, *inner]
    left, top = min([thing.x for thing in contents]) - _BESIDE, min([thing.y for thing in contents]) - _ABOVE
    right = max([thing.x + thing.width for thing in contents]) + _BESIDE
    bottom = max([thing.y + thing.height for thing in contents]) + _BESIDE
    title = _truncated(band.title, right - left - 16.0)
    return PlacedFrame(None, title, band.gloss, left, top, right - left, bottom - top, band.fold)


def _truncated(title: str, available: float) -> str:
    """Truncate the title to the available width: a frame must not reach into the next one."""
    most = len(title)
    while most > 2 and width(shortened(title, most), SMALL) > available:
        most -= 1
    return shortened(title, most)
