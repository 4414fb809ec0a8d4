"""Annotated documents: text with possible line breaks, laid out to a width in linear time.

The algebra is that of pretty printers since Wadler: a ``Group`` stands on one line if it fits, else its own
lines break. What is coloured, underlined or shown on hovering is an ``Annotated`` part, so a highlight is
structure and never a sign in the text. Every document knows its flat width when it is made, so ``layout``
decides each group at once, and without recursion.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache
from typing import Literal, TypeAlias, cast

from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.syntax.printing.columns import cells

MarkKind: TypeAlias = Literal["redex", "contractum", "error", "changed", "focus", "forward", "backward"]


@frozen
class Mark:
    """This is the redex, the contractum, the part an error is about, what changed, what is in focus, Q^f, Q^b."""

    kind: MarkKind


@frozen
class Spanned:
    """This was written there."""

    span: Span = field(repr=False)


@frozen
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


@frozen
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


@frozen
class Text(Measured):
    """Characters on one line."""

    text: str

    def __post_init__(self) -> None:
        width = cells(self.text)
        self._measured(width, width, breakable=False)


@frozen
class Line(Measured):
    """A line end, or ``flat_text`` if the group around it fits on one line; ``None`` is always a line end."""

    flat_text: str | None = " "

    def __post_init__(self) -> None:
        self._measured(math.inf if self.flat_text is None else len(self.flat_text), 0, breakable=True)


@frozen
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


@frozen
class Nest(Measured):
    """Line ends in ``body`` are followed by ``indent`` more spaces."""

    indent: int
    body: "Doc"

    def __post_init__(self) -> None:
        self._measured(self.body.flat, self.body.lead, breakable=self.body.breakable)


@frozen
class Group(Measured):
    """``body`` on one line if it fits."""

    body: "Doc"

    def __post_init__(self) -> None:
        self._measured(self.body.flat, self.body.lead, breakable=self.body.breakable)


@frozen
class Annotated(Measured):
    """``body`` with something said about it."""

    annotation: Annotation
    body: "Doc"

    def __post_init__(self) -> None:
        self._measured(self.body.flat, self.body.lead, breakable=self.body.breakable)


@frozen
class Laid:
    """A part as it was laid out before; it ends in the column ``end``."""

    end: float


@frozen
class Pieces(Laid):
    """The characters of a part, line ends included, in a few pieces."""

    pieces: tuple[str, ...]


Place: TypeAlias = tuple[bool, float, int, float, float]
"""Where a part stands: whether on one line, the width, the indentation, the column, and the width of what follows."""

_Memo: TypeAlias = dict[tuple[type[Laid], Place], Laid]


@dataclass(frozen=True, slots=True, eq=False)
class Shared(Measured):
    """``body``, which stands in several documents and has no ``Mark`` in it; ``laid`` is how it was laid out before."""

    body: "Doc"
    laid: _Memo = field(init=False, repr=False, default_factory=_Memo)

    def __post_init__(self) -> None:
        self._measured(self.body.flat, self.body.lead, breakable=self.body.breakable)

    def remember(self, place: Place, laid: Laid) -> None:
        """It was laid out there like that, by a reader of this kind."""
        if len(self.laid) >= MOST_PLACES:
            self.laid.clear()
        self.laid[type(laid), place] = laid


Doc: TypeAlias = Text | Line | Concat | Nest | Group | Annotated | Shared

LONGEST_PIECE, MOST_PLACES = 1024, 8
"""Longer pieces are not joined with others; a shared part remembers how it was laid out at so many places."""

EMPTY = Text("")
LINE = Line()
SOFT = Line("")
HARD = Line(None)


_text = lru_cache(maxsize=4096)(Text)


def concat(*parts: Doc | str) -> Doc:
    """The parts one after the other; strings are text."""
    return Concat(tuple([_text(p) if isinstance(p, str) else p for p in parts]))


def join(separator: Doc, docs: Iterable[Doc]) -> Doc:
    """The documents with ``separator`` between them."""
    parts: list[Doc] = []
    for d in docs:
        parts += (separator, d) if parts else (d,)
    return Concat(tuple(parts))


@lru_cache(maxsize=4096)
def role(kind: Role, text: str) -> Doc:
    """A word in the colour of its role."""
    return Annotated(kind, Text(text))


def nest(*parts: Doc | str, indent: int = 2) -> Doc:
    """The parts, indented."""
    return Nest(indent, concat(*parts))


def group(*parts: Doc | str) -> Doc:
    """The parts, on one line if they fit."""
    return Group(concat(*parts))


@frozen
class Newline:
    """A line end, and the spaces the next line begins with."""

    indent: int


@frozen
class Open:
    """Here begins what ``annotation`` is about."""

    annotation: Annotation


@frozen
class Close:
    """Here ends what the last annotation still open is about."""


Event: TypeAlias = str | Newline | Open | Close


_Task: TypeAlias = tuple[Doc, int, bool, float]
"""A document still to be laid out, its indentation, whether on one line, and the width of what follows it on the same line."""


@frozen
class Begun:
    """Here begins what ``doc`` may remember."""

    doc: Shared
    place: Place


@frozen
class Ended:
    """Here ends what was last begun."""

    column: float


def layout(doc: Doc, width: float = 100) -> Iterator[Event]:
    """The characters, line ends and annotations of ``doc``, in lines of ``width`` columns if groups allow it.

    Annotations are properly nested. Takes time linear in the size of ``doc``, and no stack of Python's.
    """
    return cast(Iterator[Event], shared_layout(doc, width, None))


def shared_layout(doc: Doc, width: float, reader: type[Laid] | None) -> Iterator[Event | Laid | Begun | Ended]:
    """As ``layout``, for a reader that makes a ``Laid`` of the shared parts: one that it has made before is one event."""
    column: float = 0
    tasks: list[_Task | Close | Begun] = [(doc, 0, False, 0)]
    while tasks:
        task = tasks.pop()
        if not isinstance(task, tuple):
            yield task if isinstance(task, Close) else Ended(column)
            continue
        part, indent, is_flat, after = task
        if type(part) is Concat:
            for inner in reversed(part.parts):
                tasks.append((inner, indent, is_flat, after))
                after = inner.lead if inner.breakable else inner.lead + after
        elif type(part) is Text:
            column += part.flat
            if part.text:
                yield part.text
        elif type(part) is Annotated:
            yield Open(part.annotation)
            tasks += (Close(), (part.body, indent, is_flat, after))
        elif type(part) is Group:
            tasks.append((part.body, indent, is_flat or column + part.body.flat + after <= width, after))
        elif type(part) is Line:
            if is_flat and part.flat_text is not None:
                column += len(part.flat_text)
                if part.flat_text:
                    yield part.flat_text
            else:
                column = indent
                yield Newline(indent)
        elif type(part) is Nest:
            tasks.append((part.body, indent + part.indent, is_flat, after))
        else:
            if not isinstance(part, Shared):
                raise TypeError(f"{type(part).__name__} is no document")
            if reader is None:
                tasks.append((part.body, indent, is_flat, after))
                continue
            is_line = part.flat < math.inf and (is_flat or not part.breakable)
            place = _LINE if is_line else (is_flat, width, indent, column, after)
            if laid := part.laid.get((reader, place)):
                column = column + part.flat if is_line else laid.end
                yield laid
            else:
                tasks += (begun := Begun(part, place), (part.body, indent, is_flat, after))
                yield begun


_LINE: Place = True, 0, 0, 0, 0
"""What stands on one line is the same everywhere."""


def plain(doc: Doc, width: float = 100) -> str:
    """``doc`` as text, without its annotations."""
    return annotated_texts(doc, width)[0]


def annotated_texts(
    doc: Doc, width: float = 100, of: tuple[type[Annotation], ...] = (Mark,)
) -> tuple[str, list[tuple[Annotation, str]]]:
    """``doc`` as text, and each annotation that is one ``of`` some kinds with its text, in the order in which they end.

    Takes the time it takes to write the answer, for nested spans are long.
    """
    pieces, found = annotated_pieces(doc, width, of)
    return "".join(pieces), [(annotation, "".join(pieces[part])) for annotation, part in found]


def annotated_pieces(
    doc: Doc, width: float = 100, of: tuple[type[Annotation], ...] = (Mark,)
) -> tuple[list[str], list[tuple[Annotation, slice]]]:
    """The same as pieces of a text, and which of them belong to each annotation.

    Shared parts, which have no marks in them, are laid out once if nothing but marks is asked for.
    """
    pieces: list[str] = []
    open_at: list[tuple[Annotation, int]] = []
    begun_at: list[tuple[Begun, int]] = []
    found: list[tuple[Annotation, slice]] = []
    for event in shared_layout(doc, width, Pieces if of == (Mark,) else None):
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
                    found.append((annotation, slice(start, len(pieces))))
            case Pieces():
                pieces += event.pieces
            case Begun():
                begun_at.append((event, len(pieces)))
            case Ended(column):
                begun, start = begun_at.pop()
                laid = _joined(pieces[start:], column)
                begun.doc.remember(begun.place, laid)
                pieces[start:] = laid.pieces
            case Laid():
                raise TypeError("only its own pieces are given to a reader")
    return pieces, found


def _joined(pieces: list[str], end: float) -> Pieces:
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
    return Pieces(end, (*joined, "".join(short)))
