"""The diagram of a net with tinted boxes and their sizes, as SVG, and the scale of the tints."""

import math

from rh_kernel.denotational.drawing.elements import PlacedBox
from rh_kernel.denotational.drawing.layout import Layout
from rh_kernel.denotational.drawing.sketch import BoxShape
from rh_kernel.display.diagrams.svg import diagram_svg
from rh_kernel.display.flow.tints import COLOUR, PALEST, STRONGEST, TintScale, measured_boxes, size_of
from rh_kernel.display.html import escape
from rh_kernel.display.palette import INK, MARKS, NEUTRAL, PAPER
from rh_kernel.display.pictures import image
from rh_kernel.display.training.curves import tick_text
from rh_kernel.session.flow.records import FlowMade, FlowNet, Quantity

SIZE = 8.0
"""The font size of the numbers below boxes."""

STEPS = 8
"""The steps of the scale."""

_UNFILLED = "<style>.rh-d .b{fill-opacity:0}</style>"


def flow_svg(made: FlowMade, net: FlowNet, drawn: Layout, frame: int, quantity: Quantity, scale: TintScale | None) -> str:
    """The drawing of a net, its boxes tinted by their sizes in a frame, with these sizes below them."""
    at = measured_boxes(made, net, drawn)
    sizes = {box.members[0]: size_of(made, frame, quantity, at[box.members[0]]) for box in drawn.drawing.boxes}
    boxes = [(box, sizes[box.members[0]]) for box in drawn.drawing.boxes if at[box.members[0]]]
    tints = "".join([_tint(box, size, quantity, scale) for box, size in boxes])
    numbers = "".join([_number(box, size) for box, size in boxes])
    label = flow_label(made, frame, quantity)
    svg = diagram_svg(drawn, label, INK, paper=PAPER, beneath=_UNFILLED + tints)
    return f"{svg.removesuffix('</svg>')}{numbers}</svg>"


def flow_label(made: FlowMade, frame: int, quantity: Quantity) -> str:
    """The alternative text of a picture."""
    batch = made.frames[frame].batch
    return f"string diagram of {' '.join(made.subject.split())} after {batch:,} batches, its boxes tinted by {quantity.value}"


def size_text(size: float) -> str:
    """A size with two significant digits; ``-`` if there is none."""
    if math.isnan(size):
        return "-"
    return tick_text(float(f"{size:.2g}")) if math.isfinite(size) else "not finite"


def scale_image(scale: TintScale, quantity: Quantity) -> str:
    """The scale of the tints with the sizes at its ends, as an ``<img>``."""
    low, high = tick_text(float(f"{scale.low:.2g}")), tick_text(float(f"{scale.high:.2g}"))
    left, wide = 8 + 6.5 * len(low), 12.0
    cells = [
        f'<rect x="{left + i * wide:.1f}" y="3" width="{wide}" height="10" fill="{COLOUR[quantity]}" '
        f'fill-opacity="{PALEST + (STRONGEST - PALEST) * i / (STEPS - 1):.2f}"/>'
        for i in range(STEPS)
    ]
    right = left + STEPS * wide + 4
    whole = round(right + 6.5 * len(high) + 4)
    ends = (f'{left - 4:.1f}" y="12" text-anchor="end', low), (f'{right:.1f}" y="12', high)
    texts = "".join([f'<text x="{place}">{escape(text)}</text>' for place, text in ends])
    parts = f'<g font-family="sans-serif" font-size="11" fill="{NEUTRAL}">{"".join(cells)}{texts}</g>'
    return image(f"0 0 {whole} 16", parts, whole, 16, f"from {low} to {high}")


def _tint(box: PlacedBox, size: float, quantity: Quantity, scale: TintScale | None) -> str:
    round_by = {BoxShape.PURE: min(10.0, box.height / 2), BoxShape.CONSTANT: min(13.0, box.height / 2)}
    radius = round_by.get(box.figure.shape, 0.0 if box.figure.shape is BoxShape.OPERATION else box.height / 2)
    place = f'x="{box.x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" height="{box.height:.1f}" rx="{radius:.1f}"'
    if math.isinf(size):
        return f'<rect {place} fill="rgb({MARKS["error"]})" fill-opacity="0.6"/>'
    if scale is None or math.isnan(size) or size <= 0:
        return ""
    return f'<rect {place} fill="{COLOUR[quantity]}" fill-opacity="{scale.opacity(size):.2f}"/>'


def _number(box: PlacedBox, size: float) -> str:
    if math.isnan(size):
        return ""
    x, y = box.x + box.width / 2, box.y + box.height + SIZE - 0.5
    style = f"font-size:{SIZE}px;fill:currentColor"
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="middle" style="{style}">{escape(size_text(size))}</text>'
