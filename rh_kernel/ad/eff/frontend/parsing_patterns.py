"""Parser of the patterns of ``%%eff`` cells; by increasing precedence: ``p :: q``, ``K p …``, and atoms."""

from rh_kernel.ad.eff.frontend import surface as s
from rh_kernel.ad.eff.frontend.cursor import Cursor
from rh_kernel.ad.eff.frontend.lexing import is_upper
from rh_kernel.ad.eff.frontend.texts import unquoted
from rh_kernel.syntax.parsing.tokens import Kind
from rh_kernel.syntax.surface import Name

_EXPECTED = "a pattern"


def pattern(c: Cursor) -> s.Pattern:
    """Parse a pattern."""
    c.deepen()
    *firsts, p = c.separated("::", _constructed)
    for first in reversed(firsts):
        p = s.ConsPattern(first, p, span=first.span.to(p.span))
    c.depth -= 1
    return p


def begins_pattern(c: Cursor) -> bool:
    """Whether a pattern can begin here."""
    return c.holds(Kind.NAME, Kind.NUMBER, Kind.STRING) or c.at("(", "[", "-")


def _constructed(c: Cursor) -> s.Pattern:
    """``K p …``, or an atom"""
    if not (c.holds(Kind.NAME) and is_upper(c.token.text)):
        return atom(c)
    name = _constructor(c)
    fields: list[s.Pattern] = []
    while begins_pattern(c):
        fields.append(atom(c))
    return s.ConstructorPattern(name, tuple(fields), span=c.since(name.span.start))


def atom(c: Cursor) -> s.Pattern:
    """Parse an atom: a name, ``_``, a constructor without fields, a literal, or a pattern in brackets."""
    start = c.token.start
    if c.at("_"):
        c.advance()
        return s.AnyPattern(span=c.since(start))
    if c.holds(Kind.NAME) and is_upper(c.token.text):
        return s.ConstructorPattern(_constructor(c), (), span=c.since(start))
    if c.holds(Kind.NAME):
        return s.NamePattern(c.advance().text, span=c.since(start))
    if c.holds(Kind.NUMBER):
        return s.LiteralPattern(c.number(), span=c.since(start))
    if c.at("-") and c.peek().kind is Kind.NUMBER:
        c.advance()
        return s.LiteralPattern(c.number(negative=True), span=c.since(start))
    if c.holds(Kind.STRING):
        return s.LiteralPattern(unquoted(c.advance().text), span=c.since(start))
    if c.at("("):
        items = c.listed("(", pattern)
        return items[0] if len(items) == 1 else s.TuplePattern(items, span=c.since(start))
    if c.at("["):
        return s.ListPattern(c.listed("[", pattern), span=c.since(start))
    if c.holds(Kind.KEYWORD):
        c.name(_EXPECTED)
    raise c.fail(_EXPECTED)


def _constructor(c: Cursor) -> Name:
    return c.name("a constructor", upper=True)
