"""The item at the cursor in a section such as ``%%lambda``, and the items above it."""

from dataclasses import dataclass

from rh_kernel.source.span import Source, Span
from rh_kernel.syntax.parsing.lexer import chunks, section
from rh_kernel.syntax.parsing.tokens import RETURN

LONGEST = 4_000
"""Declarations in a longer text (in characters) are ignored by editor requests, as analysing them would take too long."""


@dataclass(frozen=True, slots=True)
class SectionPosition:
    """The line that opens the section at the cursor, and the item there, empty between two items.

    ``above`` are the earlier items in the same language.
    """

    section: str
    item: Span
    above: tuple[Span, ...]


def section_at(source: Source, cursor: int) -> SectionPosition | None:
    """Return the position of the cursor if it is inside a section, after its first line."""
    above: dict[str, list[Span]] = {}
    for chunk in chunks(source):
        found = section(chunk)
        if found is None or chunk.start > cursor:
            continue
        line, items = found.line, found.items
        earlier = above.setdefault(line, [])
        here = next((part for part in items if part.start <= cursor <= part.end and not _is_before(part, cursor)), None)
        if here is not None:
            return SectionPosition(line, here, (*earlier, *[part for part in items if part.end <= here.start]))
        if _begins(chunk) <= cursor <= chunk.end and not _ends(chunk, cursor):
            return SectionPosition(
                line, Span(source, cursor, cursor), (*earlier, *[part for part in items if part.end <= cursor])
            )
        earlier += items
    return None


def _is_before(part: Span, cursor: int) -> bool:
    """Whether the cursor is on a new line after the end of an item."""
    return cursor == part.end and part.text.endswith("\n")


def _begins(chunk: Span) -> int:
    """The end of a section's first line; beyond the end of the text if that is all there is."""
    line = chunk.source.text.find("\n", chunk.start, chunk.end)
    return chunk.end + 1 if line < 0 else line + 1


def _ends(chunk: Span, cursor: int) -> bool:
    """Whether the cursor is in the line ``%%rh`` that ends a section, or after it."""
    start = chunk.source.text.rfind("\n", 0, max(cursor - (cursor == chunk.end and chunk.text.endswith("\n")), 0)) + 1
    return chunk.source.text.startswith(RETURN, start)
