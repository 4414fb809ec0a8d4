"""A connection to a scheduler of ``distributed``: an event loop in a thread of its own, and the workers as it tells of them.

The cell's thread starts a coroutine there and waits for its result. An interrupt ends only the waiting; the coroutine is
cancelled and cleans up by itself, so that no lock of the library is held by code that was interrupted.
"""

import asyncio
import contextlib
import logging
import threading
from collections.abc import Callable, Coroutine, Generator, Mapping
from concurrent.futures import CancelledError as Cancelled
from concurrent.futures import Future
from concurrent.futures import TimeoutError as Waiting
from typing import Any, TypeVar

from rh_kernel.cluster import tasks
from rh_kernel.cluster.errors import OtherVersion
from rh_kernel.source.diagnostic import Rejected

Value = TypeVar("Value")

LOOK = 0.05
"""Seconds between two looks at whether a coroutine has ended; an interrupt comes through at once."""

THREAD = "rh cluster"
"""The name of the thread of the loop."""

CONNECT = 10.0
"""Seconds to wait for a scheduler."""


class Worker:
    """A worker: its address, how many pieces it takes at a time, and whether it is still there."""

    def __init__(self, address: str, about: Mapping[str, Any]) -> None:
        self.address = address
        self.name = str(about.get("name", ""))
        self.threads = int(about.get("nthreads", 1))
        self.memory = int(about.get("memory_limit") or 0)
        self.has_nanny = about.get("nanny") is not None
        self.running = 0
        self.checked = False
        self.dismissed = False
        self.gone = asyncio.Event()
        self.jobs: dict[tasks.Job, Any] = {}
        """The jobs that it has, as futures of the library, which keep them there."""


class Connection:
    """A client in a loop of its own. All methods but ``run``, ``wait``, ``start`` and ``close`` are for that loop."""

    def __init__(self) -> None:
        self.workers: dict[str, Worker] = {}
        self.dashboard = ""
        self.changed = asyncio.Event()
        """Set when a worker comes, leaves, or becomes free."""
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name=THREAD, daemon=True)
        self._thread.start()
        self.client: Any = None
        self._background: set[asyncio.Task[Any]] = set()

    def start(self, coroutine: Coroutine[Any, Any, Value]) -> "Future[Value]":
        """Start a coroutine in the loop."""
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop)

    def run(self, coroutine: Coroutine[Any, Any, Value]) -> Value:
        """Run a coroutine in the loop and return its value, or raise its exception; an interrupt cancels it."""
        *_, value = self.wait(coroutine)
        assert value is not None
        return value[0]

    def wait(self, coroutine: Coroutine[Any, Any, Value]) -> Generator[tuple[Value] | None]:
        """Run a coroutine and yield ``None`` while it runs, at last its value in a tuple. Closing it cancels the coroutine."""
        started = self.start(coroutine)
        try:
            while True:
                try:
                    value = started.result(LOOK)
                except Waiting:
                    if started.done():
                        raise
                    yield None
                    continue
                yield (value,)
                return
        finally:
            started.cancel()

    async def connect(self, address: str, security: Any) -> None:
        """Connect, and learn of the workers. Raises ``OSError`` if there is no scheduler, or no certificate for TLS."""
        import distributed

        for handler in logging.getLogger("distributed").handlers:
            handler.addFilter(_is_of_others)
        if security is None and address.startswith("tls://") and _lacks_certificates():
            raise OSError("no certificates for TLS in Dask's configuration (distributed.comm.tls)")
        self.client = await distributed.Client(
            address, security=security, asynchronous=True, set_as_default=False, timeout=CONNECT, name="rh-kernel"
        )
        self.client.subscribe_topic("all", self._told)
        await self.refresh()

    async def refresh(self) -> None:
        """Ask the scheduler for the workers."""
        about = await self.client.scheduler.identity(n_workers=-1)
        self.dashboard = self.client.dashboard_link if "dashboard" in about["services"] else ""
        for address, worker in about["workers"].items():
            self._add(address, worker)
        for address in [*self.workers]:
            if address not in about["workers"]:
                self._remove(address)

    @property
    def is_alive(self) -> bool:
        """Whether the scheduler answers."""
        return self.client is not None and self.client.status == "running"

    async def check(self, worker: Worker) -> None:
        """Compare the versions of a worker with those here. Raises ``Rejected`` if one differs, ``OSError`` if it is gone."""
        if worker.checked:
            return
        try:
            answers = await self.client.run(tasks.versions, workers=[worker.address], on_error="return")
        except Exception as error:
            raise OSError(f"the worker {worker.address} did not answer: {type(error).__name__}") from None
        theirs: Any = answers.get(worker.address)
        if isinstance(theirs, ModuleNotFoundError):
            theirs = {f"{theirs.name}": "none"}
        elif isinstance(theirs, AttributeError | ImportError):
            theirs = {"rh_kernel": "another version"}
        if not isinstance(theirs, dict):
            raise OSError(f"the worker {worker.address} did not answer: {theirs}")
        for package, version in tasks.versions().items():
            found = theirs.get(package, version)
            if found != version:
                raise Rejected(OtherVersion(worker=worker.address, package=package, theirs=found, ours=version))
        worker.checked = True

    async def check_all(self) -> None:
        """Compare the versions of all workers with those here. Raises ``Rejected`` if one differs."""
        for worker in [*self.workers.values()]:
            try:
                await self.check(worker)
            except OSError:
                continue

    def dismiss(self, worker: Worker) -> None:
        """Give a worker no more work, and have it restarted, or left alone if nothing can restart it."""
        if worker.dismissed or worker.gone.is_set():
            return
        worker.dismissed = True
        if worker.has_nanny:
            self.in_background(self._restart(worker))

    def in_background(self, coroutine: Coroutine[Any, Any, None]) -> None:
        """Run a coroutine that nobody waits for; it fails silently."""
        task = self._loop.create_task(_silent(coroutine))
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    def notify(self) -> None:
        """Wake up what waits for a worker."""
        self.changed.set()
        self.changed = asyncio.Event()

    async def close(self) -> None:
        """Disconnect."""
        for task in [*self._background]:
            task.cancel()
        if self.client is not None:
            with contextlib.suppress(Exception):
                await asyncio.wait_for(self.client.close(timeout=1), 2)

    def stop(self) -> None:
        """Disconnect and end the thread."""
        if threading.current_thread() is self._thread:
            self._loop.stop()
        elif self._loop.is_running():
            with contextlib.suppress(Exception):
                self.start(self.close()).result(3)
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(1)
            if not self._thread.is_alive():
                self._loop.close()

    async def _restart(self, worker: Worker) -> None:
        await self.client.restart_workers([worker.address], timeout=2, raise_for_error=False)

    def _told(self, event: tuple[float, Mapping[str, Any]]) -> None:
        match event[1]:
            case {"action": "remove-worker", "worker": str() as address}:
                self._remove(address)
            case {"action": "add-worker"}:
                self.in_background(self.refresh())
            case _:
                pass

    def _add(self, address: str, about: Mapping[str, Any]) -> None:
        if address not in self.workers:
            self.workers[address] = Worker(address, about)
            self.notify()

    def _remove(self, address: str) -> None:
        worker = self.workers.pop(address, None)
        if worker is not None:
            worker.gone.set()
            self.notify()


def _is_of_others(record: logging.LogRecord) -> bool:
    """Whether a line of the log is not about this connection, of whose workers the cell tells what there is to know."""
    return record.threadName != THREAD


async def _silent(coroutine: Coroutine[Any, Any, None]) -> None:
    try:
        await coroutine
    except (Exception, Cancelled, asyncio.CancelledError):
        return


def _lacks_certificates() -> bool:
    """Whether the configuration of Dask has no certificates for clients. Raises ``OSError`` if they cannot be read."""
    from dask import config
    from distributed.security import Security

    if config.get("distributed.client.security-loader", None) is not None:
        return False
    return Security().get_connection_args("client").get("ssl_context") is None


Told = Callable[[str], None]
"""Takes a sentence for the user about what happened."""
