"""``rh trace`` and ``rh compile``: how the last command of a file reduces, and the program it becomes."""

from dataclasses import dataclass

from rh_kernel.command_line.files import folder, read
from rh_kernel.command_line.report import Report
from rh_kernel.command_line.running import before
from rh_kernel.display.record import end_record, step_record
from rh_kernel.display.trace import trace_blocks
from rh_kernel.session.errors import NothingToStep
from rh_kernel.session.performing import State, perform
from rh_kernel.session.planning import plan
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
from rh_kernel.session.results import ProgramMade, Shown, TraceMade
from rh_kernel.session.session import Session
from rh_kernel.session.settings import Settings
from rh_kernel.session.written import written
from rh_kernel.source.diagnostic import Failure, Rejected
from rh_kernel.source.span import Source, Span
from rh_kernel.syntax.parser import Unparsed, parse
from rh_kernel.syntax.printing import Memory
from rh_kernel.syntax.surface_items import Item
from rh_kernel.typing.items import ClosedCommand, ClosedTerm


@dataclass(frozen=True, slots=True)
class Subject:
    """The term or command to look at, its number among the items, and the session after all items before it."""

    closed: ClosedTerm | ClosedCommand
    item: int
    session: Session

    @property
    def state(self) -> State:
        """What the items before have done."""
        return State(self.session.heap, self.session.initial, self.session.folder, self.session.settings)


def trace(file: str, report: Report, settings: Settings) -> None:
    """The steps of the last command. Raises ``Failure`` if it has none, or gets stuck before its end."""
    subject = find(file, report, settings)
    if subject is None:
        return
    try:
        for event in perform(subject.item, Trace(subject.closed, written(subject.session.definitions)), subject.state):
            if isinstance(event, Shown) and isinstance(event.result, TraceMade):
                _show(event.result, report)
    except Failure as failure:
        report.failure(failure.diagnostics, subject.item)


def compile_last(file: str, report: Report, settings: Settings, shows: Shows = "") -> None:
    """The straight-line program of the last command, as ``%compile`` shows it. Raises ``Failure`` if it has none."""
    subject = find(file, report, settings)
    if subject is None:
        return
    try:
        for event in perform(subject.item, Compile(subject.closed, shows), subject.state):
            if isinstance(event, Shown) and isinstance(event.result, ProgramMade):
                report.result(subject.item, event.result)
    except Failure as failure:
        report.failure(failure.diagnostics, subject.item)


def find(file: str, report: Report, settings: Settings) -> Subject | None:
    """The last command of a file, or its last term if it has no command; ``None`` if an item after it has an error.

    The items before it are run, and errors are reported. Raises ``Rejected`` if there is neither, or no file.
    """
    source = read(file)
    session = Session.start(folder(file), settings)
    definitions, around = session.definitions, session.surroundings
    found: list[tuple[int, Item | Unparsed, ClosedTerm | ClosedCommand]] = []
    refused: list[tuple[int, Refuse]] = []
    for number, item in enumerate(parse(source), start=1):
        definitions, planned = plan(definitions, item, around)
        around = around.after(planned)
        match planned:
            case Evaluate(closed) | Trace(closed) | Compile(closed) | Gradient(closed):
                found.append((number, item, closed))
            case Refuse():
                refused.append((number, planned))
            case Declare() | ShowType() | Derive() | Draw() | Train() | Compare() | Answer():
                pass
            case Save() | Load() | Undo() | ShowHeap() | Reset() | Set() | SetDevice():
                pass
            case DeclareFunction() | Compute() | ShowForms() | Differentiate() | DeclareEffects() | RunEffects():
                pass
    commands = [subject for subject in found if isinstance(subject[2], ClosedCommand)]
    chosen = (commands or found or [None])[-1]
    later = refused if chosen is None else [(number, refusal) for number, refusal in refused if number > chosen[0]]
    for number, refusal in later:
        report.failure(refusal.diagnostics, number)
    if later:
        return None
    if chosen is None:
        raise Rejected(NothingToStep(span=Span(source, 0, 0), hint="end the file with the command to look at"))
    number, item, closed = chosen
    return Subject(closed, number, before(file, Source(source.name, source.text[: item.span.start]), report, settings))


def _show(trace: TraceMade, report: Report) -> None:
    """Every step, and at last the value."""
    if not report.as_json:
        for number, block in enumerate(trace_blocks(trace)):
            report.text(f"\n{block}" if number else block)
        return
    memory = Memory()
    for number, step in enumerate(trace.steps):
        report.record(step_record(number, step, memory))
    if trace.value is not None:
        report.record(end_record(len(trace.steps), trace.type, trace.value))
