"""Lay out documents of terms and commands as lines, laying out a subdocument that several documents share only once.

A shared subdocument is written as a fragment that begins in column 0 of line 0; the fragment is cached and copied to wherever
the subdocument occurs. So a state of a trace costs what is new in it, and the lines that it has in common with the state before
are the same objects. Annotations of roles or regions never enclose or occur in a shared subdocument.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

from rh_kernel.display.live.lines import NUMBERS, WIDTH, Line, Origin, Position, Region, RenderedLines, units
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
"""A fragment is cached if it has at least one piece outside of cached inner fragments for this many of its lines."""


@dataclass(slots=True)
class _SourceExtent:
    """The output of ``span``; ``tail`` is the inner extent with the same end, such as the body of a let."""

    span: Span
    start: Position
    tail: "_SourceExtent | None" = None


@dataclass(slots=True)
class _PendingLine:
    """A finished line whose declaration of origin is not known yet, because its extent ``of`` may still be open or unknown.

    ``alone`` is the resulting line if it belongs to no extent.
    """

    text: str
    styles: tuple[int, ...]
    of: _SourceExtent | None
    alone: Line | None = None


_Lines: TypeAlias = list[Line | _PendingLine]


@dataclass(slots=True)
class _OpenLine:
    """A line being written.

    ``within`` is the number of extents that began on it and are still open, ``longest`` the longest extent that begins and ends
    on it and lies in no other such extent.
    """

    pieces: list[str] = field(default_factory=list[str])
    column: int = 0
    styles: list[int] = field(default_factory=list[int])
    within: int = 0
    longest: tuple[int, _SourceExtent] | None = None

    def extend(self, text: str, styles: Iterable[int], longest: tuple[int, _SourceExtent] | None) -> None:
        """Append the content of another line."""
        self.pieces.append(text)
        numbers = iter(styles)
        for length, role in zip(numbers, numbers, strict=True):
            self.style(length, role)
        if not self.within and longest is not None:
            self.ended(*longest)

    def style(self, length: int, role: int) -> None:
        """Give the next ``length`` characters the role number ``role``."""
        self.column += length
        if self.styles and self.styles[-1] == role:
            self.styles[-2] += length
        else:
            self.styles += (length, role)

    def ended(self, length: int, written: _SourceExtent) -> None:
        """Record that an outermost extent of this length has ended on the line."""
        if self.longest is None or self.longest[0] < length:
            self.longest = length, written


@dataclass(frozen=True, slots=True)
class _CachedFragment(CachedLayout):
    """The layout of a shared subdocument: its first line, those between, and its last ``line``, maybe the first.

    ``open`` is the outermost extent that begins on the first line and does not end there, ``last`` the extent that ends at the
    end. ``has_unowned`` tells that some lines lie in no extent of the fragment.
    """

    first: _OpenLine
    open: _SourceExtent | None
    lines: _Lines
    line: _OpenLine
    last: _SourceExtent | None
    has_unowned: bool


@dataclass(slots=True)
class _Fragment:
    """The fragment being written: finished lines, the current line, and the stack ``written`` of open source extents.

    ``last`` is the extent that ended last, and where; ``fresh`` counts the pieces outside of cached inner fragments;
    ``waiting`` has the indices of the pending lines.
    """

    lines: _Lines = field(default_factory=list[Line | _PendingLine])
    line: _OpenLine = field(default_factory=_OpenLine)
    written: list[_SourceExtent] = field(default_factory=list[_SourceExtent])
    last: tuple[Position, _SourceExtent] | None = None
    first: _OpenLine | None = None
    open: _SourceExtent | None = None
    fresh: int = 0
    waiting: list[int] = field(default_factory=list[int])
    has_unowned: bool = False

    @property
    def here(self) -> Position:
        """The position of the next character."""
        return len(self.lines), self.line.column

    def end_line(self, line: _OpenLine, begun: _SourceExtent | None = None) -> None:
        """Finish the current line and continue with ``line``; ``begun`` owns it if no extent is open on it."""
        now = self.line
        if self.first is None:
            self.first, self.open = now, self.written[-now.within] if now.within else begun
        if now.within:
            begun = self.written[-now.within]
        elif begun is None:
            begun = now.longest[1] if now.longest is not None else self.written[-1] if self.written else None
        styles = now.styles[:-2] if now.styles and not now.styles[-1] else now.styles
        self._add(_PendingLine("".join(now.pieces), tuple(styles), begun))
        self.line = line

    def close(self) -> None:
        """End the innermost open source extent."""
        written, here = self.written.pop(), self.here
        if self.last is not None and self.last[0] == here:
            written.tail = self.last[1]
        self.last = here, written
        if written.start[0] == here[0]:
            self.line.within -= 1
            if not self.line.within:
                self.line.ended(here[1] - written.start[1], written)

    def put(self, cached: _CachedFragment) -> None:
        """Append a cached fragment."""
        self.line.extend("".join(cached.first.pieces), cached.first.styles, cached.first.longest)
        if cached.line is not cached.first:
            line = cached.line
            self.end_line(_OpenLine([*line.pieces], line.column, [*line.styles], 0, line.longest), cached.open)
            self._add_all(cached)
        if cached.last is not None:
            self.last = self.here, cached.last

    def done(self, end: float, origin: Origin) -> _CachedFragment:
        """Return the fragment in cacheable form, with the origins of its pending lines: all its extents have ended."""
        for number in self.waiting:
            line = self.lines[number]
            self.lines[number] = line if isinstance(line, Line) else _resolved(line, origin)
        last = self.last[1] if self.last is not None and self.last[0] == self.here else None
        return _CachedFragment(end, self.first or self.line, self.open, self.lines[1:], self.line, last, self.has_unowned)

    def _add(self, line: _PendingLine) -> None:
        if line.of is None:
            self.has_unowned = True
        else:
            self.waiting.append(len(self.lines))
        self.lines.append(line)

    def _add_all(self, cached: _CachedFragment) -> None:
        if cached.has_unowned and self.written:
            for line in cached.lines:
                if isinstance(line, Line):
                    self.lines.append(line)
                else:
                    self._add(_PendingLine(line.text, line.styles, self.written[-1]))
        else:
            self.lines += cached.lines
            self.has_unowned = self.has_unowned or cached.has_unowned


def render_lines(doc: Doc, origin: Origin, width: int = WIDTH) -> RenderedLines:
    """Lay out ``doc`` within ``width`` columns where possible; ``Typed`` and ``Mark`` become named regions."""
    writer = _Writer(origin)
    for event in shared_layout(doc, width, _CachedFragment):
        match event:
            case str():
                writer.write(visible(event))
            case Newline(indent):
                writer.end_line(indent)
            case Open(annotation):
                writer.open(annotation)
            case Close():
                writer.close()
            case SharedStart():
                writer.begin(event)
            case SharedEnd(column):
                writer.end(column)
            case _CachedFragment():
                writer.fragment.put(event)
                writer.cost += 1
            case CachedLayout():
                raise TypeError("`shared_layout` yields only layouts that this writer remembered")
    return writer.result()


class _Writer:
    """Consumes layout events and keeps the stack of fragments, inner ones on top."""

    def __init__(self, origin: Origin) -> None:
        self.fragment = _Fragment()
        self.cost = 0
        self._origin = origin
        self._around: list[tuple[SharedStart, _Fragment]] = []
        self._characters = 0
        self._roles = [0]
        self._open: list[tuple[Annotation, Position]] = []
        self._regions: list[Region] = []

    def write(self, text: str) -> None:
        """Append characters to the current line."""
        self._count()
        self._characters += len(text)
        self.fragment.line.pieces.append(text)
        self.fragment.line.style(units(text), self._roles[-1])

    def end_line(self, indent: int) -> None:
        """Finish the current line and begin one with ``indent`` spaces."""
        self._count()
        self.fragment.end_line(_OpenLine([" " * indent], indent, [indent, 0] if indent else []))

    def open(self, annotation: Annotation) -> None:
        """Begin an annotation."""
        self._count()
        fragment = self.fragment
        self._open.append((annotation, fragment.here))
        match annotation:
            case Role():
                self._roles.append(NUMBERS[annotation])
            case Spanned(span):
                fragment.written.append(_SourceExtent(span, fragment.here))
                fragment.line.within += 1
            case _:
                pass

    def close(self) -> None:
        """End the innermost annotation."""
        self._count()
        annotation, start = self._open.pop()
        match annotation:
            case Role():
                self._roles.pop()
            case Spanned():
                self.fragment.close()
            case Typed(name) | Mark(name):
                self._regions.append(Region(name, start, self.fragment.here))
            case _:
                pass

    def begin(self, begun: SharedStart) -> None:
        """Begin a shared subdocument, in a fragment of its own."""
        self._around.append((begun, self.fragment))
        self.fragment = _Fragment()

    def end(self, column: float) -> None:
        """End the shared subdocument: cache its fragment if that pays, and append it to the enclosing one."""
        fragment = self.fragment
        cached = fragment.done(column, self._origin)
        begun, self.fragment = self._around.pop()
        if fragment.fresh * DENSE >= len(cached.lines):
            begun.doc.remember(begun.place, cached)
        else:
            self.fragment.fresh += fragment.fresh
        self.fragment.put(cached)

    def result(self) -> RenderedLines:
        """Return everything that was written."""
        self.fragment.end_line(_OpenLine())
        lines = tuple([line if isinstance(line, Line) else _resolved(line, self._origin) for line in self.fragment.lines])
        return RenderedLines(lines, tuple(self._regions), self.cost + self._characters // 10 + len(lines) // 10)

    def _count(self) -> None:
        self.cost += 1
        self.fragment.fresh += 1


def _resolved(line: _PendingLine, origin: Origin) -> Line:
    """Attach the origin: that of the extent, or of its tail, as a call may lie in no declaration but its callee in one."""
    written, number = line.of, 0
    if written is None:
        line.alone = line.alone or Line(line.text, line.styles)
        return line.alone
    while written is not None and not number:
        number, written = origin(written.span), written.tail
    return Line(line.text, line.styles, number)
