"""The outputs of one cell as Jupyter messages: all but the last as displays, a final value as the execution result.

Consecutive declarations share an output. Progress is one output, updated about ten times a second and finally replaced by the
curve, or by a line that says where the run stopped. A cell that shows nothing for a second gets a status line, which disappears
when something else is shown.
"""

import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any, TypeAlias
from uuid import uuid4

from rh_kernel.display.markup import FAINT, box, span
from rh_kernel.display.registry import Output, bundle, view_of
from rh_kernel.display.text import visible
from rh_kernel.display.training.runs import progress as progress_bundle
from rh_kernel.session import results as r
from rh_kernel.session.errors import TooMuchOutput
from rh_kernel.session.knobs.events import Begun
from rh_kernel.session.printed import apart_from_printed, printed_by
from rh_kernel.session.races.done import RaceDone
from rh_kernel.source.diagnostic import Diagnostic, Rejected
from rh_kernel.workspace.status_line import Ticker

Bundle: TypeAlias = Mapping[str, Any]
Send: TypeAlias = Callable[[str, dict[str, Any]], None]
"""Takes the type of a message and its content."""
AddWidgets: TypeAlias = Callable[[r.Result | r.Running, Bundle], Iterable[Bundle]]
"""Takes a result, or the progress of one, and its static form; returns the outputs that display it, the static form last.

What displays the progress is changed to display the next one, and finally the result.
"""

SHARE = 0.1
"""The share of the time that updates of progress may take."""

BETWEEN_UPDATES = 0.1
"""Seconds between progress updates, and until an output is sent that a later one could have been merged with."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """Outputs held back to be merged into one; ``is_value`` says whether they would be the result of the cell.

    One that may be changed later has the id ``display``; it cannot be the result, but a display.
    """

    bundles: tuple[Bundle, ...]
    is_value: bool
    since: float
    display: str | None = None


@dataclass(frozen=True, slots=True)
class Running:
    """The training run, sweep or race displayed under the id ``display``: its latest progress, what was shown, and when.

    The next update is sent after a ``pause`` at the earliest, in seconds.
    """

    display: str
    last: r.Progress | r.Running
    shown: r.Progress | r.Running
    sent: float
    pause: float = BETWEEN_UPDATES


def static_only(_result: r.Result | r.Running, static: Bundle) -> Iterable[Bundle]:
    """Return the static form alone."""
    return (static,)


def static_id(_event: r.Event) -> str | None:
    """Return that no output is changed later."""
    return None


class Outputs:
    """Turns the events of a cell into messages.

    ``count`` is the execution count, ``clock`` returns seconds, ``widgets`` may add a widget to a static form. ``limit``
    bounds the number of characters shown: ``take`` raises ``Rejected`` beyond it. ``display_of`` gives the display id of what
    an event shows, if that may be changed after the cell.
    """

    def __init__(
        self,
        send: Send,
        count: int,
        clock: Callable[[], float],
        widgets: AddWidgets = static_only,
        limit: int | None = None,
        display_of: Callable[[r.Event], str | None] = static_id,
    ) -> None:
        self._send = send
        self._display_of = display_of
        self._id: str | None = None
        self._limit = limit
        self._shown = 0
        self._add_widgets = widgets
        self._count = count
        self._clock = clock
        self._waiting: Waiting | None = None
        self._running: Running | None = None
        self._printed = 0
        self._ticker = Ticker(self.tick, clock)
        self._status: str | None = None
        self._ended = False
        # Status lines are sent by another thread.
        self._sending = threading.Lock()
        self.diagnostics: tuple[Diagnostic, ...] = ()
        self.value: str | None = None
        self.value_display: str | None = None
        self.has_shown = False

    def alive(self) -> AbstractContextManager[None]:
        """Show a status line while the cell is silent, within the block."""
        return self._ticker.running()

    def tick(self) -> None:
        """Show or update the status line if the cell has been silent for too long."""
        line = self._ticker.line
        if line is None:
            return
        data = {"text/plain": line, "text/html": box(FAINT, span("", line))}
        with self._sending:
            if self._ended:
                return
            if self._status is None:
                self._status = uuid4().hex
                self._send("display_data", _content(data, self._status))
            else:
                self._send("update_display_data", _content(data, self._status))

    def take(self, event: r.Event) -> None:
        """Show an event, at once or when the event after it is known."""
        self._ticker.note(event)
        self._id = self._display_of(event)
        self._take(event)
        if isinstance(event, r.Shown | r.Progress | r.Running):
            self._ticker.heard()

    def _take(self, event: r.Event) -> None:
        match event:
            case r.Shown(_, result):
                self._take_result(result)
            case r.Progress() | r.SweepProgress() | r.RaceProgress():
                self._take_progress(event)
            case r.Printed(_, lines):
                self._print(lines)
            case r.Working():
                if self._waiting is not None and self._clock() - self._waiting.since > BETWEEN_UPDATES:
                    self._release()
            case r.Timed() | Begun():
                pass

    def finish(self) -> None:
        """End the cell normally: if its last output is a value, that is its execution result."""
        waiting = self._waiting
        if waiting is not None and waiting.is_value:
            self._waiting = None
            data = dict(joined(waiting.bundles))
            self.value, self.value_display = data.get("text/plain"), waiting.display
            if waiting.display is None:
                self._show("execute_result", {"execution_count": self._count, "data": data, "metadata": {}})
            else:
                self._display(data, waiting.display)
        else:
            self._release()
        self._remove_status()

    def is_end(self, content: Mapping[str, Any]) -> bool:
        """Whether this is the content of the display of the value that the cell ends with, which may be changed later."""
        return self.value_display is not None and content.get("transient", {}).get("display_id") == self.value_display

    def abandon(self, why: str) -> None:
        """End the cell early, with the reason ``why`` in a word or two; no output may look as if it were still running."""
        self._release()
        if self._running is not None:
            display, last = self._running.display, self._running.last
            self._running = None
            match last:
                case r.Progress():
                    self._update(display, _with_reason(_bundle_of_progress(last), why))
                case r.SweepProgress() | r.RaceProgress():
                    self._update(display, self._forms(replace(last, ended=why))[-1])
        self._remove_status()

    def _take_result(self, result: r.Result) -> None:
        match result:
            case r.ItemFailed(diagnostics):
                self.diagnostics += diagnostics
                self._printed = 0
            case r.TrainingDone() | r.SweepDone() | RaceDone():
                self._finish_running(result)
            case _:
                self._take_shown(result, view_of(type(result)).output)

    def _take_shown(self, result: r.Result, output: Output) -> None:
        match output:
            case Output.LINE:
                if self._waiting is not None and self._waiting.is_value:
                    self._release()
                earlier = () if self._waiting is None else self._waiting.bundles
                self._waiting = Waiting((*earlier, self._form(result)), is_value=False, since=self._clock())
            case Output.VALUE:
                self._print_rest(result)
                form = self._form(apart_from_printed(result))
                self._waiting = Waiting((form,), is_value=True, since=self._clock(), display=self._id)
            case Output.OWN:
                self._print_rest(result)
                *beside, static = self._add_widgets(result, self._form(apart_from_printed(result)))
                for shown in beside:
                    self._display(shown)
                self._display(static, self._id)

    def _print_rest(self, result: r.Result) -> None:
        """Print the lines of the item that were not yet printed while it ran."""
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
        self._count_shown(len(text))
        self._show("stream", {"name": "stdout", "text": text})
        self.has_shown = True

    def _take_progress(self, progress: r.Progress | r.Running) -> None:
        now = self._clock()
        if self._running is None:
            self._release()
            *beside, static = self._forms(progress)
            for shown in beside:
                self._display(shown)
            self._running = Running(uuid4().hex, progress, progress, now)
            self._display(static, self._running.display)
        elif now - self._running.sent < self._running.pause or not _is_news(self._running, progress, now):
            self._running = replace(self._running, last=progress)
        else:
            display = self._running.display
            self._update(display, self._forms(progress)[-1])
            pause = max(BETWEEN_UPDATES, (self._clock() - now) / SHARE)
            self._running = Running(display, progress, progress, now, pause)

    def _forms(self, progress: r.Progress | r.Running) -> list[Bundle]:
        """Return the outputs that display the progress, the static form last."""
        static = _bundle_of_progress(progress)
        return [static] if isinstance(progress, r.Progress) else [*self._add_widgets(progress, static)]

    def _finish_running(self, result: r.TrainingDone | r.SweepDone | RaceDone) -> None:
        """Replace the progress by the result."""
        self._release()
        *beside, static = self._add_widgets(result, self._form(result))
        running, self._running = self._running, None
        if running is None:
            for shown in (*beside, static):
                self._display(shown)
        elif beside and isinstance(result, r.TrainingDone):
            # The progress of training has no widget: that of the result takes its place.
            self._update(running.display, beside[0])
            self._display(static)
        else:
            self._update(running.display, static)

    def _release(self) -> None:
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            self._display(joined(waiting.bundles), waiting.display)

    def _form(self, result: r.Result) -> Bundle:
        """Return the static form of a result. Raises ``Rejected`` if it exceeds the limit."""
        form = bundle(result)
        self._count_shown(sum(map(len, form.values())))
        return form

    def _count_shown(self, characters: int) -> None:
        self._shown += characters
        if self._limit is not None and self._shown > self._limit:
            raise Rejected(TooMuchOutput(limit=self._limit))

    def _display(self, data: Bundle, display: str | None = None) -> None:
        self._show("display_data", _content(data, display))
        self.has_shown = True

    def _update(self, display: str, data: Bundle) -> None:
        self._show("update_display_data", _content(data, display))

    def _show(self, message: str, content: dict[str, Any]) -> None:
        """Send a message, replacing the status line if there is one."""
        with self._sending:
            self._clear_status(wait=True)
            self._send(message, content)

    def _remove_status(self) -> None:
        """End the cell and remove the status line."""
        with self._sending:
            self._ended = True
            self._clear_status(wait=False)

    def _clear_status(self, *, wait: bool) -> None:
        """Remove the status line: clear the output if it is the only one (with ``wait``, at the next output), else empty it."""
        line, self._status = self._status, None
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
    """Merge outputs into one: join their texts by newlines and their HTML directly. Each must have both."""
    if len(bundles) == 1:
        return bundles[0]
    kinds = [kind for kind in bundles[0] if all(kind in b for b in bundles)]
    return {kind: ("\n" if kind == "text/plain" else "").join(b[kind] for b in bundles) for kind in kinds}


def _bundle_of_progress(progress: r.Progress | r.Running) -> Bundle:
    match progress:
        case r.Progress():
            return progress_bundle(progress)
        case r.SweepProgress():
            from rh_kernel.display.sweeps.view import progress as sweep_bundle

            return sweep_bundle(progress)
        case r.RaceProgress():
            from rh_kernel.display.races.view import progress as race_bundle

            return race_bundle(progress)


def _is_news(running: Running, progress: r.Progress | r.Running, now: float) -> bool:
    """Whether an update shows more than another time; of a sweep, the time is updated twice a second."""
    last = running.shown
    if not isinstance(progress, r.SweepProgress) or not isinstance(last, r.SweepProgress):
        return True
    return now - running.sent >= 0.5 or progress.running.keys() != last.running.keys() or progress.runs != last.runs


def _with_reason(data: Bundle, why: str) -> Bundle:
    shown = dict(data)
    if "text/plain" in shown:
        shown["text/plain"] += f" ({why})"
    if "text/html" in shown:
        shown["text/html"] += f"<div>({why})</div>"
    return shown
