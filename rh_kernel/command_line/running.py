"""``rh run`` and ``rh check``: run all items of a file, or only typecheck them."""

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, nullcontext

from rh_kernel.command_line.files import folder, read
from rh_kernel.command_line.report import Report
from rh_kernel.session.describing import type_text
from rh_kernel.session.limits.alarm import Late
from rh_kernel.session.limits.timing import timed
from rh_kernel.session.names import arrow
from rh_kernel.session.planning import plan, without
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
    ShowType,
    Surroundings,
    Trace,
    Train,
    Undo,
)
from rh_kernel.session.results import (
    CheckPassed,
    DeclarationMade,
    Event,
    ItemFailed,
    Notice,
    Printed,
    Progress,
    Result,
    Shown,
    Timed,
    TrainingDone,
    TypeShown,
    Working,
)
from rh_kernel.session.session import Session, execute, plans_of
from rh_kernel.session.settings import Settings
from rh_kernel.source.diagnostic import Stuck
from rh_kernel.source.span import Source
from rh_kernel.syntax.parsing.parser import Unparsed, parse
from rh_kernel.syntax.surface_items import Item
from rh_kernel.typing.definitions import Definitions, kind_of
from rh_kernel.typing.explaining.remarks import remarks


def run(file: str, report: Report, settings: Settings) -> None:
    """Run every item in order; one that fails has no effect, and the next one is run. Raises ``Rejected`` without a file."""
    source = read(file)

    def take(event: Event) -> None:
        report.note(event)
        match event:
            case Shown(item, result):
                report.result(item, result)
            case Progress():
                report.progress(event)
            case Printed(_, lines):
                report.printed(lines)
            case Working() | Timed():
                pass

    to_the_end(execute(Session.start(folder(file), settings), source, keep_going=True), take)


def check(file: str, report: Report, settings: Settings) -> None:
    """Show the type of every item without evaluating anything. Raises ``Rejected`` without a file."""
    source = read(file)
    session = Session.start(folder(file), settings)
    items = parse(source)
    report.note(Working("checking", f"{len(items):,} items"))
    with timed(settings.bounds.seconds):
        plans = plans_of(session, items, "")
    for number, (item, (definitions, planned)) in enumerate(zip(items, plans, strict=True), start=1):
        if not isinstance(planned, Refuse) and not isinstance(item, Unparsed):
            for words in remarks(definitions, item):
                report.result(number, Notice(words))
        if planned != Refuse(()):
            report.result(number, checked(planned, item.span.text))


def planned_in_time(definitions: Definitions, item: Item | Unparsed, around: Surroundings) -> tuple[Definitions, Plan]:
    """``plan``, within the seconds that a cell may take."""
    try:
        with timed(around.settings.bounds.seconds):
            return plan(definitions, item, around)
    except Stuck as late:
        return without(definitions, item), Refuse(late.diagnostics)


def checked(planned: Plan, text: str) -> Result:
    """What is known of an item that has been planned and is not performed."""
    match planned:
        case Declare(definition):
            return DeclarationMade(definition.name, kind_of(definition), type_text(definition))
        case Compile(subject):
            return checked(subject if isinstance(subject, Train) else Evaluate(subject), text)
        case Evaluate(subject) | Trace(subject):
            return TypeShown(" ".join(text.split()), str(subject.type))
        case Gradient(subject, written):
            return TypeShown(" ".join(written.split()), str(subject.type))
        case DeclareEffects(made=made):
            return made
        case RunEffects(type=C):
            from rh_kernel.display.effects.text import type_text as of_effects

            return TypeShown(" ".join(text.split()), of_effects(C))
        case DeclareFunction(program):
            return DeclarationMade(program.name, "a function", arrow(program))
        case Compute(type=A):
            return TypeShown(" ".join(text.split()), str(A))
        case ShowForms(program=program) | Differentiate(program=program):
            return TypeShown(" ".join(text.split()), arrow(program))
        case ShowType(subject, type_shown, remarks):
            return TypeShown(subject, type_shown, remarks)
        case Derive(subject, type_shown):
            return TypeShown(" ".join(subject.split()), type_shown)
        case Draw(subject):
            return TypeShown(" ".join(subject.text.split()), subject.type)
        case Train(training):
            return Notice(f"a training run on {training.data}, {training.epochs} epochs")
        case Compare(equation, span):
            return TypeShown(" ".join(span.text.split()), str(equation.left.type))
        case Answer(CheckPassed() as passed):
            return passed
        case ShowHeap() | Reset() | Set() | SetDevice() | Save() | Load() | Undo() | Answer():
            return Notice(" ".join(text.split()))
        case Refuse(diagnostics):
            return ItemFailed(diagnostics)


def before(file: str, source: Source, report: Report, settings: Settings) -> Session:
    """Run the items of ``source`` and return the session after them, reporting only errors."""

    def take(event: Event) -> None:
        report.note(event)
        if isinstance(event, Shown) and isinstance(event.result, ItemFailed):
            report.result(event.item, event.result)

    return to_the_end(execute(Session.start(folder(file), settings), source, keep_going=True), take)


def to_the_end(events: Generator[Event, None, Session], take: Callable[[Event], None]) -> Session:
    """Pass each event to ``take``, and return the final session.

    An interrupt while an event is taken is thrown into the generator, so that a training run can still report its progress,
    and is raised again at the end.
    """
    interrupted = False
    pending: BaseException | None = None
    alarm: AbstractContextManager[None] = nullcontext()
    while True:
        try:
            event = next(events) if pending is None else events.throw(pending)
            pending = None
            interrupted = interrupted or _is_stopped(event)
            if isinstance(event, Timed):
                alarm = event.alarm
            with alarm:
                take(event)
        except StopIteration as end:
            if interrupted:
                raise KeyboardInterrupt from None
            return end.value
        except KeyboardInterrupt as interrupt:
            if interrupted:
                raise
            interrupted, pending = True, interrupt
        except Late as late:
            pending = late


def _is_stopped(event: Event) -> bool:
    return isinstance(event, Shown) and isinstance(event.result, TrainingDone) and event.result.stopped
