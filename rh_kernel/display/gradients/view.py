"""The view of ``%gradient``: the drawing with values on its wires, the table of boxes, the result, and the changes by ``Put``.

The drawing is an image, and the HTML has no scripts or style sheets, so a notebook that is not trusted shows it too.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from rh_kernel.display.contents import EQUAL, difference
from rh_kernel.display.data import Json, Record, array, contents, strict_json, value
from rh_kernel.display.diagrams.choice import chosen
from rh_kernel.display.diagrams.view import LEAST
from rh_kernel.display.gradients.passes import AnnotatedPass, TableRow, annotated, table_rows
from rh_kernel.display.gradients.sizes import Sizes, sizes
from rh_kernel.display.gradients.sizes_image import sizes_image
from rh_kernel.display.gradients.svg import gradient_svg
from rh_kernel.display.gradients.text import NOTHING, changes, gradient_text, headings, left_out, row_text
from rh_kernel.display.html import escape
from rh_kernel.display.items import computed_html
from rh_kernel.display.live.view import View
from rh_kernel.display.markup import FAINT, MONOSPACE, box, code, element, span, svg_source, table
from rh_kernel.display.registry import ResultView
from rh_kernel.display.tables import shortened_rows
from rh_kernel.display.values import array_html
from rh_kernel.session.results import GradientMade, Pass
from rh_kernel.syntax.core import Array

MOST_ROWS = 60
"""Longer tables omit rows in the middle."""

MOST_CURVES = 6
"""Pictures of further loops are omitted."""

LARGEST = 400_000
"""Larger drawings, in characters of SVG, are omitted."""


def _rich(made: GradientMade) -> dict[str, str]:
    """HTML, and the drawing of the first pass as SVG unless it is too large."""
    passes = [annotated(p) for p in made.passes]
    drawings = [_Drawing.of(p) for p in passes]
    page = {"text/html": _page(passes, drawings)}
    return page if drawings[0] is None else {**page, "image/svg+xml": drawings[0].svg}


@dataclass(frozen=True, slots=True)
class _Drawing:
    """The drawing of a pass as SVG, and its width."""

    svg: str
    width: float

    @staticmethod
    def of(p: AnnotatedPass) -> "_Drawing | None":
        """Draw a pass; ``None`` if the drawing is too large."""
        drawn = chosen(p.sketch)
        if drawn is None:
            return None
        svg = gradient_svg(p, drawn, _label(p))
        return _Drawing(svg, drawn.width) if len(svg) <= LARGEST else None


def _label(p: AnnotatedPass) -> str:
    """Return the alternative text of the drawing."""
    return f"string diagram of {' '.join(p.made.subject.split())} with the values on its wires, as in the table"


def _page(passes: Sequence[AnnotatedPass], drawings: Sequence[_Drawing | None]) -> str:
    """Return the drawings, the table, and the result of each pass; two passes share one table."""
    heads = [_head(p, i) if len(passes) > 1 else "" for i, p in enumerate(passes)]
    pictures = [head + _picture(p, d) for head, p, d in zip(heads, passes, drawings, strict=True)]
    made = [p.made for p in passes]
    ends = [head + computed_html(p.type, p.value, p.changes) for head, p in zip(heads, made, strict=True)]
    apart = [box(FAINT, escape(line)) for line in changes(passes)]
    curves = [_sizes(p) for p in passes]
    return "".join([*pictures, *curves, _table(passes), *ends, *apart])


def _sizes(p: AnnotatedPass) -> str:
    """Return the pictures of the size of the cotangent by round, for each loop."""
    return "".join([box("margin:6px 0", sizes_image(found)) for found in sizes(p)[:MOST_CURVES]])


def _head(p: AnnotatedPass, i: int) -> str:
    return box(FAINT, "against " if i else "", code(" ".join(p.made.subject.split())))


def _picture(p: AnnotatedPass, drawing: _Drawing | None) -> str:
    if drawing is None:
        return box(FAINT, "This diagram is too large to be drawn with its values. These are its boxes.")
    style = f"max-width:100%;min-width:{drawing.width * LEAST:.0f}px"
    source = svg_source(drawing.svg)
    note = box(FAINT, "In loops these are the values of the last round.") if p.schedule.loops else ""
    return note + box("overflow-x:auto", f'<img style="{style}" src="{source}" alt="{escape(_label(p))}">')


def _table(passes: Sequence[AnnotatedPass]) -> str:
    heads = headings(passes)
    blank = [""] * (len(heads) - 1)
    body = shortened_rows(table_rows(passes), MOST_ROWS, _row, lambda count: [box(FAINT, left_out(count)), *blank])
    return box("overflow-x:auto", table(body, heads, "l" * len(heads)))


def _row(of: TableRow) -> list[str]:
    row, (first, *others) = of.row, of.cotangents
    label = element("span", MONOSPACE, escape(row_text(row)), title=f"{row.part or row.label}, {row.handler}")
    compared = [cell for arrays in others for cell in (_arrays(arrays), _apart(first, arrays))]
    return [label, "".join(map(array_html, _distinct(of.values))), _arrays(first), *compared]


def _distinct(arrays: Sequence[Array]) -> Iterator[Array]:
    """Yield each array that is not equal to an earlier one."""
    shown: list[Array] = []
    for found in arrays:
        if not any(np.array_equal(found, other, equal_nan=True) for other in shown):
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
    """The record of a pass: its boxes in order with values and cotangents, ``None`` if there is no cotangent.

    Several cotangents, of a box whose continuation was run more than once, are written as a tuple.
    """
    boxes: list[Json] = []
    for row in annotated(made).rows:
        cotangents: list[Json] = [array(found) for found in row.pulled]
        cotangent: Json = {"tuple": cotangents} if len(cotangents) > 1 else cotangents[0] if cotangents else None
        rounds: Record = {"rounds": [*row.rounds]} if row.rounds else {}
        boxes.append({"label": row.label, "part": row.part, **rounds, "forward": array(row.value), "cotangent": cotangent})
    by_round: list[Json] = [_sizes_record(found) for found in sizes(annotated(made))]
    curves: Record = {"cotangents_by_round": by_round} if by_round else {}
    return {"type": str(made.type), "value": value(made.value), "boxes": boxes, **curves, "heap": contents(made.changes)}


def _sizes_record(found: Sizes) -> Json:
    """``norms`` are those of the cotangent of the state after 0, 1, … rounds."""
    around: Record = {"around": [*found.around]} if found.around else {}
    return {"loop": found.title, **around, "rounds": found.rounds, "norms": [strict_json(x) for x in found.norms]}


def _player(made: GradientMade) -> View:
    from rh_kernel.display.live.player import Player

    return Player(made)


GRADIENT = ResultView(GradientMade, text=gradient_text, rich=_rich, records=lambda made: (_record(made),), live=_player)
