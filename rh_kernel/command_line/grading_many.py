"""``rh grade`` of several notebooks: each in a process of its own, some at a time, and a line for each.

On Linux the processes are forked when everything has been imported, so that none of them has to start Python. What a notebook
does to its process, or a process that is killed, touches no other notebook.
"""

import csv
import json
import multiprocessing
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NoReturn

from rh_kernel.arrays.threads import cores, limit_threads
from rh_kernel.command_line.report import Report
from rh_kernel.source.records import frozen

Main = Callable[[Sequence[str]], int]
"""The command line: arguments to exit code."""

COLUMNS = ("file", "passed", "locked", "failed", "problem")


@frozen
class Grade:
    """What ``rh grade --json`` has said of a notebook, and the reason if it did not come to its end."""

    file: str
    records: Sequence[Mapping[str, Any]]
    problem: str

    @property
    def locked(self) -> Sequence[Mapping[str, Any]]:
        """The records of its locked cells."""
        return [record for record in self.records if record.get("kind") == "locked"]

    @property
    def passed(self) -> int:
        """The number of locked cells that pass."""
        return sum([record["passed"] for record in self.locked])

    @property
    def failed(self) -> Sequence[str]:
        """The names of those that do not pass, or their numbers if they have no name."""
        return [record["name"] or f"{record['cell']}" for record in self.locked if not record["passed"]]


def grade_all(
    files: Sequence[str], report: Report, main: Main, options: Sequence[str], jobs: int | None, seconds: float, *, as_csv: bool
) -> None:
    """Report on each notebook, in the order of ``files``, as soon as it and those before it are graded.

    ``jobs`` notebooks are graded at a time, as many as there are cores if it is None, with ``options`` of the command line.
    One that takes longer than ``seconds`` is ended; the verdicts until then count.
    """
    table = csv.writer(sys.stdout, lineterminator="\n")
    if as_csv:
        table.writerow(COLUMNS)
    passed = locked = 0
    for grade in _grades(files, main, options, jobs or cores(), seconds):
        passed, locked = passed + grade.passed, locked + len(grade.locked)
        report.failed = report.failed or grade.problem != "" or grade.passed < len(grade.locked)
        if as_csv:
            count = "" if grade.problem else len(grade.locked)
            table.writerow((grade.file, grade.passed, count, " ".join(grade.failed), grade.problem))
        elif report.as_json:
            for record in grade.records:
                report.record({"file": grade.file, **record})
            if grade.problem:
                report.record({"file": grade.file, "kind": "problem", "text": grade.problem})
        else:
            report.text(_line(grade))
        sys.stdout.flush()
    if not as_csv and not report.as_json:
        report.text(f"{passed:,} of {locked:,} locked cells pass in {len(files):,} notebooks")


def _line(grade: Grade) -> str:
    count = f"{grade.file}: {grade.passed} of {len(grade.locked)} locked cells pass"
    failed = f"; not {', '.join(grade.failed)}" if grade.failed else ""
    return f"{grade.file}: {grade.problem}" if not grade.locked else f"{count}{failed}{grade.problem and f'; {grade.problem}'}"


def _grades(files: Sequence[str], main: Main, options: Sequence[str], jobs: int, seconds: float) -> Iterator[Grade]:
    """The grades in the order of ``files``; at most ``jobs`` processes at a time."""
    # A forked process has what has been imported here; only on Linux are libraries prepared for that.
    context = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    import_module("rh_kernel.command_line.grading")
    running = dict[int, tuple[BaseProcess, float]]()
    done = dict[int, Grade]()
    following = 0
    with TemporaryDirectory() as name:
        folder = Path(name)
        try:
            for number in range(len(files)):
                while number not in done:
                    while following < len(files) and len(running) < jobs:
                        words = ("grade", "--json", *options, "--", files[following])
                        arguments = (main, words, folder / f"{following}", max(1, cores() // jobs))
                        process = context.Process(target=_grade_into, args=arguments)
                        process.start()
                        running[following] = process, time.monotonic() + seconds
                        following += 1
                    earliest = min([end for _, end in running.values()])
                    wait([process.sentinel for process, _ in running.values()], max(0, earliest - time.monotonic()))
                    for one, (process, end) in list(running.items()):
                        late = time.monotonic() >= end
                        if process.is_alive() and not late:
                            continue
                        process.kill()
                        process.join()
                        why = f"took longer than {seconds:g} s" if late else ""
                        done[one] = _read(files[one], folder / f"{one}", process, why)
                        del running[one]
                yield done.pop(number)
        finally:
            for process, _ in running.values():
                process.kill()
                process.join()


def _grade_into(main: Main, words: Sequence[str], place: Path, threads: int) -> NoReturn:
    """Grade a notebook in this process, which does nothing else; what it writes goes into two files."""
    limit_threads(threads)
    with (
        place.with_suffix(".out").open("w", buffering=1, encoding="utf-8") as out,
        place.with_suffix(".err").open("w", buffering=1, encoding="utf-8") as err,
    ):
        sys.stdout, sys.stderr = out, err
        raise SystemExit(main(words))


def _read(file: str, place: Path, process: BaseProcess, why: str) -> Grade:
    """The grade from what a process that has ended has written; the last line may be broken off."""
    texts = [path.read_text(encoding="utf-8") if path.exists() else "" for path in map(place.with_suffix, (".out", ".err"))]
    records = [json.loads(line) for line in texts[0][: texts[0].rfind("\n") + 1].splitlines()]
    errors = [record["message"] for record in records if record["kind"] == "error"]
    if not why and process.exitcode not in (0, 1):
        why = f"the process that graded it was ended by signal {-(process.exitcode or 0)}"
    elif not why and errors:
        why = " ".join(errors)
    elif not why and texts[1].strip():
        why = texts[1].strip().splitlines()[0]
    return Grade(file, [record for record in records if record["kind"] != "error"], why)
