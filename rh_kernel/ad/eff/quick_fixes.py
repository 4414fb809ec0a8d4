"""Quick fixes for applications, from the source text alone: brackets around a negative argument, and a missing ``!``."""

import re

from rh_kernel.source.diagnostic import Fix
from rh_kernel.source.span import Source, Span

NEGATIVE_ARGUMENT_HINT = "here `-` is a subtraction; a negative argument stands in brackets, as in f (-1)"
"""A hint for ``f -1``."""

FORCE_HINT = "`!` after it runs what is in a thunk"
"""A hint for ``(@c) 1``."""

_NEGATIVE = re.compile(r"\)*[ \t]+(-(?:[0-9][0-9.eE]*|[a-z_][A-Za-z0-9_']*))(?![A-Za-z0-9_.'!])")
_BEFORE = re.compile(r"[A-Za-z0-9_')\]}!][ \t]+-$")


def bracket_following(span: Span | None) -> Fix | None:
    """Bracket the negative argument after f, as in ``f -1``; ``f - 1`` has none."""
    if span is None or (found := _NEGATIVE.match(span.source.text, span.end)) is None:
        return None
    return _bracketed(span.source, *found.span(1))


def bracket_preceding(span: Span) -> Fix | None:
    """Bracket the negative argument whose digits are at ``span``."""
    return _bracketed(span.source, span.start - 1, span.end) if _BEFORE.search(span.source.text[: span.start]) else None


def _bracketed(source: Source, start: int, end: int) -> Fix:
    return Fix(Span(source, start, end), f"({source.text[start:end]})")


def force_function(application: Span | None, argument: Span | None, *, sign: str = "!", wrapped: bool = False) -> Fix | None:
    """Force the function of an application; it is put in brackets if it is ``wrapped``, an application itself."""
    if application is None or argument is None:
        return None
    text = application.source.text[application.start : argument.start].rstrip(" \t\n(")
    if not text or "#" in text:
        return None
    place = Span(application.source, application.start, application.start + len(text))
    return Fix(place, f"({text}){sign}" if wrapped else f"{text}{sign}")
