"""A sweep of 32 digit trainings in one process and in two: ``python -m tests.benchmarks.sweep``.

Each run is 64-``h``-10 on the digits, 32 samples a batch, measured after each epoch. The times are of the whole sweep, from the
start of its processes to their end; the sweeps alternate, and the ratio is that of the medians. ``--epochs 150`` and
``--repeat 3`` set how long it takes; a process takes half a second to start, which short runs do not make up for. The runs must
be equal to the bit. The numbers go to build/bench/sweep.json.
"""

import argparse
import json
import statistics
import time
from pathlib import Path

from rh_kernel.session.results import Shown, SweepDone
from rh_kernel.session.session import Session, execute
from rh_kernel.session.sweeps import choice
from rh_kernel.session.sweeps.runs import SweepRun
from rh_kernel.source.span import Source
from tests.benchmarks.machine import facts
from tests.benchmarks.process import PLACE
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
        raise SystemExit(f"the sweep failed: {done}")
    return seconds, done.runs


def main() -> None:
    """Print a line for each sweep, and the ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=150)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    seconds: dict[int, list[float]] = {1: [], 2: []}
    found: dict[int, tuple[SweepRun, ...]] = {}
    for _ in range(options.repeat):
        for processes, times in seconds.items():
            taken, found[processes] = swept(options.epochs, processes)
            times.append(taken)
            print(
                f"{processes} process{'es' if processes > 1 else ' '}  {taken:6.2f} s  {len(found[processes])} runs", flush=True
            )
    if [run.measures for run in found[1]] != [run.measures for run in found[2]]:
        raise SystemExit("the runs are not equal")
    ratio = statistics.median(seconds[1]) / statistics.median(seconds[2])
    print(f"two processes are {ratio:.2f} times as fast as one; the goal is {GOAL}, on two quiet cores")
    folder = PLACE / "build" / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    record = {"machine": facts(), "epochs": options.epochs, "seconds": seconds, "ratio": ratio}
    (folder / "sweep.json").write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
