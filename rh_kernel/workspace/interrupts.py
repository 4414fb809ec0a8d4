"""SIGINT while a cell runs, first as a question and then as an order.

A cell runs in slices. The first signal waits for the end of the slice, and then ``KeyboardInterrupt`` is thrown in where the
cell stands. A slice that has not ended after a moment is broken off by it; at once if a second signal comes, or if the slice
has gone on for long already when Python hears of the signal, which it does at the end of a library's call.
"""

import signal
import threading
import time
from _thread import interrupt_main
from collections.abc import Callable, Generator
from contextlib import contextmanager, nullcontext
from types import FrameType
from typing import TypeVar

from rh_kernel.session.limits.alarm import Alarm, Late
from rh_kernel.session.results import Timed, Working

Event = TypeVar("Event")
Value = TypeVar("Value")

PATIENCE = 0.02
"""Seconds between the question and the order."""

LONG = 0.25
"""Seconds after which a slice, which should take a few hundredths, is not asked any more."""


class Interrupts:
    """The interrupts of one cell; signals reach Python's main thread alone, so elsewhere there are none."""

    def __init__(self) -> None:
        self.asked = False
        self.delivered = False
        self._in_slice = False
        self._since = 0.0
        self._order: threading.Timer | None = None
        self._alarm: Alarm | None = None
        self._late: Late | None = None

    @contextmanager
    def watched(self) -> Generator[None]:
        """Inside, SIGINT is about this cell; outside it is what it was before."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = signal.signal(signal.SIGINT, self._signalled)
        try:
            yield
        finally:
            self._in_slice = False
            if self._order is not None:
                # An order that is on its way has to arrive here, and not in the next cell.
                self._order.cancel()
                self._order.join()
            signal.signal(signal.SIGINT, before)

    def step(self, events: Generator[Event, None, Value]) -> Event:
        """The next event, after what broke off the showing of the last one was thrown in. Raises ``StopIteration``."""
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
            # The cell goes on: Python drops what is raised in a finaliser, and then it has to be raised again.
            self.delivered = False
        return event

    def show(self, take: Callable[[Event], None], event: Event) -> None:
        """``take`` the event; what is drawn may take long, and is broken off like a slice. The cell hears of it in ``step``."""
        if self.asked and not self.delivered:
            return
        self._since, self._in_slice = time.monotonic(), True
        try:
            with nullcontext() if self._alarm is None else self._alarm:
                take(event)
        except KeyboardInterrupt:
            # The cell hears of it where it stands: a training run then tells what it has learnt.
            self.asked, self.delivered = True, False
        except Late as late:
            self._late = late
        finally:
            self._in_slice = False

    def _signalled(self, _signal: int, _frame: FrameType | None) -> None:
        again, self.asked = self.asked, True
        if not self._in_slice:
            return
        if again or time.monotonic() - self._since > LONG:
            self.delivered = True
            raise KeyboardInterrupt
        self._order = threading.Timer(PATIENCE, self._insist)
        self._order.daemon = True
        self._order.start()

    def _insist(self) -> None:
        if self._in_slice and not self.delivered:
            interrupt_main()
