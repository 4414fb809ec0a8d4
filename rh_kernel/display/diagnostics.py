"""Complaints as a person reads them: what is wrong, the line it stands in, what was found and expected, what to do.

A diagnostic is one document, so terminals and notebooks show the same. As data it is ``record.error``.
"""

import math

from rh_kernel.display.html import to_html
from rh_kernel.display.text import to_ansi, to_text, visible
from rh_kernel.source.diagnostic import Diagnostic
from rh_kernel.source.span import Span
from rh_kernel.syntax.doc import HARD, Annotated, Doc, Mark, Role, Text, cells, concat, join, nest, role

WIDEST = 100
"""A source line with more columns is cut around what the complaint is about."""

_BEFORE = 40
_TAB = 4
_FEW_LINES = 3
_FACT = 10


def text(d: Diagnostic) -> str:
    """The complaint without colours, and no line end at its end."""
    return to_text(document(d), math.inf)


def ansi(d: Diagnostic) -> str:
    """The complaint for a terminal."""
    return to_ansi(document(d), math.inf)


def html(d: Diagnostic) -> str:
    """The complaint for a notebook."""
    return to_html(document(d), math.inf)


def document(d: Diagnostic) -> Doc:
    """The complaint, its place, the facts, and further places that explain it."""
    spans = [s for s in (d.span, *(note.span for note in d.notes)) if s is not None]
    gutter = len(str(max((s.position[2] for s in spans), default=0)))
    parts = [concat(role(Role.ERROR, f"{d.code} {d.title}"), ": ", _lines(d.message))]
    if d.span is not None:
        parts += _place(d.span, "", "^", gutter)
    for name, fact in (("found", d.found), ("expected", d.expected), ("hint", d.hint)):
        if fact:
            parts.append(nest(" " * (gutter + 3), role(Role.FADED, name.ljust(_FACT)), _lines(fact), indent=gutter + 3 + _FACT))
    for note in d.notes:
        parts += _place(note.span, note.text, "-", gutter)
    return join(HARD, parts)


def _place(span: Span, label: str, sign: str, gutter: int) -> list[Doc]:
    line, column, _, _ = span.position
    place = role(Role.FADED, f"{' ' * gutter}── {visible(span.source.name)}, line {line}, column {column}")
    return [concat(place, ": ", _lines(label)) if label else place, *_excerpt(span, sign, gutter)]


def _excerpt(span: Span, sign: str, gutter: int) -> list[Doc]:
    """The lines of ``span``, each with ``sign`` under the part that is in it; of many lines the first and the last."""
    first, start, last, end = span.position
    if end == 1 and last > first:
        last, end = last - 1, len(span.source.line(last - 1)) + 1
    numbers = list(range(first, last + 1))
    shown: list[Doc] = []
    for n in numbers if len(numbers) <= _FEW_LINES else (first, last):
        line = span.source.line(n).rstrip("\r")
        inside = line.rstrip()
        a = start - 1 if n == first else len(line) - len(line.lstrip())
        b = end - 1 if n == last else len(inside)
        if n == last and len(numbers) > _FEW_LINES:
            shown.append(role(Role.FADED, " " * gutter + " ⋮"))
        shown += _underlined(f"{n:>{gutter}}", line, a, max(a, b), sign)
    return shown


def _underlined(number: str, line: str, start: int, end: int, sign: str) -> list[Doc]:
    before = _expanded(line[:start], 0)
    inside = _expanded(line[start:end], cells(before))
    after = _expanded(line[end:], cells(before) + cells(inside))
    if cells(before) + cells(inside) + cells(after) > WIDEST:
        before = before if cells(before) <= _BEFORE else "…" + _cut(before[::-1], _BEFORE - 1)[::-1]
        inside = _shortened(inside, WIDEST - _BEFORE)
        after = _shortened(after, max(WIDEST - cells(before) - cells(inside), 1))
    signs = sign * max(cells(inside), 1)
    after = after.rstrip()
    space = " " if before or inside or after else ""
    return [
        concat(role(Role.FADED, f"{number} │"), space, before, Annotated(Mark("error"), Text(inside)), after),
        concat(role(Role.FADED, f"{' ' * len(number)} │"), " " * (1 + cells(before)), role(Role.ERROR, signs)),
    ]


def _expanded(text: str, column: int) -> str:
    """``text`` as it is shown from ``column`` on: tabs as spaces up to the next stop."""
    pieces: list[str] = []
    for i, part in enumerate(visible(part) for part in text.split("\t")):
        if i:
            spaces = _TAB - column % _TAB
            pieces.append(" " * spaces)
            column += spaces
        pieces.append(part)
        column += cells(part)
    return "".join(pieces)


def _shortened(text: str, width: int) -> str:
    return text if cells(text) <= width else _cut(text, width - 1) + "…"


def _cut(text: str, width: int) -> str:
    """As much of the beginning of ``text`` as fits into ``width`` columns."""
    total = 0
    for i, c in enumerate(text):
        total += cells(c)
        if total > width:
            return text[:i]
    return text


def _lines(text: str) -> Doc:
    return join(HARD, map(Text, text.split("\n")))
