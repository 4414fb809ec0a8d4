"""The view of ``%gradient``: the drawing with the values on its wires, the table of boxes, the result, what Put changed.

The page needs no script and no style sheet; the drawing is an image, so a notebook that is not trusted shows it too.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from rh_kernel.denotational.drawing.layout import layout
from rh_kernel.display.contents import EQUAL, difference
from rh_kernel.display.data import Json, Record, array, contents, value
from rh_kernel.display.diagrams.choice import foldings
from rh_kernel.display.gradients.passes import Reading, Row, reading, side_by_side
from rh_kernel.display.gradients.svg import gradient_svg
from rh_kernel.display.gradients.text import NOTHING, back, changes, forward, gradient_text, headings, row_text
from rh_kernel.display.html import escape
from rh_kernel.display.items import computed_html
from rh_kernel.display.live.view import View
from rh_kernel.display.markup import FAINT, MONOSPACE, box, code, element, span, svg_source, table
from rh_kernel.display.registry import ResultView
from rh_kernel.display.tables import shortened_table
from rh_kernel.display.values import array_html
from rh_kernel.session.results import GradientMade, Pass
from rh_kernel.syntax.core import Array

MOST_ROWS = 60
"""The table of a longer pass leaves out boxes in the middle."""

LARGEST = 400_000
"""A drawing of more characters is left out."""

LEAST = 0.75
"""A drawing is shown at this share of its size at least; what is wider scrolls."""


def _rich(made: GradientMade) -> dict[str, str]:
    """HTML, and the drawing of the first pass as SVG unless it is too large."""
    readings = [reading(p) for p in made.passes]
    drawings = [_Drawing.of(asked) for asked in readings]
    page = {"text/html": _page(readings, drawings)}
    return page if drawings[0] is None else {**page, "image/svg+xml": drawings[0].svg}


@dataclass(frozen=True, slots=True)
class _Drawing:
    """A pass as SVG, which is so wide."""

    svg: str
    width: float

    @staticmethod
    def of(asked: Reading) -> "_Drawing | None":
        """The drawing; none if it is too large."""
        forms = foldings(asked.sketch)
        if not forms:
            return None
        drawn = layout(asked.made.arrow, folded=forms[0])
        svg = gradient_svg(asked, drawn, _label(asked))
        return _Drawing(svg, drawn.width) if len(svg) <= LARGEST else None


def _label(asked: Reading) -> str:
    """What the drawing shows, for who cannot see it."""
    return f"string diagram of {' '.join(asked.made.subject.split())} with the values on its wires, as in the table"


def _page(readings: Sequence[Reading], drawings: Sequence[_Drawing | None]) -> str:
    """Two passes have one table; each has its own drawing and its own changes."""
    heads = [_head(asked, i) if len(readings) > 1 else "" for i, asked in enumerate(readings)]
    pictures = [head + _picture(asked, d) for head, asked, d in zip(heads, readings, drawings, strict=True)]
    made = [asked.made for asked in readings]
    ends = [head + computed_html(p.type, p.value, p.changes) for head, p in zip(heads, made, strict=True)]
    apart = [box(FAINT, escape(line)) for line in changes(readings)]
    return "".join([*pictures, _table(readings), *ends, *apart])


def _head(asked: Reading, i: int) -> str:
    return box(FAINT, "against " if i else "", code(" ".join(asked.made.subject.split())))


def _picture(asked: Reading, drawing: _Drawing | None) -> str:
    if drawing is None:
        return box(FAINT, "This diagram is too large to be drawn with its values. These are its boxes.")
    style = f"max-width:100%;min-width:{drawing.width * LEAST:.0f}px"
    source = svg_source(drawing.svg)
    return box("overflow-x:auto", f'<img style="{style}" src="{source}" alt="{escape(_label(asked))}">')


def _table(readings: Sequence[Reading]) -> str:
    heads = headings(readings)
    first, left_out, last = shortened_table(side_by_side(readings), MOST_ROWS)
    note = [[box(FAINT, f"⋮ {left_out} boxes are left out"), *[""] * (len(heads) - 1)]] if left_out else []
    body = [*[_row(readings, rows) for rows in first], *note, *[_row(readings, rows) for rows in last]]
    return box("overflow-x:auto", table(body, heads, "l" * len(heads)))


def _row(readings: Sequence[Reading], rows: Sequence[Row | None]) -> list[str]:
    named = next(row for row in rows if row is not None)
    values = _different([forward(asked, row) for asked, row in zip(readings, rows, strict=True)])
    backs = [back(asked, row) for asked, row in zip(readings, rows, strict=True)]
    label = element("span", f"{MONOSPACE}", escape(row_text(named)), title=f"{named.part or named.label}, {named.handler}")
    cells = [label, "".join(map(array_html, values)), _arrays(backs[0])]
    for arrays in backs[1:]:
        cells += [_arrays(arrays), _apart(backs[0], arrays)]
    return cells


def _different(arrays: Sequence[Array | None]) -> Iterator[Array]:
    """The arrays without those that are the same as one before."""
    shown: list[Array] = []
    for found in arrays:
        if found is not None and not any(np.array_equal(found, other, equal_nan=True) for other in shown):
            shown.append(found)
            yield found


def _arrays(arrays: Sequence[Array]) -> str:
    return "".join(map(array_html, arrays)) or span(FAINT, NOTHING)


def _apart(first: Sequence[Array], other: Sequence[Array]) -> str:
    if len(first) != 1 or len(other) != 1:
        return span(FAINT, NOTHING)
    words = difference(first[0], other[0])
    if first[0].size == 1 or first[0].shape != other[0].shape or words == EQUAL:
        return code(words)
    with np.errstate(all="ignore"):
        return box(MONOSPACE, escape(words)) + array_html(np.subtract(other[0], first[0], dtype=np.float64))


def _record(made: GradientMade) -> Record:
    first, *others = map(_pass, made.passes)
    against: Record = {"against": others[0]} if others else {}
    return {"kind": "gradient", **first, **against}


def _pass(made: Pass) -> Record:
    """A recorded pass: its boxes in their order with their values and cotangents, ``None`` where nothing came back.

    Where the rest was run more than once, the cotangents are as in a tuple.
    """
    boxes: list[Json] = []
    for row in reading(made).rows:
        cotangents: list[Json] = [array(made.recording.values[w]) for w in row.cotangents]
        cotangent: Json = {"tuple": cotangents} if len(cotangents) > 1 else cotangents[0] if cotangents else None
        forward = array(made.recording.values[row.wire])
        boxes.append({"label": row.label, "part": row.part, "forward": forward, "cotangent": cotangent})
    return {"type": str(made.type), "value": value(made.value), "boxes": boxes, "heap": contents(made.changes)}


def _player(made: GradientMade) -> View:
    from rh_kernel.display.live.player import Player

    return Player(made)


GRADIENT = ResultView(GradientMade, text=gradient_text, rich=_rich, records=lambda made: (_record(made),), live=_player)
