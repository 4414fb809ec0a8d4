"""What to write where brackets or ``!`` are missing in an application, found in the text of the program alone."""

import re

from rh_kernel.source.diagnostic import Fix
from rh_kernel.source.span import Source, Span

AS_AN_ARGUMENT = "here `-` is a subtraction; a negative argument stands in brackets, as in f (-1)"
"""A hint for ``f -1``."""

TO_FORCE = "`!` after it runs what is in a thunk"
"""A hint for ``(@c) 1``."""

_NEGATIVE = re.compile(r"\)*[ \t]+(-(?:[0-9][0-9.eE]*|[a-z_][A-Za-z0-9_']*))(?![A-Za-z0-9_.'!])")
_BEFORE = re.compile(r"[A-Za-z0-9_')\]}!][ \t]+-$")


def negative_after(span: Span | None) -> Fix | None:
    """Brackets around a negative argument that follows: ``f -1``, where f stands there. In ``f - 1`` nobody means one."""
    if span is None or (found := _NEGATIVE.match(span.source.text, span.end)) is None:
        return None
    return _bracketed(span.source, *found.span(1))


def negative_before(span: Span) -> Fix | None:
    """The same where the argument without its sign stands there."""
    return _bracketed(span.source, span.start - 1, span.end) if _BEFORE.search(span.source.text[: span.start]) else None


def _bracketed(source: Source, start: int, end: int) -> Fix:
    return Fix(Span(source, start, end), f"({source.text[start:end]})")


def forced(application: Span | None, argument: Span | None, *, sign: str = "!", wrapped: bool = False) -> Fix | None:
    """``!`` after what stands in an application in front of an argument; ``wrapped`` in brackets if it is one itself."""
    if application is None or argument is None:
        return None
    text = application.source.text[application.start : argument.start].rstrip(" \t\n(")
    if not text or "#" in text:
        return None
    place = Span(application.source, application.start, application.start + len(text))
    return Fix(place, f"({text}){sign}" if wrapped else f"{text}{sign}")
