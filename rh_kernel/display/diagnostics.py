"""Complaints as a person reads them: what is wrong, the line it stands in, what was found and expected, what to do.

A diagnostic is one document, so terminals and notebooks show the same. As data it is ``record.error``.
"""

from dataclasses import dataclass

from rh_kernel.display.html import to_html
from rh_kernel.display.text import to_ansi, to_text, visible
from rh_kernel.source.diagnostic import Diagnostic
from rh_kernel.source.span import Source, Span
from rh_kernel.syntax.doc import EMPTY, HARD, Annotated, Doc, Mark, Role, Text, cells, concat, join, nest, role

WIDEST = 100
"""A longer source line is cut around what the complaint is about."""

_TAB = 4
_FEW_LINES = 3


def text(d: Diagnostic) -> str:
    """The complaint without colours, and no line end at its end."""
    return to_text(document(d), _NEVER_FULL)


def ansi(d: Diagnostic) -> str:
    """The complaint for a terminal."""
    return to_ansi(document(d), _NEVER_FULL)


def html(d: Diagnostic) -> str:
    """The complaint for a notebook."""
    return to_html(document(d), _NEVER_FULL)


def document(d: Diagnostic) -> Doc:
    """The complaint, its place, the facts, and further places that explain it."""
    parts = [concat(role(Role.ERROR, f"{d.code} {d.title}"), f": {d.message}")]
    last = max([span.position[2] for span in (d.span, *(n.span for n in d.notes)) if span is not None], default=0)
    gutter = len(str(last))
    if d.span is not None:
        parts += _place(d.span, "", "^", gutter)
    facts = [("found", d.found), ("expected", d.expected), ("hint", d.hint)]
    parts += [_fact(name, fact, gutter + 3 if d.span else 2) for name, fact in facts if fact]
    for note in d.notes:
        parts += _place(note.span, note.text, "-", gutter)
    return join(HARD, parts)
