"""Signs of life: of a cell that shows nothing for a second a line tells what it is at, how far, and for how long.

The main thread notes what it is at; another one looks four times a second whether it is time to say so. So there is a line also
while the cell is inside one long step, or a result is drawn.
"""

import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from contextvars import copy_context

from rh_kernel.session.results import Event, Printed, Progress, Shown, Timed, Working

SILENT = 1.0
"""Seconds after which a line is shown."""

BETWEEN = 0.25
"""Seconds between two of them."""

FIRST = "reading"
"""What a cell is at before it tells of anything: its text is read, and types are found."""

DRAWING = "drawing the result"


class Ticker:
    """What a cell is at, and since when it has been silent. ``clock`` tells the seconds; another thread calls ``tick``."""

    def __init__(self, tick: Callable[[], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._tick = tick
        self._clock = clock
        self._began = self._heard = clock()
        self._what, self._far = FIRST, ""

    @contextmanager
    def running(self) -> Generator[None]:
        """Inside, there are ticks; where no thread can be had there are none."""
        end = threading.Event()

        def run() -> None:
            while not end.wait(BETWEEN):
                self._tick()

        self._began = self._heard = self._clock()
        # What is sent belongs to the request that is being served, which the context tells.
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
        """An event of the cell, before it is shown."""
        match event:
            case Working(what, far):
                if what:
                    self._what, self._far = what, far
            case Shown():
                self._what, self._far = DRAWING, ""
            case Progress():
                self._what, self._far = "training", ""
            case Timed() | Printed():
                pass

    def heard(self) -> None:
        """Something was shown."""
        self._heard = self._clock()
        if self._what == DRAWING:
            self._what = "working"

    @property
    def line(self) -> str | None:
        """``reducing · 12,400 steps · 3.2 s``, if it is time for it."""
        now = self._clock()
        if now - self._heard < SILENT:
            return None
        return " · ".join([part for part in (self._what, self._far, f"{now - self._began:.1f} s") if part])
