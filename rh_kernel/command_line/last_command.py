"""``rh trace`` and ``rh compile``: how the last command of a file reduces, and what it compiles to."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from rh_kernel.command_line.files import folder, read
from rh_kernel.command_line.report import Report
from rh_kernel.command_line.running import analyze_in_time, before
from rh_kernel.display.eff_cells.view import reduction_blocks, reduction_records
from rh_kernel.display.programs.view import program_text
from rh_kernel.display.text import visible
from rh_kernel.display.traces.records import bounded_records, end_record
from rh_kernel.display.traces.text import trace_blocks
from rh_kernel.session.actions import Action, Closed, Refuse
from rh_kernel.session.directives.compile import Compile, Shows
from rh_kernel.session.directives.trace import Trace, body_spans
from rh_kernel.session.errors import NothingToStep
from rh_kernel.session.limits.timing import timed
from rh_kernel.session.results import ProgramMade, ReductionShown, Result, Shown, TraceMade, Working
from rh_kernel.session.session import Session
from rh_kernel.session.settings import Settings
from rh_kernel.session.train import Train
from rh_kernel.source.diagnostic import Failure, Rejected
from rh_kernel.source.span import Source, Span
from rh_kernel.syntax.parsing.parser import Unparsed, parse
from rh_kernel.syntax.surface_items import Item
from rh_kernel.typing.elaboration.items import ClosedTerm

_Target = TypeVar("_Target", bound=Closed | Action, covariant=True)


@dataclass(frozen=True, slots=True)
class Subject(Generic[_Target]):
    """The item to show, its number, and the session after all items before it."""

    closed: _Target
    item: int
    session: Session


def trace(file: str, report: Report, settings: Settings, *, full: bool = False) -> None:
    """Show the steps of the last command; as JSON their texts are truncated, unless ``full``.

    Raises ``Failure`` if there is none, or if it gets stuck.
    """
    subject = _find(file, report, settings, _reducing)
    if subject is None:
        return
    closed = subject.closed
    action = closed if isinstance(closed, Action) else Trace(closed, body_spans(subject.session.definitions))

    def show(result: Result) -> None:
        match result:
            case TraceMade():
                _show(result, report, full=full)
            case ReductionShown():
                _show_reduction(result, report, full=full)
            case _:
                pass

    perform(action, subject, report, show)


def compile_last(file: str, report: Report, settings: Settings, shows: Shows = "") -> None:
    """Show the straight-line program of the last command or training run, as ``%compile`` does.

    Raises ``Failure`` if there is none, or if it does not compile.
    """
    subject = _find(file, report, settings, _compiled)
    if subject is None:
        return

    def show(result: Result) -> None:
        if not isinstance(result, ProgramMade):
            return
        if report.as_json:
            report.result(subject.item, result)
        else:
            report.text(visible(program_text(result, whole=True)))

    perform(Compile(subject.closed, shows), subject, report, show)


def perform(action: Action, subject: Subject[Any], report: Report, show: Callable[[Result], None]) -> None:
    """Run an action for the subject within the time limit, pass its results to ``show``, and report a failure."""
    try:
        with timed(subject.session.settings.bounds.seconds):
            for event in action.run(subject.item, subject.session.state):
                report.note(event)
                if isinstance(event, Shown):
                    show(event.result)
    except Failure as failure:
        report.failure(failure.diagnostics, subject.item)


def find(file: str, report: Report, settings: Settings) -> Subject[Closed] | None:
    """Return the last command of a file, or its last term if it has no command; ``None`` if a later item has an error.

    The items before it are run and their errors reported. Raises ``Rejected`` if there is neither, or if there is no such file.
    """
    return _find(file, report, settings, _closed)


def _find(file: str, report: Report, settings: Settings, of: Callable[[Action], _Target | None]) -> Subject[_Target] | None:
    source = read(file)
    session = Session.start(folder(file), settings)
    context = session.context
    found: list[tuple[int, Item | Unparsed, _Target]] = []
    refused: list[tuple[int, Refuse]] = []
    hint = "end the file with the command to look at"
    for number, item in enumerate(parse(source), start=1):
        context, action = analyze_in_time(item, context)
        if isinstance(action, Refuse):
            refused.append((number, action))
        elif (closed := of(action)) is not None:
            found.append((number, item, closed))
        hint = action.last_item_hint or hint
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


def _closed(action: Action) -> Closed | None:
    return action.subject


def _compiled(action: Action) -> Closed | Train | None:
    match action:
        case Train():
            return action
        case Compile(Train() as training):
            return training
        case _:
            return action.subject


def _reducing(action: Action) -> Closed | Action | None:
    return action.traced or action.subject


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
        report.record(end_record(trace))


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
