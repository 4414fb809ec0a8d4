"""The outputs of one cell as messages: what came before the last value as displays, the last value as the result.

Declarations that follow each other share an output. Progress is one output, updated about ten times a second and replaced in
the end by the curve, or by a line that says where the run was when it stopped.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias
from uuid import uuid4

from rh_kernel.display.bundle import bundle
from rh_kernel.display.bundle import progress as progress_bundle
from rh_kernel.session.errors import TooMuchOutput
from rh_kernel.session.results import (
    CheckPassed,
    Computed,
    Counted,
    DeclarationMade,
    DerivationMade,
    DiagramMade,
    Differentiated,
    Event,
    FormsShown,
    GradientMade,
    HeapShown,
    ItemFailed,
    NamesShown,
    Notice,
    ProgramMade,
    Progress,
    ReductionShown,
    Result,
    Returned,
    RewritingShown,
    Shown,
    Timed,
    TraceMade,
    TrainingDone,
    TypeShown,
    ValueFound,
    Working,
)
from rh_kernel.source.diagnostic import Diagnostic, Rejected

Bundle: TypeAlias = Mapping[str, Any]
Send: TypeAlias = Callable[[str, dict[str, Any]], None]
"""The type of a message and its content."""
Dressed: TypeAlias = Callable[[Result, Bundle], Iterable[Bundle]]
"""A result and its static form ↦ the outputs that show it."""

BETWEEN_UPDATES = 0.1
"""Seconds between two updates of the progress, and until an output is shown that might have been followed by another."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """Outputs that are one until something else follows; ``is_value`` says whether they would be the result of the cell."""

    bundles: tuple[Bundle, ...]
    is_value: bool
    since: float


@dataclass(frozen=True, slots=True)
class Running:
    """The training run that is shown under ``display``, as of ``last``; shown is what was sent at the time ``sent``."""

    display: str
    last: Progress
    sent: float


def undressed(_result: Result, static: Bundle) -> Iterable[Bundle]:
    """The static form alone."""
    return (static,)


class Outputs:
    """Takes the events of a cell, sends its messages.

    ``count`` is the number of the cell, ``clock`` tells the seconds; ``dressed`` adds to the static form of a result. If there
    is a ``limit``, so many characters are shown at most: ``take`` raises ``Rejected`` rather than show more.
    """

    def __init__(
        self, send: Send, count: int, clock: Callable[[], float], dressed: Dressed = undressed, limit: int | None = None
    ) -> None:
        self._send = send
        self._limit = limit
        self._shown = 0
        self._dressed = dressed
        self._count = count
        self._clock = clock
        self._waiting: Waiting | None = None
        self._running: Running | None = None
        self.diagnostics: tuple[Diagnostic, ...] = ()
        self.value: str | None = None
        self.has_shown = False

    def take(self, event: Event) -> None:
        """Show an event, now or when it is known what follows it."""
        match event:
            case Shown(_, result):
                self._take_result(result)
            case Progress():
                self._take_progress(event)
            case Working():
                if self._waiting is not None and self._clock() - self._waiting.since > BETWEEN_UPDATES:
                    self._release()
            case Timed():
                pass

    def finish(self) -> None:
        """The cell has ended well: its last value, if it ends in one, is its result."""
        waiting, self._waiting = self._waiting, None
        if waiting is None:
            return
        if not waiting.is_value:
            self._display(joined(waiting.bundles))
            return
        data = dict(joined(waiting.bundles))
        self.value = data.get("text/plain")
        self._send("execute_result", {"execution_count": self._count, "data": data, "metadata": {}})

    def abandon(self, why: str) -> None:
        """The cell has ended before its end, ``why`` in one word or two: nothing is left that looks as if it went on."""
        self._release()
        if self._running is not None:
            state = _stopped(progress_bundle(self._running.last), why)
            self._update(self._running.display, state)
            self._running = None

    def _take_result(self, result: Result) -> None:
        match result:
            case ItemFailed(diagnostics):
                self.diagnostics += diagnostics
            case TrainingDone():
                self._finish_training(result)
            case DeclarationMade() | CheckPassed():
                if self._waiting is not None and self._waiting.is_value:
                    self._release()
                earlier = () if self._waiting is None else self._waiting.bundles
                self._waiting = Waiting((*earlier, self._form(result)), is_value=False, since=self._clock())
            case ValueFound() | Computed() | Returned():
                self._release()
                self._waiting = Waiting((self._form(result),), is_value=True, since=self._clock())
            case (
                TraceMade()
                | ProgramMade()
                | TypeShown()
                | Differentiated()
                | FormsShown()
                | RewritingShown()
                | Counted()
                | ReductionShown()
                | DerivationMade()
                | DiagramMade()
                | GradientMade()
                | HeapShown()
                | NamesShown()
                | Notice()
            ):
                self._release()
                for output in self._dressed(result, self._form(result)):
                    self._display(output)

    def _take_progress(self, progress: Progress) -> None:
        now = self._clock()
        if self._running is None:
            self._release()
            self._running = Running(uuid4().hex, progress, now)
            self._display(progress_bundle(progress), self._running.display)
        elif now - self._running.sent < BETWEEN_UPDATES:
            self._running = Running(self._running.display, progress, self._running.sent)
        else:
            self._running = Running(self._running.display, progress, now)
            self._update(self._running.display, progress_bundle(progress))

    def _finish_training(self, result: TrainingDone) -> None:
        self._release()
        form = self._form(result)
        running, self._running = self._running, None
        if running is None:
            self._display(form)
        else:
            self._update(running.display, form)

    def _release(self) -> None:
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            self._display(joined(waiting.bundles))

    def _form(self, result: Result) -> Bundle:
        """The static form of a result, if there is room for it."""
        form = bundle(result)
        self._shown += sum(map(len, form.values()))
        if self._limit is not None and self._shown > self._limit:
            raise Rejected(TooMuchOutput(limit=self._limit))
        return form

    def _display(self, data: Bundle, display: str | None = None) -> None:
        self.has_shown = True
        transient = {} if display is None else {"display_id": display}
        self._send("display_data", {"data": dict(data), "metadata": {}, "transient": transient})

    def _update(self, display: str, data: Bundle) -> None:
        content = {"data": dict(data), "metadata": {}, "transient": {"display_id": display}}
        self._send("update_display_data", content)


def joined(bundles: tuple[Bundle, ...]) -> Bundle:
    """Several outputs as one: their texts line after line, their HTML part after part. Each has to have both."""
    if len(bundles) == 1:
        return bundles[0]
    kinds = [kind for kind in bundles[0] if all(kind in b for b in bundles)]
    return {kind: ("\n" if kind == "text/plain" else "").join(b[kind] for b in bundles) for kind in kinds}


def _stopped(data: Bundle, why: str) -> Bundle:
    shown = dict(data)
    if "text/plain" in shown:
        shown["text/plain"] += f" ({why})"
    if "text/html" in shown:
        shown["text/html"] += f"<div>({why})</div>"
    return shown
