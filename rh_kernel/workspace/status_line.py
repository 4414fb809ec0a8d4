"""Status lines: what a cell that has shown nothing for a second is doing, how far it is, and for how long it has run.

The main thread records the current activity; another thread checks four times a second whether a line is due, so there is a
line even during one long step or while a result is drawn.
"""

import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from contextvars import copy_context

from rh_kernel.session.knobs.events import Begun
from rh_kernel.session.races.runs import RaceProgress
from rh_kernel.session.results import Event, Printed, Progress, Shown, Timed, Working
from rh_kernel.session.sweeps.runs import SweepProgress

SILENCE = 1.0
"""Seconds of silence before a status line is shown."""

TICK_INTERVAL = 0.25
"""Seconds between two checks."""

FIRST = "reading"
"""The activity before the first event: parsing and type checking."""

DRAWING = "drawing the result"


class Ticker:
    """The current activity of a cell and how long it has been silent.

    ``tick`` is called on another thread; ``clock`` returns seconds.
    """

    def __init__(self, tick: Callable[[], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._tick = tick
        self._clock = clock
        self._began = self._heard = clock()
        self._activity, self._detail = FIRST, ""

    @contextmanager
    def running(self) -> Generator[None]:
        """Call ``tick`` periodically within the block; never if no thread can be started."""
        end = threading.Event()

        def run() -> None:
            while not end.wait(TICK_INTERVAL):
                self._tick()

        self._began = self._heard = self._clock()
        # The context says which request the output belongs to.
        thread = threading.Thread(target=copy_context().run, args=(run,), daemon=True)
        started = False
        try:
            with suppress(RuntimeError):
                thread.start()
                started = True
            yield
        finally:
            end.set()
            if started:
                thread.join()

    def note(self, event: Event) -> None:
        """Record an event of the cell before it is shown."""
        match event:
            case Working(what, detail):
                if what:
                    self._activity, self._detail = what, detail
            case Shown():
                self._activity, self._detail = DRAWING, ""
            case Progress():
                self._activity, self._detail = "training", ""
            case SweepProgress():
                self._activity, self._detail = "sweeping", ""
            case RaceProgress():
                self._activity, self._detail = "racing", ""
            case Timed() | Printed() | Begun():
                pass

    def heard(self) -> None:
        """Record that something was shown."""
        self._heard = self._clock()
        if self._activity == DRAWING:
            self._activity = "working"

    @property
    def line(self) -> str | None:
        """``reducing · 12,400 steps · 3.2 s``, or ``None`` if no line is due."""
        now = self._clock()
        if now - self._heard < SILENCE:
            return None
        return " · ".join([part for part in (self._activity, self._detail, f"{now - self._began:.1f} s") if part])
