"""The view of ``%compile``: the program, the program after each pass with a table of the passes, or a profile."""

from rh_kernel.arrays.passes import PassResult
from rh_kernel.arrays.planning.listing import steps_listing
from rh_kernel.arrays.planning.planner import UnallocatedPlan
from rh_kernel.arrays.planning.profiling import Measured, Profile
from rh_kernel.arrays.program import Program
from rh_kernel.arrays.rewrites.listing import lines, listing, totals
from rh_kernel.display.data import Json, Record
from rh_kernel.display.markup import FAINT, box, code, span
from rh_kernel.display.programs.listings import ends_text, program_table
from rh_kernel.display.programs.passes import passes_html, passes_text, programs_html, programs_text
from rh_kernel.display.programs.profiles import profile_html, profile_text
from rh_kernel.display.registry import ResultView, as_html
from rh_kernel.loops.ir import Plan
from rh_kernel.session.results import ProgramMade
from rh_kernel.syntax.printing.doc import Role


def program_text(result: ProgramMade, *, whole: bool = False) -> str:
    """The listing and the totals, with the passes if they are asked for, or the profile; cut if long, unless ``whole``."""
    if result.profile is not None:
        return profile_text(result.profile, result.place, result.samples, whole=whole)
    if not result.in_full:
        shown = listing(result.program) if whole else ends_text(listing(result.program))
        return shown if result.samples is None else f"{shown}, {about(result)}"
    shown = f"{programs_text(result.passes, whole=whole)}\n"
    if result.samples is not None:
        shown += f"# {about(result)}"
    return f"{shown}\n{passes_text(result.passes)}"


def about(result: ProgramMade) -> str:
    """The batch size of a training program; for others the word before the type of the result."""
    return "to" if result.samples is None else f"for a batch of b = {result.samples:,}"


def program_html(result: ProgramMade) -> str:
    """The totals, and the program, the program after each pass with a table of the passes, or the profile."""
    program = result.program
    head = span(FAINT, f"{totals(program)}, {about(result)}")
    if result.type is not None:
        head += f" {code(str(result.type), Role.TYPE)}"
    if result.profile is not None:
        return box("", head) + profile_html(result.profile, result.place, result.samples)
    if not result.in_full:
        return box("", head) + program_table(program)
    return box("", head) + programs_html(result.passes) + passes_html(result.passes)


def program_record(program: Program, samples: int = 1) -> Record:
    """The record of a program: its lines, and the numbers of equations, checks and, for this batch size, operations."""
    checks: Record = {"checks": program.checks} if program.checks else {}
    return {
        "program": _lines(program),
        "equations": program.count,
        **checks,
        "operations": program.cost_of(samples),
    }


def _record(made: ProgramMade) -> Record:
    about: Record = {"batch": made.samples} if made.type is None else {"type": str(made.type)}
    more: Record = {}
    if made.profile is not None:
        more = {"profile": _profile(made.profile, made.place)}
    elif made.in_full:
        more = {"passes": [_pass(p) for p in made.passes]}
    return {"kind": "program", **about, **program_record(made.program, made.samples or 1), **more}


def _profile(profile: Profile, place: str) -> Record:
    model = profile.model
    constants: Record = {"call": model.call, "bandwidth": model.bandwidth, "rate": model.rate}
    return {
        "place": place,
        "model": constants,
        "steps": [_step(step) for step in profile.steps],
        "seconds": profile.whole,
        "choices": [*profile.choices],
    }


def _step(step: Measured) -> Record:
    return {
        "step": step.line.text,
        "calls": step.calls,
        "operations": step.line.operations,
        "bytes": step.bytes,
        "predicted": step.predicted,
        "seconds": step.seconds,
    }


def _pass(p: PassResult) -> Record:
    return {
        "pass": p.made_by.value,
        "count": p.lines,
        "operations": p.operations,
        "bytes": p.bytes,
        "scratch": p.scratch,
        "program": _lines(p.form),
    }


def _lines(form: Program | UnallocatedPlan | Plan) -> list[Json]:
    if isinstance(form, Program):
        return [f"{line.left} = {line.right}" if line.left else line.right for line in lines(form)]
    found = steps_listing(form)
    return [*found.before, *(step.text for step in found.steps), *found.after]


PROGRAM = ResultView(
    ProgramMade,
    text=program_text,
    rich=as_html(program_html),
    records=lambda made: (_record(made),),
)
