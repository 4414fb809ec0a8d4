"""A class that works through a lesson on one server, and what that takes."""

from __future__ import annotations

import asyncio
import os
import statistics
from collections.abc import Sequence
from contextlib import AsyncExitStack
from random import Random

from tornado.httpclient import AsyncHTTPClient

from lessons.press.editions import solved
from lessons.press.texts import EXERCISE, FAILS, Lesson, tags
from lessons.reference.sizing import Point
from tests.load.server import Server, megabytes, serving
from tests.load.student import Student, attending

Cells = Sequence[tuple[str, bool]]
"""Texts of cells, and whether each is meant to fail."""


def cells_of(lesson: Lesson) -> Cells:
    """The cells of a lesson with its solutions."""
    code = [cell for cell in lesson.notebook().cells if cell.cell_type == "code"]
    return [(solved(cell.source) if EXERCISE in tags(cell) else cell.source, FAILS in tags(cell)) for cell in code]


def measured(students: int, cells: Cells, think: float, seed: int, *, preloaded: bool) -> Point:
    """What a class of that size takes. Raises ``AssertionError`` if a cell of the lesson fails that should not."""
    load = os.getloadavg()[0]
    with serving(preloaded=preloaded) as server:
        return asyncio.run(_measured(server, students, cells, think, seed, load, preloaded=preloaded))


async def _measured(
    server: Server, students: int, cells: Cells, think: float, seed: int, load: float, *, preloaded: bool
) -> Point:
    AsyncHTTPClient.configure(None, max_clients=students)
    randoms = [Random(f"{seed} {number}") for number in range(students)]
    async with AsyncExitStack() as stack:
        before = server.processor()
        entered = [stack.enter_async_context(attending(server.url, f"student-{number}")) for number in range(students)]
        present: list[Student] = await asyncio.gather(*entered)
        started = server.processor()
        idle = _mean_of_kernels(server, students)
        texts = [text for text, _ in cells]
        await asyncio.gather(*[student.work(texts, think, random) for student, random in zip(present, randoms, strict=True)])
        worked = server.processor()
        preloader = server.preloader()
        meant = [text for text, fails in cells if fails]
        wrong = [student for student in present if student.failed != meant]
        assert not wrong, f"{len(wrong)} students saw other errors than the lesson has, such as {wrong[0].failed}"
        return Point(
            students,
            preloaded,
            think,
            _quantiles([student.start for student in present]),
            _quantiles([seconds for student in present for seconds in student.cells]),
            len(cells),
            round((worked - started) / students / len(cells), 4),
            round((started - before) / students, 3),
            round(idle, 1),
            round(_mean_of_kernels(server, students), 1),
            round(megabytes(server.process), 1),
            0.0 if preloader is None else round(megabytes(preloader), 1),
            round(load, 1),
        )


def _mean_of_kernels(server: Server, students: int) -> float:
    """The mean memory of the kernels, in MB."""
    kernels = server.kernels()
    assert len(kernels) == students, f"{len(kernels)} kernels for {students} students"
    return statistics.fmean(map(megabytes, kernels))


def _quantiles(values: Sequence[float]) -> Sequence[float]:
    """The median and the 95th percentile."""
    percentiles = statistics.quantiles(values, n=20, method="inclusive") if len(values) > 1 else [values[0]]
    return round(statistics.median(values), 3), round(percentiles[-1], 3)
