"""``make bench``: how fast this is, beside what others would take for the same. Nothing here decides a test.

``make bench ARGS="--only W1 --quick"``. The report goes to build/bench/bench.md, the numbers to build/bench/bench.json.
"""

import argparse
import json
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import asdict
from importlib import import_module
from importlib.util import find_spec
from io import StringIO
from typing import Any

from tests.benchmarks import whole
from tests.benchmarks.goals import Outcome, outcomes
from tests.benchmarks.machine import facts
from tests.benchmarks.peers import everyone as e
from tests.benchmarks.problems import GROWTH, PROBLEMS, Problem
from tests.benchmarks.process import PLACE, Broken
from tests.benchmarks.report import builds, dict_of, goals, microseconds, table, times
from tests.benchmarks.rounds import Row

FOLDER = PLACE / "build" / "bench"
FEW = ("mlp-2-3-1/b1", "mlp-784-128-10/b32", "res-16x64/b1", "cnn-128/b32", "chain-100x8/b1", "unet-134/b1")
"""The problems of ``--quick``."""
BIG = ("mlp-784-512-10/b32", "mlp-784-512-10/b256", "res-16x64/b32")
"""The problems that are worth a second thread."""
METHOD = """\
Medians of interleaved rounds, of peers that agree. With one thread everything is kept to one core, and seconds are those of
that processor, so that what else runs there does not count; with more threads they are seconds of the clock."""
EFFECTS = ("effects", "effects_mixtures")
PARTS = ("steps", "growth", "first", "costs", "memory", "imports", "digits", "stepping", "front", "promises", *EFFECTS)


def arguments() -> argparse.Namespace:
    """What to measure."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("--only", default="", help="workloads (W1 … W6), problems (unet-134/b1) or parts, with commas")
    parser.add_argument("--quick", action="store_true", help="fewer problems, float64, one thread, few rounds")
    parser.add_argument("--compile", action="store_true", help="torch.compile too: minutes")
    parser.add_argument("--precisions", default="float64,float32")
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
        self.add("## Goals", goals(self.outcomes))
        if self.broken:
            self.add("## What broke", "\n\n".join(self.broken))
        self.data["goals"] = [{"at": where, **asdict(outcome)} for where, outcome in self.outcomes]
        FOLDER.mkdir(parents=True, exist_ok=True)
        (FOLDER / "bench.md").write_text("\n".join(self.sections), encoding="utf-8")
        (FOLDER / "bench.json").write_text(json.dumps(self.data, indent=1), encoding="utf-8")


def steps(
    report: Report,
    title: str,
    problems: tuple[Problem, ...],
    precision: str,
    threads: int,
    options: argparse.Namespace,
    *peers: str,
) -> dict[str, list[Row]]:
    """The times of a step, each problem in a process of its own."""
    found: dict[str, list[Row]] = {}
    where = f"{precision}, {threads} thread{'s' * (threads > 1)}"
    for asked in problems:
        pace = "quick" if options.quick else "full"
        print(f"{asked.key}, {where} …", file=sys.stderr, flush=True)
        compiled = "1" if options.compile else "0"
        try:
            said = whole.child("steps", asked.key, precision, str(threads), pace, compiled, *peers, threads=threads)
        except Broken as broken:
            report.broken.append(f"{asked.key}, {where}: {broken}")
            continue
        found[asked.key] = [Row(**row) for row in said["rows"]]
        if threads == 1 and not peers:
            report.outcomes += [(precision, outcome) for outcome in outcomes(asked.key, dict_of(found[asked.key]))]
    report.data[f"{title}, {where}"] = {key: [asdict(row) for row in rows] for key, rows in found.items()}
    if found:
        report.add(f"## {title}, {where}", times(found))
    return found


def growth(report: Report, options: argparse.Namespace) -> None:
    """How the time of a step grows with layers and samples."""
    peers = (e.OURS, e.NATIVE, e.HAND, e.FLOOR)
    problems = tuple([p for p in GROWTH if not options.quick or len(p.net.shapes) < 1000])
    found = steps(report, "Growth", problems, "float64", 1, options, *peers)
    names = list(dict.fromkeys(row.peer for rows in found.values() for row in rows if row.samples))
    body: list[list[str]] = []
    for asked in [p for p in problems if p.key in found]:
        of = dict_of(found[asked.key])
        each = len(asked.net.shapes) * asked.batch
        body.append([asked.key, *[microseconds(of[name].median / each) for name in names]])
    report.add("### Layer by layer, sample by sample", table(["µs a layer and sample", *names], body))


def wanted(options: argparse.Namespace) -> tuple[tuple[Problem, ...], set[str]]:
    """The problems and the parts that are asked for."""
    only = set(options.only.split(",")) - {""}
    problems = tuple([p for p in PROBLEMS if not only or {p.workload, p.key} & only or "steps" in only])
    if options.quick and not only & {p.key for p in PROBLEMS}:
        problems = tuple([p for p in problems if p.key in FEW or only])
    parts = {part for part in PARTS if part in only} if only else set(PARTS)
    return problems, parts | ({"steps"} if problems else set()) | ({"digits"} if "W6" in only else set())


def run(report: Report, options: argparse.Namespace) -> None:
    """Everything that is asked for, in order."""
    problems, parts = wanted(options)
    quick = options.quick
    if "steps" in parts:
        for precision in ("float64",) if quick else options.precisions.split(","):
            found = steps(report, "A step", problems, precision, 1, options)
            report.add("### Built, and the first step done", builds(found))
        if not quick and not options.only:
            steps(report, "A step", tuple([p for p in problems if p.key in BIG]), "float64", 2, options)
    if "growth" in parts:
        growth(report, options)
    keys = tuple([p.key for p in problems if p.batch == 1]) or whole.ORDINARY
    measured = {
        "first": lambda: whole.first_steps(keys),
        "costs": lambda: whole.costs(keys),
        "memory": lambda: whole.memory(tuple([p.key for p in (problems or PROBLEMS)])),
        "imports": lambda: whole.imports(3 if quick else 7),
        "digits": lambda: whole.whole_digits(3 if quick else 7),
    }
    for name, measure in measured.items():
        if name in parts:
            report.part(measure)
    for name in ("stepping", "front", *EFFECTS):
        if name in parts and not quick and find_spec(f"tests.benchmarks.{name}"):
            module = import_module(f"tests.benchmarks.{name}")
            report.part(lambda module=module, name=name: _of_others(name, module))
    if "promises" in parts and not quick:
        from tests.benchmarks.promises import promises

        with redirect_stdout(StringIO()) as said:
            promises()
        report.add("## Other promises", "\n".join(f"    {line}" for line in said.getvalue().splitlines()))


def _of_others(name: str, module: Any) -> whole.Part:
    """What a module measures that has ``measure`` and ``table``, and maybe ``outcomes``."""
    rows = module.measure()
    outcomes = module.outcomes(rows) if hasattr(module, "outcomes") else []
    return whole.Part(name.replace("_", ": ").capitalize(), module.table(rows), outcomes, rows)


def main() -> int:
    """The report; what was found is written even if something breaks. The number of things that broke."""
    options = arguments()
    report = Report()
    try:
        run(report, options)
    finally:
        report.write()
    return len(report.broken)


if __name__ == "__main__":
    sys.exit(main())
