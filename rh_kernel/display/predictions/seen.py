"""The view of ``%sees``: for each sample a picture of the value of each box, below it one of its cotangent; and the filters.

The values and cotangents are those of ``%gradient``, from the recorded pass (RH Def. 7.13).
"""

from collections.abc import Mapping, Sequence

import numpy as np

from rh_kernel.display.contents import norm
from rh_kernel.display.data import Json, Record, array
from rh_kernel.display.gradients.passes import AnnotatedPass, Role, Row, annotated
from rh_kernel.display.gradients.text import NOTHING, row_text
from rh_kernel.display.html import escape
from rh_kernel.display.markup import FAINT, MONOSPACE, box, code, element, span
from rh_kernel.display.palette import ABOVE, BELOW
from rh_kernel.display.pictures import TILES_ACROSS, heat_map, tiles
from rh_kernel.display.predictions.filters import filters_html
from rh_kernel.display.registry import ResultView, as_html
from rh_kernel.display.tables import columns
from rh_kernel.display.thumbnails import SIDE, pictures, thumbnail, thumbnail_html
from rh_kernel.display.values import content_text, short
from rh_kernel.session.predictions import Seen, SeenShown
from rh_kernel.syntax.core import Array

MOST_BOXES = 10
"""The most boxes whose values are shown."""

SAMPLES_IN_TEXT = 2
"""How many samples are shown in text."""

MOST_CHANNELS = 16
"""The most channels of a value that are shown."""

TILE = 30
"""The width of a channel in CSS pixels."""

ACROSS = 8
"""A vector that is no picture is shown in rows of so many entries."""


def _boxes(shown: SeenShown) -> list[tuple[Seen, AnnotatedPass, list[Row]]]:
    """The passes with the rows that are shown: not the constants, nor the contents of locations, the same in each sample."""
    passes = [(seen, annotated(seen.made)) for seen in shown.samples]
    return [(seen, made, [row for row in made.rows if _is_shown(row, made)]) for seen, made in passes]


def _is_shown(row: Row, made: AnnotatedPass) -> bool:
    wire = made.wires.get(row.wire)
    return bool(row.pulled) or not (row.label.startswith("‹") or (wire is not None and wire.role is Role.PARAMETER))


def _text(shown: SeenShown) -> str:
    """A table for each of the first samples, with the ranges of values and cotangents."""
    lines = [_head(shown)]
    for seen, _, every in _boxes(shown)[:SAMPLES_IN_TEXT]:
        lines.append(f"sample {seen.number}")
        rows = [["box", "value", "cotangent"]]
        for row in every[:MOST_BOXES]:
            pulled = "; ".join([_words(one) for one in row.pulled]) or NOTHING
            rows.append([f"  {row_text(row)}", _words(row.value), pulled])
        lines += columns(rows, "lll", 60)
        if len(every) > MOST_BOXES:
            lines.append(f"  ⋮ {len(every) - MOST_BOXES} more boxes")
    return "\n".join(lines)


def _words(values: Array) -> str:
    """The entries if they are few, else type and range."""
    if values.size <= 4:
        return content_text(values)
    finite = values[np.isfinite(values)]
    if not finite.size:
        return f"{values.size:,} numbers, not finite"
    ends = f"[{short(float(finite.min()))}, {short(float(finite.max()))}]"
    return f"{values.size:,} numbers in {ends}, norm {short(norm(values))}"


def _head(shown: SeenShown) -> str:
    count = len(shown.samples)
    which = "the first sample" if count == 1 else f"the first {count} samples"
    return f'data("{shown.data}"): {which} of {shown.size:,}'


def _html(shown: SeenShown) -> str:
    """The table of pictures, the filters, and what the colours mean."""
    boxes = _boxes(shown)
    body: list[str] = []
    for seen, _, every in boxes:
        rows = every[:MOST_BOXES]
        body.append(_line(f"{seen.number}", "value", [_value(row, seen, shown) for row in rows], is_first=True))
        if any(row.pulled for row in rows):
            body.append(_line("", "cotangent", [_pulled(row, seen) for row in rows]))
    first = boxes[0][2] if boxes else []
    names = [element("th", _HEAD, span(MONOSPACE, row_text(row))) for row in first[:MOST_BOXES]]
    heading = element("tr", "background:none", element("th", _HEAD, "sample"), element("th", _HEAD), *names)
    table = element("table", "border-collapse:collapse;border:none;margin:4px 0", heading, *body)
    more = len(first) - MOST_BOXES
    note = box(FAINT, escape(f"⋮ {more} more boxes: `%gradient` shows all of one sample")) if more > 0 else ""
    return box("", escape(_head(shown))) + box("overflow-x:auto", table) + note + _legend() + filters_html(_read(boxes))


def _line(number: str, what: str, cells: Sequence[str], *, is_first: bool = False) -> str:
    rule = "border-top:1px solid rgba(128,128,128,0.35);" if is_first else ""
    parts = [element("td", f"{_CELL};{rule}font-weight:bold", escape(number)), element("td", f"{_CELL};{rule}{FAINT}", what)]
    return element("tr", "background:none", *parts, *[element("td", f"{_CELL};{rule}", cell) for cell in cells])


def _value(row: Row, seen: Seen, shown: SeenShown) -> str:
    """The value of a box: as a picture if it is the sample itself, else signed."""
    label = f"the value of {row_text(row)} in sample {seen.number}"
    for name, component in seen.components.items():
        found = pictures(component[None])
        if found is not None and np.array_equal(component.ravel(), row.value.ravel()):
            low, high = shown.ranges[name]
            return thumbnail_html(thumbnail(found[0], low, high), label)
    return _signed(row.value, label)


def _pulled(row: Row, seen: Seen) -> str:
    label = f"the cotangent of {row_text(row)} in sample {seen.number}"
    return "".join([_signed(one, label) for one in row.pulled]) or span(FAINT, NOTHING)


def _signed(values: Array, label: str) -> str:
    """A picture of signed numbers, scaled to the largest absolute value, which stands below it."""
    if values.size == 1:
        return code(content_text(values))
    finite = np.abs(values[np.isfinite(values)])
    most = span(f"font-size:80%;{FAINT}", f"±{short(float(finite.max(initial=0.0)))}")
    across = min(len(values), TILES_ACROSS, MOST_CHANNELS) * TILE if _has_channels(values) else SIDE
    return box(f"width:{across}px;margin-bottom:1px", _drawn(values, f"{label}: {_words(values)}")) + box(
        "line-height:1.1", most
    )


def _has_channels(values: Array) -> bool:
    return values.ndim == 3 and len(values) > 1


def _drawn(values: Array, label: str) -> str:
    found = pictures(values[None])
    if _has_channels(values):
        return tiles(values[:MOST_CHANNELS], label)
    if found is not None and found.shape[3] == 1:
        return heat_map(found[0, ..., 0], label)
    if values.ndim == 1 and values.size > ACROSS:
        rows = -(-values.size // ACROSS)
        padded = np.zeros(rows * ACROSS)
        padded[: values.size] = values
        return heat_map(padded.reshape(rows, ACROSS), label)
    return heat_map(values.reshape(1, -1) if values.ndim == 1 else values.reshape(-1, values.shape[-1]), label)


def _read(boxes: Sequence[tuple[Seen, AnnotatedPass, list[Row]]]) -> Mapping[str, Array]:
    """What the first pass reads, by the names of the locations."""
    found: dict[str, Array] = {}
    for _, name, use in boxes[0][1].uses() if boxes else ():
        found.setdefault(name, use.after if use.before is None else use.before)
    return found


def _legend() -> str:
    square = "■"
    words = [span(f"color:{BELOW}", square), span("", " below zero, "), span(f"color:{ABOVE}", square), span("", " above")]
    rest = "; each picture is scaled to its largest number, ±"
    return box(f"font-size:85%;{FAINT}", *words, span("", rest))


_HEAD = "font-weight:normal;font-size:85%;text-align:left;padding:2px 12px 2px 0;border:none;white-space:nowrap"
_CELL = "padding:4px 12px 2px 0;border:none;text-align:left;vertical-align:top"


def _record(shown: SeenShown) -> Record:
    samples: list[Json] = []
    for seen, _, every in _boxes(shown):
        rows: list[Json] = [
            {"box": row_text(row), "value": array(row.value), "cotangents": [array(one) for one in row.pulled]} for row in every
        ]
        samples.append({"sample": seen.number, "boxes": rows})
    return {"kind": "sees", "data": shown.data, "samples": samples}


SEEN = ResultView(SeenShown, text=_text, rich=as_html(_html), records=lambda shown: (_record(shown),))
