"""Pieces of batches on the workers of a cluster: ``contents, rows of a piece ↦ n · new contents``, in the order of the pieces.

A piece is a function of the contents and of its samples alone, so it does not matter which worker computes it, and how often.
"""

import asyncio
import time
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from rh_kernel.cluster import tasks
from rh_kernel.cluster.calls import Calls
from rh_kernel.cluster.connection import Connection, Worker
from rh_kernel.loops.ir import Integers
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.signature import Location
from rh_kernel.training.sources import Source, located

FIRST_LIMIT = 60.0
"""Seconds for the first answer of a worker, which also gets its data and compiles."""

LEAST_LIMIT = 5.0
"""Seconds that a worker has at least for an answer."""

LIMIT_FACTOR = 20.0
"""How many times longer than the slowest so far an answer may take."""


class RemotePieces:
    """The pieces of a job, which take about ``estimate`` seconds each.

    Samples that are not in the memory of this process come from ``sources``. A worker that has the same files at the same paths
    reads those of a piece itself; for the others they are read here and sent.

    A worker has ``limit`` seconds for each piece; without it, so many as follow from the slowest piece so far.
    """

    def __init__(
        self, connection: Connection, what: str, job: tasks.Job, sources: Sequence[Source], estimate: float, limit: float | None
    ) -> None:
        self._connection = connection
        self._job = job
        self._sources = sources
        self._limit = limit
        self._first = FIRST_LIMIT + LIMIT_FACTOR * estimate
        self._slowest = 0.0
        self._without_files: set[str] = set()
        """The addresses of workers that cannot read the files."""
        self._remarks: list[str] = []
        self._calls = Calls(connection, what, self._remarks.append)

    def __call__(self, old: Mapping[Location, Array], pieces: Sequence[Integers]) -> Iterator[Mapping[Location, Array]]:
        """Compute the pieces from the contents ``old``.

        Raises ``Stuck`` if there is no worker left or a piece fails everywhere, ``Rejected`` for a worker with another version.
        """
        given = [old[location] for location in self._job.locations]
        writes = [location for location, _ in self._job.program.writes]
        for found in self._connection.run(self._step(given, pieces)):
            yield dict(zip(writes, [tasks.own(array) for array in found], strict=True))

    def remarks(self) -> Sequence[str]:
        """Return what happened since the last call, a sentence each."""
        found = [*self._remarks]
        del self._remarks[: len(found)]
        return found

    def close(self) -> None:
        """Let the workers forget the job."""
        self._connection.start(self._forget())

    async def _forget(self) -> None:
        for worker in self._connection.workers.values():
            worker.jobs.pop(self._job, None)

    def _taken(self, rows: Integers) -> list[Array]:
        with np.errstate(over="ignore"):
            return [np.ascontiguousarray(source.take(rows), self._job.precision) for source in self._sources]

    def _there(self, rows: Integers) -> list[Integers]:
        return [found[1] for source in self._sources if (found := located(source, rows)) is not None]

    async def _step(self, given: Sequence[Array], pieces: Sequence[Integers]) -> list[list[Array]]:
        running = [asyncio.ensure_future(self._piece(i, given, rows)) for i, rows in enumerate(pieces)]
        try:
            return list(await asyncio.gather(*running))
        finally:
            for task in running:
                task.cancel()

    async def _piece(self, place: int, given: Sequence[Array], rows: Integers) -> list[Array]:
        began, asked = 0.0, ""

        async def arguments(worker: Worker) -> Sequence[object]:
            nonlocal began, asked
            asked = worker.address
            began = time.monotonic() if self._job in worker.jobs else 0.0
            if not began:
                (worker.jobs[self._job],) = await self._connection.client.scatter(
                    [self._job], workers=[worker.address], hash=False
                )
            if self._job.places and worker.address not in self._without_files:
                return worker.jobs[self._job], given, rows, [], self._there(rows)
            sent = await asyncio.to_thread(self._taken, rows) if self._sources else []
            return worker.jobs[self._job], given, rows, sent, []

        def limit(worker: Worker) -> float:
            if self._limit is not None:
                return self._limit
            return max(LEAST_LIMIT, LIMIT_FACTOR * self._slowest) if self._job in worker.jobs else self._first

        while (found := await self._calls.call(tasks.compute, arguments, limit, place)) is None:
            self._without_files.add(asked)
        if began:
            self._slowest = max(self._slowest, time.monotonic() - began)
        return found
