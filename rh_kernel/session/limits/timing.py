"""``%limit seconds``: interrupt a cell that runs longer, even while it reads a file or displays a result."""

import time
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from typing import TypeVar

from rh_kernel.session.errors import OutOfTime
from rh_kernel.session.limits.alarm import Alarm, Late
from rh_kernel.session.results import Event, ItemFailed, Progress, Shown, Timed, Working
from rh_kernel.source.diagnostic import Stuck

Slice = TypeVar("Slice")
Value = TypeVar("Value")


def working(
    slices: Generator[Slice, None, Value], activity: str, detail: Callable[[Slice], str] = lambda _: ""
) -> Generator[Working, None, Value]:
    """Yield ``Working`` after each slice of long work, described by ``activity`` and ``detail``, and return its value."""
    with closing(slices):
        while True:
            try:
                found = next(slices)
            except StopIteration as end:
                return end.value
            yield Working(activity, detail(found))


def seldom(slices: Generator[Slice, None, Value], seconds: float) -> Generator[Slice, None, Value]:
    """Yield after slices of work only if so many seconds have passed since the last time; return the same value."""
    last = time.perf_counter()
    with closing(slices):
        while True:
            try:
                found = next(slices)
            except StopIteration as end:
                return end.value
            if time.perf_counter() - last >= seconds:
                yield found
                last = time.perf_counter()


def within(seconds: int | None, events: Generator[Event, None, Value]) -> Generator[Event, None, Value]:
    """Yield the same events, after ``Timed`` if there is a limit, and raise ``Late`` in them after so many seconds.

    The caller must throw in a ``Late`` that is raised while it displays an event. If ``events`` do not catch ``Late``, raises
    ``Stuck``.
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
                # The cell has failed, perhaps because of the limit: the error must be shown in any case.
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
    """Raise ``Stuck`` within the block after so many seconds."""
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
    """Return the error of a cell that exceeded the limit."""
    return Stuck(OutOfTime(seconds=seconds))
