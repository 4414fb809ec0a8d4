"""How the differentiators by effects and handlers grow with a program (Sigal 2024, §6.1 and §6.2): times, counts, and memory.

The program is ``taylor n``: 1/x as a series about 1, at 0.5, of 5·n + 2 operations.
``python -m tests.benchmarks.effects WHAT …`` measures in this process and prints one line of JSON; ``measure`` has a process
for each mode.
"""

import json
import statistics
import sys
import tracemalloc
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rh_kernel.ad.eff.loading import checked, program
from rh_kernel.ad.eff.machine.compiler.program import Program
from rh_kernel.ad.eff.machine.running import run, run_in_slices
from rh_kernel.source.trampoline import exhaust
from tests.benchmarks.goals import Outcome
from tests.benchmarks.peers.peer import clock
from tests.benchmarks.process import python
from tests.benchmarks.report import table as markdown

MODES: Mapping[str, tuple[str, Callable[[int], int]]] = {
    "evaluate": ("handle taylor {} 0.5 with evaluate", lambda n: 5 * n + 2),
    "forward": ("handle d {{x -> taylor {} x}} 0.5 with evaluate", lambda n: 22 * n + 5),
    "stateful": ("handle grad {{x -> taylor {} x}} 0.5 with evaluate", lambda n: 30 * n + 6),
    "taped": ("handle dt {{x -> taylor {} x}} 0.5 with evaluate", lambda n: 26 * n - 1),
    "continuation": ("handle dc {{x -> taylor {} x}} 0.5 with evaluate", lambda n: 6 * n * n + 17 * n + 4),
}
"""The item that is run, by mode, and how many operations reach ``evaluate``."""
FILES = ("evaluate", "forward", "stateful", "taped", "continuation")

LINEAR = ("evaluate", "forward", "stateful", "taped")
RATIOS = {"forward": 4.76, "stateful": 8.54, "taped": 8.26}
"""Slopes over that of evaluation in OCaml, the best that the thesis has (Table 6.4)."""
SIZES, SMALL, LARGE = range(500, 5001, 500), range(20, 201, 20), range(20_000, 200_001, 20_000)
"""Of the linear modes, of the quadratic one, and up to a million operations of the program."""
WEIGHED = (2000, 4000, 8000)


def ran(mode: str) -> Callable[[int], None]:
    """What runs ``taylor n`` in a mode; what it has compiled is kept for the next time."""
    definitions, kept = program("taylor", *FILES), Program(program("taylor", *FILES))
    text, _ = MODES[mode]

    def run(n: int) -> None:
        exhaust(run_in_slices(checked(text.format(n), definitions).term, kept))

    return run


def times(mode: str, first: str, last: str, step: str, rounds: str) -> dict[str, Any]:
    """Seconds of each size, the median over interleaved rounds, and the operations that reached ``evaluate``."""
    go = ran(mode)
    sizes = range(int(first), int(last) + 1, int(step))
    samples: dict[int, list[float]] = {n: [] for n in sizes}
    go(sizes[0])
    for _ in range(int(rounds)):
        for n in sizes:
            began = clock()
            go(n)
            samples[n].append(clock() - began)
    return {"mode": mode, "sizes": list(sizes), "seconds": [statistics.median(samples[n]) for n in sizes]}


def counts(mode: str, *sizes: str) -> dict[str, Any]:
    """How many operations reached ``evaluate``, and how many should."""
    _, expected = MODES[mode]
    return {"mode": mode, "counts": [(int(n), counted(mode, int(n)), expected(int(n))) for n in sizes]}


def counted(mode: str, n: int) -> int:
    """The operations that reach ``evaluate``."""
    definitions = program("taylor", *FILES)
    text, _ = MODES[mode]
    found = run(checked(text.format(n), definitions).term, definitions, counting=True).counts
    return 0 if found is None else found.handled_by("evaluate")


def weights(mode: str) -> dict[str, Any]:
    """The most bytes of Python's objects at any time, by size."""
    go = ran(mode)
    go(10)
    found: list[int] = []
    for n in WEIGHED:
        tracemalloc.start()
        go(n)
        found.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    return {"mode": mode, "sizes": list(WEIGHED), "bytes": found}


def once(mode: str, n: str) -> dict[str, Any]:
    """One run, and the most memory of the process before and after it."""
    go = ran(mode)
    go(10)
    before = _most_bytes()
    began = clock()
    go(int(n))
    return {"mode": mode, "n": int(n), "seconds": clock() - began, "before": before, "after": _most_bytes()}


def _most_bytes() -> int:
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))


def fit(sizes: Sequence[float], seconds: Sequence[float], degree: int) -> tuple[float, float]:
    """R² of the best polynomial of that degree, and its slope if it is a line."""
    x, y = np.array(sizes, float), np.array(seconds)
    found = np.polyfit(x / x.max(), y, degree)
    rest = y - np.polyval(found, x / x.max())
    return 1 - float(rest @ rest / ((y - y.mean()) @ (y - y.mean()))), float(found[0] / x.max())


def measure() -> dict[str, list[dict[str, Any]]]:
    """All of it, mode by mode."""
    ranges = {**dict.fromkeys(LINEAR, SIZES), "continuation": SMALL}
    return {
        "times": [_child("times", mode, *_span(sizes), "7") for mode, sizes in ranges.items()],
        "long": [_child("times", mode, *_span(LARGE), "1") for mode in ("forward", "stateful")],
        "counts": [_child("counts", mode, *map(str, (1, 2, 10, 20, sizes[-1]))) for mode, sizes in ranges.items()],
        "weights": [_child("weights", mode) for mode in ("forward", "stateful")],
        "once": [_child("once", mode, str(LARGE[-1])) for mode in ("forward", "stateful")],
    }


def _span(sizes: range) -> tuple[str, str, str]:
    return str(sizes[0]), str(sizes[-1]), str(sizes.step)


def _child(*words: str) -> dict[str, Any]:
    print(f"effects, {' '.join(words)} …", file=sys.stderr, flush=True)
    return json.loads(python("-m", "tests.benchmarks.effects", *words, timeout=1800).output)


def table(rows: dict[str, list[dict[str, Any]]]) -> str:
    """The three tables."""
    base = fit(rows["times"][0]["sizes"], rows["times"][0]["seconds"], 1)[1]
    body: list[list[str]] = []
    for row in [*rows["times"], *rows["long"]]:
        mode, sizes, seconds = row["mode"], row["sizes"], row["seconds"]
        (line, slope), (parabola, _) = fit(sizes, seconds, 1), fit(sizes, seconds, 2)
        ratio = f"{slope / base:.2f}" if mode in LINEAR else "–"
        operations = MODES[mode][1](sizes[-1])
        body.append(
            [
                f"{mode}, n = {sizes[0]:,} … {sizes[-1]:,}",
                f"{line:.4f}",
                f"{parabola:.4f}",
                f"{1e6 * slope:.2f}",
                ratio,
                f"{RATIOS[mode]:.2f}" if mode in RATIOS else "–",
                f"{operations / seconds[-1]:,.0f}",
            ]
        )
    head = ["Taylor(n)", "R² of a line", "R² of a parabola", "µs an n", "÷ evaluate", "OCaml (thesis)", "operations/s"]
    exact = [[row["mode"], *_counted(row)] for row in rows["counts"]]
    memory = [_memory(weighed, long) for weighed, long in zip(rows["weights"], rows["once"], strict=True)]
    return "\n\n".join(
        [
            markdown(head, body),
            markdown(["operations that reach evaluate", "n", "counted", "expected"], exact),
            markdown(["a million operations of the program", "seconds", "MB predicted", "MB measured", "ratio"], memory),
        ]
    )


def _counted(row: dict[str, Any]) -> list[str]:
    """The last size; those before it only if they are wrong."""
    wrong = [entry for entry in row["counts"] if entry[1] != entry[2]]
    return [f"{number:,}" for number in (wrong or row["counts"])[-1]]


def _memory(weighed: dict[str, Any], long: dict[str, Any]) -> list[str]:
    predicted, measured = _predicted(weighed, long["n"]), long["after"] - long["before"]
    return [
        weighed["mode"],
        f"{long['seconds']:.1f}",
        f"{max(predicted, 0) / 1e6:.1f}",
        f"{measured / 1e6:.1f}",
        f"{measured / predicted:.2f}" if predicted >= 1e6 else "–",
    ]


def _predicted(weighed: dict[str, Any], n: int) -> float:
    """The bytes that a run of size n adds, by the line through smaller sizes."""
    slope, rest = np.polyfit(weighed["sizes"], weighed["bytes"], 1)
    return float(slope * n + rest)


def outcomes(rows: dict[str, list[dict[str, Any]]]) -> list[Outcome]:
    """Lines where the theory has lines, a parabola where it has one, exact counts, and memory as predicted."""
    found: list[Outcome] = []
    for row in [*rows["times"], *rows["long"]]:
        degree = 1 if row["mode"] in LINEAR else 2
        good, _ = fit(row["sizes"], row["seconds"], degree)
        key = f"{row['mode']}, n ≤ {row['sizes'][-1]:,}"
        found.append(Outcome("effects", key, f"R² of degree {degree} ≥ 0.99", f"{good:.4f}", good >= 0.99))
    for row in rows["counts"]:
        wrong = sum(a != b for _, a, b in row["counts"])
        found.append(Outcome("effects", row["mode"], "operations counted exactly", f"{wrong} wrong", wrong == 0))
    for weighed, long in zip(rows["weights"], rows["once"], strict=True):
        predicted, measured = _predicted(weighed, long["n"]), long["after"] - long["before"]
        most = max(1.25 * predicted, predicted + 8e6)
        key = f"{long['mode']}, n = {long['n']:,}"
        found.append(Outcome("effects", key, f"≤ {most / 1e6:.1f} MB", f"{measured / 1e6:.1f} MB", measured <= most))
    return found


if __name__ == "__main__":
    WHAT = {"times": times, "counts": counts, "weights": weights, "once": once}
    print(json.dumps(WHAT[sys.argv[1]](*sys.argv[2:])))
