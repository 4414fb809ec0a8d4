"""How wide text is on a terminal."""

import unicodedata
from functools import lru_cache


def cells(text: str) -> int:
    """How many columns of a terminal ``text`` takes: wide characters take two, combining ones none."""
    if text.isascii():
        return len(text)
    return _cells(text)


@lru_cache(maxsize=4096)
def _cells(text: str) -> int:
    return sum(map(_cell, text))


def _cell(c: str) -> int:
    if unicodedata.combining(c) or unicodedata.category(c) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(c) in ("W", "F") else 1
