"""Lines of a text with signs under the parts that are pointed at, and what is said about each behind or below its signs.

Of a part with many lines the first and the last are shown. A line that is too long is shown once for each part, cut around it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from rh_kernel.display.text import visible
from rh_kernel.source.span import Span
from rh_kernel.syntax.doc import Annotated, Doc, Mark, Role, Text, cells, concat, role

WIDEST = 100
"""A line with more columns is cut around what is pointed at."""

_BEFORE = 40
_TAB = 4
_FEW_LINES = 3


@dataclass(frozen=True, slots=True)
class Place:
    """A part of a text and what is said about it; ``main`` is the one that the complaint is about."""

    span: Span
    label: str = ""
    main: bool = False


@dataclass(frozen=True, slots=True)
class _Part:
    """What of a place stands on one line, in characters; a place's label belongs to its last part."""

    start: int
    end: int
    label: str
    main: bool

    @property
    def sign(self) -> str:
        return "^" if self.main else "-"

    @property
    def look(self) -> Role:
        return Role.ERROR if self.main else Role.FUNCTION


@dataclass(frozen=True, slots=True)
class _Signs:
    """A part in columns, from ``left`` to just before ``right``, at least one."""

    left: int
    right: int
    part: _Part


def excerpt(places: Sequence[Place], gutter: int) -> list[Doc]:
    """The lines of one source that hold these places; line numbers are ``gutter`` wide."""
    source = places[0].span.source
    found: dict[int, list[_Part]] = {}
    for place in sorted(places, key=lambda p: not p.main):
        for number, part in _parts(place):
            found.setdefault(number, []).append(part)
    shown: list[Doc] = []
    before = None
    for number in sorted(found):
        if before is not None and number == before + 2:
            shown.append(_line(f"{number - 1:>{gutter}}", Text(_expanded(source.line(number - 1).rstrip("\r").rstrip(), 0))))
        elif before is not None and number > before + 1:
            shown.append(role(Role.FADED, " " * gutter + " ⋮"))
        shown += _marked(f"{number:>{gutter}}", source.line(number).rstrip("\r"), found[number])
        before = number
    return shown


def _parts(place: Place) -> list[tuple[int, _Part]]:
    source = place.span.source
    first, start, last, end = place.span.position
    if end == 1 and last > first:
        last, end = last - 1, len(source.line(last - 1)) + 1
    numbers = [*range(first, last + 1)] if last - first < _FEW_LINES else [first, last]
    parts: list[tuple[int, _Part]] = []
    for n in numbers:
        line = source.line(n).rstrip("\r")
        a = start - 1 if n == first else len(line) - len(line.lstrip())
        b = end - 1 if n == last else len(line.rstrip())
        parts.append((n, _Part(a, max(a, b), place.label if n == last else "", place.main)))
    return parts


def _marked(number: str, line: str, parts: list[_Part]) -> list[Doc]:
    if cells(_expanded(line, 0)) > WIDEST:
        return [row for part in parts for row in _cut_around(number, line, part)]
    main = next((part for part in parts if part.main), _Part(len(line), len(line), "", main=True))
    before = _expanded(line[: main.start], 0)
    inside = _expanded(line[main.start : main.end], cells(before))
    after = _expanded(line[main.end :], cells(before) + cells(inside)).rstrip()
    return [_line(number, _around(before, inside, after)), *_below(number, [_columns(line, part) for part in parts])]


def _columns(line: str, part: _Part) -> _Signs:
    left = cells(_expanded(line[: part.start], 0))
    right = left + cells(_expanded(line[part.start : part.end], left))
    return _Signs(left, max(right, left + 1), part)


def _cut_around(number: str, line: str, part: _Part) -> list[Doc]:
    before = _expanded(line[: part.start], 0)
    inside = _expanded(line[part.start : part.end], cells(before))
    after = _expanded(line[part.end :], cells(before) + cells(inside))
    before = before if cells(before) <= _BEFORE else "…" + _cut(before[::-1], _BEFORE - 1)[::-1]
    inside = _shortened(inside, WIDEST - _BEFORE)
    after = _shortened(after, max(WIDEST - cells(before) - cells(inside), 1)).rstrip()
    text = _around(before, inside, after) if part.main else Text(before + inside + after)
    signs = _Signs(cells(before), cells(before) + max(cells(inside), 1), part)
    return [_line(number, text), *_below(number, [signs])]


def _around(before: str, inside: str, after: str) -> Doc:
    return concat(before, Annotated(Mark("error"), Text(inside)), after) if before or inside or after else Text("")


def _line(number: str, content: Doc) -> Doc:
    return concat(role(Role.FADED, f"{number} │"), " " if content.flat else "", content)


def _below(number: str, signs: list[_Signs]) -> list[Doc]:
    """Rows of signs, as few as keep them apart, and then the labels that found no room behind their signs, each on its row."""
    rows: list[list[_Signs]] = []
    for one in signs:
        free = (row for row in rows if all(one.left > other.right or one.right < other.left for other in row))
        row = next(free, None)
        if row is None:
            rows.append([one])
        else:
            row.append(one)
    shown: list[Doc] = []
    hanging: list[_Signs] = []
    for row in rows:
        row.sort(key=lambda one: one.left)
        last = row[-1]
        is_free = bool(last.part.label) and all(one.right <= last.left for one in hanging)
        shown.append(_row(hanging, row, last if is_free else None))
        hanging += [one for one in row if one.part.label and not (is_free and one is last)]
    hanging.sort(key=lambda one: one.left)
    shown += [_row(hanging[:i], [], hanging[i]) for i in range(len(hanging) - 1, -1, -1)]
    return [_line(" " * len(number), row) for row in shown]


def _row(hanging: list[_Signs], row: list[_Signs], labelled: _Signs | None) -> Doc:
    """The signs of a row between lines that lead further down, and the label of its last part, or of one above it."""
    pieces = [(one.left, one.part.look, one.part.sign * (one.right - one.left)) for one in row]
    taken = {column for one in row for column in range(one.left, one.right)}
    if labelled is not None:
        place = labelled.right + 1 if row else labelled.left
        pieces.append((place, labelled.part.look, labelled.part.label))
        taken.add(place)
    pieces += [(one.left, one.part.look, "│") for one in hanging if one.left not in taken]
    shown: list[Doc] = []
    column = 0
    for left, look, text in sorted(pieces, key=lambda piece: piece[0]):
        if left >= column:
            shown += [Text(" " * (left - column)), role(look, text)]
            column = left + cells(text)
    return concat(*shown)


def _expanded(text: str, column: int) -> str:
    """``text`` as it is shown from ``column`` on: tabs as spaces up to the next stop."""
    pieces: list[str] = []
    for i, part in enumerate(visible(part) for part in text.split("\t")):
        if i:
            spaces = _TAB - column % _TAB
            pieces.append(" " * spaces)
            column += spaces
        pieces.append(part)
        column += cells(part)
    return "".join(pieces)


def _shortened(text: str, width: int) -> str:
    return text if cells(text) <= width else _cut(text, width - 1) + "…"


def _cut(text: str, width: int) -> str:
    """As much of the beginning of ``text`` as fits into ``width`` columns."""
    total = 0
    for i, c in enumerate(text):
        total += cells(c)
        if total > width:
            return text[:i]
    return text
