"""Annotated documents: text with possible line breaks, laid out to a width in linear time.

This is Wadler's pretty printer: a ``Group`` is laid out on one line if it fits, and otherwise breaks its own lines. Colours,
underlines and tooltips are ``Annotated`` parts, not characters in the text. Every document knows its flat width when it is
created, so ``layout`` decides each group in constant time and without recursion.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache
from typing import Literal, TypeAlias, cast

from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.syntax.printing.display_width import cells

MarkKind: TypeAlias = Literal["redex", "contractum", "error", "changed", "focus", "untaken", "forward", "backward"]


@frozen
class Mark:
    """Highlights a redex, a contractum, the subject of an error, a change, the focus, a branch not taken, Q^f, or Q^b."""

    kind: MarkKind


@frozen
class Spanned:
    """The source span of a part."""

    span: Span = field(repr=False)


@frozen
class Typed:
    """The type of a part, as text."""

    type: str


class Role(Enum):
    """The syntactic role of a word, for colouring."""

    KEYWORD = "keyword"
    CONSTANT = "constant"
    FUNCTION = "function"
    OPERATION = "operation"
    LOCATION = "location"
    HANDLER = "handler"
    TYPE = "type"
    RULE = "rule"
    ERROR = "error"
    WARNING = "warning"
    FADED = "faded"


Annotation: TypeAlias = Mark | Spanned | Typed | Role


@frozen
class Measured:
    """The widths that every document computes when it is created.

    ``flat`` is the width on one line in columns, ``lead`` the width before the first possible line break, and ``breakable``
    says whether there is one.
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
    """Text without line breaks."""

    text: str

    def __post_init__(self) -> None:
        width = cells(self.text)
        self._measured(width, width, breakable=False)


@frozen
class Line(Measured):
    """A line break, or ``flat_text`` if the enclosing group fits on one line; with ``None`` always a line break."""

    flat_text: str | None = " "

    def __post_init__(self) -> None:
        self._measured(math.inf if self.flat_text is None else len(self.flat_text), 0, breakable=True)


@frozen
class Concat(Measured):
    """The parts in sequence."""

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
    """``body`` with line breaks indented by ``indent`` more spaces."""

    indent: int
    body: "Doc"

    def __post_init__(self) -> None:
        self._measured(self.body.flat, self.body.lead, breakable=self.body.breakable)


@frozen
class Group(Measured):
    """``body``, on one line if it fits."""

    body: "Doc"

    def __post_init__(self) -> None:
        self._measured(self.body.flat, self.body.lead, breakable=self.body.breakable)


@frozen
class Annotated(Measured):
    """``body`` with an annotation."""

    annotation: Annotation
    body: "Doc"

    def __post_init__(self) -> None:
        self._measured(self.body.flat, self.body.lead, breakable=self.body.breakable)


@frozen
class CachedLayout:
    """The cached layout of a part, which ends in column ``end``."""

    end: float


@frozen
class Pieces(CachedLayout):
    """The text of a part, line breaks included, in a few pieces."""

    pieces: tuple[str, ...]


Place: TypeAlias = tuple[bool, float, int, float, float]
"""The context that determines a layout: whether flat, the width, the indentation, the column, and the width of what follows."""

_Memo: TypeAlias = dict[tuple[type[CachedLayout], Place], CachedLayout]


@dataclass(frozen=True, slots=True, eq=False)
class Shared(Measured):
    """``body``, used in several documents and without a ``Mark`` in it; ``laid`` caches its layouts."""

    body: "Doc"
    laid: _Memo = field(init=False, repr=False, default_factory=_Memo)

    def __post_init__(self) -> None:
        self._measured(self.body.flat, self.body.lead, breakable=self.body.breakable)

    def remember(self, place: Place, laid: CachedLayout) -> None:
        """Cache the layout for this place, for readers of this kind."""
        if len(self.laid) >= MOST_PLACES:
            self.laid.clear()
        self.laid[type(laid), place] = laid


Doc: TypeAlias = Text | Line | Concat | Nest | Group | Annotated | Shared

LONGEST_PIECE, MOST_PLACES = 1024, 8
"""Maximum length of joined pieces, and maximum number of layouts cached for a shared part."""

LINE = Line()
SOFT = Line("")
HARD = Line(None)


_text = lru_cache(maxsize=4096)(Text)


def concat(*parts: Doc | str) -> Doc:
    """The parts in sequence; strings become ``Text``."""
    return Concat(tuple([_text(p) if isinstance(p, str) else p for p in parts]))


def join(separator: Doc, docs: Iterable[Doc]) -> Doc:
    """The documents separated by ``separator``."""
    parts: list[Doc] = []
    for d in docs:
        parts += (separator, d) if parts else (d,)
    return Concat(tuple(parts))


@lru_cache(maxsize=4096)
def role(kind: Role, text: str) -> Doc:
    """A word annotated with its role."""
    return Annotated(kind, Text(text))


def nest(*parts: Doc | str, indent: int = 2) -> Doc:
    """The parts, indented."""
    return Nest(indent, concat(*parts))


def group(*parts: Doc | str) -> Doc:
    """The parts as a group."""
    return Group(concat(*parts))


@frozen
class Newline:
    """A line break, and the indentation of the next line."""

    indent: int


@frozen
class Open:
    """The start of an annotated part."""

    annotation: Annotation


@frozen
class Close:
    """The end of the innermost annotated part."""


Event: TypeAlias = str | Newline | Open | Close


_Task: TypeAlias = tuple[Doc, int, bool, float]
"""A document to lay out, its indentation, whether it is flat, and the width of what follows it on the same line."""


@frozen
class SharedStart:
    """The start of a shared part whose layout is not cached yet."""

    doc: Shared
    place: Place


@frozen
class SharedEnd:
    """The end of the last shared part that was begun."""

    column: float


def layout(doc: Doc, width: float = 100) -> Iterator[Event]:
    """Yield the text, line breaks and annotations of ``doc``, laid out in ``width`` columns as far as its groups allow.

    Annotations are properly nested. Takes time linear in the size of ``doc``, without recursion.
    """
    return cast(Iterator[Event], shared_layout(doc, width, None))


def shared_layout(
    doc: Doc, width: float, reader: type[CachedLayout] | None
) -> Iterator[Event | CachedLayout | SharedStart | SharedEnd]:
    """``layout`` for a reader that caches shared parts as its kind of ``CachedLayout``; a cached part is a single event."""
    column: float = 0
    tasks: list[_Task | Close | SharedStart] = [(doc, 0, False, 0)]
    while tasks:
        task = tasks.pop()
        if not isinstance(task, tuple):
            yield task if isinstance(task, Close) else SharedEnd(column)
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
                tasks += (begun := SharedStart(part, place), (part.body, indent, is_flat, after))
                yield begun


_LINE: Place = True, 0, 0, 0, 0
"""On one line, a part looks the same everywhere."""


def plain(doc: Doc, width: float = 100) -> str:
    """Render ``doc`` as text, without annotations."""
    return annotated_texts(doc, width)[0]


def annotated_texts(
    doc: Doc, width: float = 100, of: tuple[type[Annotation], ...] = (Mark,)
) -> tuple[str, list[tuple[Annotation, str]]]:
    """Render ``doc`` as text, with the text of each annotation of the kinds in ``of``, in the order in which they end.

    The time is linear in the size of the result, which nested annotations make large.
    """
    pieces, found = annotated_pieces(doc, width, of)
    return "".join(pieces), [(annotation, "".join(pieces[part])) for annotation, part in found]


def annotated_pieces(
    doc: Doc, width: float = 100, of: tuple[type[Annotation], ...] = (Mark,)
) -> tuple[list[str], list[tuple[Annotation, slice]]]:
    """Like ``annotated_texts``, but as a list of pieces, with a slice of it for each annotation.

    If only marks are requested, shared parts, which contain none, use their cached layouts.
    """
    pieces: list[str] = []
    open_at: list[tuple[Annotation, int]] = []
    begun_at: list[tuple[SharedStart, int]] = []
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
            case SharedStart():
                begun_at.append((event, len(pieces)))
            case SharedEnd(column):
                begun, start = begun_at.pop()
                laid = _join_pieces(pieces[start:], column)
                begun.doc.remember(begun.place, laid)
                pieces[start:] = laid.pieces
            case CachedLayout():
                raise TypeError("only its own pieces are given to a reader")
    return pieces, found


def _join_pieces(pieces: list[str], end: float) -> Pieces:
    """Join short adjacent pieces, so that the text of nested shared parts is not stored once per level."""
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
