"""What ``%compile`` shows: the program with a table of its passes; or the program after each; or what each step takes."""

from rh_kernel.arrays.equations.listing import listing, totals
from rh_kernel.display.html import COLOURS
from rh_kernel.display.markup import FAINT, MONOSPACE, box, span
from rh_kernel.display.programs.listings import ends_text, program_table
from rh_kernel.display.programs.passes import passes_html, passes_text, programs_html, programs_text
from rh_kernel.display.programs.profiles import profile_html, profile_text
from rh_kernel.session.results import ProgramMade
from rh_kernel.syntax.printing.doc import Role


def program_text(result: ProgramMade, *, whole: bool = False) -> str:
    """A line for each register, the totals, and the passes; of a long program its ends, if it is not to be shown ``whole``."""
    if result.profile is not None:
        return profile_text(result.profile, result.place, result.samples, whole=whole)
    if result.in_full:
        shown = f"{programs_text(result.passes, whole=whole)}\n"
    else:
        shown = listing(result.program) if whole else ends_text(listing(result.program))
    if result.samples is not None:
        shown += f"# {about(result)}" if result.in_full else f", {about(result)}"
    return f"{shown}\n{passes_text(result.passes)}" if result.passes else shown


def about(result: ProgramMade) -> str:
    """Of a training run, how large its batches are; else what stands before the type of the result."""
    return "to" if result.samples is None else f"for a batch of b = {result.samples:,}"


def program_html(result: ProgramMade) -> str:
    """Tables under the totals."""
    program = result.program
    head = span(FAINT, f"{totals(program)}, {about(result)}")
    if result.type is not None:
        head += f" {span(f'{MONOSPACE};color:{COLOURS[Role.TYPE]}', str(result.type))}"
    if result.profile is not None:
        return box("", head) + profile_html(result.profile, result.place, result.samples)
    shown = programs_html(result.passes) if result.in_full else program_table(program)
    return box("", head) + shown + (passes_html(result.passes) if result.passes else "")
