"""The prebuilt library beside NumPy and compiled C: ``python -m tests.benchmarks.prebuilt``, a minute or two.

A step is a call from Python on one batch. The back ends take turns, and the best time of each counts. With the keys of problems
as arguments, only those are measured.
"""

import os
import sys
import time
from collections.abc import Callable, Sequence

from rh_kernel.arrays.backend import Backend
from rh_kernel.arrays.native.toolchain import Missing
from rh_kernel.arrays.numpy_backend.backend import NumPy
from rh_kernel.arrays.prebuilt import Prebuilt
from rh_kernel.arrays.prebuilt.library import Library, library
from tests.benchmarks.peers.ours import StepByStep, native
from tests.benchmarks.peers.peer import Precision, Unavailable
from tests.benchmarks.problems import Problem, problem

KEYS = (
    *("chain-10x8/b1", "chain-100x8/b1", "chain-1000x8/b1", "mlp-16-32-8/b1", "mlp-16-32-8/b32"),
    *("mlp-784-128-10/b1", "mlp-784-128-10/b32", "res-16x64/b1", "res-16x64/b32"),
    *("cnn-128/b1", "cnn-128/b32", "unet-134/b32", "lenet-28/b32"),
)
PRECISIONS: tuple[Precision, ...] = ("float64", "float32")
TURNS = 12
SECONDS = 0.02
"""How long a turn of a back end takes, about."""


def best(steppers: Sequence[StepByStep]) -> list[float]:
    """The least seconds per step of each, over turns that are taken one after the other."""
    counts, found = [1] * len(steppers), [float("inf")] * len(steppers)
    for _ in range(TURNS):
        for i, stepper in enumerate(steppers):
            start = time.perf_counter()
            stepper.run(counts[i])
            taken = (time.perf_counter() - start) / counts[i]
            found[i] = min(found[i], taken)
            counts[i] = max(1, round(SECONDS / taken))
    return found


def row(subject: Problem, precision: Precision, makers: Sequence[Callable[[], Backend]]) -> str:
    """The times of a problem in µs, and how many times as fast as NumPy each back end is."""
    times = best([StepByStep(subject, subject.arrays(), precision, make) for make in makers])
    shown = [f"{1e6 * seconds:.1f}" for seconds in times]
    ratios = [f"{times[0] / seconds:.1f}" for seconds in times[1:]]
    return f"| {subject.key} | {precision} | {' | '.join([*shown, *ratios])} |"


def main(keys: Sequence[str]) -> None:
    """Print the table."""
    found = library()
    if isinstance(found, Missing):
        sys.exit(f"{found.reason}: `python -m rh_kernel.arrays.prebuilt.build` makes it")
    assert isinstance(found, Library)
    makers: list[Callable[[], Backend]] = [NumPy, Prebuilt]
    try:
        native()
        makers.append(native)
    except Unavailable as reason:
        print(f"without compiled C: {reason}")
    names = ["NumPy", "prebuilt", "compiled"][: len(makers)]
    print(f"{os.cpu_count()} processors, level {found.level.name}; µs a step, and times as fast as NumPy")
    print(f"| problem | precision | {' | '.join([*names, *[f'{name} ×' for name in names[1:]]])} |")
    print("|---|---|" + "---:|" * (2 * len(names) - 1))
    for key in keys or KEYS:
        for precision in PRECISIONS:
            print(row(problem(key), precision, makers), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
