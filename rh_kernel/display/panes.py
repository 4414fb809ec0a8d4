"""A marked term or command as a ``<pre>``: what is marked stands out, what is around it is dimmed, what is far from it is cut."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TypeAlias

from rh_kernel.display.html import escape
from rh_kernel.display.markup import element
from rh_kernel.syntax.doc import Annotation, Close, Doc, Mark, MarkKind, Newline, Open, layout

WIDTH = 90

AROUND = 12
"""So many lines above and below what is marked are shown."""

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


def pane(doc: Doc, width: float = WIDTH) -> str:
    """The document in lines of ``width`` columns, with one ``<mark>`` for each redex and contractum."""
    lines = _lines(doc, width)
    pieces = [*_joined(_window(lines))]
    kinds = {kind for piece in pieces for kind in piece.kinds}
    whole = all(piece.kinds for piece in pieces)
    return element("pre", _PRE + ";".join(_edge(kinds)), *_html(pieces, kinds, dims=bool(kinds) and not whole))


def _edge(kinds: set[MarkKind]) -> list[str]:
    return [f"border-left:3px solid rgba({COLOURS[k]},0.7)" for k in ("redex", "contractum") if k in kinds]


def _lines(doc: Doc, width: float) -> list[list[Piece]]:
    lines: list[list[Piece]] = [[]]
    open_: list[Annotation] = []
    for event in layout(doc, width):
        match event:
            case Open(annotation):
                open_.append(annotation)
            case Close():
                open_.pop()
            case Newline(indent):
                lines.append([Piece(" " * indent, _kinds(open_))] if indent else [])
            case str():
                lines[-1].append(Piece(event, _kinds(open_)))
    return lines


def _kinds(open_: Sequence[Annotation]) -> Kinds:
    return tuple([a.kind for a in open_ if isinstance(a, Mark)])


def _window(lines: list[list[Piece]]) -> Iterator[list[Piece]]:
    """The lines that are shown, and for the others how many there are."""
    marked = [i for i, line in enumerate(lines) if any(piece.kinds for piece in line)] or [0]
    first, last = marked[0], marked[-1]
    cut = range(first + MOST * 2 // 3, last - MOST // 3) if last - first > MOST else range(0)
    shown = [i for i in range(max(first - AROUND, 0), min(last + AROUND + 1, len(lines))) if i not in cut]
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
    text, kinds = "", ()
    is_first = True
    for line in lines:
        end = [] if is_first else [Piece("\n", _common(kinds, line[0].kinds if line else ()))]
        is_first = False
        for piece in [*end, *line]:
            if piece.kinds != kinds and text:
                yield Piece(text, kinds)
                text = ""
            text, kinds = text + piece.text, piece.kinds
    if text:
        yield Piece(text, kinds)


def _common(left: Kinds, right: Kinds) -> Kinds:
    common: list[MarkKind] = []
    for a, b in zip(left, right, strict=False):
        if a != b:
            break
        common.append(a)
    return tuple(common)


def _html(pieces: list[Piece], kinds: set[MarkKind], *, dims: bool) -> Iterator[str]:
    styles = _styles(kinds)
    open_: Kinds = ()
    for piece in pieces:
        kept = len(_common(open_, piece.kinds))
        for kind in reversed(open_[kept:]):
            yield f"</{_name(kind)}>"
        for kind in piece.kinds[kept:]:
            yield f'<{_name(kind)} style="{styles[kind]}">'
        open_ = piece.kinds
        text = escape(piece.text)
        yield text if piece.kinds or not dims or not text.strip() else f'<span style="opacity:0.6">{text}</span>'
    for kind in reversed(open_):
        yield f"</{_name(kind)}>"


def _name(kind: MarkKind) -> str:
    return "mark" if kind in ("redex", "contractum", "error") else "span"


def _styles(kinds: set[MarkKind]) -> dict[MarkKind, str]:
    """How each kind of mark looks; a redex is fainter if something in it is marked again."""
    faint = len(kinds) > 1
    styles: dict[MarkKind, str] = {}
    for kind in kinds:
        match kind:
            case "redex" | "contractum" | "error":
                styles[kind] = f"color:inherit;background-color:rgba({COLOURS[kind]},{0.14 if faint else 0.32})"
            case "focus" | "changed":
                styles[kind] = f"background-color:rgba({COLOURS[kind]},0.3)"
            case "forward" | "backward":
                styles[kind] = f"border-bottom:2px solid rgba({COLOURS[kind]},0.9)"
    return styles


_PRE = "margin:2px 0;padding:2px 8px;overflow:auto;line-height:1.45;background:none;"
