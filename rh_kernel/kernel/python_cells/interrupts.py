"""SIGINT while Python code runs: raise ``KeyboardInterrupt`` in it at once, also while it awaits something."""

import asyncio
import signal
import threading
from collections.abc import Awaitable, Callable, Coroutine, Generator
from contextlib import contextmanager
from functools import partial
from types import FrameType
from typing import Any, Generic, TypeVar

Value = TypeVar("Value")


class InterruptHandler:
    """Delivers interrupts to Python code. Signals reach only Python's main thread, so other threads get none."""

    def __init__(self) -> None:
        self._is_running = False
        self._is_pending = False
        self._wake: Callable[[], object] | None = None

    @contextmanager
    def watched(self) -> Generator[None]:
        """Handle SIGINT inside; restore the previous handler afterwards."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = signal.signal(signal.SIGINT, self._on_signal)
        try:
            yield
        finally:
            self._is_running = False
            signal.signal(signal.SIGINT, before)

    def call(self, function: Callable[[], Value]) -> Value:
        """Call ``function`` and return its result; an interrupt raises ``KeyboardInterrupt`` in it."""
        self._is_running = True
        try:
            return function()
        finally:
            self._is_running = False

    async def run_async(self, coroutine: Coroutine[Any, Any, Value]) -> Value:
        """Await ``coroutine`` and return its result; an interrupt raises ``KeyboardInterrupt`` in it, wherever it is.

        An interrupt that came earlier raises it here, before the coroutine starts.
        """
        if self.consume():
            coroutine.close()
            raise KeyboardInterrupt
        loop, task = asyncio.get_running_loop(), asyncio.current_task()

        def cancel() -> None:
            if self._is_pending and task is not None:
                task.cancel()

        self._wake = partial(loop.call_soon_threadsafe, cancel)
        try:
            return await _Interruptible(coroutine, self)
        finally:
            self._wake = None

    def consume(self) -> bool:
        """Whether there is a pending interrupt; clears it."""
        pending, self._is_pending = self._is_pending, False
        return pending

    def _on_signal(self, _signal: int, _frame: FrameType | None) -> None:
        if self._is_running:
            raise KeyboardInterrupt
        self._is_pending = True
        if self._wake is not None:
            self._wake()


class _Interruptible(Generic[Value], Awaitable[Value]):
    """Drives a coroutine step by step, so that an interrupt is thrown into its innermost ``await``."""

    def __init__(self, coroutine: Coroutine[Any, Any, Value], interrupts: InterruptHandler) -> None:
        self._coroutine = coroutine
        self._interrupts = interrupts

    def __await__(self) -> Generator[Any, Any, Value]:
        coroutine, resume = self._coroutine, partial(self._coroutine.send, None)
        step: Callable[[], Any] = resume
        while True:
            try:
                awaited = self._interrupts.call(step)
            except StopIteration as end:
                return end.value
            try:
                yield awaited
                step = resume
            except asyncio.CancelledError as cancelled:
                if self._interrupts.consume():
                    self._uncancel()
                    step = partial(coroutine.throw, KeyboardInterrupt())
                else:
                    step = partial(coroutine.throw, cancelled)
            except BaseException as thrown:  # pass it on to the coroutine
                step = partial(coroutine.throw, thrown)

    def _uncancel(self) -> None:
        task = asyncio.current_task()
        if task is not None:
            task.uncancel()


def interruptible(handler: Callable[..., object]) -> Callable[..., None]:
    """Wrap the handler of a message so that an interrupt stops it, and then the running cell, if any."""

    def handle(*message: Any) -> None:
        interrupts = InterruptHandler()
        try:
            with interrupts.watched():
                interrupts.call(partial(handler, *message))
        except KeyboardInterrupt:
            signal.raise_signal(signal.SIGINT)

    return handle
