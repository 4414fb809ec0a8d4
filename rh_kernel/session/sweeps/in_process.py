"""Runs in this process, one after the other: for pages without processes, and for declarations that cannot be sent."""

import time
from collections.abc import Generator

from rh_kernel.session.results import Event
from rh_kernel.session.sweeps.executors import entry, share_after
from rh_kernel.session.sweeps.jobs import Job, Values
from rh_kernel.session.sweeps.runs import SweepRun

SLICE = 0.01
"""Seconds that a run goes on when it is asked whether it is done."""


class InProcess:
    """An executor with one place; a run goes on while ``done`` is called."""

    places = 1
    description = "this process"
    notes = ()

    def __init__(self, job: Job) -> None:
        self._job = job
        self._current: _Stepped | None = None

    def submit(self, values: Values) -> "_Stepped":
        """Begin a run."""
        self._current = _Stepped(entry()(self._job, values))
        return self._current

    def stop(self) -> None:
        """End the run."""
        if self._current is not None:
            self._current.close()


class _Stepped:
    """A run that goes on for a slice whenever it is asked."""

    def __init__(self, events: Generator[Event, None, SweepRun]) -> None:
        self._events = events
        self._result: SweepRun | None = None
        self.share = 0.0

    def done(self) -> bool:
        end = time.monotonic() + SLICE
        while self._result is None and time.monotonic() < end:
            try:
                share = share_after(next(self._events))
                self.share = self.share if share is None else share
            except StopIteration as stop:
                self._result = stop.value
        return self._result is not None

    def result(self) -> SweepRun:
        while not self.done():
            pass
        assert self._result is not None
        return self._result

    def close(self) -> None:
        self._events.close()
