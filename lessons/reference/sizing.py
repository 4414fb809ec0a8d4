"""How large a server for a course has to be: what ``python -m tests.load`` has measured as tables, and what follows from it."""

import json
from collections.abc import Sequence
from functools import cache
from math import ceil
from typing import Any

from lessons.reference.markdown import table
from lessons.reference.running import ROOT
from rh_kernel.source.records import frozen

FILE = ROOT / "lessons" / "appendix" / "course" / "load.json"

SIZES = (10, 30, 100, 500)
"""The numbers of students for which the size of a server is computed."""

HUB = 113 + 59
"""JupyterHub 6.1 and configurable-http-proxy 5, in MB: measured once, with three users."""

OWN_SERVER = 103
"""The JupyterLab server that JupyterHub 6.1 starts for a student, with a kernel running, in MB: measured once."""

OWN_SERVER_STARTING = 2.0
"""Seconds of a processor until that server has started: measured once."""

START_WITHIN = 60.0
"""Seconds within which a whole class is to get its kernels, when all begin at once."""

BETWEEN_CELLS = 30.0
"""Seconds from one cell that a student runs to the next one, in a lesson."""

USE = 0.5
"""The part of the processors that a class may use on average, so that cells seldom wait for one another."""

GIGABYTE = 1000.0


@frozen
class Point:
    """A class at work on one Jupyter server: memory in MB, where shared pages count once, and times in seconds.

    ``start`` is from the request for a kernel to its first reply, when all students begin at once; ``cell`` from sending a cell
    to the end of its outputs, with ``think`` seconds of thought on average before each. Both are the median and the 95th
    percentile. ``processor`` is the time of all processors for a cell, with the server's part, and ``starting`` that for a
    start. ``kernel`` is the mean memory of a kernel after the lesson and ``idle`` before it; ``preloader`` is that of the
    process from which preloaded kernels are forked. ``load`` is the load average of the machine before.
    """

    students: int
    preloaded: bool
    think: float
    start: Sequence[float]
    cell: Sequence[float]
    cells: int
    processor: float
    starting: float
    idle: float
    kernel: float
    server: float
    preloader: float
    load: float

    @property
    def total(self) -> float:
        """All of the memory, in MB."""
        return self.server + self.preloader + self.students * self.kernel


@frozen
class Grading:
    """``rh grade`` of many submissions of a lesson: how many, on how many processes, and seconds by the clock."""

    submissions: int
    jobs: int
    seconds: float


@frozen
class Measured:
    """What the file has: when and on what it was measured, with which lesson, and the rows."""

    date: str
    machine: str
    cores: int
    lesson: str
    points: Sequence[Point]
    grading: Sequence[Grading]


@cache
def measured() -> Measured:
    """The content of the file."""
    return measured_of(json.loads(FILE.read_text(encoding="utf-8")))


def measured_of(found: dict[str, Any]) -> Measured:
    """The content of a file."""
    points, grading = [Point(**row) for row in found["points"]], [Grading(**row) for row in found["grading"]]
    return Measured(found["date"], found["machine"], found["cores"], found["lesson"], points, grading)


# -- what was measured ---------------------------------------------------------------------------------------------------------


def load_part() -> str:
    """The measured points."""
    found = measured()
    loads, thought = [point.load for point in found.points], [point.think for point in found.points]
    words = (
        f"Measured on {found.date} on {found.cores} cores ({found.machine}), with a load average of {min(loads):g} to",
        f"{max(loads):g} before, in lesson `{found.lesson}` with {_range(thought)} s of thought before each cell. Two numbers",
        "are the median and the 95th percentile; pages of memory that processes share count once.",
    )
    return f"{' '.join(words)}\n\n{_points(found.points)}"


def grading_part() -> str:
    """What was measured of ``rh grade``."""
    head = ("submissions", "`--jobs`", "time", "submissions a minute", "500 submissions")
    body = [
        (
            *(f"{row.submissions}", f"{row.jobs}", _seconds(row.seconds), f"{60 * row.submissions / row.seconds:,.0f}"),
            _seconds(row.seconds) if row.submissions == 500 else f"about {_seconds(500 * row.seconds / row.submissions)}",
        )
        for row in measured().grading
    ]
    return table(head, body)


def _points(points: Sequence[Point]) -> str:
    head = (
        *("students", "kernels", "start of a kernel", "a cell", "processor for a start", "for a cell"),
        *("a kernel, idle", "after the lesson", "server", "in all"),
    )
    rows = [
        (
            *(f"{p.students}", "preloaded" if p.preloaded else "as usual", _both(p.start), _both(p.cell)),
            *(_seconds(p.starting), _seconds(p.processor), _megabytes(p.idle), _megabytes(p.kernel)),
            *(_megabytes(p.server + p.preloader), _megabytes(p.total)),
        )
        for p in points
    ]
    return table(head, rows)


# -- what follows --------------------------------------------------------------------------------------------------------------


def sizing_part() -> str:
    """Memory and cores for a course, extrapolated from the largest class that was measured."""
    usual, preloaded = _largest(preloaded=False), _largest(preloaded=True)
    head = (
        *("students", "hub, a server for each", "two notebooks open each", "cores"),
        *("one server for all", "cores", "the same, preloaded", "cores"),
    )
    rows = [
        (
            f"{n}",
            _gigabytes(HUB + n * (OWN_SERVER + usual.kernel)),
            _gigabytes(HUB + n * (OWN_SERVER + 2 * usual.kernel)),
            _cores(n, usual, OWN_SERVER_STARTING),
            _gigabytes(usual.server + n * usual.kernel),
            _cores(n, usual),
            _gigabytes(preloaded.server + preloaded.preloader + n * preloaded.kernel),
            _cores(n, preloaded),
        )
        for n in SIZES
    ]
    return f"{table(head, rows)}\n\n{_assumptions(usual, preloaded)}"


def _assumptions(usual: Point, preloaded: Point) -> str:
    sentences = (
        f"Extrapolated, linearly, from {usual.students} students on one server, {preloaded.students} with preloaded kernels.",
        f"A kernel takes {_megabytes(usual.kernel)} after the lesson, preloaded {_megabytes(preloaded.kernel)} beside",
        f"{_megabytes(preloaded.preloader)} for all. Hub and proxy take {HUB} MB, a student's own server {OWN_SERVER} MB,",
        f"both measured with JupyterHub 6.1. Cores: all kernels start within {START_WITHIN:g} s, and",
        f"all servers of a hub, which take {OWN_SERVER_STARTING:g} s of a processor each; a cell every {BETWEEN_CELLS:g} s",
        f"from each student, {_seconds(usual.processor)} of a processor, keeps no more than {100 * USE:.0f} % of them busy.",
        "The operating system, long training runs and Python cells come on top.",
    )
    return " ".join(sentences)


def _largest(*, preloaded: bool) -> Point:
    return max([point for point in measured().points if point.preloaded == preloaded], key=lambda point: point.students)


def _cores(students: int, point: Point, server: float = 0.0) -> str:
    """How many cores a class needs, if each server that starts with a kernel takes ``server`` seconds of a processor."""
    busy, starting = point.processor / BETWEEN_CELLS / USE, (point.starting + server) / START_WITHIN
    return f"{max(1, ceil(students * max(busy, starting)))}"


def _range(values: Sequence[float]) -> str:
    """``1`` or ``0.5 to 1``"""
    low, high = min(values), max(values)
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"


def _both(pair: Sequence[float]) -> str:
    return f"{_seconds(pair[0])} · {_seconds(pair[1])}"


def _seconds(value: float) -> str:
    """Two digits, in ms, s or min."""
    if value >= 100:
        return f"{value / 60:.1f} min"
    if value >= 1:
        return f"{value:.1f} s" if value < 10 else f"{value:.0f} s"
    return f"{1000 * value:.0f} ms"


def _megabytes(value: float) -> str:
    return f"{value:,.0f} MB"


def _gigabytes(megabytes: float) -> str:
    value = megabytes / GIGABYTE
    return f"{value:.1f} GB" if value < 10 else f"{value:.0f} GB"
