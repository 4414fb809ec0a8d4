"""Where the cursor is in a ``%%lambda`` section: in which item, and which functions are declared above it."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from rh_kernel.ad.language import surface as s
from rh_kernel.ad.language.core import Program
from rh_kernel.ad.language.elaboration import elaborate_function
from rh_kernel.ad.language.parsing_items import item
from rh_kernel.source.diagnostic import Failure
from rh_kernel.source.span import Source, Span
from rh_kernel.syntax.lexer import chunks, laboratory
from rh_kernel.syntax.tokens import RETURN

LONGEST = 4_000
"""Of a text of more characters the declarations are not looked at; it takes too long."""

Functions = Mapping[str, Program]


@dataclass(frozen=True, slots=True)
class Place:
    """The item at the cursor, as far as the text goes, empty between two of them; ``above`` are the items before it."""

    item: Span
    above: tuple[Span, ...]


def place(source: Source, cursor: int) -> Place | None:
    """Where the cursor is, if that is between a line ``%%lambda`` and the end of its section."""
    above: list[Span] = []
    for chunk in chunks(source):
        items = laboratory(chunk)
        if items is None or chunk.start > cursor:
            continue
        here = next((part for part in items if part.start <= cursor <= part.end and not _is_before(part, cursor)), None)
        if here is not None:
            return Place(here, (*above, *[part for part in items if part.end <= here.start]))
        if _begins(chunk) <= cursor <= chunk.end and not _ends(chunk, cursor):
            return Place(Span(source, cursor, cursor), (*above, *[part for part in items if part.end <= cursor]))
        above += items
    return None


def _is_before(part: Span, cursor: int) -> bool:
    """Whether the cursor stands behind the end of the last line of an item, at the place of a new one."""
    return cursor == part.end and part.text.endswith("\n")


def _begins(chunk: Span) -> int:
    """Where the first line of a section is over; beyond the end of a text that ends in that line."""
    line = chunk.source.text.find("\n", chunk.start, chunk.end)
    return chunk.end + 1 if line < 0 else line + 1


def _ends(chunk: Span, cursor: int) -> bool:
    """Whether the cursor is in the line ``%%rh`` that ends a section, or behind it."""
    start = chunk.source.text.rfind("\n", 0, max(cursor - (cursor == chunk.end and chunk.text.endswith("\n")), 0)) + 1
    return chunk.source.text.startswith(RETURN, start)


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
    items = [read(part) for chunk in chunks(source) for part in laboratory(chunk) or ()]
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
