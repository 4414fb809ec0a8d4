"""The content of an inspection (Shift-Tab), and the tokens that it is about."""

from collections.abc import Sequence
from dataclasses import dataclass

from rh_kernel.session.directives.registry import find
from rh_kernel.syntax.parsing.tokens import Kind, Token


@dataclass(frozen=True, slots=True)
class About:
    """What an inspection shows: ``title`` is a form, or a name with its type; ``rules`` are its typing rules.

    ``remarks`` are shown after the text; ``source`` is a declaration.
    """

    title: tuple[str, ...]
    text: str = ""
    facts: tuple[str, ...] = ()
    source: str = ""
    remarks: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()


def directive(name: str, section: str = "") -> About | None:
    """Return the usage and the help of a directive."""
    found = find(name, section)
    return None if found is None else About((found.call,), found.help)


def touched(read: Sequence[Token], cursor: int) -> list[int]:
    """Return the indices of the tokens at the cursor; where two meet, a word comes first, otherwise the second one."""
    touching = [n for n, token in enumerate(read) if token.start <= cursor <= token.end]
    return sorted(touching, key=lambda n: (read[n].kind not in {Kind.NAME, Kind.KEYWORD}, -n))
