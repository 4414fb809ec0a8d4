"""Terms and commands as lines on a page: how their characters look, where marks lie in them, how one becomes the next.

A page counts in UTF-16 units, so every length and every column here does too.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from rh_kernel.display.record import Json
from rh_kernel.display.text import visible
from rh_kernel.source.span import Span
from rh_kernel.syntax.doc import Annotation, Close, Doc, Newline, Open, Role, Spanned, Typed, layout

WIDTH = 90

ROLES: tuple[Role | None, ...] = (None, *Role)
"""What a run of characters may be; a page is told the position in here."""

_NUMBERS = {role: number for number, role in enumerate(ROLES)}

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

    ``work`` is the number of pieces, and of characters in tens: to lay out a thousand takes some milliseconds.
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


def sheet(doc: Doc, origin: Origin, width: int = WIDTH) -> Sheet:
    """The lines of ``doc``, where they can be broken so wide; what is ``Typed`` in it is a part of that name."""
    pen = _Pen()
    work = 0
    for event in layout(doc, width):
        work += 1
        match event:
            case str():
                pen.write(visible(event))
            case Newline(indent):
                pen.end_line(indent)
            case Open(annotation):
                pen.open(annotation)
            case Close():
                pen.close()
    pen.end_line(0)
    origins = [_origin(written, origin) for written in pen.begun]
    lines = tuple([Line(*line) for line in zip(pen.texts, pen.looks, origins, strict=True)])
    return Sheet(lines, tuple(pen.parts), work + sum(map(len, pen.texts)) // 10)


@dataclass(slots=True)
class _Written:
    """What was written at ``span``; ``tail`` is the part of it that ends where it ends, as the rest of a let does."""

    span: Span
    start: Place
    tail: "_Written | None" = None


class _Pen:
    """Writes lines one run after the other."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.looks: list[tuple[int, ...]] = []
        self.begun: list[_Written | None] = []
        self.parts: list[Part] = []
        self._open: list[tuple[Annotation, Place]] = []
        self._roles = [0]
        self._written: list[_Written] = []
        self._last: tuple[Place, _Written] | None = None
        self._begin(0)

    def write(self, text: str) -> None:
        """Characters on the line that has begun."""
        length, role = units(text), self._roles[-1]
        self._pieces.append(text)
        self._column += length
        if self._looks and self._looks[-1] == role:
            self._looks[-2] += length
        else:
            self._looks += (length, role)

    def end_line(self, indent: int) -> None:
        """The line is done, and another one begins with so many spaces."""
        self.texts.append("".join(self._pieces))
        self.looks.append(tuple(self._looks[:-2] if self._looks and not self._looks[-1] else self._looks))
        self.begun.append(self._largest())
        self._begin(indent)

    def open(self, annotation: Annotation) -> None:
        """What comes has the annotation."""
        here = len(self.texts), self._column
        self._open.append((annotation, here))
        match annotation:
            case Role():
                self._roles.append(_NUMBERS[annotation])
            case Spanned(span):
                self._written.append(_Written(span, here))
                self._within += 1
            case _:
                pass

    def close(self) -> None:
        """What the last open annotation is about ends here."""
        annotation, start = self._open.pop()
        here = len(self.texts), self._column
        match annotation:
            case Role():
                self._roles.pop()
            case Spanned():
                self._end(self._written.pop(), here)
            case Typed(name):
                self.parts.append(Part(name, start, here))
            case _:
                pass

    def _begin(self, indent: int) -> None:
        self._pieces = [" " * indent]
        self._column = indent
        self._looks = [indent, 0] if indent else []
        self._within = 0
        self._longest: tuple[int, _Written] | None = None

    def _end(self, written: _Written, here: Place) -> None:
        if self._last is not None and self._last[0] == here:
            written.tail = self._last[1]
        self._last = here, written
        if written.start[0] == here[0]:
            self._within -= 1
            length = here[1] - written.start[1]
            if not self._within and (self._longest is None or self._longest[0] < length):
                self._longest = length, written

    def _largest(self) -> _Written | None:
        """What is largest of what begins on the line; if nothing does, the innermost that goes on there."""
        if self._within:
            return self._written[-self._within]
        if self._longest is not None:
            return self._longest[1]
        return self._written[-1] if self._written else None


def _origin(written: _Written | None, origin: Origin) -> int:
    """A call is written in no declaration, maybe, but the rest of what was called is."""
    while written is not None:
        number = origin(written.span)
        if number:
            return number
        written = written.tail
    return 0


def edit(before: Sequence[Line], after: Sequence[Line]) -> Json:
    """``[at, removed, lines]``: put ``lines`` in the place of the ``removed`` ones from ``at`` on."""
    most = min(len(before), len(after))
    start = next((i for i in range(most) if before[i] != after[i]), most)
    end = next((i for i in range(most - start) if before[-1 - i] != after[-1 - i]), most - start)
    return [start, len(before) - start - end, [line.json for line in after[start : len(after) - end]]]


def _left_out(count: int) -> Line:
    return _faded(f"⋮ {count:,} lines")


def _faded(text: str) -> Line:
    return Line(text, (units(text), _NUMBERS[Role.FADED]))
