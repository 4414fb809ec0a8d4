"""``rh trace`` and ``rh compile``: how the last command of a file reduces, and what it compiles to."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Generic, TypeAlias, TypeVar

from rh_kernel.command_line.files import folder, read
from rh_kernel.command_line.report import Report
from rh_kernel.command_line.running import before, planned_in_time
from rh_kernel.display.effects.record import reduction_records
from rh_kernel.display.effects.text import reduction_blocks
from rh_kernel.display.programs.choice import program_text
from rh_kernel.display.record import end_record
from rh_kernel.display.text import visible
from rh_kernel.display.traces.records import bounded_records
from rh_kernel.display.traces.text import trace_blocks
from rh_kernel.session.errors import NothingToStep
from rh_kernel.session.limits.timing import timed
from rh_kernel.session.performing import State, perform
from rh_kernel.session.plans import (
    Answer,
    Compare,
    Compile,
    Compute,
    Declare,
    DeclareEffects,
    DeclareFunction,
    Derive,
    Differentiate,
    Draw,
    Evaluate,
    Gradient,
    Load,
    Plan,
    Refuse,
    Reset,
    RunEffects,
    Save,
    Set,
    SetDevice,
    ShowForms,
    ShowHeap,
    Shows,
    ShowType,
    Trace,
    Train,
    Undo,
)
from rh_kernel.session.results import ProgramMade, ReductionShown, Shown, TraceMade, Working
from rh_kernel.session.session import Session
from rh_kernel.session.settings import Settings
from rh_kernel.session.written import written
from rh_kernel.source.diagnostic import Failure, Rejected
from rh_kernel.source.span import Source, Span
from rh_kernel.syntax.parsing.parser import Unparsed, parse
from rh_kernel.syntax.surface_items import Item
from rh_kernel.typing.elaboration.items import ClosedCommand, ClosedTerm

_BY_RUN = "`rh run` shows what a system makes of a function: `%ad SYSTEM f(…) --trace`, step by step if it rewrites"

_HINTS: Mapping[type[Plan], str] = {
    RunEffects: "what a %%eff cell runs has steps, which `rh trace` shows, but no straight-line program and no diagram",
    Differentiate: _BY_RUN,
    ShowForms: _BY_RUN,
    Train: "a training item runs its command on every sample: end the file with that command, for one of them",
}
"""What to do instead with the last plan of these kinds."""

Straight: TypeAlias = ClosedTerm | ClosedCommand
"""What becomes a straight-line program, and a diagram."""

Reducing: TypeAlias = Straight | RunEffects
"""What has steps."""

_Looked = TypeVar("_Looked", bound=Reducing | Train, covariant=True)


@dataclass(frozen=True, slots=True)
class Subject(Generic[_Looked]):
    """The item to show, its number, and the session after all items before it."""

    closed: _Looked
    item: int
    session: Session

    @property
    def state(self) -> State:
        """The state after the items before it."""
        return State(self.session.heap, self.session.initial, self.session.folder, self.session.settings)


def trace(file: str, report: Report, settings: Settings, *, full: bool = False) -> None:
    """Show the steps of the last command; as JSON their texts are truncated, unless ``full``.

    Raises ``Failure`` if there is none, or if it gets stuck.
    """
    subject = _find(file, report, settings, _reducing)
    if subject is None:
        return
    match subject.closed:
        case RunEffects() as run:
            planned = replace(run, shows="steps")
        case closed:
            planned = Trace(closed, written(subject.session.definitions))
    try:
        with timed(subject.session.settings.bounds.seconds):
            for event in perform(subject.item, planned, subject.state):
                report.note(event)
                match event:
                    case Shown(_, TraceMade() as made):
                        _show(made, report, full=full)
                    case Shown(_, ReductionShown() as made):
                        _show_reduction(made, report, full=full)
                    case _:
                        pass
    except Failure as failure:
        report.failure(failure.diagnostics, subject.item)


def compile_last(file: str, report: Report, settings: Settings, shows: Shows = "") -> None:
    """Show the straight-line program of the last command or training run, as ``%compile`` does.

    Raises ``Failure`` if there is none, or if it does not compile.
    """
    subject = _find(file, report, settings, _compiled)
    if subject is None:
        return
    try:
        with timed(subject.session.settings.bounds.seconds):
            for event in perform(subject.item, Compile(subject.closed, shows), subject.state):
                report.note(event)
                if not isinstance(event, Shown) or not isinstance(event.result, ProgramMade):
                    continue
                if report.as_json:
                    report.result(subject.item, event.result)
                else:
                    report.text(visible(program_text(event.result, whole=True)))
    except Failure as failure:
        report.failure(failure.diagnostics, subject.item)


def find(file: str, report: Report, settings: Settings) -> Subject[Straight] | None:
    """The last command of a file, or its last term if it has no command; ``None`` if an item after it has an error.

    The items before it are run and their errors reported. Raises ``Rejected`` if there is neither, or if there is no such file.
    """
    return _find(file, report, settings, _straight)


def _find(file: str, report: Report, settings: Settings, of: Callable[[Plan], _Looked | None]) -> Subject[_Looked] | None:
    source = read(file)
    session = Session.start(folder(file), settings)
    definitions, around = session.definitions, session.surroundings
    found: list[tuple[int, Item | Unparsed, _Looked]] = []
    refused: list[tuple[int, Refuse]] = []
    hint = "end the file with the command to look at"
    for number, item in enumerate(parse(source), start=1):
        definitions, planned = planned_in_time(definitions, item, around)
        around = around.after(planned)
        if isinstance(planned, Refuse):
            refused.append((number, planned))
        elif (closed := of(planned)) is not None:
            found.append((number, item, closed))
        hint = _HINTS.get(type(planned), hint)
    commands = [subject for subject in found if not isinstance(subject[2], ClosedTerm)]
    chosen = (commands or found or [None])[-1]
    later = refused if chosen is None else [(number, refusal) for number, refusal in refused if number > chosen[0]]
    for number, refusal in later:
        report.failure(refusal.diagnostics, number)
    if later:
        return None
    if chosen is None:
        raise Rejected(NothingToStep(span=Span(source, 0, 0), hint=hint))
    number, item, closed = chosen
    return Subject(closed, number, before(file, Source(source.name, source.text[: item.span.start]), report, settings))


def _straight(planned: Plan) -> Straight | None:
    match planned:
        case Compile(subject):
            return None if isinstance(subject, Train) else subject
        case Evaluate(closed) | Trace(closed) | Gradient(closed):
            return closed
        case Declare() | ShowType() | Derive() | Draw() | Train() | Compare() | Answer() | Refuse():
            return None
        case Save() | Load() | Undo() | ShowHeap() | Reset() | Set() | SetDevice():
            return None
        case DeclareFunction() | Compute() | ShowForms() | Differentiate() | DeclareEffects() | RunEffects():
            return None


def _compiled(planned: Plan) -> Straight | Train | None:
    match planned:
        case Train() as training:
            return training
        case Compile(Train() as training):
            return training
        case _:
            return _straight(planned)


def _reducing(planned: Plan) -> Reducing | None:
    return planned if isinstance(planned, RunEffects) else _straight(planned)


def _show(trace: TraceMade, report: Report, *, full: bool) -> None:
    """Show every step and then the value."""
    if not report.as_json:
        for number, block in enumerate(trace_blocks(trace)):
            report.note(_printing(number, trace))
            report.text(f"\n{block}" if number else block)
        return
    for number, record in enumerate(bounded_records(trace, full=full)):
        report.note(_printing(number, trace))
        report.record(record)
    if trace.value is not None:
        report.record(end_record(len(trace.steps), trace.type, trace.value))


def _printing(number: int, trace: TraceMade) -> Working:
    return Working("printing the trace", f"{number:,} of {len(trace.steps):,} steps")


def _show_reduction(reduction: ReductionShown, report: Report, *, full: bool) -> None:
    """Do the same for an expression of a ``%%eff`` cell."""
    if report.as_json:
        for record in reduction_records(reduction, full=full):
            report.record(record)
    else:
        for block in reduction_blocks(reduction):
            report.text(block)
