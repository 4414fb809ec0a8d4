"""Where the cursor is in a section such as ``%%lambda``: in which item, and which items are above it."""

from dataclasses import dataclass

from rh_kernel.source.span import Source, Span
from rh_kernel.syntax.parsing.lexer import chunks, section
from rh_kernel.syntax.parsing.tokens import RETURN


@dataclass(frozen=True, slots=True)
class Place:
    """The item at the cursor, as far as the text goes, empty between two of them, and the beginning of its section's line.

    ``above`` are the items before it in the same language.
    """

    section: str
    item: Span
    above: tuple[Span, ...]


def place(source: Source, cursor: int) -> Place | None:
    """Where the cursor is, if that is between a line like ``%%lambda`` and the end of its section."""
    above: dict[str, list[Span]] = {}
    for chunk in chunks(source):
        found = section(chunk)
        if found is None or chunk.start > cursor:
            continue
        line, items = found.line, found.items
        earlier = above.setdefault(line, [])
        here = next((part for part in items if part.start <= cursor <= part.end and not _is_before(part, cursor)), None)
        if here is not None:
            return Place(line, here, (*earlier, *[part for part in items if part.end <= here.start]))
        if _begins(chunk) <= cursor <= chunk.end and not _ends(chunk, cursor):
            return Place(line, Span(source, cursor, cursor), (*earlier, *[part for part in items if part.end <= cursor]))
        earlier += items
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
