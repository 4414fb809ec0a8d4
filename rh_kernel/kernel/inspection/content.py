"""The content of an inspection (Shift-Tab), and the tokens at the cursor."""

from collections.abc import Sequence
from dataclasses import dataclass

from rh_kernel.session.directives.registry import find
from rh_kernel.source.span import Span
from rh_kernel.syntax.parsing.tokens import Kind, Token


@dataclass(frozen=True, slots=True)
class Inspection:
    """The content of an inspection. ``title`` is a form, or a name with its type; ``rules`` are its typing rules.

    ``remarks`` are shown after the text; ``source`` is a declaration.
    """

    title: tuple[str, ...]
    text: str = ""
    facts: tuple[str, ...] = ()
    source: str = ""
    remarks: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()


def directive(name: str, section: str = "") -> Inspection | None:
    """Return the usage and the help of a directive."""
    found = find(name, section)
    return None if found is None else Inspection((found.call,), found.help)


def form(text: str | None) -> Inspection | None:
    """Return the content for a form and its meaning, on two lines."""
    if text is None:
        return None
    title, meaning = text.split("\n")
    return Inspection((title,), meaning)


def first_lines(declaration: Span | None, lines: int | None) -> str:
    """Return the first ``lines`` lines of a declaration, with the number of those left out; all lines if ``None``."""
    written = [] if declaration is None else declaration.text.rstrip().split("\n")
    if lines is not None and len(written) > lines:
        written = [*written[: lines - 1], f"  … {len(written) - lines + 1} more lines"]
    return "\n".join(written)


def tokens_at(read: Sequence[Token], cursor: int) -> list[Token]:
    """Return the tokens at the cursor; where two meet, a word comes first, otherwise the second one."""
    touching = [token for token in read if token.start <= cursor <= token.end]
    return sorted(touching, key=lambda token: (token.kind not in {Kind.NAME, Kind.KEYWORD}, -token.start))
