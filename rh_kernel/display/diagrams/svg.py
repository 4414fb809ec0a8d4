"""String diagrams as SVG (RH §6.1, §7.4): pure boxes with round corners, operations with square ones, frames around clauses.

Wires and boxes are highlighted on hovering and have tooltips with their types. No script is needed; all text is escaped.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from operator import attrgetter

from rh_kernel.denotational.drawing.elements import PlacedBox, PlacedFrame, Point, pieces
from rh_kernel.denotational.drawing.layout import Layout
from rh_kernel.denotational.drawing.sketch import BoxShape, part_gloss
from rh_kernel.denotational.drawing.text_metrics import LETTER, SMALL, SUPERSCRIPT, exponent
from rh_kernel.denotational.provenance import Leg, leg_of
from rh_kernel.display.html import escape
from rh_kernel.display.palette import COLOURS, MARKS, NEUTRAL
from rh_kernel.syntax.printing.doc import Role
from rh_kernel.syntax.types import Type

_STYLE = (
    f".rh-d text{{font-family:sans-serif;font-size:{LETTER:g}px;fill:currentColor;stroke:none}}"
    f".rh-d .t{{font-size:{SMALL:g}px;fill:{COLOURS[Role.TYPE]}}}"
    f".rh-d .x{{font-size:{SMALL * SUPERSCRIPT:g}px}}"
    f".rh-d .h{{font-size:{SMALL:g}px;fill:{COLOURS[Role.HANDLER]}}}"
    ".rh-d .w{stroke:currentColor;fill:none;stroke-width:1.3;stroke-linecap:round}"
    f".rh-d .k{{stroke:rgb({MARKS['backward']})}}"
    ".rh-d .w circle{fill:currentColor;stroke:none}"
    f".rh-d .k circle{{fill:rgb({MARKS['backward']})}}"
    ".rh-d .i{stroke-width:9;stroke:transparent}"
    f".rh-d .p{{fill:{COLOURS[Role.FUNCTION]};stroke:{COLOURS[Role.FUNCTION]};fill-opacity:.09;stroke-width:1.2}}"
    f".rh-d .o{{fill:{COLOURS[Role.OPERATION]};stroke:{COLOURS[Role.OPERATION]};fill-opacity:.1;stroke-width:1.4}}"
    f".rh-d .c{{fill:{COLOURS[Role.CONSTANT]};stroke:{COLOURS[Role.CONSTANT]};fill-opacity:.07;stroke-width:1}}"
    ".rh-d .f{fill:#808080;fill-opacity:.05;stroke:#808080;stroke-opacity:.45;stroke-width:1}"
    f".rh-d .ff{{fill:rgb({MARKS['forward']});stroke:rgb({MARKS['forward']})}}"
    f".rh-d .fb{{fill:rgb({MARKS['backward']});stroke:rgb({MARKS['backward']})}}"
    ".rh-d .w:hover{stroke-width:3}.rh-d .b:hover{stroke-width:2.6}.rh-d g:hover>.b{fill-opacity:.25;stroke-width:2.2}"
)


def _no_class(_: object) -> str:
    return ""


def diagram_svg(
    drawn: Layout,
    label: str,
    ink: str = NEUTRAL,
    least: float = 0.0,
    paper: str = "",
    beneath: str = "",
    *,
    of_box: Callable[[PlacedBox], str] = _no_class,
    of_wire: Callable[[int], str] = _no_class,
) -> str:
    """The drawing as one ``<svg>`` with ``label`` as its title, at least ``least`` times as wide as its layout.

    ``paper`` is the background colour, ``ink`` that of wires and text; without ``paper`` the background is transparent.
    ``beneath`` are SVG elements below the boxes. ``of_box`` and ``of_wire`` give the elements of a box or wire a further class.
    """
    wide, high = drawn.width, drawn.height
    style = f"color:{ink};max-width:100%;height:auto" + (f";min-width:{wide * least:.0f}px" if least else "")
    ground = f'<rect width="{wide:.1f}" height="{high:.1f}" fill="{paper}"/>' if paper else ""
    frames = [_frame(frame) for frame in drawn.drawing.frames]
    boxes = [_box(drawn, box, of_box(box)) for box in drawn.drawing.boxes]
    labels = [_label(drawn.sketch.types[t.wire], t.x, t.y, of_wire(t.wire)) for t in drawn.drawing.labels]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="rh-d" role="img" aria-label="{escape(label)}" '
        f'viewBox="0 0 {wide:.1f} {high:.1f}" width="{wide:.0f}" height="{high:.0f}" style="{style}">'
        f"<title>{escape(label)}</title><style>{_STYLE}</style>{ground}"
        f"{''.join(frames)}{''.join(_wires(drawn, of_wire))}{beneath}{''.join(boxes)}{''.join(labels)}</svg>"
    )


def path(points: Sequence[Point]) -> str:
    """The ``d`` of a path through the points of a strand."""
    steps = [f"M{_n(points[0][0])} {_n(points[0][1])}"]
    for piece in pieces(points):
        if len(piece) == 1:
            steps.append(f"H{_n(piece[0][0])}")
        else:
            steps.append("C" + " ".join([f"{_n(x)} {_n(y)}" for x, y in piece]))
    return "".join(steps)


def wire_gloss(drawn: Layout, wire: int) -> str:
    """The tooltip of a wire: its name in the program, if any, and its type."""
    name = drawn.sketch.names[wire]
    return f"{name} : {drawn.sketch.types[wire]}" if name else str(drawn.sketch.types[wire])


def box_gloss(drawn: Layout, box: PlacedBox) -> str:
    """The tooltip of a box: its description and the parts of handlers that it belongs to."""
    place = drawn.sketch.every[box.members[0]].place if len(box.members) == 1 else ()
    return "; ".join([box.figure.title, *[part_gloss(part) for part in place]])


def _wires(drawn: Layout, of_wire: Callable[[int], str]) -> Iterator[str]:
    back, wire = backward_wires(drawn), attrgetter("wire")
    dots = {w: [*found] for w, found in groupby(sorted(drawn.drawing.dots, key=wire), wire)}
    for w, strands in groupby(sorted(drawn.drawing.strands, key=wire), wire):
        d = "".join([path(strand.points) for strand in strands])
        marks = "".join([f'<circle cx="{_n(p.x)}" cy="{_n(p.y)}" r="{3 if p.is_end else 2.4}"/>' for p in dots.get(w, ())])
        title = f"<title>{escape(wire_gloss(drawn, w))}</title>"
        further = f" {found}" if (found := of_wire(w)) else ""
        yield f'<g class="w{" k" if w in back else ""}{further}">{title}<path class="i" d="{d}"/><path d="{d}"/>{marks}</g>'


def backward_wires(drawn: Layout) -> frozenset[int]:
    """The wires made in the return clause or the backward pass of the outermost reverse handler."""
    found = [node for node in drawn.sketch.every.values() if leg_of(node.place) in (Leg.RETURN, Leg.BACKWARD)]
    made = [w for node in found for w in node.outputs]
    coming = [w for node in found if node.nest is not None for c in node.nest.round for w in (c.state, c.after)]
    return frozenset([*made, *coming])


def _frame(frame: PlacedFrame) -> str:
    kind = {None: "", Leg.FORWARD: " ff", Leg.BACKWARD: " fb", Leg.RETURN: "", Leg.CLAUSE: " ff"}[frame.leg]
    text = f'<text class="h" x="{_n(frame.x + 8)}" y="{_n(frame.y + 13)}">{escape(frame.title)}</text>'
    return f'<g><title>{escape(frame.gloss)}</title><rect class="f{kind}" {_place(frame)} rx="9"/>{text}</g>'


def _place(drawn: PlacedFrame | PlacedBox) -> str:
    return f'x="{_n(drawn.x)}" y="{_n(drawn.y)}" width="{_n(drawn.width)}" height="{_n(drawn.height)}"'


def _box(drawn: Layout, box: PlacedBox, further: str) -> str:
    figure, place = box.figure, _place(box)
    middle_x, middle_y = box.x + box.width / 2, box.y + box.height / 2
    circle = f'<circle class="b p" cx="{_n(middle_x)}" cy="{_n(middle_y)}" r="{_n(box.width / 2)}"/>'
    text = f'<text x="{_n(middle_x)}" y="{_n(middle_y + 4.2)}" text-anchor="middle">{escape(figure.label)}</text>'
    match figure.shape:
        case BoxShape.PURE:
            shape = f'<rect class="b p" {place} rx="{_n(min(10.0, box.height / 2))}"/>{text}'
        case BoxShape.OPERATION:
            shape = f'<rect class="b o" {place}/>{text}'
        case BoxShape.CONSTANT:
            shape = f'<rect class="b c" {place} rx="{_n(min(13.0, box.height / 2))}"/>{text}'
        case BoxShape.ZERO:
            shape = f"{circle}{text}"
        case BoxShape.SUM:
            cross = f"M{_n(middle_x - 4)} {_n(middle_y)}h8M{_n(middle_x)} {_n(middle_y - 4)}v8"
            shape = f'{circle}<path d="{cross}" stroke="currentColor" stroke-width="1.3"/>'
    opening = f'<g class="{further}">' if further else "<g>"
    return f"{opening}<title>{escape(box_gloss(drawn, box))}</title>{shape}</g>"


def _label(A: Type, x: float, y: float, further: str) -> str:
    raised = exponent(A)
    shape = f'<tspan class="x" dy="-3.5">{escape(raised)}</tspan>' if raised else ""
    return f'<text class="t{" " if further else ""}{further}" x="{_n(x)}" y="{_n(y)}" pointer-events="none">ℝ{shape}</text>'


def _n(x: float) -> str:
    return f"{x:.1f}".removesuffix(".0")
