"""The teacher of a course: hands out, collects, grades in parallel, and hands back, with the commands of nbgrader."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import nbformat

from tests.course.processes import Desk
from tests.course.submissions import LESSON, with_own_exercise
from tests.timing import load

ROOT = Path(__file__).parents[2]
COURSE = "rh101"
ASSIGNMENT = f"lesson-{LESSON}"

OF_ALL = """import os
c = get_config()
c.CourseDirectory.course_id = "{course}"
c.Exchange.root = "{exchange}"
# All servers have the same account, so the name of a student is that of the hub.
if "JUPYTERHUB_USER" in os.environ:
    c.CourseDirectory.student_id = os.environ["JUPYTERHUB_USER"]
"""
OF_TEACHER = """c = get_config()
c.Autograde.autograde_preprocessors.insert(1, "rh_kernel.exporters.grading.LockedCells")
c.Execute.timeout = {cell}
# Python that ignores the interrupt must not keep the locked cells from being graded.
c.Execute.raise_on_iopub_timeout = False
c.LockedCells.timeout = {notebook}
# Several processes write into the gradebook.
c.CourseDirectory.db_url = "sqlite:///gradebook.db?timeout=60"
# The name of an account is not that of a student.
c.ExchangeCollect.check_owner = False
"""
SECONDS_OF_A_CELL, SECONDS_OF_A_NOTEBOOK, SECONDS_OF_A_SUBMISSION = 10, 60, 240
"""Limits of grading on a machine that does nothing else; see ``longer``."""
KILOBYTES = 1_500_000
"""What each process of a student, or one that grades, may have."""
GRADE = (
    "ulimit -d {kilobytes}; ls submitted | "
    "xargs -P {jobs} -I STUDENT timeout {seconds} nbgrader autograde {assignment} --student=STUDENT"
)


def longer(seconds: int) -> int:
    """A limit for a machine as busy as this one: up to four times as long."""
    return round(seconds * min(load(), 4))


@dataclass
class Teacher:
    """Somebody with a folder for the course."""

    desk: Desk
    folder: Path

    def prepare(self) -> None:
        """Make the assignment from a lesson and an exercise of the teacher's own."""
        self.folder.mkdir(parents=True)
        settings = OF_TEACHER.format(cell=longer(SECONDS_OF_A_CELL), notebook=longer(SECONDS_OF_A_NOTEBOOK))
        (self.folder / "nbgrader_config.py").write_text(settings, encoding="utf-8")
        self.press(self.source, "--solutions")
        (path,) = self.source.glob("*.ipynb")
        nbformat.write(with_own_exercise(nbformat.read(path, as_version=4)), path)

    def press(self, folder: Path, *options: str) -> None:
        """Make the notebook of the lesson."""
        self.desk.ask("python", "-m", "lessons.press", "notebooks", folder, LESSON, *options, cwd=ROOT)

    @property
    def source(self) -> Path:
        """The folder of the teacher's edition."""
        return self.folder / "source" / ASSIGNMENT

    @property
    def notebook(self) -> str:
        """The name of the notebook's file."""
        (path,) = self.source.glob("*.ipynb")
        return path.name

    def release(self) -> None:
        """Make the students' edition and put it into the exchange."""
        self.nbgrader("generate_assignment", ASSIGNMENT)
        self.nbgrader("release_assignment", ASSIGNMENT)

    def collect(self) -> None:
        """Take what has been handed in from the exchange."""
        self.nbgrader("collect", ASSIGNMENT)

    def grade(self, jobs: int, seconds: int) -> str:
        """Grade all submissions, ``jobs`` at a time and each for so many seconds. Returns what nbgrader reports."""
        command = GRADE.format(kilobytes=KILOBYTES, jobs=jobs, seconds=seconds, assignment=ASSIGNMENT)
        log = self.folder / "autograde.log"
        # xargs exits with an error if a command has.
        self.desk.start("sh", "-c", command, cwd=self.folder, log=log).wait(3600)
        return log.read_text(encoding="utf-8")

    def hand_back(self) -> None:
        """Write feedback for all students and release it."""
        self.nbgrader("generate_feedback", ASSIGNMENT)
        self.nbgrader("release_feedback", ASSIGNMENT)

    def points(self) -> dict[str, tuple[int, int]]:
        """The points of each student for checks with ``%locked`` and without, from the gradebook."""
        asked = self.desk.ask("python", "-c", _ASKS, COURSE, ASSIGNMENT, cwd=self.folder)
        found: Mapping[str, Mapping[str, float]] = json.loads(asked)
        return {
            student: (
                round(sum(points for name, points in cells.items() if not name.endswith("-open"))),
                round(sum(points for name, points in cells.items() if name.endswith("-open"))),
            )
            for student, cells in found.items()
        }

    def exported(self) -> dict[str, float]:
        """The points of each student in the table that nbgrader exports."""
        self.nbgrader("export")
        with (self.folder / "grades.csv").open(encoding="utf-8", newline="") as file:
            return {row["student_id"]: float(row["score"]) for row in csv.DictReader(file)}

    def nbgrader(self, *words: str) -> str:
        """What a command of nbgrader writes."""
        return self.desk.ask("nbgrader", *words, cwd=self.folder)


_ASKS = """
import json, sys
from nbgrader.api import Gradebook
course, assignment = sys.argv[1:]
with Gradebook("sqlite:///gradebook.db", course) as book:
    submissions = book.assignment_submissions(assignment)
    found = {s.student.id: {g.name: g.score or 0.0 for n in s.notebooks for g in n.grades} for s in submissions}
print(json.dumps(found))
"""
