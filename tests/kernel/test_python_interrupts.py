"""Interrupts of Python code: delivered to the innermost frame, and only while it runs."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.kernel.python_cells.interrupts import InterruptHandler, interruptible
from rh_kernel.kernel.python_cells.time_limit import within
from tests.kernel.conftest import STOPPED


def signal_after(seconds: float) -> None:
    """Interrupt the process, as a notebook does; the signal wakes a sleeping main thread."""
    threading.Timer(seconds, lambda: os.kill(os.getpid(), signal.SIGINT)).start()


def followed(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """Run a coroutine under an interrupt handler and return its result."""

    async def watched() -> Any:
        interrupts = InterruptHandler()
        with interrupts.watched():
            return await interrupts.run_async(coroutine)

    return asyncio.run(watched())


async def sleeping() -> None:
    await asyncio.sleep(60)


async def turning() -> None:
    while True:
        await asyncio.sleep(0)


async def busy() -> None:
    while True:
        pass


async def blocking() -> None:
    await asyncio.sleep(0)
    threading.Event().wait(60)


async def in_a_task() -> None:
    await asyncio.create_task(sleeping())


async def in_a_group() -> None:
    async with asyncio.TaskGroup() as group:
        group.create_task(sleeping())
        group.create_task(sleeping())


async def with_a_limit() -> None:
    async with asyncio.timeout(50):
        await sleeping()


@pytest.mark.parametrize("code", [sleeping, turning, busy, blocking, in_a_task, in_a_group, with_a_limit])
def test_an_interrupt_ends_whatever_the_code_is_at(code: Callable[[], Coroutine[Any, Any, None]]) -> None:
    began = time.monotonic()
    signal_after(0.05)
    with pytest.raises((KeyboardInterrupt, BaseExceptionGroup)):
        followed(code())
    assert time.monotonic() - began < STOPPED


@given(st.lists(st.integers(0, 2)), st.integers())
def test_what_is_not_interrupted_is_as_if_it_were_awaited(pauses: list[int], value: int) -> None:
    async def code() -> int:
        for turns in pauses:
            for _ in range(turns):
                await asyncio.sleep(0)
        return value

    assert followed(code()) == value


def test_an_interrupt_that_comes_before_is_not_lost() -> None:
    begun: list[bool] = []

    async def code() -> None:
        begun.append(True)

    async def late() -> None:
        interrupts = InterruptHandler()
        with interrupts.watched():
            signal.raise_signal(signal.SIGINT)
            await interrupts.run_async(code())

    with pytest.raises(KeyboardInterrupt):
        asyncio.run(late())
    assert not begun


def test_an_exception_passes_through() -> None:
    async def code() -> None:
        await asyncio.sleep(0)
        raise KeyError("gone")

    with pytest.raises(KeyError, match="gone"):
        followed(code())


def test_an_interrupt_that_is_caught_is_over() -> None:
    heard: list[str] = []

    async def code() -> str:
        for attempt in ("first", "second"):
            signal_after(0.05)
            try:
                await asyncio.sleep(60)
            except KeyboardInterrupt:
                heard.append(attempt)
        await asyncio.sleep(0.01)
        task = asyncio.current_task()
        assert task is not None
        assert task.cancelling() == 0
        return "done"

    assert followed(code()) == "done"
    assert heard == ["first", "second"]


def test_a_cancellation_that_is_no_interrupt_stays_one() -> None:
    async def code() -> str:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            return "cancelled"
        return "late"

    async def cancelled() -> str:
        interrupts = InterruptHandler()
        with interrupts.watched():
            task = asyncio.ensure_future(interrupts.run_async(code()))
            await asyncio.sleep(0.01)
            task.cancel()
            return await task

    assert asyncio.run(cancelled()) == "cancelled"


def test_when_it_is_over_signals_are_as_before() -> None:
    before = signal.getsignal(signal.SIGINT)
    assert followed(asyncio.sleep(0, "over")) == "over"
    assert signal.getsignal(signal.SIGINT) is before


def test_outside_the_main_thread_there_are_no_interrupts() -> None:
    found: list[object] = []

    def elsewhere() -> None:
        found.append(followed(asyncio.sleep(0, "over")))

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert found == ["over"]


def test_what_breaks_off_a_message_is_heard_by_the_cell_too() -> None:
    heard: list[str] = []

    def spin(name: str) -> None:
        heard.append(name)
        while True:
            pass

    before = signal.signal(signal.SIGINT, lambda _signal, _frame: heard.append("the cell"))
    try:
        signal_after(0.05)
        interruptible(spin)("the message")
    finally:
        signal.signal(signal.SIGINT, before)
    assert heard == ["the message", "the cell"]


def endless() -> None:
    while True:
        pass


def asleep() -> None:
    time.sleep(60)


def stubborn() -> str:
    """Continues after the first interrupt, like IPython's completer."""
    for _ in range(2):
        try:
            endless()
        except KeyboardInterrupt:
            continue
    return "late"


@pytest.mark.parametrize("work", [endless, asleep, stubborn])
def test_work_that_takes_longer_than_its_budget_is_broken_off(work: Callable[[], object]) -> None:
    before = signal.getsignal(signal.SIGINT)
    assert within(0.02, work) is None
    assert signal.getsignal(signal.SIGINT) == before


def test_work_within_its_budget_is_left_alone() -> None:
    assert within(60, lambda: 3) == 3
    with pytest.raises(ZeroDivisionError):
        within(60, lambda: 1 // 0)
    found: list[int | None] = []
    thread = threading.Thread(target=lambda: found.append(within(0, lambda: 4)))
    thread.start()
    thread.join()
    assert found == [4]
