"""``python -m tests.load``: measure classes of several sizes on one Jupyter server, and write ``lessons/appendix/course/load.json``.

Six minutes on two cores that have nothing else to do. Linux only: memory is counted by the proportional share of pages.
"""

import argparse
import json
import os
from dataclasses import asdict
from datetime import UTC, datetime

from lessons.press.texts import lessons
from lessons.reference.sizing import FILE, Grading, Measured, Point, measured_of
from tests.benchmarks.machine import facts
from tests.load.classroom import cells_of, measured
from tests.load.submissions import graded

STUDENTS = "1,10,50"
PRELOADED = "1,10,50"
MEMORY = 6000.0
"""MB of the largest class."""
MOST = 150
"""The largest class in any case."""
THINK = 2.0
"""Seconds of thought before a cell: a tenth of what a student needs, so that a class of 50 is as busy as one of 500."""
LESSON = "04"
SUBMISSIONS = 500


def main() -> None:
    """Measure, print each row, and write the file after each."""
    arguments = _parser().parse_args()
    (lesson,) = lessons((arguments.lesson,))
    known = _known(lesson.name)
    cells = cells_of(arguments.lesson)
    points = {(point.students, point.preloaded): point for point in known.points}
    grading = {(row.submissions, row.jobs): row for row in known.grading}

    def keep() -> None:
        rows = [points[key] for key in sorted(points, key=lambda key: (key[1], key[0]))]
        _write(lesson.name, rows, [grading[key] for key in sorted(grading)])

    def measure(students: int, *, preloaded: bool) -> Point:
        point = measured(students, cells, arguments.think, arguments.seed, preloaded=preloaded)
        points[students, preloaded] = point
        print(point, flush=True)
        keep()
        return point

    for preloaded, sizes in ((False, arguments.students), (True, arguments.preloaded)):
        for students in sizes:
            last = measure(students, preloaded=preloaded)
            if not preloaded and students == max(sizes) and arguments.memory:
                fitting = int((arguments.memory - last.server) / last.kernel)
                if students < min(fitting, MOST):
                    measure(min(fitting, MOST), preloaded=False)
    for jobs in (1, os.cpu_count() or 1) if arguments.submissions else ():
        row = Grading(arguments.submissions, jobs, graded(lesson, arguments.submissions, jobs, arguments.seed))
        grading[row.submissions, row.jobs] = row
        print(row, flush=True)
        keep()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="What a class needs: memory, start-up time, latency, and time for grading.")
    parser.add_argument("--students", type=_numbers, default=_numbers(STUDENTS), help="sizes of classes, such as 1,10")
    parser.add_argument("--preloaded", type=_numbers, default=_numbers(PRELOADED), help="the same, with preloaded kernels")
    parser.add_argument("--memory", type=float, default=MEMORY, metavar="MB", help="also as many as fit into this; 0: not")
    parser.add_argument("--lesson", default=LESSON, help="how the name of the lesson begins")
    parser.add_argument("--think", type=float, default=THINK, metavar="SECONDS", help="mean time of thought before a cell")
    parser.add_argument("--submissions", type=int, default=SUBMISSIONS, help="how many are graded; 0: none")
    parser.add_argument("--seed", type=int, default=0, help="of the times of thought, and of the errors in submissions")
    return parser


def _numbers(words: str) -> list[int]:
    return [int(word) for word in words.split(",") if word]


def _known(lesson: str) -> Measured:
    """What the file says of this lesson."""
    if FILE.exists():
        found = measured_of(json.loads(FILE.read_text(encoding="utf-8")))
        if found.lesson == lesson:
            return found
    return Measured("", "", 0, lesson, (), ())


def _write(lesson: str, points: list[Point], grading: list[Grading]) -> None:
    machine = facts()
    about = {"date": f"{datetime.now(UTC):%Y-%m-%d}", "machine": machine["processor"], "cores": os.cpu_count(), "lesson": lesson}
    rows = {"points": [asdict(point) for point in points], "grading": [asdict(row) for row in grading]}
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(json.dumps({**about, **rows}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
