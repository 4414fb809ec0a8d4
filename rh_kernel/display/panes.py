"""A marked term or command as a ``<pre>``: what is marked stands out, what is around it is dimmed, what is far is cut."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from rh_kernel.display.html import escape
from rh_kernel.display.markup import element
from rh_kernel.syntax.doc import Annotation, Close, Doc, Mark, MarkKind, Newline, Open, layout

WIDTH = 90

MOST = 60
"""So many lines of what is marked are shown."""

COLOURS: dict[MarkKind, str] = {
    "redex": "255,170,0",
    "contractum": "46,170,90",
    "focus": "255,170,0",
    "changed": "46,170,90",
    "forward": "19,119,234",
    "backward": "171,78,218",
    "error": "223,61,55",
}

Kinds: TypeAlias = tuple[MarkKind, ...]


@dataclass(frozen=True, slots=True)
class Piece:
    """Characters, and the marks that they have from the outermost to the innermost."""

    text: str
    kinds: Kinds


def pane(doc: Doc, around: int) -> str:
    """The document, whose redex or contractum says so on hovering, and ``around`` lines above and below what is marked."""
    pieces = [*_joined(_window(_lines(doc), around))]
    kinds: set[MarkKind] = {kind for piece in pieces for kind in piece.kinds}
    return element("pre", _PRE + ";".join(_edge(kinds)), *_html(pieces, kinds))


def _edge(kinds: set[MarkKind]) -> list[str]:
    return [f"border-left:3px solid rgba({COLOURS[k]},0.7)" for k in ("redex", "contractum") if k in kinds]


def _lines(doc: Doc) -> list[list[Piece]]:
    lines: list[list[Piece]] = [[]]
    open_: list[Annotation] = []
    for event in layout(doc, WIDTH):
        match event:
            case Open(annotation):
                open_.append(annotation)
            case Close():
                open_.pop()
            case Newline(indent):
                lines.append([Piece(" " * indent, ())] if indent else [])
            case str():
                lines[-1].append(Piece(event, _kinds(open_)))
    return lines


def _kinds(open_: Sequence[Annotation]) -> Kinds:
    return tuple([a.kind for a in open_ if isinstance(a, Mark)])


def _window(lines: list[list[Piece]], around: int) -> Iterator[list[Piece]]:
    """The lines that are shown, and for the others how many there are."""
    marked = [i for i, line in enumerate(lines) if any(piece.kinds for piece in line)] or [0]
    first, last = marked[0], marked[-1]
    cut = range(first + MOST * 2 // 3, last - MOST // 3) if last - first > MOST else range(0)
    shown = [i for i in range(max(first - around, 0), min(last + around + 1, len(lines))) if i not in cut]
    if shown[0] <= 1:
        shown[:0] = range(shown[0])
    if len(lines) - shown[-1] <= 2:
        shown += range(shown[-1] + 1, len(lines))
    previous = -1
    for i in [*shown, len(lines)]:
        if i - previous > 1:
            yield [Piece(f"⋮ {i - previous - 1} lines", ())]
        if i < len(lines):
            yield lines[i]
        previous = i


def _joined(lines: Iterator[list[Piece]]) -> Iterator[Piece]:
    """The pieces of all lines, line ends included; neighbours with the same marks are one piece."""
    text, kinds, end = "", (), ""
    for line in lines:
        for piece in (Piece(end, ()), *line):
            if piece.kinds != kinds and text:
                yield Piece(text, kinds)
                text = ""
            text, kinds = text + piece.text, piece.kinds
        end = "\n"
    if text:
        yield Piece(text, kinds)


def _html(pieces: list[Piece], kinds: set[MarkKind]) -> Iterator[str]:
    styles = _styles(kinds)
    open_: Kinds = ()
    met: set[MarkKind] = set()
    for piece in pieces:
        kept = _agreement(open_, piece.kinds)
        yield "</span>" * (len(open_) - kept)
        for kind in piece.kinds[kept:]:
            # A mark goes on in the next line behind the indentation, and is still one mark.
            title = f' title="{kind}"' if kind in _MARKED and kind not in met else ""
            met.add(kind)
            yield f'<span style="{styles[kind]}"{title}>'
        open_, text = piece.kinds, escape(piece.text)
        yield text if piece.kinds or not kinds or not text.strip() else f'<span style="opacity:0.6">{text}</span>'
    yield "</span>" * len(open_)


def _agreement(left: Kinds, right: Kinds) -> int:
    """How many marks two pieces have in common, from the outermost on."""
    return next((i for i, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right)))


def _styles(kinds: set[MarkKind]) -> dict[MarkKind, str]:
    """How each kind of mark looks; a redex is fainter if something in it is marked again."""
    faint = len(kinds) > 1
    styles: dict[MarkKind, str] = {}
    for kind in kinds:
        match kind:
            case "redex" | "contractum" | "error":
                styles[kind] = f"background-color:rgba({COLOURS[kind]},{0.14 if faint else 0.32})"
            case "focus" | "changed":
                styles[kind] = f"background-color:rgba({COLOURS[kind]},0.3)"
            case "forward" | "backward":
                styles[kind] = f"border-bottom:2px solid rgba({COLOURS[kind]},0.9)"
    return styles


_MARKED = frozenset({"redex", "contractum", "error"})
_PRE = "margin:2px 0;padding:0 8px;white-space:pre;"
