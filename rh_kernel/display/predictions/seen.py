"""The view of ``%sees``: for each sample a picture of the value of each box, below it one of its cotangent; and the filters."""

from collections.abc import Sequence

from rh_kernel.display.data import Json, Record, array
from rh_kernel.display.gradients.passes import Row
from rh_kernel.display.gradients.text import NOTHING, row_text
from rh_kernel.display.html import escape
from rh_kernel.display.live.sees import SeesView
from rh_kernel.display.markup import FAINT, MONOSPACE, box, code, element, span
from rh_kernel.display.palette import ABOVE, BELOW
from rh_kernel.display.predictions.boxes import MOST_BOXES, SeenArray, head, passes, pulled, read, value, words
from rh_kernel.display.predictions.filters import filters_html
from rh_kernel.display.registry import ResultView, as_html
from rh_kernel.display.tables import columns
from rh_kernel.session.predictions import SeenShown

SAMPLES_IN_TEXT = 2
"""How many samples are shown in text."""


def _text(shown: SeenShown) -> str:
    """A table for each of the first samples, with the ranges of values and cotangents."""
    lines = [head(shown)]
    for one in passes(shown)[:SAMPLES_IN_TEXT]:
        lines.append(f"sample {one.seen.number}")
        rows = [["box", "value", "cotangent"]]
        for row in one.rows[:MOST_BOXES]:
            back = "; ".join([words(each) for each in row.pulled]) or NOTHING
            rows.append([f"  {row_text(row)}", words(row.value), back])
        lines += columns(rows, "lll", 60)
        if len(one.rows) > MOST_BOXES:
            lines.append(f"  ⋮ {len(one.rows) - MOST_BOXES} more boxes")
    return "\n".join(lines)


def _html(shown: SeenShown) -> str:
    """The table of pictures, the filters, and what the colours mean."""
    found = passes(shown)
    body: list[str] = []
    for one in found:
        rows, seen = one.rows[:MOST_BOXES], one.seen
        body.append(_line(f"{seen.number}", "value", [_picture(value(row, seen, shown)) for row in rows], is_first=True))
        if any(row.pulled for row in rows):
            back = ["".join(map(_picture, pulled(row, seen))) or span(FAINT, NOTHING) for row in rows]
            body.append(_line("", "cotangent", back))
    first: Sequence[Row] = found[0].rows if found else ()
    names = [element("th", _HEAD, span(MONOSPACE, row_text(row))) for row in first[:MOST_BOXES]]
    heading = element("tr", "background:none", element("th", _HEAD, "sample"), element("th", _HEAD), *names)
    table = element("table", "border-collapse:collapse;border:none;margin:4px 0", heading, *body)
    more = len(first) - MOST_BOXES
    note = box(FAINT, escape(f"⋮ {more} more boxes: `%gradient` shows all of one sample")) if more > 0 else ""
    return box("", escape(head(shown))) + box("overflow-x:auto", table) + note + _legend() + filters_html(read(found))


def _line(number: str, what: str, cells: Sequence[str], *, is_first: bool = False) -> str:
    rule = "border-top:1px solid rgba(128,128,128,0.35);" if is_first else ""
    parts = [element("td", f"{_CELL};{rule}font-weight:bold", escape(number)), element("td", f"{_CELL};{rule}{FAINT}", what)]
    return element("tr", "background:none", *parts, *[element("td", f"{_CELL};{rule}", cell) for cell in cells])


def _picture(shown: SeenArray) -> str:
    """The picture with its scale below, or the number."""
    if shown.picture is None:
        return code(shown.note)
    if shown.is_sample:
        return box("image-rendering:pixelated", shown.picture.html)
    note = span(f"font-size:80%;{FAINT}", shown.note)
    return box(f"width:{shown.width}px;margin-bottom:1px", shown.picture.html) + box("line-height:1.1", note)


def _legend() -> str:
    square = "■"
    signs = [span(f"color:{BELOW}", square), span("", " below zero, "), span(f"color:{ABOVE}", square), span("", " above")]
    rest = "; each picture is scaled to its largest number, ±"
    return box(f"font-size:85%;{FAINT}", *signs, span("", rest))


_HEAD = "font-weight:normal;font-size:85%;text-align:left;padding:2px 12px 2px 0;border:none;white-space:nowrap"
_CELL = "padding:4px 12px 2px 0;border:none;text-align:left;vertical-align:top"


def _record(shown: SeenShown) -> Record:
    samples: list[Json] = []
    for one in passes(shown):
        rows: list[Json] = [
            {"box": row_text(row), "value": array(row.value), "cotangents": [array(each) for each in row.pulled]}
            for row in one.rows
        ]
        samples.append({"sample": one.seen.number, "boxes": rows})
    return {"kind": "sees", "data": shown.data, "samples": samples}


SEEN = ResultView(SeenShown, text=_text, rich=as_html(_html), records=lambda shown: (_record(shown),), live=SeesView)
