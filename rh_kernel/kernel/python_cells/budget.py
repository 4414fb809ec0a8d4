"""A budget of time for work that nobody can interrupt: the answer to a request that is no cell."""

import _thread
import signal
import threading
import time
from collections.abc import Callable
from typing import TypeVar

from rh_kernel.kernel.python_cells.breaking import Breaks

Value = TypeVar("Value")

LOOK = 0.02
"""Seconds between two looks at how long it has taken."""
ASLEEP = 5
"""Work that waits for something else may take so many times as long by the clock as work that computes."""


def within(seconds: float, work: Callable[[], Value]) -> Value | None:
    """What ``work`` returns; ``None`` if it took more than so many ``seconds`` of the processor and was broken off.

    It is broken off by ``KeyboardInterrupt`` where it stands, and again as long as it goes on after that. Outside of Python's
    main thread there are no interrupts, hence no budget. Raises what ``work`` raises, but for ``KeyboardInterrupt``.
    """
    if threading.current_thread() is not threading.main_thread():
        return work()
    breaks, done, is_over = Breaks(), threading.Event(), threading.Event()

    def watch() -> None:
        worked, began = time.process_time(), time.monotonic()
        while not done.wait(LOOK):
            if time.process_time() - worked > seconds or time.monotonic() - began > ASLEEP * seconds:
                is_over.set()
                _interrupt()

    watcher = threading.Thread(target=watch, daemon=True)
    with breaks.watched():
        watcher.start()
        try:
            value = breaks.call(work)
            return None if is_over.is_set() else value
        except KeyboardInterrupt:
            return None
        finally:
            done.set()
            watcher.join()


def _interrupt() -> None:
    """SIGINT in the main thread; where the system can send one it also wakes a thread that sleeps."""
    thread = threading.main_thread().ident
    if hasattr(signal, "pthread_kill") and thread is not None:
        signal.pthread_kill(thread, signal.SIGINT)
    else:
        _thread.interrupt_main()
