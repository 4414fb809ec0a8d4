"""The goals that are ratios of times of a step: who is measured against whom, on what, and by how much."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tests.benchmarks.peers import everyone as e
from tests.benchmarks.problems import ATTENTION, IMAGES, PROBLEMS, SEQUENCES
from tests.benchmarks.rounds import Row, ratio

Rows = Mapping[str, Row]
"""The rows of one problem at one precision, by peer."""

LARGE = tuple([p.key for p in PROBLEMS if p.key.startswith("mlp-784")])
TOY, SMALL = "mlp-2-3-1/b1", "mlp-16-32-8/b1"
CHAINS = tuple([p.key for p in PROBLEMS if p.workload == "W4"])
EVERY = tuple([p.key for p in PROBLEMS])
SHORTEST = 0.2e-6
"""Seconds of a step from which on the floor is compared by its ratio."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """A goal on one problem: what was wanted, what was measured (nothing if a peer is missing), and whether it is met"""

    goal: str
    key: str
    wanted: str
    measured: str = "–"
    met: bool | None = None


TORCH_NUMPY = {**dict.fromkeys(EVERY, 0.75), TOY: 5.0, **dict.fromkeys(CHAINS, 5.0), "unet-134/b1": 2.4}
TORCH_NATIVE = {
    **dict.fromkeys(LARGE, 1.5),
    **dict.fromkeys(CHAINS, 250.0),
    TOY: 350.0,
    SMALL: 100.0,
    "res-16x64/b1": 30.0,
    "cnn-128/b1": 25.0,
    "cnn-128/b32": 5.0,
    "unet-134/b1": 16.0,
    "unet-134/b32": 2.9,
}
JAX_NUMPY = {TOY: 1.0}
JAX_NATIVE = {
    **dict.fromkeys(LARGE, 1.0),
    **dict.fromkeys(CHAINS, 10.0),
    TOY: 50.0,
    SMALL: 25.0,
    "res-16x64/b1": 5.0,
    "cnn-128/b1": 5.0,
    "cnn-128/b32": 7.0,
    "unet-134/b1": 3.8,
    "unet-134/b32": 4.0,
}


SEQUENCE_GOALS = {
    "gru-100x64/b1": (((e.EAGER,), 30.0), ((e.LAYER,), 3.0), (e.JAX, 3.0)),
    "gru-100x64/b32": (((e.EAGER,), 1.5), ((e.LAYER,), 1.5), (e.JAX, 1.5)),
}
"""P15: who is compared with, and how many times as fast a step is to be."""
NAMES = {
    "P1": "a step beside the C floor",
    "P2": "a step beside PyTorch",
    "P3": "a step beside JAX",
    "P4": "a training run in one call",
    "P5": "the NumPy back end beside NumPy by hand",
    "P6": "from text to the first step",
    "P7": "import and memory",
    "P8": "digits to 95 %, the whole process",
    "P9": "the stepper",
    "P10": "a graphics card (`make bench-gpu`)",
    "P11": "the cheap gradient",
    "P12": "the front end",
    "P13": "LeNet-5",
    "P14": "a block of a transformer",
    "P15": "a GRU over sequences",
    "P16": "many processes and data that exceed memory (`--only sweep,cluster,sources`)",
    "P17": "how long the tests take (`make test` reports it)",
    "W1–W5": "behind no library, nor behind NumPy here, on any kind of machine",
}
"""What each goal is about."""


def outcomes(key: str, rows: Rows) -> Iterator[Outcome]:
    """The goals that are ratios of steps, on one problem."""
    yield from _slower("P4", key, rows, e.NATIVE_IN_ONE_CALL, e.JAX_IN_ONE_CALL, 1.2)
    if key in [p.key for p in IMAGES]:
        yield from _faster("P13 native", key, rows, e.NATIVE, (e.EAGER,), 4.0)
        yield from _faster("P13 native", key, rows, e.NATIVE, e.JAX, 2.0)
        return
    if key in [p.key for p in ATTENTION]:
        yield from _faster("P14 native", key, rows, e.NATIVE, (e.EAGER,), 5.0)
        yield from _faster("P14 native", key, rows, e.NATIVE, e.JAX, 2.0)
        return
    if key in [p.key for p in SEQUENCES]:
        for others, factor in SEQUENCE_GOALS.get(key, ()):
            yield from _faster("P15 native", key, rows, e.NATIVE, others, factor)
        return
    yield from _faster("W1–W5", key, rows, e.NATIVE, (*e.TORCH, *e.JAX), 1.0)
    yield from _faster("W1–W5", key, rows, e.NATIVE, (e.OURS,), 1.0)
    yield from _slower("P5", key, rows, e.OURS, (e.HAND,), 1.05)
    yield from _faster("P2", key, rows, e.OURS, e.TORCH, TORCH_NUMPY.get(key))
    yield from _faster("P3", key, rows, e.OURS, e.JAX, JAX_NUMPY.get(key))
    yield from _floor(key, rows)
    yield from _faster("P2 native", key, rows, e.NATIVE, e.TORCH, TORCH_NATIVE.get(key))
    yield from _faster("P3 native", key, rows, e.NATIVE, e.JAX, JAX_NATIVE.get(key))
    yield from _slower("P4", key, rows, e.NATIVE_IN_ONE_CALL, (e.FLOOR,), 1.05)


def best(rows: Rows, names: Sequence[str]) -> Row | None:
    """The fastest of these peers that there is."""
    there = [rows[name] for name in names if name in rows and rows[name].samples]
    return min(there, key=lambda row: row.median) if there else None


def quickest(rows: Rows, names: Sequence[str]) -> Row | None:
    """The one of these peers with the quickest round, of those that there are."""
    there = [rows[name] for name in names if name in rows and rows[name].samples]
    return min(there, key=lambda row: row.least) if there else None


def _faster(goal: str, key: str, rows: Rows, ours: str, others: Sequence[str], factor: float | None) -> Iterator[Outcome]:
    """At least ``factor`` times as fast as the best of the others."""
    if factor is None:
        return
    wanted = f"≥ {factor:g} × as fast as {' or '.join(dict.fromkeys([name.split()[0] for name in others]))}"
    mine, theirs = best(rows, (ours,)), best(rows, others)
    if mine is None or theirs is None:
        yield Outcome(goal, key, wanted)
    else:
        times = ratio(mine, theirs)
        yield Outcome(goal, key, wanted, f"{times:.3g} × {theirs.peer}", times >= factor)


def _slower(goal: str, key: str, rows: Rows, ours: str, others: Sequence[str], factor: float) -> Iterator[Outcome]:
    """At most ``factor`` times as long as the best of the others."""
    wanted = f"≤ {factor:g} × the time of {others[0]}"
    mine, theirs = best(rows, (ours,)), best(rows, others)
    if mine is None or theirs is None:
        yield Outcome(goal, key, wanted)
    else:
        times = 1 / ratio(mine, theirs)
        yield Outcome(goal, key, wanted, f"{times:.3g} × {theirs.peer}", times <= factor)


def _floor(key: str, rows: Rows) -> Iterator[Outcome]:
    """P1: a ratio, but for steps that are shorter than a call from Python."""
    floor, mine = best(rows, (e.FLOOR,)), best(rows, (e.NATIVE,))
    if floor is not None and floor.median < SHORTEST:
        wanted = "≤ C floor + 0.10 µs"
        if mine is None:
            yield Outcome("P1", key, wanted)
        else:
            more = 1e6 * (mine.median - floor.median)
            yield Outcome("P1", key, wanted, f"+ {more:.3f} µs", more <= 0.10)
    else:
        yield from _slower("P1", key, rows, e.NATIVE, (e.FLOOR,), 1.25)
