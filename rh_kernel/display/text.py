"""Documents as plain text, and with ANSI escape sequences for terminals.

Both are made of ``runs``, which is where annotations are turned into styles; HTML is too (``display.html``).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from rh_kernel.syntax.printing import doc as d
from rh_kernel.syntax.printing.doc import Doc, MarkKind, Role


@dataclass(frozen=True, slots=True)
class Style:
    """The style of text: the innermost role, the innermost mark, and a tooltip."""

    role: Role | None = None
    mark: MarkKind | None = None
    hover: str = ""


@dataclass(frozen=True, slots=True)
class Run:
    """Adjacent characters of the same style. Line ends and indentation are plain."""

    text: str
    style: Style


PLAIN = Style()


def runs(doc: Doc, width: float = 100) -> Iterator[Run]:
    """Lay out ``doc`` in lines of ``width`` columns and yield maximal runs of the same style."""
    styles = [PLAIN]
    pending, style = "", PLAIN
    for event in d.layout(doc, width):
        match event:
            case d.Open(annotation):
                styles.append(_annotated(styles[-1], annotation))
                continue
            case d.Close():
                styles.pop()
                continue
            case d.Newline(indent):
                text, here = "\n" + " " * indent, PLAIN
            case str():
                text, here = visible(event), styles[-1]
        if here != style and pending:
            yield Run(pending, style)
            pending = ""
        pending, style = pending + text, here
    if pending:
        yield Run(pending, style)


def visible(text: str) -> str:
    """Replace every control character except the line end by a visible one, so that text cannot control a terminal.

    Unpaired surrogates, which cannot be encoded, are replaced too.
    """
    return text if text.isprintable() else text.translate(_SIGNS)


def to_text(doc: Doc, width: float = 100) -> str:
    """Render ``doc`` as plain text."""
    return "".join(run.text for run in runs(doc, width))


def to_ansi(doc: Doc, width: float = 100, *, on_red: bool = False) -> str:
    """Render ``doc`` with ANSI colours for light and dark terminals; with ``on_red`` nothing is red itself."""
    pieces: list[str] = []
    for run in runs(doc, width):
        codes = [*_ROLE_CODES.get(run.style.role, ()), *_MARK_CODES.get(run.style.mark, ())]
        codes = [code for code in codes if code != _RED] if on_red else codes
        pieces.append(f"\x1b[{';'.join(codes)}m{run.text}\x1b[0m" if codes else run.text)
    return "".join(pieces)


def _annotated(style: Style, annotation: d.Annotation) -> Style:
    match annotation:
        case Role():
            return replace(style, role=annotation)
        case d.Mark(kind):
            return replace(style, mark=kind)
        case d.Typed(A):
            return replace(style, hover=A)
        case d.Spanned():
            return style


_SIGNS = {c: 0x2400 + c for c in range(32) if c != 10} | {0x7F: 0x2421} | dict.fromkeys(range(0x80, 0xA0), 0xFFFD)
_SIGNS |= dict.fromkeys((0x61C, *range(0x200E, 0x2010), *range(0x2028, 0x202F), *range(0x2066, 0x206A)), 0xFFFD)
_SIGNS |= dict.fromkeys(range(0xD800, 0xE000), 0xFFFD)

_RED = "31"
_ROLE_CODES: dict[Role | None, tuple[str, ...]] = {
    Role.KEYWORD: ("35",),
    Role.CONSTANT: ("32",),
    Role.FUNCTION: ("34",),
    Role.OPERATION: ("33",),
    Role.LOCATION: ("36",),
    Role.HANDLER: ("35", "1"),
    Role.TYPE: ("36",),
    Role.RULE: ("34", "1"),
    Role.ERROR: (_RED, "1"),
    Role.WARNING: ("33", "1"),
    Role.FADED: ("2",),
}
_MARK_CODES: dict[MarkKind | None, tuple[str, ...]] = {
    "redex": ("1", "4"),
    "contractum": ("1", "4"),
    "error": ("1", _RED),
    "changed": ("1",),
    "focus": ("7",),
}
