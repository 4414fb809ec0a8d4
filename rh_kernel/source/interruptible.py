"""Interruptible calls of NumPy on large arrays and of the C compiler.

Python handles signals between bytecode instructions, hence not before such a call returns, which may take seconds. So the call
runs in another thread, and the main thread waits for it in steps of a few milliseconds. On an interrupt the call is abandoned:
its thread ends when the call returns, and its result is dropped. The next call waits for that, so that no two of them occupy
memory at the same time.
"""

import ctypes
import threading
from collections.abc import Callable
from contextvars import copy_context
from types import TracebackType
from typing import Generic, TypeVar

Value = TypeVar("Value")

LARGE = 1 << 20
"""An entrywise operation on this many reals takes at most a few hundredths of a second."""

LOOK = 0.01
"""Seconds between two checks for signals."""

_ONE_AT_A_TIME = threading.Lock()


def when_large(reals: int, call: Callable[[], Value]) -> Value:
    """Return what ``call`` returns, or raise what it raises; above ``LARGE`` reals it runs in ``interruptible``."""
    return interruptible(call) if reals > LARGE else call()


def interruptible(call: Callable[[], Value]) -> Value:
    """Run ``call`` interruptibly. It must not write to anything that is read after an interrupt.

    Only the main thread receives signals: on other threads, or if no thread can be started, ``call`` is run directly.
    """
    if threading.current_thread() is not threading.main_thread():
        return call()
    background = _BackgroundCall(call)
    thread = threading.Thread(target=copy_context().run, args=(background.run,), daemon=True)
    try:
        try:
            thread.start()
        except RuntimeError:
            return call()
        while not background.ended.wait(LOOK):
            pass
    except BaseException:
        _abandon(thread)
        raise
    return background.result()


class _BackgroundCall(Generic[Value]):
    """A call in a background thread, and its result or exception."""

    def __init__(self, call: Callable[[], Value]) -> None:
        self.ended = threading.Event()
        self._call = call
        self._values: list[Value] = []
        self._error: BaseException | None = None

    def run(self) -> None:
        """Run the call and record what it returns or raises."""
        with self, _ONE_AT_A_TIME:
            self._values.append(self._call())

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: type[BaseException] | None, error: BaseException | None, _at: TracebackType | None) -> bool:
        self._error = error
        self.ended.set()
        return True

    def result(self) -> Value:
        """Return the result or raise the exception of the call; call it once."""
        error, self._error = self._error, None
        if error is not None:
            raise error
        return self._values.pop()


def _abandon(thread: threading.Thread) -> None:
    """Make the thread exit at its next Python instruction."""
    if thread.ident is not None:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(SystemExit))
