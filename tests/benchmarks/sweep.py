"""A sweep of 32 digit trainings in one process and in two: ``python -m tests.benchmarks --only sweep``.

Each run is 64-``h``-10 on the digits, 32 samples a batch, measured after each epoch. The times are of the whole sweep, from
the start of its processes to their end; the sweeps alternate, and the ratio is that of the medians. A process takes half a
second to start, which short runs do not make up for. The runs must be equal to the bit.
"""

import statistics
import time
from collections.abc import Mapping
from pathlib import Path

from rh_kernel.session.results import Shown, SweepDone
from rh_kernel.session.session import Session, execute
from rh_kernel.session.sweeps import choice
from rh_kernel.session.sweeps.runs import SweepRun
from rh_kernel.source.span import Source
from tests.benchmarks.goals import Outcome
from tests.benchmarks.process import Broken
from tests.benchmarks.report import table as markdown
from tests.training.programs import HANDLERS

GOAL = 1.8
"""How much faster two processes are to be, on two cores that do nothing else."""

SWEEP = """sweep alpha in [0.05, 0.1, 0.2, 0.4], h in [16, 32], seed in 0..3
  loc w0 : Real(h, 64) = glorot(seed=seed)
  loc b0 : Real(h) = zeros
  loc w1 : Real(10, h) = glorot(seed=seed)
  net model(x : Real(64)) : Real(10) =
    let z <= FC[w0](x) in let y <= Bias[b0](z) in let u <= return swish(y) in FC[w1](u)
  train rev handle (x) <u>. model(u) with sgd(alpha, t)
    for (x, t) in data("digits.train") epochs {epochs} batch 32 shuffle seed
    measure let y <= handle model(x) with infer in return dot(y - t, y - t) on data("digits.test")
"""


def swept(epochs: int, processes: int) -> tuple[float, tuple[SweepRun, ...]]:
    """Return the seconds that a sweep in so many processes takes, and its runs."""
    before, choice.cores = choice.cores, lambda: processes
    try:
        began = time.perf_counter()
        text = HANDLERS + SWEEP.format(epochs=epochs)
        shown = [event.result for event in execute(Session.start(Path.cwd()), Source("cell", text)) if isinstance(event, Shown)]
        seconds = time.perf_counter() - began
    finally:
        choice.cores = before
    done = shown[-1]
    if not isinstance(done, SweepDone):
        raise Broken(f"the sweep failed: {done}")
    return seconds, done.runs


def measure(epochs: int = 150, repeat: int = 3) -> dict[str, list[float]]:
    """The seconds of each sweep, by the number of processes. Raises ``Broken`` if the runs are not equal."""
    seconds: dict[int, list[float]] = {1: [], 2: []}
    found: dict[int, tuple[SweepRun, ...]] = {}
    for _ in range(repeat):
        for processes, times in seconds.items():
            taken, found[processes] = swept(epochs, processes)
            times.append(taken)
    if [run.measures for run in found[1]] != [run.measures for run in found[2]]:
        raise Broken("sweep: the runs are not equal")
    return {str(processes): times for processes, times in seconds.items()}


def table(rows: Mapping[str, list[float]]) -> str:
    """The median of each number of processes."""
    body = [[processes, f"{statistics.median(times):.2f}", f"{min(times):.2f}"] for processes, times in rows.items()]
    return markdown(["processes", "median, s", "least, s"], body)


def outcomes(rows: Mapping[str, list[float]]) -> list[Outcome]:
    """P16: two processes beside one."""
    found = statistics.median(rows["1"]) / statistics.median(rows["2"])
    return [Outcome("P16", "sweep of 32 runs", f"two processes ≥ {GOAL} × one", f"{found:.2f} ×", found >= GOAL)]
