"""An alarm: after so many seconds the code that it is set for is broken off where it stands.

A thread that sleeps raises ``Late`` in the one that works, between two instructions of Python. Code that it may strike is put
into ``with alarm:``; what stands outside, as the kernel's own work between two slices of a cell, is never struck. Where there
are no threads it never goes off.
"""

import ctypes
import sys
import threading
from contextlib import suppress
from types import TracebackType

AGAIN = 0.2
"""Seconds until ``Late`` is raised again in code that goes on."""


class Late(BaseException):
    """The seconds are over. It is no ``Exception``, so that nothing on its way takes it for a failure of its own."""


class Alarm:
    """Goes off once, ``seconds`` after it was made, if code runs in it then; else where it is next entered.

    Python drops what is raised in a finaliser or in a callback of its search for cycles, so it is raised again after a while
    if the code goes on.
    """

    def __init__(self, seconds: float) -> None:
        hide_where_dropped(Late)
        self._lock = threading.Lock()
        self._thread: int | None = None
        self._rang = self._struck = self._closed = False
        self._timer = self._wait(seconds)

    def close(self) -> None:
        """It does not go off any more, wherever it is entered."""
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
            # If it has struck, then too late or where Python drops it: where it is entered again it goes off at once.
            self._struck = False

    def _leave(self) -> None:
        """Do not strike this thread any more. A ``Late`` that is on its way arrives, and ends, in here."""
        while True:
            try:
                with self._lock:
                    self._thread = None
                # It is raised at the first jump back at the latest. To take it back by setting None instead would leave
                # CPython 3.11 with a flag that nothing clears: under a profile function it then loops for ever.
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
    """Raise it in the thread at its next instruction."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(exception))


def hide_where_dropped(exception: type[BaseException]) -> None:
    """Print nothing where Python drops one of this class, as in a finaliser: whoever stops the code raises it again."""
    before = sys.unraisablehook
    if exception in _hidden:
        return
    _hidden.add(exception)

    def hook(dropped: "sys.UnraisableHookArgs") -> None:
        if not issubclass(dropped.exc_type, exception):
            before(dropped)

    sys.unraisablehook = hook


_hidden: set[type[BaseException]] = set()
"""The classes that ``hide_where_dropped`` was called with in this process."""
