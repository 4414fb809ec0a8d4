"""Calls of NumPy on large arrays, and of the C compiler, made so that an interrupt does not wait for their end.

Python hears of a signal between two of its own instructions, hence not before such a call returns, which may take seconds. So
it is made in another thread, and the main thread waits for it in pieces of a few milliseconds. Who is interrupted meanwhile
leaves the call alone: its thread ends with it, and nobody ever sees its result. The next call waits for that end, so that
there is never more than one of them in memory.
"""

import ctypes
import threading
from collections.abc import Callable
from contextvars import copy_context
from types import TracebackType
from typing import Generic, TypeVar

Value = TypeVar("Value")

LARGE = 1 << 20
"""So many reals are done with within a few hundredths of a second, whatever is done with them entry by entry."""

LOOK = 0.01
"""Seconds between two looks at signals."""

_ONE_AT_A_TIME = threading.Lock()


def when_large(reals: int, call: Callable[[], Value]) -> Value:
    """What ``call`` returns or raises, by ``interruptible`` if it is about more than ``LARGE`` reals."""
    return interruptible(call) if reals > LARGE else call()


def interruptible(call: Callable[[], Value]) -> Value:
    """What ``call`` returns or raises. It must write on nothing that is looked at after it was interrupted.

    Only the main thread hears of signals: elsewhere, and where no thread can be had, this is the call itself.
    """
    if threading.current_thread() is not threading.main_thread():
        return call()
    apart = _Apart(call)
    thread = threading.Thread(target=copy_context().run, args=(apart.run,), daemon=True)
    try:
        try:
            thread.start()
        except RuntimeError:
            return call()
        while not apart.ended.wait(LOOK):
            pass
    except BaseException:
        _abandon(thread)
        raise
    return apart.taken()


class _Apart(Generic[Value]):
    """A call in a thread of its own, and how it ended."""

    def __init__(self, call: Callable[[], Value]) -> None:
        self.ended = threading.Event()
        self._call = call
        self._values: list[Value] = []
        self._error: BaseException | None = None

    def run(self) -> None:
        """Make the call; what it raises is kept."""
        with self, _ONE_AT_A_TIME:
            self._values.append(self._call())

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: type[BaseException] | None, error: BaseException | None, _at: TracebackType | None) -> bool:
        self._error = error
        self.ended.set()
        return True

    def taken(self) -> Value:
        """What the call returned, once; raises what it raised."""
        error, self._error = self._error, None
        if error is not None:
            raise error
        return self._values.pop()


def _abandon(thread: threading.Thread) -> None:
    """Have the thread end at the next instruction of Python that it comes to."""
    if thread.ident is not None:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(SystemExit))
