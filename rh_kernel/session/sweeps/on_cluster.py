"""Runs of a sweep on the workers of a cluster. A call that a worker leaves is repeated on another one by the cluster."""

from concurrent.futures import Future
from functools import lru_cache

from rh_kernel.arrays.blas_threads import with_blas_threads
from rh_kernel.arrays.threads import limit_threads
from rh_kernel.cluster.cluster import Cluster
from rh_kernel.session.sweeps.executors import entry
from rh_kernel.session.sweeps.jobs import Job, Values, unpacked
from rh_kernel.session.sweeps.runs import SweepRun
from rh_kernel.source.trampoline import exhaust


class OnCluster:
    """An executor with a place for each thread of the workers of an open cluster."""

    def __init__(self, cluster: Cluster, data: bytes) -> None:
        self._cluster = cluster
        self._data = data
        self._begun: list[Future[SweepRun]] = []
        self.notes: list[str] = []

    @property
    def places(self) -> int:
        """The number of threads of the workers that are there now, at least 1."""
        return max(1, sum([worker.threads for worker in self._cluster.workers]))

    @property
    def description(self) -> str:
        """``2 workers of the cluster local 2``"""
        count = len(self._cluster.workers)
        return f"{count} worker{'' if count == 1 else 's'} of the cluster {self._cluster.name}"

    def submit(self, values: Values) -> "_OnWorker":
        """Begin a run on a worker that has a free thread."""
        self._begun = [future for future in self._begun if not future.done()]
        self._begun.append(self._cluster.submit(run_packed, self._data, values, told=self.notes.append))
        return _OnWorker(self._begun[-1])

    def stop(self) -> None:
        """Take back the calls that are not done; the cluster restarts a worker that does not stop."""
        for future in self._begun:
            future.cancel()


class _OnWorker:
    """A run on a worker."""

    share = 0.0

    def __init__(self, future: "Future[SweepRun]") -> None:
        self._future = future

    def done(self) -> bool:
        return self._future.done()

    def result(self) -> SweepRun:
        return self._future.result()


def run_packed(data: bytes, values: Values) -> SweepRun:
    """On a worker: run the items of a packed job with these numbers."""
    job = _unpacked(data)
    limit_threads(1)
    with with_blas_threads(job.threads):
        return exhaust(entry()(job, values))


@lru_cache(maxsize=2)
def _unpacked(data: bytes) -> Job:
    return unpacked(data)
