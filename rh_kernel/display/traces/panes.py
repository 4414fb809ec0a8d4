"""A marked term or command as a ``<pre>``: marks are coloured, the context is dimmed, and distant lines are left out."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from rh_kernel.display.html import escape
from rh_kernel.display.markup import element
from rh_kernel.display.palette import MARKS
from rh_kernel.syntax.printing.doc import Close, Doc, Mark, MarkKind, Newline, Open, layout

WIDTH = 90

MOST = 30
"""Default number of lines of a marked part."""

COLOURS = MARKS
"""The colours of marks."""

Kinds: TypeAlias = tuple[MarkKind, ...]


@dataclass(frozen=True, slots=True)
class Piece:
    """Text with its marks, outermost first."""

    text: str
    kinds: Kinds


def pane(doc: Doc, around: int, most: int = MOST) -> str:
    """Render a document with ``around`` lines above and below the marked part, whose kind is its tooltip."""
    pieces = [*_joined(_window(_lines(doc, around, most), around))]
    kinds: set[MarkKind] = {kind for piece in pieces for kind in piece.kinds}
    return element("pre", _PRE + ";".join(_edge(kinds)), *_html(pieces, kinds))


def _edge(kinds: set[MarkKind]) -> list[str]:
    return [f"border-left:3px solid rgba({COLOURS[k]},0.7)" for k in ("redex", "contractum") if k in kinds]


def _lines(doc: Doc, around: int, most: int) -> list[list[Piece]]:
    """The lines of the document as far as they are shown, with a final ``⋮`` if there are more."""
    lines: list[list[Piece]] = [[]]
    kinds: list[Kinds] = [()]
    first = last = None
    for event in layout(doc, WIDTH):
        match event:
            case Open(annotation):
                kinds.append((*kinds[-1], annotation.kind) if isinstance(annotation, Mark) else kinds[-1])
            case Close():
                kinds.pop()
            case str():
                lines[-1].append(Piece(event, kinds[-1]))
                if kinds[-1]:
                    last = len(lines) - 1
                    first = last if first is None else first
            case Newline(indent):
                if first is not None and last is not None and len(lines) > min(last + around, first + most):
                    return [*lines, [Piece("⋮", ())]]
                lines.append([Piece(" " * indent, ())] if indent else [])
    return lines


def _window(lines: list[list[Piece]], around: int) -> Iterator[list[Piece]]:
    """The lines that are shown, under the number of those left out above."""
    first = next((i for i, line in enumerate(lines) if any(piece.kinds for piece in line)), 0)
    above = max(first - around, 0)
    if above > 1:
        yield [Piece(f"⋮ {above} lines", ())]
    yield from lines[above if above > 1 else 0 :]


def _joined(lines: Iterator[list[Piece]]) -> Iterator[Piece]:
    """The pieces of all lines including line ends; adjacent pieces with the same marks are merged."""
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
    """The number of outermost marks that two pieces have in common."""
    return next((i for i, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right)))


def _styles(kinds: set[MarkKind]) -> dict[MarkKind, str]:
    """The style of each kind of mark; a redex is fainter if it contains other marks."""
    faint = len(kinds) > 1
    styles: dict[MarkKind, str] = {}
    for kind in kinds:
        match kind:
            case "redex" | "contractum" | "error":
                styles[kind] = f"background-color:rgba({COLOURS[kind]},{0.14 if faint else 0.32})"
            case "focus" | "changed":
                styles[kind] = f"background-color:rgba({COLOURS[kind]},0.3)"
            case "untaken":
                styles[kind] = "opacity:0.45"
            case "forward" | "backward":
                styles[kind] = f"border-bottom:2px solid rgba({COLOURS[kind]},0.9)"
    return styles


_MARKED = frozenset({"redex", "contractum", "error"})
_PRE = "margin:2px 0;padding:0 8px;white-space:pre;"
