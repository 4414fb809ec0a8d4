"""A time limit for work that the user cannot interrupt, such as answering a completion request."""

import _thread
import signal
import threading
import time
from collections.abc import Callable
from typing import TypeVar

from rh_kernel.kernel.python_cells.interrupts import InterruptHandler

Value = TypeVar("Value")

LOOK = 0.02
"""Seconds between two checks of the time spent."""
ASLEEP = 5
"""Wall-clock limit as a multiple of the CPU limit, for work that waits rather than computes."""


def within(seconds: float, work: Callable[[], Value]) -> Value | None:
    """Return what ``work`` returns, or ``None`` if it takes more than ``seconds`` of CPU time.

    It is stopped by a ``KeyboardInterrupt``, repeated if it carries on. Only Python's main thread can be interrupted; in others
    there is no limit. Raises what ``work`` raises, except ``KeyboardInterrupt``.
    """
    if threading.current_thread() is not threading.main_thread():
        return work()
    interrupts, done, is_over = InterruptHandler(), threading.Event(), threading.Event()

    def watch() -> None:
        worked, began = time.process_time(), time.monotonic()
        while not done.wait(LOOK):
            if time.process_time() - worked > seconds or time.monotonic() - began > ASLEEP * seconds:
                is_over.set()
                _interrupt()

    watcher = threading.Thread(target=watch, daemon=True)
    with interrupts.watched():
        watcher.start()
        try:
            value = interrupts.call(work)
            return None if is_over.is_set() else value
        except KeyboardInterrupt:
            return None
        finally:
            done.set()
            watcher.join()


def _interrupt() -> None:
    """Send SIGINT to the main thread, which also wakes it from a blocking call where the system supports that."""
    thread = threading.main_thread().ident
    if hasattr(signal, "pthread_kill") and thread is not None:
        signal.pthread_kill(thread, signal.SIGINT)
    else:
        _thread.interrupt_main()
