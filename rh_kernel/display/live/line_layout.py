"""Documents of terms and commands as lines on a page; a part that stands in several of them is laid out once.

A shared part is written on a strip of its own, which begins in column 0 of line 0, and the strip is then put where the part
stands. The strip is remembered: a state of a trace costs what is new in it, and the lines that it has in common with the one
before are the same objects. A shared part stands in no role, and no part of it has a name.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

from rh_kernel.display.live.lines import NUMBERS, WIDTH, Line, Origin, Part, Place, Sheet, units
from rh_kernel.display.text import visible
from rh_kernel.source.span import Span
from rh_kernel.syntax.printing.doc import (
    Annotation,
    CachedLayout,
    Close,
    Doc,
    Mark,
    Newline,
    Open,
    Role,
    SharedEnd,
    SharedStart,
    Spanned,
    Typed,
    shared_layout,
)

DENSE = 16
"""A strip is remembered if for so many of its lines there is at least one piece that no strip inside it remembers."""


@dataclass(slots=True)
class _Written:
    """What was written at ``span``; ``tail`` is the part of it that ends where it ends, as the rest of a let does."""

    span: Span
    start: Place
    tail: "_Written | None" = None


@dataclass(slots=True)
class _Row:
    """A line of which it is not known yet where the part ends that it is a line of, or even which part it is.

    If it turns out to be part of none, it is ``alone``.
    """

    text: str
    looks: tuple[int, ...]
    of: _Written | None
    alone: Line | None = None


_Rows: TypeAlias = list[Line | _Row]


@dataclass(slots=True)
class _Edge:
    """A line that is being written.

    ``within`` is how many parts have begun on it and go on, ``longest`` the longest that begins and ends on it in no other one.
    """

    pieces: list[str] = field(default_factory=list[str])
    column: int = 0
    looks: list[int] = field(default_factory=list[int])
    within: int = 0
    longest: tuple[int, _Written] | None = None

    def extend(self, text: str, looks: Iterable[int], longest: tuple[int, _Written] | None) -> None:
        """Go on with what was written on an edge of its own."""
        self.pieces.append(text)
        numbers = iter(looks)
        for length, role in zip(numbers, numbers, strict=True):
            self.look(length, role)
        if not self.within and longest is not None:
            self.ended(*longest)

    def look(self, length: int, role: int) -> None:
        """So many more characters look like that."""
        self.column += length
        if self.looks and self.looks[-1] == role:
            self.looks[-2] += length
        else:
            self.looks += (length, role)

    def ended(self, length: int, written: _Written) -> None:
        """A part of this length, in no other one on the line, has ended."""
        if self.longest is None or self.longest[0] < length:
            self.longest = length, written


@dataclass(frozen=True, slots=True)
class _Laid(CachedLayout):
    """A strip: where it begins, the lines after that, and where it ends, which is on the line where it begins if they are none.

    Of what begins on its first line ``open`` is the outermost that does not end there; ``last`` is what ends at its end. Some
    of the lines are in no part of it, if it is ``loose``.
    """

    first: _Edge
    open: _Written | None
    rows: _Rows
    edge: _Edge
    last: _Written | None
    loose: bool


@dataclass(slots=True)
class _Strip:
    """What is being written: the lines that are done, the one at the end, and what was written in the source that goes on.

    ``last`` is what has ended last, and where; ``fresh`` is how many pieces no strip inside remembers. Of the lines with the
    numbers ``waiting`` it is not known yet where the part ends that they are lines of.
    """

    rows: _Rows = field(default_factory=list[Line | _Row])
    edge: _Edge = field(default_factory=_Edge)
    written: list[_Written] = field(default_factory=list[_Written])
    last: tuple[Place, _Written] | None = None
    first: _Edge | None = None
    open: _Written | None = None
    fresh: int = 0
    waiting: list[int] = field(default_factory=list[int])
    loose: bool = False

    @property
    def here(self) -> Place:
        """Where the next character comes."""
        return len(self.rows), self.edge.column

    def end_line(self, edge: _Edge, begun: _Written | None = None) -> None:
        """The line is done, and goes on with another edge; ``begun`` has begun on it last and goes on, if no other one has."""
        now = self.edge
        if self.first is None:
            self.first, self.open = now, self.written[-now.within] if now.within else begun
        if now.within:
            begun = self.written[-now.within]
        elif begun is None:
            begun = now.longest[1] if now.longest is not None else self.written[-1] if self.written else None
        looks = now.looks[:-2] if now.looks and not now.looks[-1] else now.looks
        self._add(_Row("".join(now.pieces), tuple(looks), begun))
        self.edge = edge

    def close(self) -> None:
        """What was begun last in the source ends here."""
        written, here = self.written.pop(), self.here
        if self.last is not None and self.last[0] == here:
            written.tail = self.last[1]
        self.last = here, written
        if written.start[0] == here[0]:
            self.edge.within -= 1
            if not self.edge.within:
                self.edge.ended(here[1] - written.start[1], written)

    def put(self, laid: _Laid) -> None:
        """Go on with a strip."""
        self.edge.extend("".join(laid.first.pieces), laid.first.looks, laid.first.longest)
        if laid.edge is not laid.first:
            edge = laid.edge
            self.end_line(_Edge([*edge.pieces], edge.column, [*edge.looks], 0, edge.longest), laid.open)
            self._add_all(laid)
        if laid.last is not None:
            self.last = self.here, laid.last

    def done(self, end: float, origin: Origin) -> _Laid:
        """The strip as it is remembered. Everything that has begun on it has ended, so it is known where its lines are from."""
        for number in self.waiting:
            row = self.rows[number]
            self.rows[number] = row if isinstance(row, Line) else _finished(row, origin)
        last = self.last[1] if self.last is not None and self.last[0] == self.here else None
        return _Laid(end, self.first or self.edge, self.open, self.rows[1:], self.edge, last, self.loose)

    def _add(self, row: _Row) -> None:
        if row.of is None:
            self.loose = True
        else:
            self.waiting.append(len(self.rows))
        self.rows.append(row)

    def _add_all(self, laid: _Laid) -> None:
        if laid.loose and self.written:
            for row in laid.rows:
                if isinstance(row, Line):
                    self.rows.append(row)
                else:
                    self._add(_Row(row.text, row.looks, self.written[-1]))
        else:
            self.rows += laid.rows
            self.loose = self.loose or laid.loose


def sheet(doc: Doc, origin: Origin, width: int = WIDTH) -> Sheet:
    """The lines of ``doc``, where they can be broken so wide; what is ``Typed`` or marked in it is a part of that name."""
    pen = _Pen(origin)
    for event in shared_layout(doc, width, _Laid):
        match event:
            case str():
                pen.write(visible(event))
            case Newline(indent):
                pen.end_line(indent)
            case Open(annotation):
                pen.open(annotation)
            case Close():
                pen.close()
            case SharedStart():
                pen.begin(event)
            case SharedEnd(column):
                pen.end(column)
            case _Laid():
                pen.strip.put(event)
                pen.work += 1
            case CachedLayout():
                raise TypeError("only its own strips are given to a reader")
    return pen.sheet()


class _Pen:
    """Writes strips one run after the other, and those inside before those around them."""

    def __init__(self, origin: Origin) -> None:
        self.strip = _Strip()
        self.work = 0
        self._origin = origin
        self._around: list[tuple[SharedStart, _Strip]] = []
        self._characters = 0
        self._roles = [0]
        self._open: list[tuple[Annotation, Place]] = []
        self._parts: list[Part] = []

    def write(self, text: str) -> None:
        """Characters on the line that has begun."""
        self._count()
        self._characters += len(text)
        self.strip.edge.pieces.append(text)
        self.strip.edge.look(units(text), self._roles[-1])

    def end_line(self, indent: int) -> None:
        """The line is done, and another one begins with so many spaces."""
        self._count()
        self.strip.end_line(_Edge([" " * indent], indent, [indent, 0] if indent else []))

    def open(self, annotation: Annotation) -> None:
        """What comes has the annotation."""
        self._count()
        strip = self.strip
        self._open.append((annotation, strip.here))
        match annotation:
            case Role():
                self._roles.append(NUMBERS[annotation])
            case Spanned(span):
                strip.written.append(_Written(span, strip.here))
                strip.edge.within += 1
            case _:
                pass

    def close(self) -> None:
        """What the last open annotation is about ends here."""
        self._count()
        annotation, start = self._open.pop()
        match annotation:
            case Role():
                self._roles.pop()
            case Spanned():
                self.strip.close()
            case Typed(name) | Mark(name):
                self._parts.append(Part(name, start, self.strip.here))
            case _:
                pass

    def begin(self, begun: SharedStart) -> None:
        """What comes is written on a strip of its own."""
        self._around.append((begun, self.strip))
        self.strip = _Strip()

    def end(self, column: float) -> None:
        """The strip is done, and put where it stands."""
        inner = self.strip
        laid = inner.done(column, self._origin)
        begun, self.strip = self._around.pop()
        if inner.fresh * DENSE >= len(laid.rows):
            begun.doc.remember(begun.place, laid)
        else:
            self.strip.fresh += inner.fresh
        self.strip.put(laid)

    def sheet(self) -> Sheet:
        """All that was written."""
        self.strip.end_line(_Edge())
        lines = tuple([row if isinstance(row, Line) else _finished(row, self._origin) for row in self.strip.rows])
        return Sheet(lines, tuple(self._parts), self.work + self._characters // 10 + len(lines) // 10)

    def _count(self) -> None:
        self.work += 1
        self.strip.fresh += 1


def _finished(row: _Row, origin: Origin) -> Line:
    """The line. A call is written in no declaration, maybe, but the rest of what was called is."""
    written, number = row.of, 0
    if written is None:
        row.alone = row.alone or Line(row.text, row.looks)
        return row.alone
    while written is not None and not number:
        number, written = origin(written.span), written.tail
    return Line(row.text, row.looks, number)
