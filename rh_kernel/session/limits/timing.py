"""``%limit seconds``: a cell that runs longer is stopped where it stands; and the places where long work can be stopped."""

import time
from collections.abc import Generator
from contextlib import closing
from typing import TypeVar

from rh_kernel.session.errors import OutOfTime
from rh_kernel.session.results import Event, Progress, Working
from rh_kernel.source.diagnostic import Stuck

Value = TypeVar("Value")


class TimeIsUp(Stuck):
    """The whole cell has met its limit of time, whichever item of it is worked on."""


def working(pauses: Generator[None, None, Value]) -> Generator[Working, None, Value]:
    """What long work comes to that pauses now and then; in each pause it can be stopped."""
    with closing(pauses):
        while True:
            try:
                next(pauses)
            except StopIteration as end:
                return end.value
            yield Working()


def within(seconds: int | None, events: Generator[Event, None, Value]) -> Generator[Event, None, Value]:
    """The same events; after so many seconds ``TimeIsUp`` is raised inside, where the cell next looks up from its work."""
    if seconds is None:
        return (yield from events)
    deadline = time.monotonic() + seconds
    told, thrown = False, None
    while True:
        try:
            event = next(events) if thrown is None else events.throw(thrown)
        except StopIteration as end:
            return end.value
        thrown = None
        try:
            yield event
        except KeyboardInterrupt as interrupt:
            thrown = interrupt
        except BaseException:
            events.close()
            raise
        if not told and thrown is None and isinstance(event, Working | Progress) and time.monotonic() > deadline:
            told, thrown = True, TimeIsUp(OutOfTime(seconds=seconds))
