"""Lines of rendered text: the role of each character, named regions, and the edit between two states.

The front end counts UTF-16 code units, so all lengths and columns here do too.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from rh_kernel.display.data import Json
from rh_kernel.source.span import Span
from rh_kernel.syntax.printing.doc import Role

WIDTH = 90

ROLES: tuple[Role | None, ...] = (None, *Role)
"""The roles of runs of characters; the front end gets the index into this tuple."""

NUMBERS = {role: number for number, role in enumerate(ROLES)}
"""The index of each role."""

Ranges: TypeAlias = tuple[int, ...]
"""``line, start, end`` for each line that a region covers, flattened."""

Position: TypeAlias = tuple[int, int]
"""A line and a column."""

Origin: TypeAlias = Callable[[Span], int]
"""The number of the declaration whose text contains a span; 0 if none does."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text; ``styles`` alternates the lengths of runs and the numbers of their roles.

    ``origin`` is the number of the declaration that contains the source of the longest part that begins on the line, or, if no
    part begins there, of the innermost part that continues on it. If that source is in no declaration, the part at its end
    counts.
    """

    text: str
    styles: tuple[int, ...] = ()
    origin: int = 0

    @property
    def json(self) -> Json:
        """The line as sent to the front end."""
        return [self.text, [*self.styles], self.origin]


@dataclass(frozen=True, slots=True)
class Region:
    """The extent of an annotation ``name``, from ``start`` to before ``end``."""

    name: str
    start: Position
    end: Position


@dataclass(frozen=True, slots=True)
class RenderedLines:
    """The lines of a document and its named regions, inner ones first; ``cost`` estimates the work of laying them out.

    ``cost`` counts the pieces laid out for the first time, and a tenth of their characters and of the lines; a thousand take
    some milliseconds.
    """

    lines: tuple[Line, ...]
    regions: tuple[Region, ...]
    cost: int = 0

    def ranges(self, region: Region) -> Ranges:
        """Return what ``region`` covers on each line, without indentation."""
        (first, start), (last, end) = region.start, region.end
        found: list[int] = []
        for number in range(max(first, 0), min(last, len(self.lines) - 1) + 1):
            text = self.lines[number].text
            begin = start if number == first else len(text) - len(text.lstrip(" "))
            stop = end if number == last else units(text)
            found += (number, begin, stop) if begin < stop else ()
        return tuple(found)

    def text(self, region: Region) -> str:
        """Return the text of ``region`` joined into one line."""
        return " ".join([piece(self.lines[line].text, start, end) for line, start, end in triples(self.ranges(region))])

    def shown(self, first: int, last: int) -> "RenderedLines":
        """Return the lines from ``first`` to before ``last``, with the number of lines left out above and below."""
        first, last = (0 if first <= 1 else first), (len(self.lines) if last >= len(self.lines) - 1 else last)
        above = [_left_out(first)] if first else []
        below = [_left_out(len(self.lines) - last)] if last < len(self.lines) else []
        moved = first - len(above)
        regions = [
            Region(
                region.name,
                (region.start[0] - moved, region.start[1]) if region.start[0] >= first else (len(above), 0),
                (region.end[0] - moved, region.end[1]) if region.end[0] < last else (last - moved, 0),
            )
            for region in self.regions
            if region.end[0] >= first and region.start[0] < last
        ]
        return RenderedLines((*above, *self.lines[first:last], *below), tuple(regions), self.cost)

    def under(self, head: str) -> "RenderedLines":
        """Prepend a faded line that says what is not shown."""
        regions = [
            Region(region.name, (region.start[0] + 1, region.start[1]), (region.end[0] + 1, region.end[1]))
            for region in self.regions
        ]
        return RenderedLines((_faded(head), *self.lines), tuple(regions), self.cost)


def units(text: str) -> int:
    """Return the number of UTF-16 code units of ``text``."""
    return len(text) if text.isascii() else len(_encoded(text)) // 2


def piece(text: str, start: int, end: int) -> str:
    """Return the characters between two columns."""
    return text[start:end] if text.isascii() else _encoded(text)[2 * start : 2 * end].decode("utf-16-le", "surrogatepass")


def triples(ranges: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Iterate over ``(line, start, end)`` of flattened ranges."""
    for at in range(0, len(ranges), 3):
        yield ranges[at], ranges[at + 1], ranges[at + 2]


def _encoded(text: str) -> bytes:
    return text.encode("utf-16-le", "surrogatepass")


def edit(before: Sequence[Line], after: Sequence[Line]) -> Json:
    """Return ``[at, removed, lines]``: replace ``removed`` lines from index ``at`` on by ``lines``."""
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
