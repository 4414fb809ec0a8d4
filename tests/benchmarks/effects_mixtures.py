"""The gradient of Gaussian mixtures by effects and handlers beside other libraries (Sigal 2024, §6.3, Fig. 6.6 and 6.7).

``python -m tests.benchmarks.effects_mixtures D K N [ROUNDS [SECONDS]]`` measures one size in this process and prints one line
of JSON; ``measure`` has a process for each size.
"""

import json
import sys
import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from tests.benchmarks.effects_gmm import drawn, gradient
from tests.benchmarks.effects_gmm_peers import EVERYONE, OURS, TOLERANCE, TORCH, Run
from tests.benchmarks.goals import Outcome
from tests.benchmarks.peers.peer import Unavailable, clock
from tests.benchmarks.process import Broken, python
from tests.benchmarks.report import table as markdown
from tests.benchmarks.rounds import FEW, Row, ratio

DIMENSIONS = (2, 10, 20, 32, 64)
COMPONENTS = (5, 10, 25, 50, 100, 200)
MANY = ((2, 5), (10, 25), (32, 25))
SIZES = (*((d, k, 1000) for d in DIMENSIONS for k in COMPONENTS), *((d, k, 10_000) for d, k in MANY))
"""Dimensions, components and points: those of ADBench that take seconds and not minutes."""
SLOWEST = 0.3
"""How fast it is at least in proportion to PyTorch: set below what was measured first, so that a step back is seen."""
PAGES = """\
Where one tensor (N·K·D numbers) has 50 MB and more, most of the seconds of eager programs can be the system's, for fresh
memory; they vary several times over from run to run."""


def compare(d: int, k: int, n: int, rounds: int = 9, budget: float = 20.0) -> list[Row]:
    """A row for each peer; ``error`` is how far it is from the gradient by hand, in proportion to the largest entry."""
    mixture = drawn(d, k, n)
    expected = gradient(mixture)
    rows: list[Row] = []
    ready: list[tuple[Row, Run, int]] = []
    for name, peer in EVERYONE.items():
        row = Row(name)
        rows.append(row)
        began = time.perf_counter()
        try:
            run = peer(mixture)
        except Unavailable as missing:
            row.why = str(missing)
            continue
        found = run()
        row.build = time.perf_counter() - began
        row.error = max(float(np.abs(a - b).max() / np.abs(b).max()) for a, b in zip(found, expected, strict=True) if b.size)
        if not row.error < TOLERANCE.get(name, 1e-10):
            raise Broken(f"{name} is wrong by {row.error:.1e} at D = {d}, K = {k}, N = {n}")
        began = clock()
        run()
        ready.append((row, run, max(1, int(0.012 / max(clock() - began, 1e-6)))))
    began = time.perf_counter()
    for turn in range(rounds):
        for row, run, times in ready:
            if turn < FEW or time.perf_counter() - began < budget:
                row.samples.append(_seconds(run, times))
    return rows


def _seconds(run: Run, times: int) -> float:
    began = clock()
    for _ in range(times):
        run()
    return (clock() - began) / times


def measure(sizes: Iterable[tuple[int, int, int]] = SIZES, rounds: int = 9, budget: float = 20.0) -> list[dict[str, Any]]:
    """A line for each size, measured in a process of its own, on one thread."""
    found: list[dict[str, Any]] = []
    for d, k, n in sizes:
        print(f"mixtures, D = {d}, K = {k}, N = {n:,} …", file=sys.stderr, flush=True)
        words = ("-m", "tests.benchmarks.effects_mixtures", str(d), str(k), str(n), str(rounds), str(budget))
        found.append(json.loads(python(*words, timeout=1200).output))
    return found


def table(lines: list[dict[str, Any]]) -> str:
    """Milliseconds a gradient by size and peer, and how ours compares with the eager peers."""
    of = [{row["peer"]: Row(**row) for row in line["rows"]} for line in lines]
    names = list(dict.fromkeys(name for rows in of for name, row in rows.items() if row.samples))
    head = ["median ms a gradient: D, K, N", "variables", *names, "PyTorch ÷ ours"]
    body = [
        [
            f"{line['d']}, {line['k']}, {line['n']:,}",
            f"{line['variables']:,}",
            *[_milliseconds(rows, name) for name in names],
            _against(rows),
        ]
        for line, rows in zip(lines, of, strict=True)
    ]
    return f"{PAGES}\n\n{markdown(head, body)}"


def outcomes(lines: list[dict[str, Any]]) -> list[Outcome]:
    """Nowhere far behind the other system that is defined by running."""
    found: list[Outcome] = []
    for line in lines:
        rows = {row["peer"]: Row(**row) for row in line["rows"]}
        wanted, key = f"≥ {SLOWEST:g} × as fast as {TORCH}", f"D = {line['d']}, K = {line['k']}, N = {line['n']:,}"
        ours, theirs = rows.get(OURS), rows.get(TORCH)
        if ours and theirs and ours.samples and theirs.samples:
            measured = ratio(ours, theirs)
            found.append(Outcome("mixtures", key, wanted, f"{measured:.2f} ×", measured >= SLOWEST))
        else:
            found.append(Outcome("mixtures", key, wanted))
    return found


def _milliseconds(rows: Mapping[str, Row], name: str) -> str:
    row = rows.get(name)
    return f"{1000 * row.median:.3g}" if row and row.samples else "–"


def _against(rows: Mapping[str, Row]) -> str:
    ours, theirs = rows.get(OURS), rows.get(TORCH)
    return f"{ratio(ours, theirs):.2f}" if ours and theirs and theirs.samples else "–"


def main(d: int, k: int, n: int, rounds: int = 9, budget: float = 20.0) -> None:
    """One size, in this process."""
    rows = compare(d, k, n, rounds, budget)
    print(json.dumps({"d": d, "k": k, "n": n, "variables": drawn(d, k, 1).count, "rows": [asdict(row) for row in rows]}))


if __name__ == "__main__":
    sizes = [int(word) for word in sys.argv[1:5]]
    main(*sizes, *[float(word) for word in sys.argv[5:6]])
