"""Submissions of a lesson as a class hands them in: some solved, some not begun, some wrong in different ways."""

from __future__ import annotations

import subprocess
import sys
import time
from copy import deepcopy
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import nbformat

from lessons.press.editions import cleared, locked, solved, teacher
from lessons.press.texts import EXERCISE, Lesson, Notebook, tags

WAYS = ("solved", "solved", "stub", "unfinished", "unknown name", "wrong number", "nothing")
"""What becomes of an exercise; most are solved."""


def submission(lesson: Notebook, random: Random) -> Notebook:
    """A copy of the teacher's edition as one student hands it in."""
    made = deepcopy(lesson)
    ways = ("solved",) if random.random() < 0.4 else ("stub",) if random.random() < 0.1 else WAYS
    for cell in made.cells:
        if EXERCISE in tags(cell):
            cell.source = answered(cell.source, random.choice(ways), random)
    return made


def answered(exercise: str, way: str, random: Random) -> str:
    """The text of an exercise that was answered in one of the ``WAYS``."""
    text = solved(exercise)
    match way:
        case "stub":
            return cleared(exercise)
        case "unfinished":
            return text[: random.randrange(len(text) // 2, len(text))]
        case "unknown name":
            return text.replace("(", "x(", 1)
        case "wrong number":
            return "".join([str((int(c) + 1) % 10) if c.isdigit() and random.random() < 0.3 else c for c in text])
        case "nothing":
            return ""
        case _:
            return text


def write(lesson: Lesson, count: int, seed: int, folder: Path) -> list[Path]:
    """Write so many submissions, and return their files."""
    edition = locked(teacher(lesson))
    files = list[Path]()
    for number in range(count):
        files.append(folder / f"student-{number:03}" / f"{lesson.name}.ipynb")
        files[-1].parent.mkdir(parents=True)
        nbformat.write(submission(edition, Random(f"{seed} {number}")), files[-1])
    return files


def graded(lesson: Lesson, count: int, jobs: int, seed: int) -> float:
    """The seconds that ``rh grade`` needs for so many submissions, ``jobs`` at a time.

    Raises ``AssertionError`` if a submission could not be graded.
    """
    with TemporaryDirectory() as folder:
        files = write(lesson, count, seed, Path(folder))
        command = [sys.executable, "-m", "rh_kernel", "grade", "--csv", "--jobs", f"{jobs}", *map(str, files)]
        began = time.monotonic()
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        took = time.monotonic() - began
    assert len(done.stdout.splitlines()) == count + 1, done.stderr
    return round(took, 2)
