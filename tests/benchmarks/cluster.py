"""A step of about 200 ms in this process, on one worker and on two; the same heap while workers are killed at random.

``python -m tests.benchmarks --only cluster`` measures the times, ``python -m tests.benchmarks.cluster`` kills workers. Every
worker has one thread, and so have matrix products in this process. The figures mean something on a machine that does nothing
else.
"""

import argparse
import os
import random
import signal
import statistics
import threading
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np

from rh_kernel.cluster.cluster import Cluster, Local
from rh_kernel.training.events import Progress
from tests.benchmarks.goals import Outcome
from tests.benchmarks.report import table as markdown
from tests.cluster.runs import Heap, events, opened, processes, remarks, result, workers
from tests.training.programs import Run, mlp
from tests.training.test_loop import training

SAMPLES = 60_000
INPUTS, HIDDEN, OUTPUTS = 64, 512, 10
WORKERS = 2
STEPS = 12
"""Steps that are timed, after the first."""


def net(options: str) -> Run:
    """Return a net of 64-512-10 on random data."""
    rng = np.random.default_rng(0)
    data = {"mine": {"x": rng.normal(size=(SAMPLES, INPUTS)), "t": rng.normal(size=(SAMPLES, OUTPUTS))}}
    return training(data, options, mlp(INPUTS, HIDDEN, OUTPUTS))


def step(batch: int, cluster: Cluster | None) -> float:
    """Return the median time of a step in seconds."""
    run = net(f"epochs {(STEPS + 2) * batch // SAMPLES + 1} batch {batch} pieces 2 shuffle 0")
    times: list[float] = []
    before, done = time.perf_counter(), 0.0
    for event in events(run, cluster):
        now = time.perf_counter()
        if isinstance(event, Progress) and event.fraction > done:
            times.append((now - before) * batch / ((event.fraction - done) * run.run.epochs * SAMPLES))
            before, done = now, event.fraction
    return statistics.median(times[1:])


def measure(wanted: float = 0.2) -> dict[str, float]:
    """The batch of a step of about ``wanted`` seconds, and its seconds in this process, on one and on two workers."""
    batch = SAMPLES // 12
    batch = min(SAMPLES // 2, max(2, round(batch * wanted / step(batch, None)) // 2 * 2))
    found = {"batch": float(batch), "here": step(batch, None)}
    for count in (1, 2):
        with opened(Local(count)) as cluster:
            found[str(count)] = step(batch, cluster)
    return found


def table(rows: Mapping[str, float]) -> str:
    """The seconds of a step."""
    body = [
        [name, f"{1000 * rows[key]:.1f}", f"{rows['1'] / rows[key]:.2f}", f"{rows['here'] / rows[key]:.2f}"]
        for key, name in (("here", "this process"), ("1", "1 worker"), ("2", "2 workers"))
    ]
    head = [f"batch {rows['batch']:.0f} in 2 pieces, {INPUTS}-{HIDDEN}-{OUTPUTS}", "median ms a step", "÷ 1 worker", "÷ here"]
    return markdown(head, body)


def outcomes(rows: Mapping[str, float]) -> list[Outcome]:
    """P16: two workers beside one."""
    found = rows["1"] / rows["2"]
    return [Outcome("P16", "a step in 2 pieces", "two workers ≥ 1.7 × one", f"{found:.2f} ×", found >= 1.7)]


@dataclass
class Kills:
    """Workers that were killed; ``left`` more are to be killed."""

    left: int
    done: int = 0
    ended: threading.Event = field(default_factory=threading.Event)


@contextmanager
def killing(cluster: Cluster, kills: Kills, rng: random.Random) -> Generator[None]:
    """Kill workers of the cluster at random moments, on average a second after both are there, while the block runs."""

    def kill() -> None:
        while kills.left and not kills.ended.wait(rng.expovariate(1.0)):
            while len(cluster.workers) < WORKERS and not kills.ended.wait(0.02):
                pass
            alive = workers(cluster)
            if alive and not kills.ended.wait(rng.uniform(0, 1)):
                os.kill(rng.choice(alive), signal.SIGKILL)
                kills.left, kills.done = kills.left - 1, kills.done + 1

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        yield
    finally:
        kills.ended.set()
        thread.join()


def endure(count: int, seed: int) -> None:
    """Train again and again while workers are killed, and print how it went. Raises ``SystemExit`` if a heap is wrong."""
    run = net("epochs 3 batch 2500 pieces 4 shuffle 0")
    expected = result([*events(run)])
    kills, rng, runs, said, longest = Kills(count), random.Random(seed), 0, 0, 0.0
    with opened(Local(WORKERS)) as cluster:
        group = cluster.pid
        with killing(cluster, kills, rng):
            while kills.left:
                began = time.perf_counter()
                found = [*events(run, cluster)]
                longest = max(longest, time.perf_counter() - began)
                runs, said = runs + 1, said + len(remarks(found))
                if not equal(result(found), expected):
                    raise SystemExit(f"run {runs}, after {kills.done} kills: another heap")
    left = {} if group is None else processes(group)
    print(f"{kills.done} kills in {runs} runs of 72 steps: all heaps equal to the bit, {said} pieces computed again")
    print(f"  the longest run took {longest:.1f} s; processes left after the end: {len(left)}")
    if left:
        raise SystemExit(f"left: {left}")


def equal(left: Heap, right: Heap) -> bool:
    """Whether two heaps are equal to the bit."""
    return all(left[at].tobytes() == array.tobytes() for at, array in right.items())


def main() -> None:
    """Kill workers, and print how it went."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=50, help="how many workers to kill")
    parser.add_argument("--seed", type=int, default=0, help="of the moments of the kills")
    options = parser.parse_args()
    endure(options.kills, options.seed)


if __name__ == "__main__":
    main()
