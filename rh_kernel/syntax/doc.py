"""Annotated documents: text with possible line breaks, laid out to a width in linear time.

The algebra is that of pretty printers since Wadler: a ``Group`` stands on one line if it fits, else its own
lines break. What is coloured, underlined or shown on hovering is an ``Annotated`` part, so a highlight is
structure and never a sign in the text. Every document knows its flat width when it is made, so ``layout``
decides each group at once, and without recursion.
"""

import math
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache
from typing import Literal, TypeAlias, cast

from rh_kernel.source.span import Span

MarkKind: TypeAlias = Literal["redex", "contractum", "error", "changed", "focus", "forward", "backward"]


@dataclass(frozen=True, slots=True)
class Mark:
    """This is the redex, the contractum, the part an error is about, what changed, what is in focus, Q^f, Q^b."""

    kind: MarkKind


@dataclass(frozen=True, slots=True)
class Spanned:
    """This was written there."""

    span: Span = field(repr=False)


@dataclass(frozen=True, slots=True)
class Typed:
    """This has that type, as text."""

    type: str


class Role(Enum):
    """What a word is, for colouring."""

    KEYWORD = "keyword"
    CONSTANT = "constant"
    FUNCTION = "function"
    OPERATION = "operation"
    LOCATION = "location"
    HANDLER = "handler"
    TYPE = "type"
    RULE = "rule"
    ERROR = "error"
    FADED = "faded"


Annotation: TypeAlias = Mark | Spanned | Typed | Role


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


@dataclass(frozen=True, slots=True)
class Measured:
    """What every document knows of itself from the start.

    ``flat`` is its width on one line, ``lead`` the width before its first possible line break, ``breakable``
    whether it has one.
    """

    flat: float = field(init=False, compare=False, repr=False, default=0)
    lead: float = field(init=False, compare=False, repr=False, default=0)
    breakable: bool = field(init=False, compare=False, repr=False, default=False)

    def _measured(self, flat: float, lead: float, *, breakable: bool) -> None:
        object.__setattr__(self, "flat", flat)
        object.__setattr__(self, "lead", lead)
        object.__setattr__(self, "breakable", breakable)


@dataclass(frozen=True, slots=True)
class Text(Measured):
    """Characters on one line."""

    text: str

    def __post_init__(self) -> None:
        width = cells(self.text)
        self._measured(width, width, breakable=False)


@dataclass(frozen=True, slots=True)
class Line(Measured):
    """A line end, or ``flat_text`` if the group around it fits on one line; ``None`` is always a line end."""

    flat_text: str | None = " "

    def __post_init__(self) -> None:
        self._measured(math.inf if self.flat_text is None else len(self.flat_text), 0, breakable=True)


@dataclass(frozen=True, slots=True)
class Concat(Measured):
    """One after the other."""

    parts: tuple["Doc", ...]

    def __post_init__(self) -> None:
        flat: float = 0
        lead: float = 0
        breakable = False
        for part in self.parts:
            flat += part.flat
            if not breakable:
                lead += part.lead
                breakable = part.breakable
        self._measured(flat, lead, breakable=breakable)


@dataclass(frozen=True, slots=True)
class Nest(Measured):
    """Line ends in ``body`` are followed by ``indent`` more spaces."""

    indent: int
    body: "Doc"

    def __post_init__(self) -> None:
        self._measured(self.body.flat, self.body.lead, breakable=self.body.breakable)


@dataclass(frozen=True, slots=True)
class Group(Measured):
    """``body`` on one line if it fits."""

    body: "Doc"

    def __post_init__(self) -> None:
        self._measured(self.body.flat, self.body.lead, breakable=self.body.breakable)


@dataclass(frozen=True, slots=True)
class Annotated(Measured):
    """``body`` with something said about it."""

    annotation: Annotation
    body: "Doc"

    def __post_init__(self) -> None:
        self._measured(self.body.flat, self.body.lead, breakable=self.body.breakable)


@dataclass(frozen=True, slots=True)
class Laid:
    """A part as it was laid out: its characters, line ends included, in a few pieces, and the column they end in."""

    pieces: tuple[str, ...]
    end: float


Place: TypeAlias = tuple[bool, float, int, float, float]
"""Where a part stands: whether on one line, the width, the indentation, the column, and the width of what follows."""


@dataclass(frozen=True, slots=True, eq=False)
class Shared(Measured):
    """``body``, which stands in several documents and has no ``Mark`` in it; ``laid`` is how it was laid out before."""

    body: "Doc"
    laid: dict[Place, Laid] = field(init=False, repr=False, default_factory=dict[Place, Laid])

    def __post_init__(self) -> None:
        self._measured(self.body.flat, self.body.lead, breakable=self.body.breakable)


Doc: TypeAlias = Text | Line | Concat | Nest | Group | Annotated | Shared

LONGEST_PIECE = 1024
"""Pieces of more characters are not joined with others."""

MOST_PLACES = 8
"""A shared part remembers how it was laid out at so many places."""

EMPTY = Text("")
LINE = Line()
SOFT = Line("")
HARD = Line(None)


def concat(*parts: Doc | str) -> Doc:
    """The parts one after the other; strings are text."""
    return Concat(tuple([Text(p) if isinstance(p, str) else p for p in parts]))


def join(separator: Doc, docs: Iterable[Doc]) -> Doc:
    """The documents with ``separator`` between them."""
    parts: list[Doc] = []
    for d in docs:
        parts += (separator, d) if parts else (d,)
    return Concat(tuple(parts))


def role(kind: Role, text: str) -> Doc:
    """A word in the colour of its role."""
    return Annotated(kind, Text(text))


def nest(*parts: Doc | str, indent: int = 2) -> Doc:
    """The parts, indented."""
    return Nest(indent, concat(*parts))


def group(*parts: Doc | str) -> Doc:
    """The parts, on one line if they fit."""
    return Group(concat(*parts))


@dataclass(frozen=True, slots=True)
class Newline:
    """A line end, and the spaces the next line begins with."""

    indent: int


@dataclass(frozen=True, slots=True)
class Open:
    """Here begins what ``annotation`` is about."""

    annotation: Annotation


@dataclass(frozen=True, slots=True)
class Close:
    """Here ends what the last annotation still open is about."""


Event: TypeAlias = str | Newline | Open | Close


@dataclass(frozen=True, slots=True)
class _Task:
    """A document still to be laid out; ``after`` is the width of what follows it on the same line."""

    doc: Doc
    indent: int
    is_flat: bool
    after: float


@dataclass(frozen=True, slots=True)
class _Begun:
    """Here begins what ``doc`` is to remember for ``place``."""

    doc: Shared
    place: Place


@dataclass(frozen=True, slots=True)
class _Ended:
    """Here ends what was last begun, in ``column``."""

    column: float


def layout(doc: Doc, width: float = 100) -> Iterator[Event]:
    """The characters, line ends and annotations of ``doc``, in lines of ``width`` columns if groups allow it.

    Annotations are properly nested. Takes time linear in the size of ``doc``, and no stack of Python's.
    """
    return cast(Iterator[Event], _layout(doc, width, remembers=False))


def _layout(doc: Doc, width: float, *, remembers: bool) -> Iterator[Event | Laid | _Begun | _Ended]:
    """As ``layout``; if it ``remembers``, a shared part that was laid out before is one event."""
    column: float = 0
    tasks: list[_Task | Close | _Begun] = [_Task(doc, 0, is_flat=False, after=0)]
    while tasks:
        task = tasks.pop()
        if not isinstance(task, _Task):
            yield task if isinstance(task, Close) else _Ended(column)
            continue
        match task.doc:
            case Text(text):
                column += task.doc.flat
                if text:
                    yield text
            case Line(flat_text) if task.is_flat and flat_text is not None:
                column += len(flat_text)
                if flat_text:
                    yield flat_text
            case Line():
                column = task.indent
                yield Newline(task.indent)
            case Concat(parts):
                after = task.after
                for part in reversed(parts):
                    tasks.append(_Task(part, task.indent, task.is_flat, after))
                    after = part.lead if part.breakable else part.lead + after
            case Nest(indent, body):
                tasks.append(_Task(body, task.indent + indent, task.is_flat, task.after))
            case Group(body):
                fits = task.is_flat or column + body.flat + task.after <= width
                tasks.append(_Task(body, task.indent, fits, task.after))
            case Annotated(annotation, body):
                yield Open(annotation)
                tasks += (Close(), _Task(body, task.indent, task.is_flat, task.after))
            case Shared(body) if not remembers:
                tasks.append(_Task(body, task.indent, task.is_flat, task.after))
            case Shared(body) as shared:
                is_line = shared.flat < math.inf and (task.is_flat or not shared.breakable)
                place = _LINE if is_line else (task.is_flat, width, task.indent, column, task.after)
                laid = shared.laid.get(place)
                if laid is not None:
                    column = column + shared.flat if is_line else laid.end
                    yield laid
                else:
                    begun = _Begun(shared, place)
                    yield begun
                    tasks += (begun, _Task(body, task.indent, task.is_flat, task.after))


_LINE: Place = True, 0, 0, 0, 0
"""What stands on one line is the same everywhere."""


def plain(doc: Doc, width: float = 100) -> str:
    """``doc`` as text, without its annotations."""
    return annotated_texts(doc, width)[0]


def annotated_texts(
    doc: Doc, width: float = 100, of: tuple[type[Annotation], ...] = (Mark,)
) -> tuple[str, list[tuple[Annotation, str]]]:
    """``doc`` as text, and each annotation that is one ``of`` some kinds with its text, in the order in which they end.

    Takes the time it takes to write the answer, for nested spans are long. Shared parts, which have no marks in them, are laid
    out once if nothing but marks is asked for.
    """
    pieces: list[str] = []
    open_at: list[tuple[Annotation, int]] = []
    begun_at: list[tuple[_Begun, int]] = []
    found: list[tuple[Annotation, str]] = []
    for event in _layout(doc, width, remembers=of == (Mark,)):
        match event:
            case str():
                pieces.append(event)
            case Newline(indent):
                pieces.append("\n" + " " * indent)
            case Open(annotation):
                open_at.append((annotation, len(pieces)))
            case Close():
                annotation, start = open_at.pop()
                if isinstance(annotation, of):
                    found.append((annotation, "".join(pieces[start:])))
            case Laid():
                pieces += event.pieces
            case _Begun():
                begun_at.append((event, len(pieces)))
            case _Ended(column):
                begun, start = begun_at.pop()
                pieces[start:] = _remember(begun, pieces[start:], column)
    return "".join(pieces), found


def _remember(begun: _Begun, pieces: list[str], end: float) -> tuple[str, ...]:
    """The pieces of a shared part, short neighbours joined, so that a part of a part is not written out in both."""
    joined: list[str] = []
    short: list[str] = []
    length = 0
    for piece in pieces:
        if length and length + len(piece) > LONGEST_PIECE:
            joined.append("".join(short))
            short, length = [], 0
        short.append(piece)
        length += len(piece)
    laid = Laid((*joined, "".join(short)), end)
    if len(begun.doc.laid) >= MOST_PLACES:
        begun.doc.laid.clear()
    begun.doc.laid[begun.place] = laid
    return laid.pieces
