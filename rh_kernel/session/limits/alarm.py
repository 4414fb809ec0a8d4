"""Alarms: interrupt code after a number of seconds.

A timer thread raises ``Late`` asynchronously in the thread that runs the code, between two bytecode instructions. It does so
only within ``with alarm:``, so that code outside, such as the kernel's own work between two slices of a cell, is never
interrupted. Without threads an alarm never goes off.
"""

import ctypes
import sys
import threading
from contextlib import suppress
from types import TracebackType

AGAIN = 0.2
"""Seconds until ``Late`` is raised again if the code continues."""


class Late(BaseException):
    """The time is over. It is not an ``Exception``, so that no ``except Exception`` catches it."""


class Alarm:
    """A context manager that raises ``Late`` once, ``seconds`` after its creation, or when it is next entered after that.

    Python drops exceptions raised in a finaliser or in a callback of the garbage collector, so ``Late`` is raised again after a
    while if the code continues.
    """

    def __init__(self, seconds: float) -> None:
        hide_where_dropped(Late)
        self._lock = threading.Lock()
        self._thread: int | None = None
        self._rang = self._struck = self._closed = False
        self._timer = self._wait(seconds)

    def close(self) -> None:
        """Disable the alarm."""
        self._closed = True
        self._timer.cancel()
        if self._thread == threading.get_ident():
            self._leave()

    def __enter__(self) -> None:
        with self._lock:
            if self._closed:
                return
            if self._rang and not self._struck:
                self._struck = True
                raise Late
            if not self._struck:
                self._thread = threading.get_ident()

    def __exit__(self, kind: type[BaseException] | None, _error: BaseException | None, _at: TracebackType | None) -> None:
        self._leave()
        if kind is not Late:
            # If it was raised, then too late or where Python drops it: it will be raised as soon as the alarm is entered again.
            self._struck = False

    def _leave(self) -> None:
        """Stop raising ``Late`` in this thread. A pending one is raised, and caught, in here."""
        while True:
            try:
                with self._lock:
                    self._thread = None
                # A pending exception is raised at the next backward jump at the latest. Cancelling it by setting None would
                # leave CPython 3.11 with a flag that nothing clears: with a profile function set, it then loops forever.
                for _ in range(2):
                    pass
            except Late:
                continue
            return

    def _wait(self, seconds: float) -> threading.Timer:
        timer = threading.Timer(seconds, self._ring)
        timer.daemon = True
        with suppress(RuntimeError):
            timer.start()
        return timer

    def _ring(self) -> None:
        with self._lock:
            self._rang = True
            if self._thread is not None and not self._closed:
                self._struck = True
                _raise_in(self._thread, Late)
                self._timer = self._wait(AGAIN)


def _raise_in(thread: int, exception: type[BaseException]) -> None:
    """Raise the exception in the thread at its next bytecode instruction."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(exception))


def hide_where_dropped(exception: type[BaseException]) -> None:
    """Suppress Python's message when it drops an exception of this class, as in a finaliser: it will be raised again."""
    before = sys.unraisablehook
    if exception in _hidden:
        return
    _hidden.add(exception)

    def hook(dropped: "sys.UnraisableHookArgs") -> None:
        if not issubclass(dropped.exc_type, exception):
            before(dropped)

    sys.unraisablehook = hook


_hidden: set[type[BaseException]] = set()
"""The classes passed to ``hide_where_dropped`` so far."""
