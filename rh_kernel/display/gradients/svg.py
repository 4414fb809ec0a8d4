"""The drawing of a pass with the values of its wires (RH §7.4), as numbers or as the cells of a small heat map."""

from collections.abc import Callable

import numpy as np

from rh_kernel.denotational.drawing.elements import Label, PlacedBox
from rh_kernel.denotational.drawing.layout import Layout
from rh_kernel.denotational.drawing.text_metrics import width
from rh_kernel.display.diagrams.svg import diagram_svg
from rh_kernel.display.gradients.passes import AnnotatedPass, Role
from rh_kernel.display.html import escape
from rh_kernel.display.palette import ABOVE, BELOW, MARKS, NEUTRAL, NO_NUMBER
from rh_kernel.display.pictures import strengths
from rh_kernel.display.values import content_text, short
from rh_kernel.syntax.core import Array

SIZE = 7.5
"""The font size of the numbers on wires."""

CELL, COLUMNS, ROWS = 5.0, 6, 3
"""The size of a cell of a heat map, and the most columns and rows."""


def _no_class(_: object) -> str:
    return ""


def gradient_svg(
    p: AnnotatedPass,
    drawn: Layout,
    label: str,
    *,
    of_box: Callable[[PlacedBox], str] = _no_class,
    of_wire: Callable[[int], str] = _no_class,
) -> str:
    """The drawing of a pass with a value below the type of each wire; ``label`` is its title.

    ``of_box`` and ``of_wire`` give the elements of a box or wire, and its value, a further class.
    """
    ends = _ends(drawn)
    contents, known = p.contents, drawn.drawing.labels
    values: list[str] = []
    for t in known:
        if t.wire in contents:
            shown, further = _value(p, contents[t.wire], t, ends.get(t.wire, 0.0)), of_wire(t.wire)
            values.append(f'<g class="{further}">{shown}</g>' if further else shown)
    still = diagram_svg(drawn, label, NEUTRAL, of_box=of_box, of_wire=of_wire)
    return still.removesuffix("</svg>") + f"<g>{''.join(values)}</g></svg>"


def _ends(drawn: Layout) -> dict[int, float]:
    """Return for each wire how far to the right it runs straight at the height of its type."""
    heights = {(t.wire, round(t.y + 3.5, 1)): t.x for t in drawn.drawing.labels}
    found: dict[int, float] = {}
    for strand in drawn.drawing.strands:
        for (x, y), (to_x, to_y) in zip(strand.points, strand.points[1:], strict=False):
            start = heights.get((strand.wire, round(y, 1)))
            if start is not None and round(y, 1) == round(to_y, 1) and x <= start + 8.0 <= to_x:
                found[strand.wire] = max(found.get(strand.wire, 0.0), to_x)
    return found


def _value(p: AnnotatedPass, array: Array, label: Label, end: float) -> str:
    x, y = label.x, label.y + 3.5
    is_cotangent = label.wire in p.wires and p.wires[label.wire].role is Role.COTANGENT
    colour = f"rgb({MARKS['backward']})" if is_cotangent else "currentColor"
    available = max(end - x, 26.0)
    for text in (content_text(array), short(float(array[0])) if array.shape == (1,) else ""):
        if text and width(text, SIZE) <= available:
            style = f"font-size:{SIZE}px;fill:{colour}"
            return f'<text x="{x:.1f}" y="{y + 8.0:.1f}" style="{style}">{escape(text)}</text>'
    return _cells(array, x, y + 2.5)


def _cells(array: Array, x: float, y: float) -> str:
    """The entries of an array as coloured cells, averaged if there are too many."""
    matrix = array.reshape(-1, array.shape[-1]) if array.size else np.zeros((0, 1))
    rows = [r for r in np.array_split(strengths(matrix), min(len(matrix), ROWS) or 1) if r.size]
    means = [[float(b.mean()) for b in np.array_split(r, min(r.shape[1], COLUMNS), axis=1)] for r in rows]
    blocks = strengths(np.array(means))
    high = CELL if len(blocks) < ROWS else CELL * 2 / ROWS
    return "".join(
        [
            f'<rect x="{x + j * CELL:.1f}" y="{y + i * high:.1f}" width="{CELL:g}" height="{high:.1f}" {_fill(strength)}'
            f' stroke="{NEUTRAL}" stroke-width=".3"/>'
            for i, row in enumerate(blocks)
            for j, strength in enumerate(map(float, row))
        ]
    )


def _fill(strength: float) -> str:
    if np.isnan(strength):
        return f'fill="{NO_NUMBER}"'
    return f'fill="{BELOW if strength < 0 else ABOVE}" fill-opacity="{abs(strength):.2f}"'
