"""A straight-line program as a table: registers, what each is computed by, shapes, and the number of operations."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from rh_kernel.arrays.program import Program
from rh_kernel.arrays.rewrites.listing import Line, lines
from rh_kernel.display.markup import FAINT, code, span, table
from rh_kernel.syntax.printing.doc import Role

MOST = 300
"""Of a listing with more lines so many are shown: half of them from either end."""

T = TypeVar("T")


def program_table(program: Program, most: int = MOST) -> str:
    """A row for each line of the listing, if there are not too many."""
    return table(both_ends(list(lines(program)), _row, most), ["", "", "shape", "operations"], "lllr")


def both_ends(lines: Sequence[T], row: Callable[[T], list[str]], most: int = MOST) -> list[list[str]]:
    """The row of each line; where there are more than ``most``, those at either end, and between how many are left out."""
    if len(lines) <= most:
        return [row(line) for line in lines]
    half = most // 2
    first, last = [[row(line) for line in part] for part in (lines[:half], lines[-half:])]
    return [*first, [span(FAINT, _gap(len(lines) - 2 * half)), *[""] * (len(first[0]) - 1)], *last]


def ends_text(text: str, most: int = MOST) -> str:
    """The text; where it has more than ``most`` lines, those at either end, and between them how many are left out."""
    lines, half = text.split("\n"), most // 2
    return text if len(lines) <= most else "\n".join([*lines[:half], _gap(len(lines) - 2 * half), *lines[-half:]])


def _gap(count: int) -> str:
    return f"⋮ {count:,} lines are left out; `rh compile` prints all of them"


def _row(line: Line) -> list[str]:
    shape, _, flop = line.note.rpartition(", ") if line.note.endswith("flop") else (line.note, "", "")
    name, arrow, rest = line.right.partition("(")
    role = Role.FUNCTION if line.left else Role.OPERATION
    right = code(name, role) + code(arrow + rest) if arrow else code(name)
    left = code(f"{line.left} =") if line.left else ""
    return [left, right, code(shape, style=FAINT), code(flop.removesuffix(" flop"), style=FAINT)]
