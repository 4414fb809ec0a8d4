"""Patterns ``x``, ``_``, ``(p1, …, pn)`` (the sugar of RH Def. 3.4)."""

from rh_kernel.source.diagnostic import Fix, Rejected
from rh_kernel.syntax.errors import MissingDot
from rh_kernel.syntax.parsing.cursor import Cursor
from rh_kernel.syntax.parsing.tokens import Kind
from rh_kernel.syntax.surface import NamePattern, Pattern, TuplePattern


def pattern(c: Cursor) -> Pattern:
    """``x``, ``(p, q)``, ``⟨p, q⟩``; ``()`` binds nothing and is ``_``, and ``(p)`` is ``p``."""
    if not c.at("(", "⟨"):
        hint = "write names in round brackets, (x, y)" if c.at("[") else ""
        name = c.name("a name or a tuple of names", hint)
        return NamePattern(name.text, span=name.span)
    start = c.token.start
    match patterns(c, c.token.text):
        case ():
            return NamePattern("_", span=c.since(start))
        case (p,):
            return p
        case many:
            return TuplePattern(many, span=c.since(start))


def patterns(c: Cursor, opening: str) -> tuple[Pattern, ...]:
    """``(p1, …, pn)`` in any kind of bracket, n ≥ 0."""
    c.deepen()
    items = c.listed(opening, pattern, may_be_empty=True)
    c.depth -= 1
    return items


def dot(c: Cursor) -> None:
    """Consume the ``.`` between binders and body."""
    if c.take("."):
        return
    if c.holds(Kind.PROJECTION):
        hint, fix = "write a space after the dot", Fix(c.here(), f". {c.token.text[1:]}")
    else:
        fix, hint = c.insert("."), "write rev handle (M) <x>. P with H, or W.rd(x. N)(V)"
    if c.holds(Kind.END, Kind.BAD_CHARACTER, Kind.BAD_NUMBER, Kind.BAD_STRING, Kind.FOREIGN):
        raise c.fail("`.`", hint)
    raise Rejected(MissingDot(span=c.here(), found=c.found(), hint=hint, fix=fix))
