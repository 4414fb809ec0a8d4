"""What is measured of a step: a problem, at a precision, with so many threads, by an instruction set; and what was found."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from typing import Any

from rh_kernel.source.records import frozen
from tests.benchmarks.machine import instruction_sets
from tests.benchmarks.peers.everyone import chosen
from tests.benchmarks.peers.peer import Precision
from tests.benchmarks.process import Broken, alone, child
from tests.benchmarks.rounds import Pace, Ready, Row, interleaved


@frozen
class Case:
    """A problem by its key, and how its step is computed."""

    key: str
    precision: Precision = "float64"
    threads: int = 1
    instructions: str = instruction_sets()[-1]

    @property
    def at(self) -> str:
        """How it is computed, for a table."""
        return f"{self.precision}, {self.threads} thread{'s' * (self.threads > 1)}, {self.instructions}"


@frozen
class Measured:
    """The rows of the peers in one case."""

    case: Case
    rows: Sequence[Row]

    @property
    def by_peer(self) -> Mapping[str, Row]:
        """The rows by the names of their peers."""
        return {row.peer: row for row in self.rows}

    @property
    def record(self) -> dict[str, Any]:
        """What is written to the file of numbers."""
        return {**asdict(self.case), "rows": [asdict(row) for row in self.rows]}


def measure(cases: Sequence[Case], pace: Pace, peers: Sequence[str] = (), *, on_demand: bool = False) -> list[Measured]:
    """Time cases that differ in their problems alone. Raises ``Broken`` if it fails.

    With one thread all peers share a process. With more each has its own: the threads of one library go on spinning for a
    while after its work is done, and would take a core from the next one.
    """
    first = cases[0]
    print(f"{', '.join(case.key for case in cases)}, {first.at} …", file=sys.stderr, flush=True)
    if first.threads > 1:
        names = [peer.name for peer in chosen(tuple(peers), on_demand=on_demand)]
        return [Measured(case, _apart(case, pace, names)) for case in cases]
    words = (",".join(case.key for case in cases), first.precision, f"{pace.rounds}", f"{pace.budget}", f"{int(on_demand)}")
    told: list[list[dict[str, Any]]] = child("steps", *words, *peers, threads=1, instructions=_restriction(first))
    return [Measured(case, [Row(**row) for row in rows]) for case, rows in zip(cases, told, strict=True)]


def _restriction(case: Case) -> str | None:
    """What the processor has anyway needs no restriction."""
    return None if case.instructions == instruction_sets()[-1] else case.instructions


def _apart(case: Case, pace: Pace, names: Sequence[str]) -> list[Row]:
    """The rows of peers that have a process each, and take turns."""
    with ExitStack() as stack:
        peers: list[Ready] = []
        for name in names:
            process = alone(case.key, case.precision, name, threads=case.threads, instructions=_restriction(case))
            peer = stack.enter_context(process)
            row = Row(**peer.row)
            peers.append(Ready(row, None if row.why else peer.sample))
        return interleaved(peers, pace)


def measured_one_by_one(
    cases: Sequence[Case], pace: Pace, peers: Sequence[str], broken: list[str], *, on_demand: bool = False
) -> Iterator[Measured]:
    """Time each case in a process of its own; what fails is added to ``broken``."""
    for case in cases:
        try:
            yield from measure([case], pace, peers, on_demand=on_demand)
        except Broken as failure:
            broken.append(f"{case.key}, {case.at}: {failure}")
