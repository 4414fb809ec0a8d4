"""Worker processes of the standard library: one ``ProcessPoolExecutor`` of a single process for each place.

So it is known which run a killed process was running, and only that run is lost. The processes are spawned, since a forked
copy of a process with threads may deadlock. Each is the leader of a process group, in which the compilers that it starts are
ended with it, and ends by itself when the kernel does, however that ended.
"""

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Generator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing import resource_tracker
from multiprocessing.context import SpawnContext, SpawnProcess
from types import ModuleType
from typing import Protocol

from rh_kernel.arrays.blas_threads import with_blas_threads
from rh_kernel.arrays.threads import limit_threads
from rh_kernel.session.sweeps.executors import WorkerLost, entry, share_after
from rh_kernel.session.sweeps.jobs import Job, Values, unpacked
from rh_kernel.session.sweeps.runs import SweepRun

_IDLE_BLAS_THREADS = {"OPENBLAS_THREAD_TIMEOUT": "4", "KMP_BLOCKTIME": "0"}
"""Lets the threads of matrix products sleep when they are idle; otherwise they keep the core of another process busy.

Their number is that of the kernel, since it decides the last digits.
"""

END = 0.5
"""Seconds that an idle process has to end by itself before it is killed."""


class Processes:
    """An executor with a process for each place. A process starts with the first run at its place."""

    notes = ()

    def __init__(self, data: bytes, places: int) -> None:
        self._tracker = _Tracker()
        self._places = [_Place(data) for _ in range(places)]

    @property
    def places(self) -> int:
        """The number of processes."""
        return len(self._places)

    @property
    def description(self) -> str:
        """``1 process``, ``2 processes``"""
        return "1 process" if self.places == 1 else f"{self.places} processes"

    @property
    def pids(self) -> tuple[int, ...]:
        """The ids of the processes that live."""
        return tuple([pid for place in self._places for pid in place.pids])

    def submit(self, values: Values) -> "_Running":
        """Begin a run at a free place."""
        return next(place for place in self._places if place.is_free).submit(values)

    def stop(self) -> None:
        """End all processes: those that are running a run are killed, the others have half a second."""
        for place in self._places:
            place.end()
        for place in self._places:
            place.join()
        self._tracker.stop()


class _Share(Protocol):
    """A number in memory that two processes share."""

    value: float


class _Running:
    """A run at a place."""

    def __init__(self, future: "Future[SweepRun]", share: _Share) -> None:
        self._future = future
        self._share = share

    @property
    def share(self) -> float:
        return self._share.value

    def done(self) -> bool:
        return self._future.done()

    def result(self) -> SweepRun:
        try:
            return self._future.result()
        except BrokenProcessPool:
            raise WorkerLost from None


class _Place:
    """A pool of one process, replaced by a new one when that process is lost."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._pool: ProcessPoolExecutor | None = None
        self._processes: list[SpawnProcess] = []
        self._running: Future[SweepRun] | None = None
        self._ending: threading.Thread | None = None
        self._share: _Share = multiprocessing.RawValue("d", 0.0)

    @property
    def is_free(self) -> bool:
        return self._running is None or self._running.done()

    @property
    def pids(self) -> list[int]:
        return [process.pid for process in self._processes if process.pid is not None and process.is_alive()]

    def submit(self, values: Values) -> _Running:
        if self._running is not None and isinstance(self._running.exception(), BrokenProcessPool):
            self.end()
            self.join()
        with _quiet_start():
            if self._pool is None:
                context = _Context(self._processes)
                begin = self._data, self._share
                self._pool = ProcessPoolExecutor(1, mp_context=context, initializer=_begin, initargs=begin)
            self._share.value = 0.0
            try:
                self._running = self._pool.submit(_run, values)
            except (BrokenProcessPool, OSError) as failure:
                # The process was killed while it was idle, or cannot be started; `result` tells.
                self._running = Future[SweepRun]()
                self._running.set_exception(failure if isinstance(failure, BrokenProcessPool) else BrokenProcessPool())
        return _Running(self._running, self._share)

    def end(self) -> None:
        """Begin to end the process: kill it if it is running a run."""
        if self._pool is None:
            return
        if not self.is_free:
            self._kill()
        self._ending = threading.Thread(target=partial(self._pool.shutdown, wait=True, cancel_futures=True))
        self._ending.start()
        self._pool = self._running = None

    def join(self) -> None:
        """Wait until the process has ended; kill it after half a second."""
        if self._ending is not None:
            self._ending.join(END)
            self._kill()
            self._ending.join()
            self._ending = None
        for process in self._processes:
            if process.pid is not None:
                process.join()
        self._processes.clear()

    def _kill(self) -> None:
        for pid in self.pids:
            _kill(pid)


def _kill(pid: int) -> None:
    """Kill a process and its group; itself alone if it has not made a group yet."""
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, signal.SIGKILL if hasattr(signal, "SIGKILL") else signal.SIGTERM)


class _Context(SpawnContext):
    """Spawns processes, and adds them to a list."""

    def __init__(self, started: list[SpawnProcess]) -> None:
        super().__init__()

        def process(*, target: Callable[..., object], args: tuple[object, ...]) -> SpawnProcess:
            made = SpawnProcess(target=target, args=args)
            started.append(made)
            return made

        self.__dict__["Process"] = process


class _Tracker:
    """The process with which Python tracks the semaphores of its processes; it ends with them if it began with them.

    Python has no public name for it. Otherwise it would stay as long as the kernel.
    """

    def __init__(self) -> None:
        self._tracker: object = getattr(resource_tracker, "_resource_tracker", None)
        self._is_ours = getattr(self._tracker, "_fd", 0) is None

    def stop(self) -> None:
        end: Callable[[], None] | None = getattr(self._tracker, "_stop", None)
        if self._is_ours and end is not None:
            with suppress(OSError):
                end()


@contextmanager
def _quiet_start() -> Generator[None]:
    """Let processes start within the block: without SIGINT, which a terminal sends to all, nor the user's main module."""
    if sys.platform != "win32":
        resource_tracker.ensure_running()
    main = sys.modules["__main__"]
    is_main = threading.current_thread() is threading.main_thread() and hasattr(signal, "pthread_sigmask")
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}) if is_main else None
    sys.modules["__main__"] = ModuleType("__main__")
    added = {name: value for name, value in _IDLE_BLAS_THREADS.items() if name not in os.environ}
    os.environ.update(added)
    try:
        yield
    finally:
        for name in added:
            del os.environ[name]
        sys.modules["__main__"] = main
        if before is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


_JOB: list[tuple[Job, _Share]] = []
"""In a worker: its job, and where it writes the share that is done of its run."""


def _begin(data: bytes, share: _Share) -> None:
    """Begin a worker: in a group of its own, which ends when the kernel does."""
    with suppress(AttributeError, OSError):
        os.setpgid(0, 0)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    job = unpacked(data)
    with_blas_threads(job.threads).__enter__()
    # The other processes have the other cores. The digits do not depend on this number.
    limit_threads(1)
    _JOB.append((job, share))


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        if hasattr(os, "killpg"):
            os.killpg(0, signal.SIGKILL)
        os._exit(1)


def _run(values: Values) -> SweepRun:
    ((job, share),) = _JOB
    events = entry()(job, values)
    while True:
        try:
            done = share_after(next(events))
            share.value = share.value if done is None else done
        except StopIteration as end:
            return end.value
