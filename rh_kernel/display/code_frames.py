"""Code frames: source lines with underlined spans, and the label of each span to the right of or below its underline.

Of a span with many lines only the first and the last are shown. A line that is too long is shown once for each span in it that
does not fit beside the others, cut around it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rh_kernel.display.text import visible
from rh_kernel.source.span import Span
from rh_kernel.syntax.printing.doc import Annotated, Doc, Mark, Role, Text, cells, concat, role

WIDEST = 100
"""A line with more columns is cut around its spans."""

_BEFORE = 40
_TAB = 4
_FEW_LINES = 3


@dataclass(frozen=True, slots=True)
class Annotation:
    """A span and its label; ``main`` marks the primary span of a diagnostic; ``role`` is the colour of the underline."""

    span: Span
    label: str = ""
    main: bool = False
    role: Role = Role.FUNCTION


@dataclass(frozen=True, slots=True)
class _Part:
    """The part of a span on one line, in characters; the label belongs to the last part."""

    start: int
    end: int
    label: str
    main: bool
    role: Role = Role.FUNCTION


@dataclass(frozen=True, slots=True)
class _Underline:
    """A part in columns, from ``left`` up to ``right``; at least one column."""

    left: int
    right: int
    part: _Part

    @property
    def role(self) -> Role:
        return self.part.role

    @property
    def text(self) -> str:
        return ("^" if self.part.main else "-") * (self.right - self.left)


def code_frame(annotations: Sequence[Annotation], gutter: int) -> list[Doc]:
    """Return the lines of one source with these annotations; line numbers are ``gutter`` columns wide."""
    source = annotations[0].span.source
    found: dict[int, list[_Part]] = {}
    for annotation in sorted(annotations, key=lambda a: not a.main):
        for number, part in _parts(annotation):
            found.setdefault(number, []).append(part)
    shown: list[Doc] = []
    before = None
    for number in sorted(found):
        if before is not None and number == before + 2:
            shown.append(_line(f"{number - 1:>{gutter}}", _plain(source.line(number - 1))))
        elif before is not None and number > before + 1:
            shown.append(role(Role.FADED, " " * gutter + " ⋮"))
        shown += _marked(f"{number:>{gutter}}", source.line(number).rstrip("\r"), found[number])
        before = number
    return shown


def _parts(annotation: Annotation) -> list[tuple[int, _Part]]:
    """Return the parts of a span with the numbers of their lines."""
    source = annotation.span.source
    first, start, last, end = annotation.span.position
    if end == 1 and last > first:
        last, end = last - 1, len(source.line(last - 1)) + 1
    numbers = [*range(first, last + 1)] if last - first < _FEW_LINES else [first, last]
    parts: list[tuple[int, _Part]] = []
    for n in numbers:
        line = source.line(n).rstrip("\r")
        a = start - 1 if n == first else len(line) - len(line.lstrip())
        b = end - 1 if n == last else len(line.rstrip())
        a, b = min(a, len(line)), min(max(a, b), len(line))
        parts.append((n, _Part(a, b, annotation.label if n == last else "", annotation.main, annotation.role)))
    return parts


def _plain(line: str) -> Doc:
    text, _ = _expanded(line.rstrip())
    _, end = _window(text, [_Part(0, 0, "", main=False)])
    return Text(text[:end] + ("…" if end < len(text) else ""))


def _marked(number: str, line: str, parts: list[_Part]) -> list[Doc]:
    """Return the line with its underlines and labels; a line that is too long once for each group of parts that fits."""
    text, places = _expanded(line)
    pending = [replace(part, start=places[part.start], end=places[part.end]) for part in parts]
    shown: list[Doc] = []
    while pending:
        start, end = _window(text, pending)
        here = [part for part in pending if part is pending[0] or start <= part.start <= part.end <= end]
        pending = [part for part in pending if part not in here]
        cut = ("…" if start else "") + text[start:end] + ("…" if end < len(text) else "")
        moved = (1 if start else 0) - start
        inside = [replace(p, start=p.start + moved, end=min(p.end, end + 1) + moved) for p in here]
        shown += [_line(number, _text(cut, inside)), *_below(number, [_underline(cut, part) for part in inside])]
    return shown


def _window(text: str, parts: list[_Part]) -> tuple[int, int]:
    """Return the range of the text that is shown: all of it, or the surroundings of all parts, or those of the first."""
    if cells(text) <= WIDEST:
        return 0, len(text)
    first, last = min(part.start for part in parts), max(part.end for part in parts)
    if cells(text[first:last]) > WIDEST - _BEFORE:
        first = parts[0].start
    start = first
    while start and cells(text[start - 1 : first]) < _BEFORE:
        start -= 1
    end = start
    while end < len(text) and cells(text[start : end + 1]) < WIDEST - 1:
        end += 1
    return start, end


def _underline(line: str, part: _Part) -> _Underline:
    left = cells(line[: part.start])
    return _Underline(left, max(cells(line[: part.end]), left + 1), part)


def _text(line: str, parts: list[_Part]) -> Doc:
    line = line.rstrip() if all(part.end <= len(line.rstrip()) for part in parts) else line
    main = next((part for part in parts if part.main), None)
    if main is None or not line:
        return Text(line)
    return concat(line[: main.start], Annotated(Mark("error"), Text(line[main.start : main.end])), line[main.end :])


def _line(number: str, content: Doc) -> Doc:
    return concat(role(Role.FADED, f"{number} │"), " " if content.flat else "", content)


def _below(number: str, underlines: list[_Underline]) -> list[Doc]:
    """Return the fewest rows of underlines that do not touch, then a row for each label that does not fit beside its own."""
    rows: list[list[_Underline]] = []
    for one in underlines:
        free = (row for row in rows if all(one.left > other.right or one.right < other.left for other in row))
        row = next(free, None)
        if row is None:
            rows.append([one])
        else:
            row.append(one)
    shown: list[Doc] = []
    hanging: list[_Underline] = []
    for row in rows:
        row.sort(key=lambda one: one.left)
        last = row[-1]
        is_free = bool(last.part.label) and all(one.right <= last.left for one in hanging)
        shown.append(_row(hanging, row, last if is_free else None))
        hanging += [one for one in row if one.part.label and not (is_free and one is last)]
    hanging.sort(key=lambda one: one.left)
    shown += [_row(hanging[:i], [], hanging[i]) for i in range(len(hanging) - 1, -1, -1)]
    return [_line(" " * len(number), row) for row in shown]


def _row(hanging: list[_Underline], row: list[_Underline], labelled: _Underline | None) -> Doc:
    """Return a row of underlines, the bars of ``hanging`` labels further down, and the label of ``labelled``."""
    pieces = [(one.left, one.role, one.text) for one in row]
    taken = {column for one in row for column in range(one.left, one.right)}
    if labelled is not None:
        place = labelled.right + 1 if row else labelled.left
        pieces.append((place, labelled.role, labelled.part.label))
        taken.add(place)
    pieces += [(one.left, one.role, "│") for one in hanging if one.left not in taken]
    shown: list[Doc] = []
    column = 0
    for left, colour, text in sorted(pieces, key=lambda piece: piece[0]):
        if left >= column:
            shown += [Text(" " * (left - column)), role(colour, text)]
            column = left + cells(text)
    return concat(*shown)


def _expanded(line: str) -> tuple[str, list[int]]:
    """Return the line with tabs expanded and control characters replaced, and the position of each character and of the end."""
    pieces: list[str] = []
    places: list[int] = []
    length = column = 0
    for c in line:
        piece = " " * (_TAB - column % _TAB) if c == "\t" else visible(c)
        pieces.append(piece)
        places.append(length)
        length += len(piece)
        column += cells(piece)
    return "".join(pieces), [*places, length]
