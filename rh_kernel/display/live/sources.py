"""Source locations of what a view shows: the declaration that contains a span, and the lines of source around it."""

from collections.abc import Mapping

from rh_kernel.display.data import Record
from rh_kernel.display.live.lines import units
from rh_kernel.display.text import visible
from rh_kernel.source.span import Source, Span

MOST_LINES = 6
"""Lines of an excerpt at most."""

MOST_CHARACTERS = 400
"""Characters of a line of an excerpt at most."""


class Origins:
    """Numbers declarations from 1 in the order of their names; 0 stands for none."""

    def __init__(self, declared: Mapping[str, Span]) -> None:
        self.names = ("", *sorted(declared))
        self._texts: dict[Source, list[tuple[int, int, int]]] = {}
        for number, name in enumerate(self.names[1:], start=1):
            span = declared[name]
            self._texts.setdefault(span.source, []).append((span.end - span.start, span.start, number))
        for texts in self._texts.values():
            texts.sort()

    def of(self, span: Span) -> int:
        """Return the number of the smallest declaration that contains the span; 0 if none does."""
        for length, start, number in self._texts.get(span.source, ()):
            if start <= span.start and span.end <= start + length:
                return number
        return 0


def excerpt(span: Span | None) -> Record | None:
    """Return the first lines of the span; ``from`` and ``to`` are line and column in these lines, counted from 0."""
    if span is None:
        return None
    text = span.source.text
    begin = text.rfind("\n", 0, span.start) + 1
    shown = _lines(text, begin, span.end)
    last = begin + sum([len(line) + 1 for line in shown[:-1]])
    return {
        "cell": span.source.name,
        "line": text.count("\n", 0, begin) + 1,
        "column": span.start - begin + 1,
        "lines": [visible(line[:MOST_CHARACTERS]) for line in shown],
        "from": [0, units(shown[0][: min(span.start - begin, MOST_CHARACTERS)])],
        "to": [len(shown) - 1, units(shown[-1][: max(min(span.end - last, MOST_CHARACTERS), 0)])],
    }


def _lines(text: str, begin: int, end: int) -> list[str]:
    """Return the lines from ``begin`` to the one that contains ``end``, at most ``MOST_LINES``."""
    found: list[str] = []
    while len(found) < MOST_LINES:
        stop = text.find("\n", begin)
        stop = len(text) if stop < 0 else stop
        found.append(text[begin:stop])
        begin = stop + 1
        if end < begin:
            break
    return found
