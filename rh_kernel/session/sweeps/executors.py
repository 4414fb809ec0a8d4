"""Executors: what runs the runs of a sweep. The action knows this protocol only, so a cluster can take the place of processes.

An executor is made for one job. ``submit`` begins a run and returns at once; ``stop`` ends everything that it has begun.
"""

from collections.abc import Callable, Generator, Sequence
from importlib import import_module
from typing import Protocol, TypeAlias, cast

from rh_kernel.session.results import Event, Progress
from rh_kernel.session.sweeps.jobs import Job, Values
from rh_kernel.session.sweeps.runs import SweepRun


class WorkerLost(Exception):
    """The process that ran a run has ended before it answered."""


class Pending(Protocol):
    """A run that has been submitted."""

    @property
    def share(self) -> float:
        """The share of its training that is done, from 0 to 1; 0 if that is not known."""
        ...

    def done(self) -> bool:
        """Return whether ``result`` returns or raises at once. May take some hundredths of a second."""
        ...

    def result(self) -> SweepRun:
        """Return the result. Raises ``WorkerLost``, ``Failure`` if there is none, and lets our own bugs through."""
        ...


class Executor(Protocol):
    """Runs runs of one job; which executor it is changes no result."""

    @property
    def places(self) -> int:
        """How many runs it runs at a time."""
        ...

    @property
    def description(self) -> str:
        """Where the runs run, as in ``2 processes``."""
        ...

    @property
    def notes(self) -> Sequence[str]:
        """Sentences about what happened to its workers."""
        ...

    def submit(self, values: Values) -> Pending:
        """Begin the run with these numbers; at most ``places`` may be unfinished."""
        ...

    def stop(self) -> None:
        """End all runs, and return when nothing of them is left; within a second. May be called twice."""
        ...


Entry: TypeAlias = Callable[[Job, Values], Generator[Event, None, SweepRun]]
"""Runs the items of a job with some numbers."""


def share_after(event: Event) -> float | None:
    """Return the share of a run that is done after this event of it; ``None`` if the event does not tell."""
    return event.fraction if isinstance(event, Progress) else None


def entry() -> Entry:
    """Return what runs one run; it is looked up by name, since it needs the session, which needs sweeps."""
    return cast(Entry, import_module("rh_kernel.session.sweeps.worker").run)
