"""What ``%compile`` shows: the program with a table of its passes; or the program after each; or what each step takes."""

from rh_kernel.arrays.equations.listing import listing, totals
from rh_kernel.display.html import COLOURS
from rh_kernel.display.markup import FAINT, MONOSPACE, box, span
from rh_kernel.display.programs.listings import program_table
from rh_kernel.display.programs.passes import passes_html, passes_text, programs_html, programs_text
from rh_kernel.display.programs.profiles import profile_html, profile_text
from rh_kernel.session.results import ProgramMade
from rh_kernel.syntax.printing.doc import Role


def program_text(result: ProgramMade) -> str:
    """A line for each register, the totals, and the passes."""
    if result.profile is not None:
        return profile_text(result.profile, result.place)
    shown = f"{programs_text(result.passes)}\n" if result.in_full else listing(result.program)
    return f"{shown}\n{passes_text(result.passes)}" if result.passes else shown


def program_html(result: ProgramMade) -> str:
    """Tables under the totals."""
    program = result.program
    head = f"{span(FAINT, totals(program) + ', to')} {span(f'{MONOSPACE};color:{COLOURS[Role.TYPE]}', str(result.type))}"
    if result.profile is not None:
        return box("", head) + profile_html(result.profile, result.place)
    shown = programs_html(result.passes) if result.in_full else program_table(program)
    return box("", head) + shown + (passes_html(result.passes) if result.passes else "")
