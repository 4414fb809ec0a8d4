"""``make bench ARGS=--quick``: is anything slower beside other libraries than it was when the ratios were committed?

A ratio is the time of a library over ours, each that of its quickest round, in one process and in turns. One that is more than
15 % below the committed one is measured again, twice if need be, and counts only if it never comes out higher.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby

from rh_kernel.source.records import frozen
from tests.benchmarks.cases import Case, Measured, measure
from tests.benchmarks.goals import quickest
from tests.benchmarks.peers import everyone as e
from tests.benchmarks.report import table
from tests.benchmarks.rounds import Pace

LEAST = 0.85
"""The part of a committed ratio below which a ratio has fallen."""

TRIES = 3
"""How often a ratio is measured before it is believed to have fallen."""

PACE = Pace(9, 3.0)
PEERS = (e.OURS, e.NATIVE, e.TUNED, e.LAYER, *e.JAX)
KEYS = (
    *("mlp-2-3-1/b1", "mlp-784-128-10/b32", "res-16x64/b1", "cnn-128/b32", "chain-100x8/b1", "unet-134/b1"),
    *("lenet-28/b32", "block-32x32/b16", "gru-100x64/b1", "gru-100x64/b32"),
)
CASES = tuple([Case(key, precision) for precision in ("float64", "float32") for key in KEYS])

PYTORCH, JAX, INTERPRETED = "PyTorch", "JAX", "PyTorch (NumPy back end)"

Ratios = Mapping[str, Mapping[str, float]]
"""By workload, as ``lenet-28/b32 float64``, and by what it is compared with."""


@frozen
class Fallen:
    """A ratio that is too far below the committed one."""

    workload: str
    peer: str
    ratio: float
    committed: float

    def __str__(self) -> str:
        part = 1 - self.ratio / self.committed
        return f"{self.workload} ÷ {self.peer}: {self.ratio:.3g}, committed {self.committed:.3g}, {100 * part:.0f} % less"


def ratios(found: Sequence[Measured]) -> dict[str, dict[str, float]]:
    """How many times as long as ours others take; those who could not be measured are left out."""
    told: dict[str, dict[str, float]] = {}
    for measured in found:
        rows = measured.by_peer
        pairs = {PYTORCH: (e.NATIVE, e.TORCH), JAX: (e.NATIVE, e.JAX), INTERPRETED: (e.OURS, e.TORCH)}
        line = told.setdefault(f"{measured.case.key} {measured.case.precision}", {})
        for name, (ours, others) in pairs.items():
            mine, theirs = quickest(rows, (ours,)), quickest(rows, others)
            if mine is not None and theirs is not None:
                line[name] = theirs.least / mine.least
    return told


def fallen(found: Ratios, committed: Ratios) -> list[Fallen]:
    """The ratios below ``LEAST`` of the committed ones; those on one side only are left out."""
    return [
        Fallen(workload, peer, ratio, committed[workload][peer])
        for workload, line in found.items()
        for peer, ratio in line.items()
        if peer in committed.get(workload, {}) and ratio < LEAST * committed[workload][peer]
    ]


def best(left: Ratios, right: Ratios) -> dict[str, dict[str, float]]:
    """The higher of two ratios, or the only one."""
    found = {workload: dict(line) for workload, line in left.items()}
    for workload, line in right.items():
        mine = found.setdefault(workload, {})
        for peer, ratio in line.items():
            mine[peer] = max(ratio, mine.get(peer, ratio))
    return found


def lowest(runs: Sequence[Ratios]) -> dict[str, dict[str, float]]:
    """The lowest of each ratio over several runs, which is what is committed: a lucky one would be missed for ever."""
    every: dict[str, dict[str, list[float]]] = {}
    for run in runs:
        for workload, line in run.items():
            for peer, ratio in line.items():
                every.setdefault(workload, {}).setdefault(peer, []).append(ratio)
    return {workload: {peer: min(found) for peer, found in line.items()} for workload, line in every.items()}


def judged(
    cases: Sequence[Case], committed: Ratios, timed: Callable[[Sequence[Case]], Sequence[Measured]]
) -> tuple[dict[str, dict[str, float]], list[Fallen]]:
    """The ratios of the cases, and those that have fallen however often they were measured."""
    found = ratios(timed(cases))
    for _ in range(TRIES - 1):
        suspects = {each.workload for each in fallen(found, committed)}
        again = [case for case in cases if f"{case.key} {case.precision}" in suspects]
        if not again:
            break
        found = best(found, ratios(timed(again)))
    return found, fallen(found, committed)


def timed(cases: Sequence[Case]) -> list[Measured]:
    """Time the cases, one process for each precision. Raises ``Broken`` if one fails."""
    groups = [[*group] for _, group in groupby(cases, key=lambda case: case.precision)]
    return [measured for group in groups for measured in measure(group, PACE, PEERS)]


def told(found: Ratios, committed: Ratios) -> str:
    """All ratios beside the committed ones, and which of these could not be measured."""
    body = [
        [workload, peer, f"{ratio:.3g}", f"{was:.3g}" if was else "–", f"{100 * (ratio / was - 1):+.0f} %" if was else "new"]
        for workload, line in found.items()
        for peer, ratio in line.items()
        for was in [committed.get(workload, {}).get(peer)]
    ]
    silent = [f"{w} ÷ {peer}" for w, line in committed.items() for peer in line if peer not in found.get(w, {})]
    text = table(["times as fast", "as", "now", "committed", "change"], body)
    return f"{text}\n\nNot measured: {', '.join(silent)}." if silent else text
