"""What a training step costs beside its computation on 2 … 1,000 workers: ``python -m tests.benchmarks.cluster_scale``.

A scheduler of Dask in a process of its own, this process as its client, and workers that sleep instead of computing: each is a
``distributed.Worker`` with one thread and connections of its own, many of them in each of four processes. A round is a step
of ``train … pieces n``: a task for each of n workers, which gets the weights and returns as many numbers, and the sum of these.
In a round of tasks that do not sleep all of the time is overhead. It is measured by the clock, and as processor time of the
scheduler and of the client. The workers share the cores of this machine with both, so the clock shows more than it would where
each worker has its own; the processor time of the two is needed there too, and each of them computes in one thread.

``--workers 10,100`` measures only these, beside what is known of the others. The numbers go to
lessons/appendix/cluster/scale.json, from which ``python -m lessons.reference`` makes the table and the figure of the page.
"""

import argparse
import asyncio
import json
import os
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import psutil

from lessons.reference.scale import COLLECTOR, FILE, PEERS, TREE, Row, rows_of
from tests.benchmarks.cluster_steps import Weights, piece, total

ROOT = Path(__file__).parents[2]
WORKERS = (2, 10, 30, 100, 300, 1000)
PAYLOADS = (1_000, 1_000_000)
"""Bytes of the weights, and of each result."""

PROCESSES = 4
"""How many processes hold the workers."""

FAN = 10
"""How many results a task of the tree adds."""

ROUNDS, SECONDS = 50, 10.0
"""The most rounds of a kind, and the seconds after which there are no more, but two at least, or one if it takes longer."""

MOST_PEERS = 300
"""The most workers that get the weights from one another: each message of that names all who have them already."""

TRIES, LONGEST = 3, 30.0
"""How many steps with a computation are tried, and how many seconds these may take."""

PATIENCE = 280


# -- a step --------------------------------------------------------------------------------------------------------------------


def collected(client: Any, names: Sequence[str], weights: Weights, seconds: float) -> Weights:
    """The weights stand in each task; the client adds the results."""
    return total(client.gather(_submitted(client, names, weights, seconds)))


def scattered(client: Any, names: Sequence[str], weights: Weights, seconds: float) -> Weights:
    """The workers get the weights from one another, before their tasks; the client adds the results."""
    there = client.scatter(weights, broadcast=True, hash=False)
    return total(client.gather(_submitted(client, names, there, seconds)))


def in_a_tree(client: Any, names: Sequence[str], weights: Weights, seconds: float) -> Weights:
    """The weights stand in each task; tasks on the workers add ten results each, and then ten of these."""
    parts = _submitted(client, names, weights, seconds)
    while len(parts) > FAN:
        parts = [client.submit(total, parts[i : i + FAN], pure=False) for i in range(0, len(parts), FAN)]
    return total(client.gather(parts))


def _submitted(client: Any, names: Sequence[str], weights: object, seconds: float) -> list[Any]:
    # Without naming the worker, the scheduler may give two tasks to one of them while another has none.
    return [client.submit(piece, weights, seconds, workers=[name], pure=False) for name in names]


Way = Callable[[Any, Sequence[str], Weights, float], Weights]

STEPS: Mapping[str, Way] = {COLLECTOR: collected, PEERS: scattered, TREE: in_a_tree}


# -- a cluster -----------------------------------------------------------------------------------------------------------------


async def hold(address: str, count: int, folder: str) -> None:
    """Keep ``count`` workers running until the process is killed."""
    from dask.config import set as configure
    from distributed import Worker

    # The statistical profiler is a thread for each worker that wakes a hundred times a second.
    configure({"distributed.worker.profile.enabled": False, "distributed.admin.system-monitor.interval": "60s"})
    workers = [await Worker(address, nthreads=1, dashboard=False, memory_limit=0, local_directory=folder) for _ in range(count)]
    await asyncio.gather(*[worker.finished() for worker in workers])


@contextmanager
def cluster(count: int) -> Generator[tuple[Any, Sequence[str], int]]:
    """A client of a new cluster, the addresses of its workers, and the process id of its scheduler."""
    from distributed import Client

    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(ignore_cleanup_errors=True)))
        log = stack.enter_context((folder / "log").open("w"))

        def start(*arguments: str) -> subprocess.Popen[bytes]:
            process = subprocess.Popen([sys.executable, "-m", *arguments], cwd=ROOT, stdout=log, stderr=log)
            stack.callback(process.wait)
            stack.callback(process.kill)
            return process

        place = folder / "scheduler.json"
        options = ("--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(place))
        scheduler = start("dask", "scheduler", *options)
        while not place.exists() or not place.read_text(encoding="utf-8").endswith("}"):
            if scheduler.poll() is not None:
                raise SystemExit((folder / "log").read_text(encoding="utf-8"))
            time.sleep(0.1)
        address = json.loads(place.read_text(encoding="utf-8"))["address"]
        for i in range(min(PROCESSES, count)):
            share = len(range(i, count, PROCESSES))
            start("tests.benchmarks.cluster_scale", "--hold", address, "--workers", str(share), "--folder", str(folder))
        client = stack.enter_context(Client(address, set_as_default=False))
        client.wait_for_workers(count, timeout=PATIENCE)
        yield client, sorted(client.scheduler_info(n_workers=-1)["workers"]), scheduler.pid


# -- the measurement -----------------------------------------------------------------------------------------------------------


def measured(count: int, payloads: Sequence[int]) -> Iterator[Row]:
    """A row for each size of the weights and each way of adding."""
    load = round(os.getloadavg()[0], 1)
    with cluster(count) as (client, names, scheduler):
        for payload in payloads:
            for name, way in STEPS.items():
                if name == PEERS and count > MOST_PEERS:
                    continue
                yield replace(_row(client, names, scheduler, payload, name, way), load=load)


def _row(client: Any, names: Sequence[str], scheduler: int, payload: int, name: str, way: Way) -> Row:
    samples = list[float]()
    first = _round(client, names, payload, way, 0.0)
    began, before = time.perf_counter(), (_processor(scheduler), _processor(os.getpid()))
    while len(samples) < (ROUNDS if first < SECONDS else 1) and (len(samples) < 2 or time.perf_counter() - began < SECONDS):
        samples.append(_round(client, names, payload, way, 0.0))
    used = [
        (_processor(process) - start) / len(samples) for process, start in zip((scheduler, os.getpid()), before, strict=True)
    ]
    medians = [round(seconds, 4) for seconds in (statistics.median(samples), *used)]
    row = Row(len(names), payload, name, len(samples), *medians)
    tries = [_round(client, names, payload, way, row.needed) for _ in range(min(TRIES, int(LONGEST / row.needed)))]
    return replace(row, tried=round(row.needed / statistics.median(tries), 3)) if tries else row


def _round(client: Any, names: Sequence[str], payload: int, way: Way, seconds: float) -> float:
    """The seconds that a round takes. Raises ``AssertionError`` if the sum is wrong."""
    weights = np.random.default_rng().random(payload // 8)
    began = time.perf_counter()
    found = way(client, names, weights, seconds)
    took = time.perf_counter() - began
    np.testing.assert_allclose(found, len(names) * (weights + 1.0))
    return took


def _processor(process: int) -> float:
    """The processor time of a process, in seconds."""
    times = psutil.Process(process).cpu_times()
    return times.user + times.system


def main() -> None:
    """Measure, print each row, and write the file."""
    parser = argparse.ArgumentParser(description="What a training step costs beside its computation on many workers.")
    parser.add_argument("--workers", default=",".join(map(str, WORKERS)), help="how many workers, such as 10,100")
    parser.add_argument("--payloads", default=",".join(map(str, PAYLOADS)), help="bytes of the weights")
    parser.add_argument("--hold", metavar="ADDRESS", help=argparse.SUPPRESS)
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.hold:
        asyncio.run(hold(arguments.hold, int(arguments.workers), arguments.folder))
        return
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    known = rows_of(json.loads(FILE.read_text(encoding="utf-8"))) if FILE.exists() else ()
    rows = {(row.workers, row.payload, row.way): row for row in known}
    for count in map(int, arguments.workers.split(",")):
        for row in measured(count, [*map(int, arguments.payloads.split(","))]):
            rows[row.workers, row.payload, row.way] = row
            _write([*rows.values()])
            print(row, f"needed={row.needed:.2f} bound={row.bound:.2f}", flush=True)


def _write(rows: Sequence[Row]) -> None:
    """Write what is known so far."""
    found = sorted(rows, key=lambda row: (row.payload, list(STEPS).index(row.way), row.workers))
    facts = {"date": f"{datetime.now(UTC):%Y-%m-%d}", "cores": os.cpu_count(), "distributed": version("distributed")}
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(json.dumps({**facts, "rows": [asdict(row) for row in found]}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
