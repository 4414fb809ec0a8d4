"""The well-formed functions declared in ``%%lambda`` sections."""

from collections.abc import Mapping
from types import MappingProxyType

from rh_kernel.ad.language import surface as s
from rh_kernel.ad.language.core import Program
from rh_kernel.ad.language.elaboration import elaborate_function
from rh_kernel.ad.language.parsing_items import item
from rh_kernel.kernel.sections.position import LONGEST
from rh_kernel.source.diagnostic import Failure
from rh_kernel.source.span import Source, Span
from rh_kernel.syntax.parsing.lexer import chunks, section
from rh_kernel.syntax.parsing.tokens import LAMBDA_SECTION

Functions = Mapping[str, Program]


def read(part: Span) -> s.Item | None:
    """Parse an item of a section; ``None`` if it cannot be parsed."""
    try:
        return item(part)
    except (Failure, RecursionError):
        return None


def declared(functions: Functions, parts: tuple[Span, ...]) -> Functions:
    """Return the functions extended by the declarations in ``parts``; those with errors are skipped."""
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
    """Return the names of the functions that the sections of a text declare."""
    sections = [found for chunk in chunks(source) if (found := section(chunk)) is not None and found.line == LAMBDA_SECTION]
    items = [read(part) for found in sections for part in found.items]
    return {item.name.text for item in items if isinstance(item, s.FunItem)}


def computes(part: Span) -> bool:
    """Whether an item is an ``%ad`` with arguments that have to be evaluated, and not just literals."""
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
