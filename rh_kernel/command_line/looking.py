"""``rh trace`` and ``rh compile``: how the last command of a file reduces, and the program it becomes."""

from dataclasses import dataclass

from rh_kernel.command_line.files import read
from rh_kernel.command_line.report import Report
from rh_kernel.command_line.running import before
from rh_kernel.display.record import end_record, step_record
from rh_kernel.session.errors import NothingToStep
from rh_kernel.session.performing import State, perform
from rh_kernel.session.plans import Compile, Evaluate, Refuse, Surroundings, Trace, plan
from rh_kernel.session.results import ProgramMade, Shown, TraceMade
from rh_kernel.session.session import Session
from rh_kernel.source.diagnostic import Failure, Rejected
from rh_kernel.source.span import Source, Span
from rh_kernel.syntax import surface as s
from rh_kernel.syntax.parser import Unparsed, parse
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
        return State(self.session.heap, self.session.initial, self.session.folder)


def trace(file: str, report: Report) -> None:
    """The steps of the last command. Raises ``Failure`` if it has none, or gets stuck before its end."""
    subject = find(file, report)
    if subject is None:
        return
    try:
        for event in perform(subject.item, Trace(subject.closed), subject.state):
            if isinstance(event, Shown) and isinstance(event.result, TraceMade):
                _show(event.result, report)
    except Failure as failure:
        report.failure(failure.diagnostics, subject.item)


def compile_last(file: str, report: Report) -> None:
    """The straight-line program of the last command. Raises ``Failure`` if it has none."""
    subject = find(file, report)
    if subject is None:
        return
    try:
        for event in perform(subject.item, Compile(subject.closed), subject.state):
            if isinstance(event, Shown) and isinstance(event.result, ProgramMade):
                report.result(subject.item, event.result)
    except Failure as failure:
        report.failure(failure.diagnostics, subject.item)


def find(file: str, report: Report) -> Subject | None:
    """The last command of a file, or its last term if it has no command; ``None`` if it has an error, which is reported.

    The items before it are run. Raises ``Rejected`` if there is neither, or no file.
    """
    source = read(file)
    items = list(enumerate(parse(source), start=1))
    evaluated = [(number, item) for number, item in items if isinstance(item, s.Evaluation | s.Directive) and _is_run(item)]
    broken = [(number, item) for number, item in items if isinstance(item, Unparsed)]
    if not evaluated:
        for number, item in broken:
            report.failure(item.diagnostics, number)
        if broken:
            return None
        raise Rejected(NothingToStep(span=Span(source, 0, 0), hint="end the file with the command to look at"))
    candidates: list[Subject] = []
    for number, item in reversed(evaluated):
        found = _planned(file, source, number, item, report)
        if not isinstance(found, Subject):
            return None
        if isinstance(found.closed, ClosedCommand):
            return found
        candidates.append(found)
    return candidates[0]
