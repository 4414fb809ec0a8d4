"""Checks ``check M == N within ε`` and ``check E ⊢ A``, by which notebooks are graded."""

from rh_kernel.source.diagnostic import Fix
from rh_kernel.syntax.parsing.cursor import Cursor
from rh_kernel.syntax.parsing.expressions import expression
from rh_kernel.syntax.parsing.tokens import CHECK, Kind
from rh_kernel.syntax.parsing.types import type_expression, type_of_handler
from rh_kernel.syntax.surface import TypeExpr
from rh_kernel.syntax.surface_items import ArrowType, Check, EqualityCheck, HandlerType, TypeCheck

_FORMS = "`check M == N` compares two values, `check E |- A` a type"
_SIGNS = frozenset({"==", "⊢"})


def is_check(c: Cursor) -> bool:
    """Whether the item is a check: ``check`` followed by the start of an expression, or by a ``==`` or ``⊢`` anywhere."""
    if c.token.kind is not Kind.NAME or c.token.text != CHECK:
        return False
    follows = c.peek().kind in {Kind.NAME, Kind.NUMBER, Kind.KEYWORD} and c.peek().text != "in"
    return follows or c.peek().text in {"⟨", "⌊"} or any(t.text in _SIGNS for t in c.rest())


def check(c: Cursor) -> Check:
    """``check M == N``, ``check M == N within 0.01``, ``check E ⊢ A``"""
    start = c.advance().start
    M = expression(c)
    if c.take("⊢"):
        A = _type(c)
        return TypeCheck(M, A, span=c.since(start))
    if not c.at("=="):
        raise c.fail("`==` or `⊢`", _FORMS, Fix(c.here(), "==") if c.at("=") else None)
    c.advance()
    N = expression(c)
    within = expression(c) if c.take("within") else None
    return EqualityCheck(M, N, within, span=c.since(start))


def _type(c: Cursor) -> TypeExpr | ArrowType | HandlerType:
    start = c.token.start
    if c.at("rev", "handler"):
        return type_of_handler(c)
    A = type_expression(c)
    if c.at("→", "~>"):
        is_pure = c.advance().text == "→"
        B = type_expression(c)
        return ArrowType(A, B, is_pure, span=c.since(start))
    if c.take("⇒"):
        D = type_expression(c)
        return HandlerType(A, D, span=c.since(start))
    return A
