"""Which name was meant by one that means nothing: the one that is nearly it, or what other languages call by that name."""

import difflib
from collections.abc import Collection

from rh_kernel.syntax.parsing.tokens import INITIALS

_ENOUGH = 0.6
_OWN = 0.1
_SWAPPED = 0.3

_CALLED = {"max": "maximum", "min": "minimum", "ln": "log"}
_TRUTH = "there are no booleans: write 1 or 0"
_VALUES = {
    "True": _TRUTH,
    "False": _TRUTH,
    "true": _TRUTH,
    "false": _TRUTH,
    "None": "write `()` for unit, the only value of type `1`; `0` is the zero of any type",
}


def nearest(name: str, known: Collection[str], built_in: Collection[str]) -> str | None:
    """The one of ``known`` that is nearly ``name``, if any; what was declared, or has letters swapped, comes first."""
    same = next((n for n in known if n.casefold() == name.casefold()), None)
    called = _CALLED.get(name)
    if same is not None or called in known:
        return same or called

    def score(other: str) -> float:
        return _likeness(name, other) + _OWN * (other not in built_in) + _SWAPPED * _is_swapped(name, other)

    close = [other for other in known if _is_swapped(name, other) or _likeness(name, other) >= _ENOUGH]
    return None if name in _VALUES or name in INITIALS else max(close, key=score, default=None)


def of_elsewhere(name: str) -> str:
    """What to write for a name that other languages have, or that has a meaning in another place alone."""
    if name in INITIALS:
        number = 1 if name == "ones" else 0
        return (
            f"`{name}` is an initial content, for the declaration of a location; in a term, `fill[2]({number})` makes an array"
        )
    return _VALUES.get(name, "")


def _likeness(name: str, other: str) -> float:
    return difflib.SequenceMatcher(None, other, name).ratio()


def _is_swapped(name: str, other: str) -> bool:
    """Whether two letters beside each other are exchanged."""
    differ = [i for i, (a, b) in enumerate(zip(name, other, strict=False)) if a != b]
    match differ:
        case [i, j] if len(name) == len(other):
            return j == i + 1 and name[i] == other[j] and name[j] == other[i]
        case _:
            return False
