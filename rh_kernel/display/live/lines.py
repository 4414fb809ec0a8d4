"""Lines on a page: how their characters look, where marks lie in them, how those of one state become those of the next.

A page counts in UTF-16 units, so every length and every column here does too.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from rh_kernel.display.data import Json
from rh_kernel.source.span import Span
from rh_kernel.syntax.printing.doc import Role

WIDTH = 90

ROLES: tuple[Role | None, ...] = (None, *Role)
"""What a run of characters may be; a page is told the position in here."""

NUMBERS = {role: number for number, role in enumerate(ROLES)}
"""The position of each."""

Ranges: TypeAlias = tuple[int, ...]
"""``line, from, to`` for each line that something lies on, one after the other."""

Place: TypeAlias = tuple[int, int]
"""A line and a column."""

Origin: TypeAlias = Callable[[Span], int]
"""The number of the declaration in whose text a span lies, 0 if it lies in none."""


@dataclass(frozen=True, slots=True)
class Line:
    """``looks`` are lengths of runs, each followed by the number of its role.

    ``origin`` is the number of the declaration in whose text the largest part was written that begins on the line, or if none
    does the innermost one that goes on there; of what was written in none, the part at its end counts.
    """

    text: str
    looks: tuple[int, ...] = ()
    origin: int = 0

    @property
    def json(self) -> Json:
        """The line as a page is told it."""
        return [self.text, [*self.looks], self.origin]


@dataclass(frozen=True, slots=True)
class Part:
    """What had the annotation ``name``; it begins at ``start`` and ends before ``end``."""

    name: str
    start: Place
    end: Place


@dataclass(frozen=True, slots=True)
class Sheet:
    """The lines of a document, and its parts that have names, those further in first; ``work`` is how long it took.

    ``work`` is the number of pieces, and of characters in tens, of what was laid out for the first time, and of lines in tens:
    a thousand of it takes some milliseconds.
    """

    lines: tuple[Line, ...]
    parts: tuple[Part, ...]
    work: int = 0

    def ranges(self, part: Part) -> Ranges:
        """The lines that ``part`` lies on, without what they are indented by."""
        (first, start), (last, end) = part.start, part.end
        found: list[int] = []
        for number in range(max(first, 0), min(last, len(self.lines) - 1) + 1):
            text = self.lines[number].text
            begin = start if number == first else len(text) - len(text.lstrip(" "))
            stop = end if number == last else units(text)
            found += (number, begin, stop) if begin < stop else ()
        return tuple(found)

    def text(self, part: Part) -> str:
        """The characters of ``part`` on one line."""
        return " ".join([piece(self.lines[line].text, start, end) for line, start, end in triples(self.ranges(part))])

    def shown(self, first: int, last: int) -> "Sheet":
        """The lines ``first`` to ``last``, the last not included, and in place of the others how many there are."""
        first, last = (0 if first <= 1 else first), (len(self.lines) if last >= len(self.lines) - 1 else last)
        above = [_left_out(first)] if first else []
        below = [_left_out(len(self.lines) - last)] if last < len(self.lines) else []
        moved = first - len(above)
        parts = [
            Part(
                part.name,
                (part.start[0] - moved, part.start[1]) if part.start[0] >= first else (len(above), 0),
                (part.end[0] - moved, part.end[1]) if part.end[0] < last else (last - moved, 0),
            )
            for part in self.parts
            if part.end[0] >= first and part.start[0] < last
        ]
        return Sheet((*above, *self.lines[first:last], *below), tuple(parts), self.work)

    def under(self, head: str) -> "Sheet":
        """The lines below one more, which says what is not shown."""
        parts = [Part(part.name, (part.start[0] + 1, part.start[1]), (part.end[0] + 1, part.end[1])) for part in self.parts]
        return Sheet((_faded(head), *self.lines), tuple(parts), self.work)


def units(text: str) -> int:
    """How many UTF-16 units ``text`` has."""
    return len(text) if text.isascii() else len(_encoded(text)) // 2


def piece(text: str, start: int, end: int) -> str:
    """The characters of a text between two columns."""
    return text[start:end] if text.isascii() else _encoded(text)[2 * start : 2 * end].decode("utf-16-le", "surrogatepass")


def triples(ranges: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Each line of some ranges, and from where to where."""
    for at in range(0, len(ranges), 3):
        yield ranges[at], ranges[at + 1], ranges[at + 2]


def _encoded(text: str) -> bytes:
    return text.encode("utf-16-le", "surrogatepass")


def edit(before: Sequence[Line], after: Sequence[Line]) -> Json:
    """``[at, removed, lines]``: put ``lines`` in the place of the ``removed`` ones from ``at`` on."""
    most = min(len(before), len(after))
    start = next((i for i in range(most) if not _alike(before[i], after[i])), most)
    end = next((i for i in range(most - start) if not _alike(before[-1 - i], after[-1 - i])), most - start)
    return [start, len(before) - start - end, [line.json for line in after[start : len(after) - end]]]


def _alike(one: Line, other: Line) -> bool:
    return one is other or one == other


def _left_out(count: int) -> Line:
    return _faded(f"⋮ {count:,} lines")


def _faded(text: str) -> Line:
    return Line(text, (units(text), NUMBERS[Role.FADED]))
