"""Straight-line programs: registers, what each is computed by, shapes, and the number of operations."""

from rh_kernel.arrays.listing import Line, lines, listing, totals
from rh_kernel.display.html import COLOURS
from rh_kernel.display.markup import FAINT, MONOSPACE, box, span, table
from rh_kernel.session.results import ProgramMade
from rh_kernel.syntax.doc import Role


def program_text(result: ProgramMade) -> str:
    """The listing, a line for each register, and the totals."""
    return listing(result.program)


def program_html(result: ProgramMade) -> str:
    """The listing as a table, under its totals."""
    rows = [_row(line) for line in lines(result.program)]
    head = f"{span(FAINT, totals(result.program) + ', to')} {span(f'{MONOSPACE};color:{COLOURS[Role.TYPE]}', str(result.type))}"
    return box("", head) + table(rows, ["", "", "shape", "operations"], "lllr")


def _row(line: Line) -> list[str]:
    shape, _, flop = line.note.rpartition(", ") if line.note.endswith("flop") else (line.note, "", "")
    name, arrow, rest = line.right.partition("(")
    colour = COLOURS[Role.FUNCTION if line.left else Role.OPERATION]
    right = span(f"{MONOSPACE};color:{colour}", name) + span(MONOSPACE, arrow + rest) if arrow else span(MONOSPACE, name)
    left = span(MONOSPACE, f"{line.left} =") if line.left else ""
    return [left, right, span(f"{MONOSPACE};{FAINT}", shape), span(f"{MONOSPACE};{FAINT}", flop.removesuffix(" flop"))]
