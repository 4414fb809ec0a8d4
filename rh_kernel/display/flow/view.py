"""The view of ``%flow train …``: pictures of the first, the middle and the last frame, a table, and what to look at.

Pictures are images, so a notebook that is not trusted shows them, too.
"""

from rh_kernel.denotational.drawing.sketch import sketch
from rh_kernel.display.data import Json, Record, strict_json
from rh_kernel.display.diagrams.choice import chosen
from rh_kernel.display.diagrams.view import LEAST
from rh_kernel.display.flow import text as words
from rh_kernel.display.flow.picture import flow_label, flow_svg, scale_image
from rh_kernel.display.flow.tints import MOST_NETS, shown_quantity, tint_scale
from rh_kernel.display.html import escape
from rh_kernel.display.live.view import View
from rh_kernel.display.markup import FAINT, MONOSPACE, box, code, element, span, svg_source, table
from rh_kernel.display.registry import ResultView
from rh_kernel.display.tables import shortened_rows
from rh_kernel.session.flow.records import Finding, FlowMade, FlowNet, Quantity

LARGEST = 400_000
"""Larger drawings, in characters of SVG, are omitted."""

SMALL = 420
"""Pictures of nets that are not wider, in pixels, are side by side."""

_CURVE = f"{FAINT};font-size:75%;white-space:nowrap"


def _rich(made: FlowMade) -> dict[str, str]:
    """HTML, and the last picture of the first net as SVG unless it is too large."""
    pictures = [_frames(made, net) for net in made.nets[:MOST_NETS]]
    left_out = len(made.nets) - MOST_NETS
    more = [box(FAINT, f"There are {left_out} more nets; the table has their boxes.")] if left_out > 0 else []
    found = [box("margin:4px 0", _finding(finding)) for finding in made.findings]
    head = box("", code(words.flow_title(made))) + box(FAINT, escape(words.summary(made)))
    page = head + "".join([html for html, _ in pictures]) + "".join([*more, *found]) + _table(made)
    last = pictures[0][1] if pictures else ""
    return {"text/html": page, **({"image/svg+xml": last} if last else {})}


def _frames(made: FlowMade, net: FlowNet) -> tuple[str, str]:
    """Return the pictures of a net as HTML, and the SVG of the last one; empty if the net is too large to be drawn."""
    drawn = chosen(sketch(net.diagram))
    if drawn is None:
        return box(FAINT, "This net is too large to be drawn. The table has its boxes."), ""
    quantity = shown_quantity(made)
    scale = tint_scale(made, quantity)
    count = len(made.frames)
    middle = min(range(count), key=lambda i: abs(2 * made.frames[i].batch - made.frames[-1].batch))
    frames = list(dict.fromkeys([0, middle, count - 1]))
    pictures = [flow_svg(made, net, drawn, frame, quantity, scale) for frame in frames]
    if sum(map(len, pictures)) > LARGEST:
        return box(FAINT, "This net is too large to be drawn here. The table has its boxes."), ""
    legend = box("margin:4px 0", escape(f"{quantity.value}: "), "" if scale is None else scale_image(scale, quantity))
    shown = [_picture(made, frame, quantity, svg, drawn.width) for frame, svg in zip(frames, pictures, strict=True)]
    return legend + box("", *shown), pictures[-1]


def _picture(made: FlowMade, frame: int, quantity: Quantity, svg: str, width: float) -> str:
    at = made.frames[frame]
    title = box("", span("font-weight:bold", f"batch {at.batch:,}"), span(FAINT, f" of {made.batches:,} · epoch {at.epoch}"))
    style = f"max-width:100%;min-width:{width * LEAST:.0f}px"
    drawn = f'<img style="{style}" src="{svg_source(svg)}" alt="{escape(flow_label(made, frame, quantity))}">'
    is_small = width <= SMALL
    place = "display:inline-block;vertical-align:top;margin:4px 18px 4px 0" if is_small else "margin:6px 0;overflow-x:auto"
    return box(place, title, drawn)


def _finding(finding: Finding) -> str:
    lesson = element("a", "", escape(words.lesson_text(finding)), href=words.lesson_file(finding))
    return f"⚠ {escape(finding.text)} ({lesson})"


def _table(made: FlowMade) -> str:
    rows = shortened_rows(words.table(made), words.MOST_ROWS, _row, lambda count: [f"… {count} more", *[""] * 6])
    return box("overflow-x:auto", table(rows, [*words.HEADINGS], "lllllll"))


def _row(row: tuple[str, ...]) -> list[str]:
    label, *cells = row
    shown = [span(_CURVE, cell) if i % 2 else escape(cell) for i, cell in enumerate(cells)]
    return [element("span", MONOSPACE, escape(label)), *shown]


def _record(made: FlowMade) -> Record:
    """The sizes of each box in all frames, ``None`` where there is none, and the findings."""
    frames: list[Json] = [{"batch": f.batch, "epoch": f.epoch, "samples": [*f.samples]} for f in made.frames]
    boxes: list[Json] = []
    for i, found in enumerate(made.boxes):
        each: Record = {q.value: [_size(x) for x in words.sizes(made, i, q)] for q in Quantity}
        boxes.append({"label": found.label, "locations": [*found.locations], **each})
    findings: list[Json] = [
        {"text": f.text, "boxes": [*f.boxes], "batch": made.frames[f.frame].batch, "lesson": f.lesson, "section": f.section}
        for f in made.findings
    ]
    about: Record = {"subject": made.subject, "batches": made.batches, "seconds": made.seconds}
    return {"kind": "flow", **about, "frames": frames, "boxes": boxes, "findings": findings}


def _size(size: float) -> Json:
    return None if size != size else strict_json(float(f"{size:.6g}"))


def _view(made: FlowMade) -> View:
    from rh_kernel.display.live.flow import FlowView

    return FlowView(made)


FLOW = ResultView(FlowMade, text=words.flow_text, rich=_rich, records=lambda made: (_record(made),), live=_view)
