"""Rendering of diagnostics: message, source excerpt, found and expected, hint and fix.

A diagnostic is rendered from one document, so terminals and notebooks show the same; ``error`` is its record.
"""

import math
from collections.abc import Sequence

from rh_kernel.display.code_frames import Annotation, code_frame
from rh_kernel.display.data import Json, Record
from rh_kernel.display.html import to_html
from rh_kernel.display.registry import ResultView, as_html
from rh_kernel.display.text import to_ansi, to_text, visible
from rh_kernel.session.results import ItemFailed, Warned
from rh_kernel.source.diagnostic import Diagnostic, Fix
from rh_kernel.source.span import Source, Span
from rh_kernel.syntax.printing.doc import HARD, Doc, Role, Text, concat, join, nest, role

MOST = 10
"""The largest number of diagnostics shown at once."""

_FACT = 10


def text(d: Diagnostic) -> str:
    """The diagnostic as plain text, without a final line end."""
    return to_text(document(d), math.inf)


def ansi(d: Diagnostic) -> str:
    """The diagnostic with ANSI colours."""
    return to_ansi(document(d), math.inf)


def html(d: Diagnostic) -> str:
    """The diagnostic as HTML."""
    return to_html(document(d), math.inf)


def texts(found: Sequence[Diagnostic]) -> list[str]:
    """The first ``MOST`` diagnostics as plain text, and a line with the number of the others."""
    return [to_text(shown, math.inf) for shown in _documents(found)]


def ansis(found: Sequence[Diagnostic]) -> list[str]:
    """``texts`` with ANSI colours for the red box in which a notebook shows errors."""
    return [to_ansi(shown, math.inf, on_red=True) for shown in _documents(found)]


def htmls(found: Sequence[Diagnostic]) -> list[str]:
    """``texts`` as HTML."""
    return [to_html(shown, math.inf) for shown in _documents(found)]


def _documents(found: Sequence[Diagnostic]) -> list[Doc]:
    more = len(found) - MOST
    return [*map(document, found[:MOST]), *([role(Role.ERROR, f"and {more} more")] if more > 0 else [])]


def document(d: Diagnostic) -> Doc:
    """The title and message, a code frame for each source with its spans and notes, and the other facts."""
    colour = Role.WARNING if d.is_warning else Role.ERROR
    places = [] if d.span is None else [Annotation(d.span, main=True, role=colour)]
    places += [Annotation(note.span, " ".join(note.text.split("\n"))) for note in d.notes]
    texts: dict[Source, list[Annotation]] = {}
    for place in places:
        texts.setdefault(place.span.source, []).append(place)
    gutter = len(str(max((place.span.position[2] for place in places), default=0)))
    parts = [concat(role(colour, f"{'Warning ' if d.is_warning else ''}{d.code} {d.title}"), ": ", _lines(d.message))]
    for source, together in texts.items():
        line, column, _, _ = together[0].span.position
        parts.append(role(Role.FADED, f"{' ' * gutter}── {visible(source.name)}, line {line}, column {column}"))
        parts += code_frame(together, gutter)
    # Not what the message contains already.
    compared = {name: fact for name, fact in (("found", d.found), ("expected", d.expected)) if fact not in d.message}
    facts = {**compared, "hint": d.hint, "fix": "" if d.fix is None else d.fix.words, "rule": d.rule}
    for name, fact in facts.items():
        if fact:
            indent = gutter + 3 + _FACT
            parts.append(nest(" " * (gutter + 3), role(Role.FADED, name.ljust(_FACT)), _lines(fact), indent=indent))
    return join(HARD, parts)


def _lines(text: str) -> Doc:
    return join(HARD, map(Text, text.split("\n")))


def error(d: Diagnostic) -> Record:
    """The record of a diagnostic; ``found``, ``expected``, ``hint``, ``rule``, ``notes`` and ``fix`` only if it has them.

    Lines and columns count from 1 and ends are exclusive; they are ``None`` without a span. ``source`` names an included
    file. A fix has the text to insert.
    """
    known = {"found": d.found, "expected": d.expected, "hint": d.hint, "rule": d.rule}
    notes: list[Json] = [{**_place(note.span), "source": note.span.source.name, "text": note.text} for note in d.notes]
    return {
        "kind": "warning" if d.is_warning else "error",
        "code": d.code,
        "title": d.title,
        "message": d.message,
        **_place(d.span),
        **({"source": d.span.source.name} if d.span is not None and d.span.source.is_included else {}),
        **{key: text for key, text in known.items() if text},
        **({"notes": notes} if notes else {}),
        **({} if d.fix is None else {"fix": _fix(d, d.fix)}),
    }


def _fix(d: Diagnostic, fix: Fix) -> Record:
    """The record of a fix; ``source`` only if it is in another text than the diagnostic."""
    is_elsewhere = d.span is not None and fix.span.source is not d.span.source
    return {**_place(fix.span), **({"source": fix.span.source.name} if is_elsewhere else {}), "text": fix.text}


def _place(span: Span | None) -> Record:
    places = (None, None, None, None) if span is None else span.position
    return dict(zip(("line", "column", "end_line", "end_column"), places, strict=True))


WARNING = ResultView(
    Warned,
    text=lambda warned: "\n".join(texts(warned.diagnostics)),
    rich=as_html(lambda warned: "".join(htmls(warned.diagnostics))),
    records=lambda warned: map(error, warned.diagnostics),
)
FAILURE = ResultView(
    ItemFailed,
    text=lambda failed: "\n".join(texts(failed.diagnostics)),
    rich=as_html(lambda failed: "".join(htmls(failed.diagnostics))),
    records=lambda failed: map(error, failed.diagnostics),
)
