"""Patterns of ``%%eff`` cells: ``p :: q``, then ``K p …``, then those that can stand beside others."""

from rh_kernel.ad.eff.frontend.cursor import Cursor
from rh_kernel.ad.eff.frontend.lexing import is_upper
from rh_kernel.ad.eff.frontend.surface import (
    AnyPattern,
    ConsPattern,
    ConstructorPattern,
    ListPattern,
    LiteralPattern,
    NamePattern,
    Pattern,
    TuplePattern,
)
from rh_kernel.ad.eff.frontend.texts import unquoted
from rh_kernel.syntax.parsing.tokens import Kind
from rh_kernel.syntax.surface import Name

_EXPECTED = "a pattern"


def pattern(c: Cursor) -> Pattern:
    """``p :: q`` and what is tighter"""
    c.deepen()
    items = [_constructed(c)]
    while c.take("::"):
        items.append(_constructed(c))
    p = items.pop()
    while items:
        first = items.pop()
        p = ConsPattern(first, p, span=first.span.to(p.span))
    c.depth -= 1
    return p


def begins_pattern(c: Cursor) -> bool:
    """Whether a pattern can begin here."""
    return c.holds(Kind.NAME, Kind.NUMBER, Kind.STRING) or c.at("(", "[", "-")


def _constructed(c: Cursor) -> Pattern:
    """``K p …`` and what is tighter"""
    if not (c.holds(Kind.NAME) and is_upper(c.token.text)):
        return atom(c)
    name = _constructor(c)
    fields: list[Pattern] = []
    while begins_pattern(c):
        fields.append(atom(c))
    return ConstructorPattern(name, tuple(fields), span=c.since(name.span.start))


def atom(c: Cursor) -> Pattern:
    """A pattern that can stand beside others: a name, ``_``, a literal, or one in brackets."""
    start = c.token.start
    if c.at("_"):
        c.advance()
        return AnyPattern(span=c.since(start))
    if c.holds(Kind.NAME) and is_upper(c.token.text):
        return ConstructorPattern(_constructor(c), (), span=c.since(start))
    if c.holds(Kind.NAME):
        return NamePattern(c.advance().text, span=c.since(start))
    if c.holds(Kind.NUMBER):
        return LiteralPattern(c.number(), span=c.since(start))
    if c.at("-") and c.ahead().kind is Kind.NUMBER:
        c.advance()
        return LiteralPattern(c.number(negative=True), span=c.since(start))
    if c.holds(Kind.STRING):
        return LiteralPattern(unquoted(c.advance().text), span=c.since(start))
    if c.at("("):
        items = _items(c, "(")
        return items[0] if len(items) == 1 else TuplePattern(items, span=c.since(start))
    if c.at("["):
        return ListPattern(_items(c, "["), span=c.since(start))
    if c.holds(Kind.KEYWORD):
        c.name(_EXPECTED)
    raise c.fail(_EXPECTED)


def _constructor(c: Cursor) -> Name:
    return c.name("a constructor", upper=True)


def _items(c: Cursor, opening: str) -> tuple[Pattern, ...]:
    c.open(opening)
    items: list[Pattern] = []
    if not c.at_closer():
        items.append(pattern(c))
        while c.take(","):
            items.append(pattern(c))
    c.close(",")
    return tuple(items)
