"""The functions that the items of ``%%lambda`` sections declare, as far as they are whole and right."""

from collections.abc import Mapping
from types import MappingProxyType

from rh_kernel.ad.language import surface as s
from rh_kernel.ad.language.core import Program
from rh_kernel.ad.language.elaboration import elaborate_function
from rh_kernel.ad.language.parsing_items import item
from rh_kernel.source.diagnostic import Failure
from rh_kernel.source.span import Source, Span
from rh_kernel.syntax.parsing.lexer import chunks, section
from rh_kernel.syntax.parsing.tokens import LABORATORY

LONGEST = 4_000
"""Of a text of more characters the declarations are not looked at; it takes too long."""

Functions = Mapping[str, Program]


def read(part: Span) -> s.Item | None:
    """The item that a part of a section is, if it is one."""
    try:
        return item(part)
    except (Failure, RecursionError):
        return None


def declared(functions: Functions, parts: tuple[Span, ...]) -> Functions:
    """The functions after those declarations that are whole and right."""
    found = dict(functions)
    for part in parts if sum(len(part.text) for part in parts) <= LONGEST else ():
        written = read(part)
        if isinstance(written, s.FunItem):
            try:
                found[written.name.text] = elaborate_function(written, found)
            except (Failure, RecursionError, MemoryError):
                continue
    return MappingProxyType(found)


def functions_named(source: Source) -> set[str]:
    """The functions that the sections of a text declare."""
    sections = [found for chunk in chunks(source) if (found := section(chunk)) is not None and found.line == LABORATORY]
    items = [read(part) for found in sections for part in found.items]
    return {item.name.text for item in items if isinstance(item, s.FunItem)}


def computes(part: Span) -> bool:
    """Whether an item is a ``%ad`` that evaluates more than numbers before it differentiates."""
    asked = read(part)
    if not isinstance(asked, s.AdItem):
        return False
    given = (*(asked.arguments or ()), *[M for M in (asked.cotangent, asked.tangent) if M is not None])
    return not all(map(_is_literal, given))


def _is_literal(expression: s.Expr) -> bool:
    match expression:
        case s.Number() | s.Var() | s.Negate(s.Number()):
            return True
        case s.TupleExpr(items) | s.ArrayExpr(items):
            return all(map(_is_literal, items))
        case _:
            return False
