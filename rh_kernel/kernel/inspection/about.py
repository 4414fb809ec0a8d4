"""What Shift and Tab say of something, and which tokens of a text they are asked about."""

from collections.abc import Sequence
from dataclasses import dataclass

from rh_kernel.session.directives.registry import find
from rh_kernel.syntax.parsing.tokens import Kind, Token


@dataclass(frozen=True, slots=True)
class About:
    """What is said: ``title`` is a form or a name with its type, ``rules`` the typing rules it comes from.

    ``remarks`` are said beside the text; ``source`` is a declaration.
    """

    title: tuple[str, ...]
    text: str = ""
    facts: tuple[str, ...] = ()
    source: str = ""
    remarks: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()


def directive(name: str, section: str = "") -> About | None:
    """The usage and the help text of a directive."""
    found = find(name, section)
    return None if found is None else About((found.call,), found.help)


def touched(read: Sequence[Token], cursor: int) -> list[int]:
    """The tokens at the cursor; of two that meet there a word first, or else the second."""
    touching = [n for n, token in enumerate(read) if token.start <= cursor <= token.end]
    return sorted(touching, key=lambda n: (read[n].kind not in {Kind.NAME, Kind.KEYWORD}, -n))
