"""Where what a page shows was written: in the text of which declaration, and the lines of the source around it."""

from collections.abc import Mapping

from rh_kernel.display.data import Record
from rh_kernel.display.live.lines import units
from rh_kernel.display.text import visible
from rh_kernel.source.span import Source, Span

MOST_LINES = 6
"""Of a source so many lines are shown."""

MOST_CHARACTERS = 400
"""Of a line of a source so many characters are shown."""


class Origins:
    """The declarations by numbers from 1 on, in the order of their names; 0 is none of them."""

    def __init__(self, declared: Mapping[str, Span]) -> None:
        self.names = ("", *sorted(declared))
        self._texts: dict[Source, list[tuple[int, int, int]]] = {}
        for number, name in enumerate(self.names[1:], start=1):
            span = declared[name]
            self._texts.setdefault(span.source, []).append((span.end - span.start, span.start, number))
        for texts in self._texts.values():
            texts.sort()

    def of(self, span: Span) -> int:
        """The number of the least declaration that the span lies in."""
        for length, start, number in self._texts.get(span.source, ()):
            if start <= span.start and span.end <= start + length:
                return number
        return 0


def excerpt(span: Span | None) -> Record | None:
    """The lines that hold the span, or its first ones; lines and columns of ``from`` and ``to`` count from 0 in these lines."""
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
    """The lines from ``begin`` on to the one that ``end`` lies in, but not too many."""
    found: list[str] = []
    while len(found) < MOST_LINES:
        stop = text.find("\n", begin)
        stop = len(text) if stop < 0 else stop
        found.append(text[begin:stop])
        begin = stop + 1
        if end < begin:
            break
    return found
