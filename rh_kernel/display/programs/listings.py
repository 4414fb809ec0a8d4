"""A straight-line program as a table: registers, what each is computed by, shapes, and the number of operations."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from rh_kernel.arrays.equations.listing import Line, lines
from rh_kernel.arrays.program import Program
from rh_kernel.display.html import COLOURS
from rh_kernel.display.markup import FAINT, MONOSPACE, span, table
from rh_kernel.syntax.printing.doc import Role

MOST = 300
"""Of a listing with more lines so many are shown: half of them from either end."""

_HALF = MOST // 2

T = TypeVar("T")


def program_table(program: Program) -> str:
    """A row for each line of the listing, if there are not too many."""
    return table(both_ends(list(lines(program)), _row), ["", "", "shape", "operations"], "lllr")


def both_ends(lines: Sequence[T], row: Callable[[T], list[str]]) -> list[list[str]]:
    """The row of each line; where there are too many, those at either end, and between them how many are left out."""
    if len(lines) <= MOST:
        return [row(line) for line in lines]
    first, last = [[row(line) for line in part] for part in (lines[:_HALF], lines[-_HALF:])]
    return [*first, [span(FAINT, _gap(len(lines))), *[""] * (len(first[0]) - 1)], *last]


def ends_text(text: str) -> str:
    """The text; where it has too many lines, those at either end, and between them how many are left out."""
    lines = text.split("\n")
    return text if len(lines) <= MOST else "\n".join([*lines[:_HALF], _gap(len(lines)), *lines[-_HALF:]])


def _gap(count: int) -> str:
    return f"⋮ {count - 2 * _HALF:,} lines are left out; `rh compile` prints all of them"


def _row(line: Line) -> list[str]:
    shape, _, flop = line.note.rpartition(", ") if line.note.endswith("flop") else (line.note, "", "")
    name, arrow, rest = line.right.partition("(")
    colour = COLOURS[Role.FUNCTION if line.left else Role.OPERATION]
    right = span(f"{MONOSPACE};color:{colour}", name) + span(MONOSPACE, arrow + rest) if arrow else span(MONOSPACE, name)
    left = span(MONOSPACE, f"{line.left} =") if line.left else ""
    return [left, right, span(f"{MONOSPACE};{FAINT}", shape), span(f"{MONOSPACE};{FAINT}", flop.removesuffix(" flop"))]
