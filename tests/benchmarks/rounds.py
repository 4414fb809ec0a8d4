"""One problem, all peers, in turns: each is compared with the reference first, then timed in interleaved rounds."""

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tests.benchmarks.peers.peer import Peer, Precision, Trainer, Unavailable, seconds
from tests.benchmarks.problems import Arrays, Floats, Problem
from tests.benchmarks.reference import STEPS, check, trained

FEW = 3
"""Rounds that everybody has."""

SAMPLE = 0.012
"""Seconds that one sample takes at least."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How long a comparison may take: rounds, and seconds after which nobody has more than ``FEW``"""

    rounds: int = 9
    budget: float = 20.0


QUICK = Pace(3)


@dataclass(slots=True)
class Row:
    """What is known of one peer: seconds a step in each round, and what came before; or why there is nothing"""

    peer: str
    why: str = ""
    error: float = 0.0
    build: float = 0.0
    samples: list[float] = field(default_factory=list[float])

    @property
    def median(self) -> float:
        """Seconds a step."""
        return statistics.median(self.samples) if self.samples else float("nan")

    @property
    def least(self) -> float:
        """Seconds of a step in the quickest round, which other programs on the machine disturb least."""
        return min(self.samples, default=float("nan"))


@dataclass(frozen=True, slots=True)
class Ready:
    """A peer that has built its trainer, or could not: its row, and what takes one more sample, in seconds a step"""

    row: Row
    sample: Callable[[], float] | None = None


def compare(problem: Problem, precision: Precision, peers: Sequence[Peer], pace: Pace) -> list[Row]:
    """A row for each peer, all in this process. Raises ``Disagreement`` if one of them computes something else."""
    arrays = problem.arrays()
    expected = trained(problem, arrays)
    return interleaved([ready(problem, precision, peer, arrays, expected) for peer in peers], pace)


def ready(problem: Problem, precision: Precision, peer: Peer, arrays: Arrays, expected: tuple[Floats, ...]) -> Ready:
    """Build a peer's trainer, and compare its weights with the expected ones. Raises ``Disagreement``."""
    row = Row(peer.name)
    began = time.perf_counter()
    try:
        trainer = peer.build(problem, arrays, precision)
    except Unavailable as missing:
        row.why = str(missing)
        return Ready(row)
    trainer.run(1)
    row.build = time.perf_counter() - began
    trainer.run(STEPS - 1)
    row.error = check(peer.name, precision, arrays, expected, trainer.weights())
    steps = _steps(trainer)
    return Ready(row, lambda: seconds(trainer, steps) / steps)


def interleaved(peers: Sequence[Ready], pace: Pace) -> list[Row]:
    """The rows of the peers, with samples that were taken in turns."""
    began = time.perf_counter()
    for turn in range(pace.rounds):
        for peer in peers:
            if peer.sample is not None and (turn < FEW or time.perf_counter() - began < pace.budget):
                peer.row.samples.append(peer.sample())
    return [peer.row for peer in peers]


def _steps(trainer: Trainer) -> int:
    """How many steps make a sample."""
    if hasattr(trainer, "seconds"):
        return 1
    steps = 1
    while True:
        taken = seconds(trainer, steps)
        if taken >= SAMPLE:
            return max(1, round(steps * SAMPLE / taken)) if steps > 1 else 1
        steps = max(2 * steps, min(16 * steps, int(1.2 * steps * SAMPLE / max(taken, 1e-9))))


def ratio(ours: Row, theirs: Row) -> float:
    """How many times as long as ours theirs takes: the median over the rounds of the ratios within a round."""
    return statistics.median([t / o for o, t in zip(ours.samples, theirs.samples, strict=False)])
