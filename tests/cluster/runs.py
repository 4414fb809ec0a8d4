"""Training runs in pieces, with and without a cluster, and the processes of local workers."""

import os
import subprocess
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager

import numpy as np

from rh_kernel.arrays.backend import Backend
from rh_kernel.cluster import tasks
from rh_kernel.cluster.cluster import Cluster, Local, Place
from rh_kernel.source.trampoline import exhaust
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.signature import Location
from rh_kernel.training.events import Event, Remarked
from rh_kernel.training.loop import train
from tests.training.programs import Run, mlp, trained
from tests.training.test_loop import training

Heap = Mapping[Location, Array]


def net(size: int = 64, hidden: int = 8, options: str = "epochs 4 batch 16 pieces 2 shuffle 0") -> Run:
    """Return a net of random weights on random data."""
    rng = np.random.default_rng(0)
    data = {"mine": {"x": rng.normal(size=(size, 30)), "t": rng.normal(size=(size, 10))}}
    return training(data, options, mlp(30, hidden, 10))


def events(
    run: Run, cluster: Cluster | None = None, limit: float | None = None, backend: Backend | None = None
) -> Iterator[Event]:
    """Train on the cluster, which is open, or in this process."""
    pool = None if cluster is None else cluster.pool(limit)
    return train(run.run, run.data, run.sets, run.weights(), pool=pool, backend=backend)


def calls() -> int:
    """Return how many calls the worker that runs this is working on."""
    return len(tasks._RUNNING)


def asked(cluster: Cluster, function: Callable[[], object]) -> dict[str, object]:
    """Return what a function of this module returns on each worker, by its address; the exception of one that is gone."""

    async def answers() -> dict[str, object]:
        return await connection.client.run(function, on_error="return")

    connection = cluster._open_connection
    return connection.start(answers()).result(20)


def all_running(cluster: Cluster) -> bool:
    """Whether each worker has a piece of a job that it knows already, so that it is in the middle of a step."""
    return all(worker.running and worker.jobs for worker in [*cluster._open_connection.workers.values()])


def result(found: list[Event]) -> Heap:
    """Return the heap after a run."""
    return trained(found).heap


def remarks(found: list[Event]) -> list[str]:
    """Return what the run said about workers."""
    return [event.text for event in found if isinstance(event, Remarked)]


def same(left: Heap, right: Heap) -> None:
    """Assert that two heaps are equal to the bit."""
    assert left.keys() == right.keys()
    assert {at.name for at in left if left[at].tobytes() != right[at].tobytes()} == set()


@contextmanager
def opened(place: Place | None = None) -> Generator[Cluster]:
    """Open a cluster, by default of two workers here, and close it."""
    cluster = Cluster(place or Local(2))
    exhaust(cluster.open())
    try:
        yield cluster
    finally:
        cluster.close()


def processes(group: int) -> dict[int, str]:
    """Return the command lines of the processes of a group that are not ended, by their numbers."""
    listed = subprocess.run(["ps", "-wweo", "pid=,pgid=,stat=,args="], capture_output=True, text=True, check=True).stdout
    rows = [line.split(None, 3) for line in listed.splitlines()]
    return {int(row[0]): row[3] for row in rows if row[1] == f"{group}" and not row[2].startswith("Z")}


def workers(cluster: Cluster) -> list[int]:
    """Return the numbers of the processes of the workers."""
    assert cluster.pid is not None
    return sorted([pid for pid, command in processes(cluster.pid).items() if "spawn_main" in command])


def wait_until(condition: Callable[[], bool], what: str, seconds: float = 60) -> None:
    """Wait for something; fail after some time."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"not within {seconds:g} s: {what}"
        time.sleep(0.05)


@contextmanager
def signalled(pid: int, number: int, cluster: Cluster) -> Generator[None]:
    """Send a signal to a process from another thread, in the middle of a step that the block runs."""

    def send() -> None:
        wait_until(lambda: all_running(cluster), "all workers are running")
        time.sleep(0.1)
        os.kill(pid, number)

    thread = threading.Thread(target=send)
    thread.start()
    try:
        yield
    finally:
        thread.join()
