"""Straight-line programs as tables of registers, operations, shapes and costs, and truncation of long listings."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from rh_kernel.arrays.program import Program
from rh_kernel.arrays.rewrites.listing import Line, lines
from rh_kernel.display.markup import FAINT, code, span, table
from rh_kernel.syntax.printing.doc import Role

MOST = 300
"""The most lines of a listing; a longer one shows half as many from either end."""

T = TypeVar("T")


def program_table(program: Program, most: int = MOST) -> str:
    """A table with a row for each line of the listing, at most ``most``."""
    return table(both_ends(list(lines(program)), _row, most), ["", "", "shape", "operations"], "lllr")


def both_ends(lines: Sequence[T], row: Callable[[T], list[str]], most: int = MOST) -> list[list[str]]:
    """The row of each line; of more than ``most`` those at either end, with a note in between."""
    if len(lines) <= most:
        return [row(line) for line in lines]
    half = most // 2
    first, last = [[row(line) for line in part] for part in (lines[:half], lines[-half:])]
    return [*first, [span(FAINT, _gap(len(lines) - 2 * half)), *[""] * (len(first[0]) - 1)], *last]


def ends_text(text: str, most: int = MOST) -> str:
    """The text; of more than ``most`` lines those at either end, with a note in between."""
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
