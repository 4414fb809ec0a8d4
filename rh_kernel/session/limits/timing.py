"""``%limit seconds``: a cell that runs longer is stopped where it stands, also while a file is read or a result is drawn."""

import time
from collections.abc import Generator
from contextlib import closing, contextmanager
from typing import TypeVar

from rh_kernel.session.errors import OutOfTime
from rh_kernel.session.limits.alarm import Alarm, Late
from rh_kernel.session.results import Event, ItemFailed, Progress, Shown, Timed, Working
from rh_kernel.source.diagnostic import Stuck

Value = TypeVar("Value")


def working(pauses: Generator[None, None, Value], what: str) -> Generator[Working, None, Value]:
    """What long work comes to that pauses now and then; in each pause it can be stopped, and says ``what`` it does."""
    with closing(pauses):
        while True:
            try:
                next(pauses)
            except StopIteration as end:
                return end.value
            yield Working(what)


def within(seconds: int | None, events: Generator[Event, None, Value]) -> Generator[Event, None, Value]:
    """The same events, after ``Timed`` if there is a limit; after so many seconds ``Late`` is raised where the cell stands.

    Whoever shows the events throws in the ``Late`` that is raised meanwhile. One that ``events`` let pass becomes ``Stuck``.
    """
    if seconds is None:
        return (yield from events)
    alarm, deadline = Alarm(seconds), time.monotonic() + seconds
    thrown: BaseException | None = None
    event: Event = Timed(alarm)
    try:
        while True:
            try:
                yield event
            except (KeyboardInterrupt, Late) as stop:
                thrown = stop
            if thrown is None and isinstance(event, Working | Progress) and time.monotonic() > deadline:
                thrown = Late()
            try:
                with alarm:
                    event = next(events) if thrown is None else events.throw(thrown)
            except StopIteration as end:
                return end.value
            thrown = None
            if isinstance(event, Shown) and isinstance(event.result, ItemFailed):
                # The cell has failed, perhaps for this reason: what is said about that is shown in any case.
                alarm.close()
                yield event
                return (yield from events)
    except Late:
        raise out_of_time(seconds) from None
    finally:
        alarm.close()
        events.close()


@contextmanager
def timed(seconds: int | None) -> Generator[None]:
    """What is inside may take so many seconds. Raises ``Stuck`` where it stands when they are over."""
    if seconds is None:
        yield
        return
    alarm = Alarm(seconds)
    try:
        with alarm:
            yield
    except Late:
        raise out_of_time(seconds) from None
    finally:
        alarm.close()


def out_of_time(seconds: int) -> Stuck:
    """What is said of a cell that took longer."""
    return Stuck(OutOfTime(seconds=seconds))
