"""Constants ``c``: numbers and arrays of numbers (LANGUAGE §1)."""

import math

from rh_kernel.source.diagnostic import Fix
from rh_kernel.syntax.parsing.cursor import Cursor
from rh_kernel.syntax.parsing.tokens import Kind
from rh_kernel.syntax.surface import ArrayLiteral, Expr, Negate, Number

_LONGEST = 100


def number(c: Cursor) -> Number:
    """``0``, ``0.5``, ``1e-3``: digits on both sides of the point."""
    token = c.token
    if len(token.text) > _LONGEST:
        raise c.malformed(c.here(), f"a number has at most {_LONGEST} characters")
    if math.isinf(float(token.text)):
        raise c.malformed(c.here(), "the largest number is about 1.8e308")
    c.advance()
    return Number(token.text, span=c.span(token))


def array(c: Cursor) -> ArrayLiteral:
    """``[1, -2.5]``, ``[[1, 2], [3, 4]]``"""
    c.deepen()
    start = c.token.start
    items = c.listed("[", _entry)
    c.depth -= 1
    return ArrayLiteral(items, span=c.since(start))


def _entry(c: Cursor) -> Expr:
    start = c.token.start
    negative = c.take("-")
    if c.holds(Kind.NUMBER):
        value = number(c)
        return Negate(value, span=c.since(start)) if negative else value
    if c.at("[") and not negative:
        return array(c)
    if c.holds(Kind.PROJECTION):
        raise c.malformed(c.here(), "write digits on both sides of the point", Fix(c.here(), f"0{c.token.text}"))
    is_term = c.holds(Kind.NAME) or c.at("(")
    raise c.fail("a number or an array of numbers", "a tuple of terms is written (x, y)" if is_term else "")
