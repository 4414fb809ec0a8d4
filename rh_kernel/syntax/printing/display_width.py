"""The display width of text on a terminal."""

import unicodedata
from functools import lru_cache


def cells(text: str) -> int:
    """The number of terminal columns of ``text``: two for a wide character, none for a combining one."""
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
