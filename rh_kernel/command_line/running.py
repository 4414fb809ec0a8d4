"""``rh run`` and ``rh check``: run all items of a file, or only typecheck them."""

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, nullcontext
from typing import TypeVar

from rh_kernel.command_line.files import folder, read
from rh_kernel.command_line.report import Report
from rh_kernel.display.view_files import encode_view
from rh_kernel.session import results
from rh_kernel.session.actions import Action, AnalysisContext, Refuse
from rh_kernel.session.analyze import analyze_at_once, without
from rh_kernel.session.knobs.events import Begun
from rh_kernel.session.limits.alarm import Late
from rh_kernel.session.limits.timing import timed
from rh_kernel.session.races.done import RaceDone
from rh_kernel.session.session import Session, actions_of, execute
from rh_kernel.session.settings import Settings
from rh_kernel.source.diagnostic import Stuck
from rh_kernel.source.span import Source
from rh_kernel.syntax.parsing.parser import Unparsed, parse
from rh_kernel.syntax.surface_items import Item
from rh_kernel.typing.diagnostics.warnings import remarks

After = TypeVar("After")


def run(file: str, report: Report, settings: Settings) -> None:
    """Run every item in order; one that fails has no effect, and the next one is run. Raises ``Rejected`` without a file."""
    source = read(file)

    def take(event: results.Event) -> None:
        report.note(event)
        match event:
            case results.Shown(item, result):
                report.result(item, result)
            case results.Progress() | results.SweepProgress() | results.RaceProgress():
                report.progress(event)
            case results.Printed(_, lines):
                report.printed(lines)
            case results.Working() | results.Timed() | Begun():
                pass

    drain(execute(Session.start(folder(file), settings, encode_view), source, keep_going=True), take)


def check(file: str, report: Report, settings: Settings) -> None:
    """Show the type of every item without evaluating anything. Raises ``Rejected`` without a file."""
    source = read(file)
    session = Session.start(folder(file), settings)
    items = parse(source)
    report.note(results.Working("checking", f"{len(items):,} items"))
    with timed(settings.bounds.seconds):
        actions = actions_of(session, items, "")
    for number, (item, (definitions, action)) in enumerate(zip(items, actions, strict=True), start=1):
        if not isinstance(action, Refuse) and not isinstance(item, Unparsed):
            for words in remarks(definitions, item):
                report.result(number, results.Notice(words))
            if warnings := action.warnings(item.span.source):
                report.result(number, results.Warned(warnings))
        if action != Refuse(()):
            report.result(number, action.summary(item.span.text))


def analyze_in_time(item: Item | Unparsed, context: AnalysisContext) -> tuple[AnalysisContext, Action]:
    """Run ``analyze`` within the time limit of a cell."""
    try:
        with timed(context.settings.bounds.seconds):
            return analyze_at_once(item, context)
    except Stuck as late:
        return without(item, context), Refuse(late.diagnostics)


def before(file: str, source: Source, report: Report, settings: Settings) -> Session:
    """Run the items of ``source`` and return the session after them, reporting only errors."""

    def take(event: results.Event) -> None:
        report.note(event)
        if isinstance(event, results.Shown) and isinstance(event.result, results.ItemFailed):
            report.result(event.item, event.result)

    return drain(execute(Session.start(folder(file), settings, encode_view), source, keep_going=True), take)


def drain(events: Generator[results.Event, None, After], take: Callable[[results.Event], None]) -> After:
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
            if isinstance(event, results.Timed):
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


def _is_stopped(event: results.Event) -> bool:
    return (
        isinstance(event, results.Shown)
        and isinstance(event.result, results.TrainingDone | results.SweepDone | RaceDone)
        and event.result.stopped
    )
