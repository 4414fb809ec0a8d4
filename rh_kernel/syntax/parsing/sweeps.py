"""``sweep a in [0.1, 0.2], seed in 0..4`` with indented items below it (LANGUAGE §9): its header, and where its items begin.

The items begin in the column of the first of them. Lines that are indented more, begin with ``}`` or hold only a comment
continue an item, as in the first column.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from math import isfinite, prod

from rh_kernel.source.diagnostic import Note, Rejected
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.syntax.errors import InvalidSweep
from rh_kernel.syntax.parsing.cursor import Cursor
from rh_kernel.syntax.parsing.lexer import tokens
from rh_kernel.syntax.parsing.tokens import SWEEP, Kind
from rh_kernel.syntax.surface_items import SweepParameter

MOST_RUNS = 1_000
"""The most combinations of one sweep."""

_SWEEP = re.compile(rf"{SWEEP} +(?!in\b)[^\W\d]")
_LINE = re.compile(r"[^\n]+")
_HINT = "for example `sweep a in [0.1, 0.2], seed in 0..4`"


@frozen
class SweepParts:
    """A sweep taken apart: ``header`` up to the first item, the ``items``, and the ``column`` in which these begin, from 0.

    ``cursor`` is at the end of the header; if ``items`` is empty, at the end of the text.
    """

    header: Span
    items: tuple[Span, ...]
    column: int
    parameters: tuple[SweepParameter, ...]
    cursor: Cursor


def is_sweep(chunk: Span) -> bool:
    """Whether a chunk of a text begins with ``sweep`` and a name."""
    return _SWEEP.match(chunk.source.text, chunk.start, chunk.end) is not None


def sweep_parts(chunk: Span) -> SweepParts:
    """Parse the header of a sweep and find its items. Raises ``Rejected``."""
    c = Cursor(chunk)
    c.advance()
    parameters = [_parameter(c)]
    while c.take(","):
        parameters.append(_parameter(c))
    _check_names(parameters)
    _check_runs(c, parameters)
    if c.holds(Kind.END):
        return SweepParts(chunk, (), 0, tuple(parameters), c)
    if not c.begins_line():
        raise c.fail("`,` or a new line", "the items of a sweep stand below it, indented")
    first = c.token.start
    column = first - (c.source.text.rfind("\n", 0, first) + 1)
    starts = [*_starts(chunk, first, column), chunk.end]
    items = tuple([Span(chunk.source, a, b) for a, b in pairwise(starts)])
    return SweepParts(Span(chunk.source, chunk.start, first), items, column, tuple(parameters), c)


def pieces(chunk: Span) -> tuple[Span, ...]:
    """Split a sweep, which may have errors, into its header and its items.

    The header ends before the first indented line that does not follow a comma; items begin where they are not indented more
    than the one before.
    """
    text = chunk.source.text
    starts, column, last = [chunk.start], -1, ""
    for line in _LINE.finditer(text, chunk.start, chunk.end):
        code = line[0].lstrip(" ")
        at = line.end() - len(code)
        place = at - (text.rfind("\n", 0, at) + 1)
        if at > chunk.start and code.strip() and code[0] not in "#}" and last != "," and (column < 0 or place <= column):
            starts.append(at)
            column = place
        read = [t.text for t in tokens(Span(chunk.source, line.start(), line.end())) if t.kind is not Kind.COMMENT]
        last = read[-1] if read else last
        if column >= 0:
            last = ""
    return tuple([Span(chunk.source, a, b) for a, b in pairwise([*starts, chunk.end])])


def _starts(chunk: Span, first: int, column: int) -> Iterator[int]:
    """Yield where the items begin. Raises ``Rejected`` if a line is indented less than the first item."""
    yield first
    text = chunk.source.text
    for line in _LINE.finditer(text, first, chunk.end):
        code = line[0].lstrip(" ")
        at = line.end() - len(code)
        place = at - (text.rfind("\n", 0, at) + 1)
        if at == first or not code.strip() or code[0] in "#}" or place > column:
            continue
        if place < column:
            why = "this line is indented less than the first item of the sweep"
            hint = f"indent the items of a sweep equally, here by {column}, and lines that continue an item by more"
            raise Rejected(InvalidSweep(span=Span(chunk.source, at, at + len(code.rstrip())), why=why, hint=hint))
        yield at


def _parameter(c: Cursor) -> SweepParameter:
    start = c.token.start
    name = c.name("the name of a number", _HINT)
    c.need("in", _HINT)
    if not c.at("["):
        return SweepParameter(name, _range(c), span=c.since(start))
    opening = c.open("[")
    values: list[float] = []
    while not c.at_closer():
        values.append(_number(c))
        if not c.take(","):
            break
        if c.at_closer():
            raise c.fail("a number")
    c.close(",")
    if not values:
        raise Rejected(InvalidSweep(span=c.since(opening.start), why=f"`{name.text}` has no values here", hint=_HINT))
    return SweepParameter(name, tuple(values), span=c.since(start))


def _range(c: Cursor) -> tuple[float, ...]:
    """``0..4``: the whole numbers from 0 to 4, both included"""
    start = c.token.start
    first = _number(c)
    c.need("..", _HINT)
    last = _number(c)
    span = c.since(start)
    if not (isinstance(first, int) and isinstance(last, int)):
        raise Rejected(
            InvalidSweep(span=span, why="the ends of a range are whole numbers", hint="list the numbers: [0.1, 0.2]")
        )
    if last < first:
        hint = f"the smaller number comes first: {last}..{first}"
        raise Rejected(InvalidSweep(span=span, why=f"there is no number from {first} to {last}", hint=hint))
    if last - first >= MOST_RUNS:
        raise _too_many(span, last - first + 1)
    return tuple(range(first, last + 1))


def _number(c: Cursor) -> float:
    """A number, perhaps negative; an ``int`` if it is written as one."""
    start = c.token.start
    is_negative = c.take("-")
    if not c.holds(Kind.NUMBER):
        raise c.fail("a number", "a sweep goes through numbers that are written out, [0.1, 0.2] or 0..4")
    text = c.advance().text
    value = int(text) if text.isdecimal() else float(text)
    if not isfinite(float(value) if abs(value) < 1 << 1023 else float("inf")):
        raise Rejected(InvalidSweep(span=c.since(start), why="this number is too large", hint="the largest is about 1.8e308"))
    return -value if is_negative else value


def _check_names(parameters: list[SweepParameter]) -> None:
    seen: dict[str, Span] = {}
    for name in [parameter.name for parameter in parameters]:
        if name.text in seen:
            notes = (Note(span=seen[name.text], text="the first one is here"),)
            why = f"`{name.text}` stands twice in this sweep"
            raise Rejected(InvalidSweep(span=name.span, why=why, notes=notes, hint="give the numbers different names"))
        seen[name.text] = name.span


def _check_runs(c: Cursor, parameters: list[SweepParameter]) -> None:
    runs = prod([len(parameter.values) for parameter in parameters])
    if runs > MOST_RUNS:
        raise _too_many(parameters[0].span.to(parameters[-1].span), runs)


def _too_many(span: Span, runs: int) -> Rejected:
    hint = "use fewer values, or several sweeps"
    return Rejected(InvalidSweep(span=span, why=f"these are {runs:,} runs", expected=f"at most {MOST_RUNS:,}", hint=hint))
