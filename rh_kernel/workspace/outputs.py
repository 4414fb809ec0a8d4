"""The outputs of one cell as messages: what came before the last value as displays, the last value as the result.

Declarations that follow each other share an output. Progress is one output, updated about ten times a second and replaced in
the end by the curve, or by a line that says where the run was when it stopped. A cell that shows nothing for a second shows a
line that tells what it is at; it is gone when something else is shown.
"""

import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, TypeAlias
from uuid import uuid4

from rh_kernel.display.markup import FAINT, box, span
from rh_kernel.display.registry import Output, bundle, view_of
from rh_kernel.display.text import visible
from rh_kernel.display.training.runs import progress as progress_bundle
from rh_kernel.session.errors import TooMuchOutput
from rh_kernel.session.results import (
    Event,
    ItemFailed,
    Printed,
    Progress,
    Result,
    Shown,
    Timed,
    TrainingDone,
    Working,
    apart_from_printed,
    printed_by,
)
from rh_kernel.source.diagnostic import Diagnostic, Rejected
from rh_kernel.workspace.ticking import Ticker

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
        self._printed = 0
        self._ticker = Ticker(self.tick, clock)
        self._line: str | None = None
        self._ended = False
        # Lines are sent by another thread.
        self._sending = threading.Lock()
        self.diagnostics: tuple[Diagnostic, ...] = ()
        self.value: str | None = None
        self.has_shown = False

    def alive(self) -> AbstractContextManager[None]:
        """Inside, the cell gives signs of life."""
        return self._ticker.running()

    def tick(self) -> None:
        """Say what the cell is at, if it has been silent for long."""
        line = self._ticker.line
        if line is None:
            return
        data = {"text/plain": line, "text/html": box(FAINT, span("", line))}
        with self._sending:
            if self._ended:
                return
            if self._line is None:
                self._line = uuid4().hex
                self._send("display_data", _content(data, self._line))
            else:
                self._send("update_display_data", _content(data, self._line))

    def take(self, event: Event) -> None:
        """Show an event, now or when it is known what follows it."""
        self._ticker.note(event)
        self._take(event)
        if isinstance(event, Shown | Progress):
            self._ticker.heard()

    def _take(self, event: Event) -> None:
        match event:
            case Shown(_, result):
                self._take_result(result)
            case Progress():
                self._take_progress(event)
            case Printed(_, lines):
                self._print(lines)
            case Working():
                if self._waiting is not None and self._clock() - self._waiting.since > BETWEEN_UPDATES:
                    self._release()
            case Timed():
                pass

    def finish(self) -> None:
        """The cell has ended well: its last value, if it ends in one, is its result."""
        self._release_last()
        self._wipe()

    def _release_last(self) -> None:
        waiting, self._waiting = self._waiting, None
        if waiting is None:
            return
        if not waiting.is_value:
            self._display(joined(waiting.bundles))
            return
        data = dict(joined(waiting.bundles))
        self.value = data.get("text/plain")
        self._show("execute_result", {"execution_count": self._count, "data": data, "metadata": {}})

    def abandon(self, why: str) -> None:
        """The cell has ended before its end, ``why`` in one word or two: nothing is left that looks as if it went on."""
        self._release()
        if self._running is not None:
            state = _stopped(progress_bundle(self._running.last), why)
            self._update(self._running.display, state)
            self._running = None
        self._wipe()

    def _take_result(self, result: Result) -> None:
        match result:
            case ItemFailed(diagnostics):
                self.diagnostics += diagnostics
                self._printed = 0
            case TrainingDone():
                self._finish_training(result)
            case _:
                self._take_shown(result, view_of(type(result)).output)

    def _take_shown(self, result: Result, output: Output) -> None:
        match output:
            case Output.LINE:
                if self._waiting is not None and self._waiting.is_value:
                    self._release()
                earlier = () if self._waiting is None else self._waiting.bundles
                self._waiting = Waiting((*earlier, self._form(result)), is_value=False, since=self._clock())
            case Output.VALUE:
                self._print_rest(result)
                self._waiting = Waiting((self._form(apart_from_printed(result)),), is_value=True, since=self._clock())
            case Output.OWN:
                self._print_rest(result)
                for shown in self._dressed(result, self._form(apart_from_printed(result))):
                    self._display(shown)

    def _print_rest(self, result: Result) -> None:
        """Print what the item has printed and nobody has told of while it ran."""
        printed, self._printed = self._printed, 0
        self._release()
        self._print(printed_by(result)[printed:])
        self._printed = 0

    def _print(self, lines: tuple[str, ...]) -> None:
        if not lines:
            return
        self._release()
        self._printed += len(lines)
        text = "".join([f"{visible(line)}\n" for line in lines])
        self._spend(len(text))
        self._show("stream", {"name": "stdout", "text": text})
        self.has_shown = True

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
        self._spend(sum(map(len, form.values())))
        return form

    def _spend(self, characters: int) -> None:
        self._shown += characters
        if self._limit is not None and self._shown > self._limit:
            raise Rejected(TooMuchOutput(limit=self._limit))

    def _display(self, data: Bundle, display: str | None = None) -> None:
        self._show("display_data", _content(data, display))
        self.has_shown = True

    def _update(self, display: str, data: Bundle) -> None:
        self._show("update_display_data", _content(data, display))

    def _show(self, message: str, content: dict[str, Any]) -> None:
        """Send a message, in the place of the line if there is one."""
        with self._sending:
            self._clear(wait=True)
            self._send(message, content)

    def _wipe(self) -> None:
        """The cell has ended, and nothing follows in the place of the line."""
        with self._sending:
            self._ended = True
            self._clear(wait=False)

    def _clear(self, *, wait: bool) -> None:
        """The line goes: one that stands alone is cleared, with ``wait`` when the next output comes; another becomes empty."""
        line, self._line = self._line, None
        if line is None:
            return
        if self.has_shown:
            self._send("update_display_data", _content({"text/plain": "", "text/html": ""}, line))
        else:
            self._send("clear_output", {"wait": wait})


def _content(data: Bundle, display: str | None) -> dict[str, Any]:
    transient = {} if display is None else {"display_id": display}
    return {"data": dict(data), "metadata": {}, "transient": transient}


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
