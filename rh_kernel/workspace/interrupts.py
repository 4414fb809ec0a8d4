"""SIGINT while a cell runs: first wait for the end of the current slice, then interrupt it.

A cell runs in slices. After the first signal, ``KeyboardInterrupt`` is thrown into the cell's generator at the end of the
slice. If the slice is still running after a short grace period, the interrupt is raised inside it. It is raised immediately on
a second signal, or if the slice had already run for long when Python saw the signal, as after a long call into a library.
"""

import signal
import threading
import time
from _thread import interrupt_main
from collections.abc import Callable, Generator
from contextlib import contextmanager, nullcontext
from types import FrameType
from typing import TypeVar

from rh_kernel.session.limits.alarm import Alarm, Late, hide_where_dropped
from rh_kernel.session.results import Timed, Working

Event = TypeVar("Event")
Value = TypeVar("Value")

GRACE_PERIOD = 0.02
"""Seconds between the signal and the interrupt inside the slice."""

LONG_SLICE = 0.25
"""Seconds after which a slice (usually a few hundredths of a second) is interrupted without a grace period."""


class Interrupts:
    """The interrupts of one cell. Python delivers signals to the main thread only; on other threads nothing happens."""

    def __init__(self) -> None:
        self.asked = False
        self.delivered = False
        self._in_slice = False
        self._since = 0.0
        self._grace_timer: threading.Timer | None = None
        self._alarm: Alarm | None = None
        self._late: Late | None = None

    @contextmanager
    def watched(self) -> Generator[None]:
        """Handle SIGINT for this cell within the block; restore the previous handler after it."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        hide_where_dropped(KeyboardInterrupt)
        before = signal.signal(signal.SIGINT, self._on_sigint)
        try:
            yield
        finally:
            self._in_slice = False
            if self._grace_timer is not None:
                # A pending timer must fire here, not in the next cell.
                self._grace_timer.cancel()
                self._grace_timer.join()
            signal.signal(signal.SIGINT, before)

    def step(self, events: Generator[Event, None, Value]) -> Event:
        """Return the next event, first throwing in what interrupted the last display. Raises ``StopIteration``."""
        self._since, self._in_slice = time.monotonic(), True
        try:
            if self.asked and not self.delivered:
                self.delivered = True
                event = events.throw(KeyboardInterrupt())
            elif self._late is not None:
                late, self._late = self._late, None
                event = events.throw(late)
            else:
                event = next(events)
        finally:
            self._in_slice = False
        if isinstance(event, Timed):
            self._alarm = event.alarm
        elif isinstance(event, Working):
            # The cell is still running: Python swallows exceptions raised in a finaliser, so the interrupt has to be raised
            # again.
            self.delivered = False
        return event

    def show(self, take: Callable[[Event], None], event: Event) -> None:
        """Pass the event to ``take``, interruptible like a slice; ``step`` then throws the interrupt into the cell."""
        if self.asked and not self.delivered:
            return
        self._since, self._in_slice = time.monotonic(), True
        try:
            with nullcontext() if self._alarm is None else self._alarm:
                take(event)
        except KeyboardInterrupt:
            # `step` throws it into the cell, so that a training run can report what it has learnt.
            self.asked, self.delivered = True, False
        except Late as late:
            self._late = late
        finally:
            self._in_slice = False

    def _on_sigint(self, _signal: int, _frame: FrameType | None) -> None:
        again, self.asked = self.asked, True
        if not self._in_slice:
            return
        if again or time.monotonic() - self._since > LONG_SLICE:
            self.delivered = True
            raise KeyboardInterrupt
        timer = threading.Timer(GRACE_PERIOD, self._interrupt_slice)
        timer.daemon = True
        timer.start()
        # Only now: a second signal may raise in this handler, and a timer that was not started cannot be joined.
        self._grace_timer = timer

    def _interrupt_slice(self) -> None:
        if self._in_slice and not self.delivered:
            interrupt_main()
