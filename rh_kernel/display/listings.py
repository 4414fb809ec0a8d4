"""A straight-line program as a table: registers, what each is computed by, shapes, and the number of operations."""

from rh_kernel.arrays.listing import Line, lines
from rh_kernel.arrays.program import Program
from rh_kernel.display.html import COLOURS
from rh_kernel.display.markup import FAINT, MONOSPACE, span, table
from rh_kernel.syntax.doc import Role


def program_table(program: Program) -> str:
    """A row for each line of the listing."""
    return table([_row(line) for line in lines(program)], ["", "", "shape", "operations"], "lllr")


def _row(line: Line) -> list[str]:
    shape, _, flop = line.note.rpartition(", ") if line.note.endswith("flop") else (line.note, "", "")
    name, arrow, rest = line.right.partition("(")
    colour = COLOURS[Role.FUNCTION if line.left else Role.OPERATION]
    right = span(f"{MONOSPACE};color:{colour}", name) + span(MONOSPACE, arrow + rest) if arrow else span(MONOSPACE, name)
    left = span(MONOSPACE, f"{line.left} =") if line.left else ""
    return [left, right, span(f"{MONOSPACE};{FAINT}", shape), span(f"{MONOSPACE};{FAINT}", flop.removesuffix(" flop"))]
