"""Documents as text: plain, and for terminals with the colours of ANSI escape sequences.

A rendering is a sequence of ``Run``: characters on one line that look alike. Nothing else looks at annotations.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from rh_kernel.syntax.printing.doc import (
    Annotation,
    Close,
    Doc,
    Mark,
    MarkKind,
    Newline,
    Open,
    Role,
    Spanned,
    Typed,
    layout,
)


@dataclass(frozen=True, slots=True)
class Look:
    """How something looks: the innermost role, the innermost mark, and what is said on hovering."""

    role: Role | None = None
    mark: MarkKind | None = None
    hover: str = ""


@dataclass(frozen=True, slots=True)
class Run:
    """Characters that look alike; a run of one line end, and the spaces after it, looks like nothing."""

    text: str
    look: Look


PLAIN = Look()


def runs(doc: Doc, width: float = 100) -> Iterator[Run]:
    """What ``doc`` is made of in lines of ``width`` columns; neighbours that look alike are one run."""
    looks = [PLAIN]
    pending, look = "", PLAIN
    for event in layout(doc, width):
        match event:
            case Open(annotation):
                looks.append(_under(looks[-1], annotation))
                continue
            case Close():
                looks.pop()
                continue
            case Newline(indent):
                text, here = "\n" + " " * indent, PLAIN
            case str():
                text, here = visible(event), looks[-1]
        if here != look and pending:
            yield Run(pending, look)
            pending = ""
        pending, look = pending + text, here
    if pending:
        yield Run(pending, look)


def visible(text: str) -> str:
    """``text`` with every control character but the line end shown as a sign, so that it cannot control a terminal.

    Half a surrogate pair, which no encoding has a place for, is shown as a sign too.
    """
    return text if text.isprintable() else text.translate(_SIGNS)


def to_text(doc: Doc, width: float = 100) -> str:
    """``doc`` without its annotations."""
    return "".join(run.text for run in runs(doc, width))


def to_ansi(doc: Doc, width: float = 100, *, on_red: bool = False) -> str:
    """``doc`` with colours for a terminal with a light or a dark background; ``on_red`` nothing is red itself."""
    pieces: list[str] = []
    for run in runs(doc, width):
        codes = [*_ROLE_CODES.get(run.look.role, ()), *_MARK_CODES.get(run.look.mark, ())]
        codes = [code for code in codes if code != _RED] if on_red else codes
        pieces.append(f"\x1b[{';'.join(codes)}m{run.text}\x1b[0m" if codes else run.text)
    return "".join(pieces)


def _under(look: Look, annotation: Annotation) -> Look:
    match annotation:
        case Role():
            return replace(look, role=annotation)
        case Mark(kind):
            return replace(look, mark=kind)
        case Typed(A):
            return replace(look, hover=A)
        case Spanned():
            return look


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
    Role.FADED: ("2",),
}
_MARK_CODES: dict[MarkKind | None, tuple[str, ...]] = {
    "redex": ("1", "4"),
    "contractum": ("1", "4"),
    "error": ("1", _RED),
    "changed": ("1",),
    "focus": ("7",),
}
