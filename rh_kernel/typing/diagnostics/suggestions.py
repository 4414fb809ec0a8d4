"""Suggestions for undefined names: a similar name, or the equivalent of a name from another language."""

import difflib
from collections.abc import Collection

from rh_kernel.syntax.parsing.tokens import INITIALS

_SIMILARITY = 0.6
_USER_BONUS = 0.1
_SWAP_BONUS = 0.3

_EQUIVALENTS = {"max": "maximum", "min": "minimum", "ln": "log"}
_TRUTH = "there are no booleans: write 1 or 0"
_VALUES = {
    "True": _TRUTH,
    "False": _TRUTH,
    "true": _TRUTH,
    "false": _TRUTH,
    "None": "write `()` for unit, the only value of type `1`; `0` is the zero of any type",
}


def nearest(name: str, known: Collection[str], built_in: Collection[str]) -> str | None:
    """The most similar of ``known``, or ``None``; user-defined names and swapped letters are preferred."""
    same = next((n for n in known if n.casefold() == name.casefold()), None)
    called = _EQUIVALENTS.get(name)
    if same is not None or called in known:
        return same or called

    def score(other: str) -> float:
        return _similarity(name, other) + _USER_BONUS * (other not in built_in) + _SWAP_BONUS * _is_swapped(name, other)

    close = [other for other in known if _is_swapped(name, other) or _similarity(name, other) >= _SIMILARITY]
    return None if name in _VALUES or name in INITIALS else max(close, key=score, default=None)


def foreign_name_hint(name: str) -> str:
    """A hint for a name from another language, or one that has a meaning only in another context; empty if there is none."""
    if name in INITIALS:
        number = 1 if name == "ones" else 0
        return (
            f"`{name}` is an initial content, for the declaration of a location; in a term, `fill[2]({number})` makes an array"
        )
    return _VALUES.get(name, "")


def _similarity(name: str, other: str) -> float:
    return difflib.SequenceMatcher(None, other, name).ratio()


def _is_swapped(name: str, other: str) -> bool:
    """Whether the names differ by swapping two adjacent letters."""
    differ = [i for i, (a, b) in enumerate(zip(name, other, strict=False)) if a != b]
    match differ:
        case [i, j] if len(name) == len(other):
            return j == i + 1 and name[i] == other[j] and name[j] == other[i]
        case _:
            return False
