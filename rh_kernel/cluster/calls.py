"""Calls of functions on workers, repeated on another worker if one dies, leaves or does not answer.

A function is pure and its arguments are with the coordinator, so a call can be repeated with the same result. An answer belongs
to its request; that to a request which was given up is dropped.
"""

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar
from uuid import uuid4

from rh_kernel.cluster import tasks
from rh_kernel.cluster.connection import Connection, Worker
from rh_kernel.cluster.errors import NoWorkers, PieceGivenUp, WorkerFailed
from rh_kernel.source.diagnostic import Failure, Stuck

Value = TypeVar("Value")

TRIES = 6
"""How often a call is tried."""

PATIENCE = 30.0
"""Seconds to wait for a worker if there is none; one that was killed is restarted in about one."""

STOPPING = 0.3
"""Seconds after an interrupt in which a worker may finish what it does; later it is restarted."""

Arguments = Callable[[Worker], Awaitable[Sequence[Any]]]
"""Gives the arguments of a call for a worker, which may be futures of the library that are there already."""


class _Lost(Exception):
    """A worker gave no answer; the message says why, as the rest of a sentence about it."""


class Calls:
    """Calls on the workers of a connection to ``what``; ``told`` gets a sentence for the user about each repetition."""

    def __init__(self, connection: Connection, what: str, told: Callable[[str], None]) -> None:
        self._connection = connection
        self._what = what
        self._told = told

    async def call(
        self,
        function: Callable[..., Value],
        arguments: Arguments,
        limit: Callable[[Worker], float | None] = lambda _: None,
        place: int | None = None,
    ) -> Value:
        """Call a function of this package on a worker, if possible on that at ``place`` among them.

        A worker has ``limit`` seconds to answer, and twice as many at each repetition. Raises ``Stuck`` if there is no worker
        or the function fails, ``Rejected`` for a worker with another version.
        """
        why = ""
        for attempt in range(TRIES):
            worker = await self._free_worker(place)
            worker.running += 1
            try:
                seconds = limit(worker)
                return await self._on(worker, function, arguments, None if seconds is None else seconds * 2.0**attempt)
            except _Lost as lost:
                why = f"the worker {worker.address} {lost}"
                self._told(f"{why}; what it was doing is done again")
            finally:
                worker.running -= 1
                self._connection.notify()
        raise Stuck(PieceGivenUp(tries=TRIES, why=why))

    async def _free_worker(self, place: int | None) -> Worker:
        """Wait for a worker with a free thread."""
        had_workers = time.monotonic()
        while True:
            usable = [worker for worker in self._connection.workers.values() if not worker.dismissed]
            free = [worker for worker in usable if worker.running < worker.threads]
            if free:
                preferred = free[0] if place is None else usable[place % len(usable)]
                return preferred if preferred in free else free[0]
            waited = time.monotonic() - had_workers
            if usable:
                had_workers = time.monotonic()
            elif waited > PATIENCE or not self._connection.is_alive:
                raise Stuck(NoWorkers(what=self._what, seconds=round(waited, 1)))
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._connection.changed.wait(), 0.5)

    async def _on(self, worker: Worker, function: Callable[..., Value], arguments: Arguments, seconds: float | None) -> Value:
        """Call a function on this worker. Raises ``_Lost`` if it gives no answer in time."""
        answer = asyncio.ensure_future(self._answer(worker, function, arguments))
        gone = asyncio.ensure_future(worker.gone.wait())
        try:
            await asyncio.wait((answer, gone), timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            if answer.done():
                return answer.result()
            if gone.done():
                raise _Lost("is gone")
            self._connection.dismiss(worker)
            restarted = " and is being restarted" if worker.has_nanny else ""
            raise _Lost(f"gave no answer for {seconds:.3g} s{restarted}")
        finally:
            answer.cancel()
            gone.cancel()

    async def _answer(self, worker: Worker, function: Callable[..., Value], arguments: Arguments) -> Value:
        from distributed.scheduler import KilledWorker

        client, token = self._connection.client, uuid4().hex
        future: Any = None
        try:
            try:
                await self._connection.check(worker)
                given = await arguments(worker)
            except (Failure, asyncio.CancelledError):
                raise
            except Exception as lost:
                raise _Lost("is gone") from lost
            future = client.submit(
                tasks.called,
                token,
                function,
                *given,
                workers=[worker.address],
                allow_other_workers=False,
                key=f"{function.__name__}-{token}",
            )
            return await future
        except asyncio.CancelledError:
            if future is not None:
                self._connection.in_background(self._stop(worker, future, token))
            raise
        except (Failure, _Lost):
            raise
        except Exception as error:
            if future.status != "error" or isinstance(error, KilledWorker):
                raise _Lost("is gone") from error
            raise Stuck(WorkerFailed(worker=worker.address, why=f"{type(error).__name__}: {error}")) from None

    async def _stop(self, worker: Worker, future: Any, token: str) -> None:
        """Cancel a call whose answer nobody wants; restart the worker if it does not stop."""
        client = self._connection.client
        await client.cancel([future], force=True)
        await asyncio.sleep(STOPPING)
        if worker.gone.is_set() or worker.dismissed:
            return
        answer = client.run(tasks.is_running, token, workers=[worker.address], on_error="return")
        try:
            if (await asyncio.wait_for(answer, STOPPING)).get(worker.address) is False:
                return
        except TimeoutError:
            pass
        self._connection.dismiss(worker)
