"""``python -m tests.load``: measure classes of several sizes on one Jupyter server; ``--grade 500``: measure ``rh grade``.

Either writes what it has measured into ``lessons/appendix/course/load.json``, from which ``python -m lessons.reference`` makes
the tables of the page about courses. The classes take less than six minutes on two cores that have nothing else to do. Linux
only.
"""

import argparse
import json
import os
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TypeVar

from lessons.press.texts import Lesson, lessons
from lessons.reference.sizing import FILE, Grading, Measured, Point, measured_of
from tests.benchmarks.machine import facts
from tests.load.classroom import cells_of, measured
from tests.load.submissions import graded

STUDENTS = "1,10,50"
PRELOADED = "1,50"
"""The sizes of classes whose kernels are started as usual, and of those whose kernels are preloaded."""
MEMORY = 6000.0
"""MB of one more class of the first kind: as many students as fit into it."""
MOST = 100
"""The largest class in any case."""
THINK = 1.0
"""Seconds of thought before a cell, a thirtieth of what a student takes: a class of 50 is as busy as one of 1,500."""
LESSON = "04"


def main() -> None:
    """Measure, print each row, and write the file after each."""
    arguments = _parser().parse_args()
    (lesson,) = lessons((arguments.lesson,))
    if arguments.grade:
        for jobs in (1, os.cpu_count() or 1):
            _keep(lesson, Grading(arguments.grade, jobs, graded(lesson, arguments.grade, jobs, arguments.seed)))
        return
    cells = cells_of(lesson)

    def measure(students: int, *, preloaded: bool) -> Point:
        return _keep(lesson, measured(students, cells, arguments.think, arguments.seed, preloaded=preloaded))

    for students in arguments.students:
        last = measure(students, preloaded=False)
        most = min(MOST, int((arguments.memory - last.server) / last.kernel))
        if students == max(arguments.students) < most:
            measure(most, preloaded=False)
    for students in arguments.preloaded:
        measure(students, preloaded=True)


Row = TypeVar("Row", Point, Grading)


def _keep(lesson: Lesson, row: Row) -> Row:
    """Print a row, and put it into the file, in the place of an earlier one of its kind; rows of another lesson are dropped."""
    print(row, flush=True)
    known = measured_of(json.loads(FILE.read_text(encoding="utf-8"))) if FILE.exists() else None
    if known is None or known.lesson != lesson.name:
        known = Measured("", "", 0, lesson.name, (), ())
    points = {(point.preloaded, point.students): point for point in known.points}
    grading = {(other.submissions, other.jobs): other for other in known.grading}
    if isinstance(row, Point):
        points[row.preloaded, row.students] = row
    else:
        grading[row.submissions, row.jobs] = row
    found = Measured(
        f"{datetime.now(UTC):%Y-%m-%d}",
        facts()["processor"],
        os.cpu_count() or 1,
        lesson.name,
        [points[key] for key in sorted(points)],
        [grading[key] for key in sorted(grading)],
    )
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(json.dumps(asdict(found), indent=1) + "\n", encoding="utf-8")
    return row


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="What a class needs: memory, start-up time, latency, and time for grading.")
    parser.add_argument("--students", type=_numbers, default=_numbers(STUDENTS), help="sizes of classes, such as 1,10")
    parser.add_argument("--preloaded", type=_numbers, default=_numbers(PRELOADED), help="the same, with preloaded kernels")
    parser.add_argument("--memory", type=float, default=MEMORY, metavar="MB", help="also as many as fit into this; 0: not")
    parser.add_argument("--lesson", default=LESSON, help="how the name of the lesson begins")
    parser.add_argument("--think", type=float, default=THINK, metavar="SECONDS", help="mean time of thought before a cell")
    parser.add_argument("--grade", type=int, default=0, metavar="N", help="instead: grade so many submissions")
    parser.add_argument("--seed", type=int, default=0, help="of the times of thought, and of the errors in submissions")
    return parser


def _numbers(words: str) -> list[int]:
    return [int(word) for word in words.split(",") if word]


if __name__ == "__main__":
    main()
