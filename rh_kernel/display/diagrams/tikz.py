"""String diagrams as standalone LaTeX documents with TikZ (RH §6.1, §7.4).

A unit of the drawing is ``_UNIT`` points. All text is escaped.
"""

from collections.abc import Iterator, Sequence

from rh_kernel.denotational.drawing.elements import Dot, Label, PlacedBox, PlacedFrame, Point, pieces
from rh_kernel.denotational.drawing.layout import Layout
from rh_kernel.denotational.drawing.sketch import BoxShape
from rh_kernel.denotational.drawing.text_metrics import exponent
from rh_kernel.denotational.provenance import Leg
from rh_kernel.display.diagrams.svg import backward_wires
from rh_kernel.display.latex import document, escape
from rh_kernel.display.palette import COLOURS, MARKS
from rh_kernel.syntax.printing.doc import Role

_ROLES = {
    "rhpure": Role.FUNCTION,
    "rhoperation": Role.OPERATION,
    "rhconstant": Role.CONSTANT,
    "rhtype": Role.TYPE,
    "rhhandler": Role.HANDLER,
}
_UNIT = 0.8
_PACKAGES = ("{amsmath}", "{amssymb}", "{tikz}")
_STYLES = r"""
  rh wire/.style={line width=0.5pt, line cap=round},
  rh back/.style={rh wire, rhback},
  rh pure/.style={draw=rhpure, fill=rhpure!9, line width=0.5pt},
  rh operation/.style={draw=rhoperation, fill=rhoperation!10, line width=0.6pt},
  rh constant/.style={draw=rhconstant, fill=rhconstant!7, line width=0.4pt},
  rh frame/.style={draw=black!35, fill=black!4, rounded corners=5pt, line width=0.4pt},
  rh forward/.style={rh frame, draw=rhforward!50, fill=rhforward!5},
  rh backward/.style={rh frame, draw=rhback!50, fill=rhback!5},
  rh text/.style={inner sep=0pt, font=\scriptsize},
  rh small/.style={inner sep=0pt, font=\tiny, anchor=base west},
""".strip("\n")


def diagram_tikz(drawn: Layout, subject: str) -> str:
    """The drawing as a document of the class ``standalone``, with the subject in a comment."""
    return document("[border=4pt]{standalone}", _PACKAGES, "\n".join(_lines(drawn, subject)))


def _lines(drawn: Layout, subject: str) -> Iterator[str]:
    yield f"% {_comment(subject)}"
    for name, colour in _colours():
        yield f"\\definecolor{{{name}}}{{HTML}}{{{colour}}}"
    yield f"\\begin{{tikzpicture}}[x={_UNIT}pt, y=-{_UNIT}pt,\n{_STYLES}\n]"
    for frame in drawn.drawing.frames:
        yield from _frame(frame)
    back = backward_wires(drawn)
    for strand in drawn.drawing.strands:
        yield f"\\draw[{'rh back' if strand.wire in back else 'rh wire'}] {_path(strand.points)};"
    for dot in drawn.drawing.dots:
        yield _dot(dot, "rhback" if dot.wire in back else "black")
    for box in drawn.drawing.boxes:
        yield from _box(box)
    for label in drawn.drawing.labels:
        yield _label(drawn, label)
    yield "\\end{tikzpicture}"


def _colours() -> Iterator[tuple[str, str]]:
    for name, role in _ROLES.items():
        yield name, COLOURS[role].removeprefix("#").upper()
    for name, mark in (("rhforward", MARKS["forward"]), ("rhback", MARKS["backward"])):
        yield name, "".join([f"{int(part):02X}" for part in mark.split(",")])


def _comment(text: str) -> str:
    """Return the text on one line, with ``?`` for every character outside printable ASCII."""
    return "".join([c if c.isascii() and c.isprintable() else "?" for c in " ".join(text.split())])


def _path(points: Sequence[Point]) -> str:
    steps = [_at(*points[0])]
    for *controls, end in pieces(points):
        if controls:
            steps.append(f".. controls {' and '.join([_at(*point) for point in controls])} .. {_at(*end)}")
        else:
            steps.append(f"-- {_at(*end)}")
    return " ".join(steps)


def _frame(frame: PlacedFrame) -> Iterator[str]:
    style = _STYLE_OF_LEG[frame.leg]
    yield f"\\draw[rh {style}] {_at(frame.x, frame.y)} rectangle {_at(frame.x + frame.width, frame.y + frame.height)};"
    yield f"\\node[rh small, rhhandler] at {_at(frame.x + 8, frame.y + 13)} {{{_text(frame.title)}}};"


_STYLE_OF_LEG = {
    **dict.fromkeys((None, Leg.RETURN), "frame"),
    **dict.fromkeys((Leg.FORWARD, Leg.CLAUSE), "forward"),
    Leg.BACKWARD: "backward",
}


def _box(box: PlacedBox) -> Iterator[str]:
    low, high = _at(box.x, box.y), _at(box.x + box.width, box.y + box.height)
    middle = _at(box.x + box.width / 2, box.y + box.height / 2)
    radius = f"{box.width / 2 * _UNIT:.2f}pt"
    round_corners = f"rounded corners={min(10.0, box.height / 2) * _UNIT:.2f}pt"
    match box.figure.shape:
        case BoxShape.PURE:
            yield f"\\draw[rh pure, {round_corners}] {low} rectangle {high};"
        case BoxShape.OPERATION:
            yield f"\\draw[rh operation] {low} rectangle {high};"
        case BoxShape.CONSTANT:
            yield f"\\draw[rh constant, {round_corners}] {low} rectangle {high};"
        case BoxShape.SUM | BoxShape.ZERO:
            yield f"\\draw[rh pure] {middle} circle[radius={radius}];"
    yield f"\\node[rh text] at {middle} {{{_text(box.figure.label)}}};"


def _dot(dot: Dot, colour: str) -> str:
    return f"\\fill[{colour}] {_at(dot.x, dot.y)} circle[radius={2.4 if dot.is_end else 1.9:.1f}pt];"


def _label(drawn: Layout, label: Label) -> str:
    raised = exponent(drawn.sketch.types[label.wire])
    shape = f"^{{{escape(raised, ascii_fonts=True)}}}" if raised else ""
    return f"\\node[rh small, rhtype] at {_at(label.x, label.y)} {{$\\mathbb{{R}}{shape}$}};"


def _text(text: str) -> str:
    return f"${escape(text, ascii_fonts=True)}$"


def _at(x: float, y: float) -> str:
    return f"({_n(x)},{_n(y)})"


def _n(x: float) -> str:
    return f"{x:.1f}".removesuffix(".0")
