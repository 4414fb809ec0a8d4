"""The table of ``teaching.md``: how long the lessons are, counted in their texts, and how long they may take."""

import re

from lessons.press.texts import CHECK, EXERCISE, Lesson, lessons, tags
from lessons.reference.markdown import outside_code, table
from rh_kernel.source.diagnostic import KernelBug

READING, RUNNING, SOLVING = 100, 1, 12
"""What the estimate assumes: words read in a minute, minutes for a cell that is run and looked at, minutes for an exercise."""


def times_part() -> str:
    """Each lesson with its words, cells and exercises, the minutes that it announces, and two estimates."""
    rows: list[tuple[str, ...]] = []
    sums = [0, 0, 0]
    for lesson in lessons():
        words, cells, exercises = counts(lesson)
        minutes = (_announced(lesson), _fives(words / READING + RUNNING * cells), SOLVING * exercises)
        sums = [total + part for total, part in zip(sums, minutes, strict=True)]
        link = f"[{int(lesson.number)}. {lesson.title}](../{lesson.path.name})"
        rows.append((link, f"{words:,}", str(cells), str(exercises), *[str(part) for part in minutes]))
    rows.append(("all", "", "", "", *[f"{total / 60:.0f} h" for total in sums]))
    return table(("lesson", "words", "cells", "exercises", "says", "reading and running", "exercises: minutes"), rows)


def counts(lesson: Lesson) -> tuple[int, int, int]:
    """The words of the text without the exercises' programs, the cells to run, and the exercises of a lesson."""
    words = cells = exercises = 0
    for cell in lesson.notebook().cells:
        if cell.cell_type == "markdown":
            words += len(re.findall(r"\w+(?:['’-]\w+)*", outside_code(cell.source)))
        elif EXERCISE in tags(cell):
            exercises += 1
        elif CHECK not in tags(cell):
            cells += 1
    return words, cells, exercises


def _announced(lesson: Lesson) -> int:
    """The minutes in the line under the heading. Raises ``KernelBug`` if there are none."""
    found = re.search(r"About (\d+) minutes", lesson.path.read_text(encoding="utf-8"))
    if found is None:
        raise KernelBug(f"{lesson.name} does not say how long it takes")
    return int(found[1])


def _fives(minutes: float) -> int:
    return 5 * round(minutes / 5)
