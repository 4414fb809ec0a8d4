"""``make bench``: how fast this is, beside what others would take for the same.

``make bench ARGS="--only W1"``. The report goes to build/bench/bench.md, the numbers to build/bench/bench.json.
``make bench ARGS=--quick`` takes up to three minutes. It compares the ratios to other libraries with those in
lessons/reference/releases.json; the exit code is 1 if one has fallen by more than 15 %. ``--quick --update`` writes
that file, from three measurements.
"""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from dataclasses import asdict
from importlib import import_module
from io import StringIO
from typing import Any

from lessons.reference.publication import publication
from tests.benchmarks import gate, releases, whole
from tests.benchmarks.cases import Case, Measured, measured_one_by_one
from tests.benchmarks.goals import Outcome, outcomes
from tests.benchmarks.headlines import headlines
from tests.benchmarks.machine import facts, instruction_sets, not_here
from tests.benchmarks.peers import everyone as e
from tests.benchmarks.problems import GROWTH, MEASURED, PROBLEMS, Problem
from tests.benchmarks.process import PLACE, Broken
from tests.benchmarks.report import builds, by_name, goals, microseconds, table, times
from tests.benchmarks.rounds import Pace

FOLDER = PLACE / "build" / "bench"
BIG = 16
"""Samples of a batch from which on a second thread is worth it."""
METHOD = """\
Medians of interleaved rounds, of peers that agree. With one thread everything is kept to one core, and seconds are those of
that processor, so that what else runs there does not count; with more threads each peer has a process, which is stopped while
it is not its turn, and seconds are those of the clock, which mean something on a machine that does nothing else."""
COUNTED = ("first", "costs", "memory", "imports", "digits")
MODULES = ("sequences", "stepping", "front", "digits_to_95", "effects", "effects_mixtures")
"""Parts of the report that have a module, with ``measure``, ``table`` and maybe ``outcomes``."""
LONG = ("sweep", "cluster", "sources")
"""Such parts that are measured only if they are asked for, since they need a machine that does nothing else."""
PARTS = ("steps", "growth", *COUNTED, *MODULES, "promises")


def arguments() -> argparse.Namespace:
    """What to measure."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parts = f"{', '.join([*PARTS, *LONG])}"
    parser.add_argument(
        "--only", default="", help=f"workloads (W1 … W9), problems (unet-134/b1) or parts ({parts}), with commas"
    )
    parser.add_argument("--quick", action="store_true", help="compare ratios with the committed ones, and nothing else")
    parser.add_argument("--update", action="store_true", help="with --quick: commit to the ratios that are found")
    parser.add_argument("--compile", action="store_true", help="torch.compile too: minutes")
    parser.add_argument("--rounds", type=int, default=9, help="of each peer")
    parser.add_argument("--peers", default="", help=f"{', '.join(peer.name for peer in e.EVERYONE)}, with commas; or all")
    parser.add_argument("--precisions", default="float64,float32")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--instructions", default=",".join(instruction_sets()), help="those that this machine has")
    return parser.parse_args()


class Report:
    """What has been found so far; every section is printed as soon as it is there."""

    def __init__(self) -> None:
        self.sections: list[str] = []
        self.outcomes: list[tuple[str, Outcome]] = []
        self.broken: list[str] = []
        self.data: dict[str, object] = {"machine": facts()}
        lines = "\n".join(f"- {name}: {value}" for name, value in facts().items())
        self.add("# What was measured", f"{lines}\n\n{METHOD}")

    def add(self, head: str, text: str) -> None:
        """A section."""
        self.sections.append(f"{head}\n\n{text}\n")
        print(self.sections[-1], flush=True)

    def part(self, measure: Callable[[], whole.Part]) -> None:
        """A section with its goals and numbers, or what broke."""
        try:
            part = measure()
        except Broken as broken:
            self.broken.append(str(broken))
            return
        self.add(f"## {part.title}", part.text)
        self.outcomes += [("", outcome) for outcome in part.outcomes]
        self.data[part.title] = part.data

    def write(self) -> None:
        """The files, the goals last."""
        self.add("## Goals by name", by_name(outcome for _, outcome in self.outcomes))
        self.add("## Goals", goals(self.outcomes))
        if self.broken:
            self.add("## What broke", "\n\n".join(self.broken))
        self.data["goals"] = [{"at": where, **asdict(outcome)} for where, outcome in self.outcomes]
        FOLDER.mkdir(parents=True, exist_ok=True)
        (FOLDER / "bench.md").write_text("\n".join(self.sections), encoding="utf-8")
        (FOLDER / "bench.json").write_text(json.dumps(self.data, indent=1), encoding="utf-8")


def steps(report: Report, problems: Sequence[Problem], options: argparse.Namespace) -> None:
    """The times of a step: one table, each case measured in a process of its own."""
    cases = [
        Case(asked.key, precision, int(threads), instructions)
        for asked in problems
        for instructions in options.instructions.split(",")
        for precision in options.precisions.split(",")
        for threads in options.threads.split(",")
        if threads == "1" or asked.batch >= BIG or asked.key in options.only.split(",")
    ]
    found: list[Measured] = []
    peers = [name for name in options.peers.split(",") if name]
    try:
        for measured in measured_one_by_one(cases, Pace(options.rounds), peers, report.broken, on_demand=options.compile):
            found.append(measured)
            if measured.case.threads == 1:
                case = measured.case
                report.outcomes += [(case.at, outcome) for outcome in outcomes(case.key, measured.by_peer)]
    finally:
        # This takes an hour; an interrupt keeps what was measured so far.
        report.data["steps"] = [measured.record for measured in found]
        report.add("## A step", times(found, not_here()))
        report.add("### Built, and the first step done", builds(found))


def growth(report: Report, options: argparse.Namespace) -> None:
    """How the time of a step grows with layers and samples."""
    cases = [Case(asked.key) for asked in GROWTH]
    found = [*measured_one_by_one(cases, Pace(options.rounds), (e.OURS, e.NATIVE, e.HAND, e.FLOOR), report.broken)]
    names = list(dict.fromkeys(row.peer for measured in found for row in measured.rows if row.samples))
    report.data["growth"] = [measured.record for measured in found]
    report.add("## Growth: µs a layer and sample", table(["µs", *names], [_each(measured, names) for measured in found]))


def _each(measured: Measured, names: Sequence[str]) -> list[str]:
    asked = next(p for p in GROWTH if p.key == measured.case.key)
    each = len(asked.net.shapes) * asked.batch
    return [asked.key, *[microseconds(measured.by_peer[name].median / each) for name in names]]


def wanted(only: str) -> tuple[tuple[Problem, ...], set[str]]:
    """The problems and the parts that are asked for."""
    words = set(only.split(",")) - {""}
    problems = tuple([p for p in MEASURED if not words or {p.workload, p.key} & words or "steps" in words])
    parts = {part for part in (*PARTS, *LONG) if part in words} if words else set(PARTS)
    return problems, parts | ({"steps"} if problems else set()) | ({"digits"} if "W6" in words else set())


def run(report: Report, options: argparse.Namespace) -> None:
    """Everything that is asked for, in order."""
    problems, parts = wanted(options.only)
    if "steps" in parts:
        steps(report, problems, options)
    if "growth" in parts:
        growth(report, options)
    plain = [p for p in (problems or PROBLEMS) if p in PROBLEMS]
    keys = tuple([p.key for p in plain if p.batch == 1]) or whole.ORDINARY
    measured = {
        "first": lambda: whole.first_steps(keys),
        "costs": lambda: whole.costs(keys),
        "memory": lambda: whole.memory(tuple([p.key for p in plain])),
        "imports": lambda: whole.imports(options.rounds),
        "digits": lambda: whole.whole_digits(options.rounds),
    }
    for name in COUNTED:
        if name in parts:
            report.part(measured[name])
    for name in (*MODULES, *LONG):
        if name in parts:
            module = import_module(f"tests.benchmarks.{name}")
            report.part(lambda module=module, name=name: _of_others(name, module))
    if "promises" in parts:
        from tests.benchmarks.promises import promises

        with redirect_stdout(StringIO()) as said:
            promises()
        report.add("## Other promises", "\n".join(f"    {line}" for line in said.getvalue().splitlines()))


def _of_others(name: str, module: Any) -> whole.Part:
    """What a module measures that has ``measure`` and ``table``, and maybe ``outcomes``."""
    print(f"{name} …", file=sys.stderr, flush=True)
    rows = module.measure()
    outcomes = module.outcomes(rows) if hasattr(module, "outcomes") else []
    return whole.Part(name.replace("_", " ").capitalize(), module.table(rows), outcomes, rows)


def quick(*, update: bool) -> int:
    """Compare with the committed ratios, or commit to new ones; 1 if one has fallen."""
    machine = instruction_sets()[-1]
    committed = releases.committed(machine)
    kept: list[Measured] = []

    def timed(cases: Sequence[Case]) -> Sequence[Measured]:
        kept.extend(found := gate.timed(cases))
        return found

    if update:
        found = gate.lowest([gate.ratios(timed(gate.CASES)) for _ in range(gate.TRIES)])
        print(gate.told(found, committed))
        entry = {"machine": facts(), "ratios": releases.rounded(found), "headlines": headlines(kept, 3)}
        releases.update(publication().version, machine, entry)
        print(f"\nwritten to {releases.FILE.relative_to(PLACE)}; now: python -m lessons.reference")
        return 0
    found, fallen = gate.judged(gate.CASES, committed, timed)
    print(gate.told(found, committed))
    if not committed:
        print(f"\nNo ratios are committed for machines with {machine}: nothing was compared.")
    for each in fallen:
        print(f"\nSLOWER: {each}", file=sys.stderr)
    return int(bool(fallen))


def main() -> int:
    """The report; what was found is written even if something breaks. The number of things that broke."""
    options = arguments()
    if options.quick:
        return quick(update=options.update)
    report = Report()
    try:
        run(report, options)
    finally:
        report.write()
    return len(report.broken)


if __name__ == "__main__":
    sys.exit(main())
