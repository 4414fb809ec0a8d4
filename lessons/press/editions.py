"""The editions of a lesson: for a reader, who is to complete it; for a teacher, with the solutions; for a Python kernel."""

import re
from collections.abc import Iterable
from copy import deepcopy

from lessons.press.texts import ANSWER, CHECK, EXERCISE, FAILS, UNLOCKED, Lesson, Notebook, points, stub, tags

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"
"""The lines around what the reader is to write, as nbgrader has them."""

YOUR_ANSWER = "*Your answer:*"
"""What the reader has in the place of an answer."""

PYTHON = {
    "name": "python",
    "file_extension": ".py",
    "mimetype": "text/x-python",
    "codemirror_mode": {"name": "ipython", "version": 3},
    "nbconvert_exporter": "python",
    "pygments_lexer": "ipython3",
}
"""What a notebook for a Python kernel says of its language."""


class Unfit(Exception):
    """A text does not keep to the rules of a lesson."""

    def __init__(self, lesson: Lesson, reason: str) -> None:
        super().__init__(f"{lesson.name}: {reason}")


def teacher(lesson: Lesson) -> Notebook:
    """With the solutions between their marks, and with what nbgrader wants to know of each exercise and check.

    Raises ``Unfit`` for an exercise without marks or without a check.
    """
    made = lesson.notebook()
    for count, (exercise, check) in enumerate(exercises(lesson, made), start=1):
        name = f"{_grades(lesson)}-exercise-{count}"
        exercise.metadata["nbgrader"] = _grading(name, solution=True)
        check.metadata["nbgrader"] = {**_grading(f"{name}-check", solution=False), "points": points(check)}
    for count, answer in enumerate(answers(made), start=1):
        grading = _grading(f"{_grades(lesson)}-answer-{count}", solution=True)
        answer.metadata["nbgrader"] = {**grading, "cell_type": "markdown", "grade": True, "points": points(answer)}
    return made


def proved(notebook: Notebook) -> Notebook:
    """The teacher's edition of an exam, with each program of its text in a cell behind the text, so that it is run too."""
    from nbformat.v4 import new_code_cell

    made = deepcopy(notebook)
    cells = list[Notebook]()
    for cell in made.cells:
        cells.append(cell)
        if cell.cell_type == "markdown":
            for count, found in enumerate(_PROGRAM.finditer(cell.source), start=1):
                metadata = {"tags": [FAILS]} if found["fails"] else {}
                identity = f"{cell['id']}-program-{count}"
                cells.append(new_code_cell(found["program"].rstrip(), id=identity, metadata=metadata))
    made.cells = cells
    return made


def locked(notebook: Notebook) -> Notebook:
    """The same notebook, graded by ``rh grade``: with ``%locked`` above each check in the language that needs no Python."""
    made = deepcopy(notebook)
    for cell in made.cells:
        if CHECK in tags(cell) and UNLOCKED not in tags(cell) and not cell.source.startswith("%%"):
            cell.source = f"%locked\n{cell.source}"
    return made


def reader(lesson: Lesson) -> Notebook:
    """With stubs in the place of the solutions, which stand folded behind the checks.

    An exercise and its check may fail without ending "Run All": until they are solved, they do. An exam has no solutions.
    """
    made = lesson.notebook()
    for answer in answers(made):
        answer.source = YOUR_ANSWER
    told = {check["id"]: exercise.source for exercise, check in exercises(lesson, made) if not lesson.is_exam}
    cells = list[Notebook]()
    for cell in made.cells:
        if EXERCISE in tags(cell):
            cell.source = cleared(cell.source)
        if {EXERCISE, CHECK} & set(tags(cell)):
            cell.metadata["tags"] = [*tags(cell), FAILS]
        cells.append(cell)
        if cell["id"] in told:
            cells.append(_folded(cell["id"], told[cell["id"]]))
    made.cells = cells
    return made


def for_python(notebook: Notebook) -> Notebook:
    """The same notebook for an IPython kernel, with the magic ``%%rh`` above each cell in the language."""
    made = deepcopy(notebook)
    kernelspec = {"display_name": "Python 3", "language": "python", "name": "python3"}
    made.metadata = {"kernelspec": kernelspec, "language_info": deepcopy(PYTHON)}
    for cell in made.cells:
        if cell.cell_type == "code":
            first, _, rest = cell.source.partition("\n")
            cell.source = rest if first.strip() == "%%python" else f"%%rh\n{cell.source}"
    start = deepcopy(next(cell for cell in made.cells if cell.cell_type == "code"))
    start["id"], start.source, start.metadata = "start", "%load_ext rh_kernel", {}
    place = next(place for place, cell in enumerate(made.cells) if cell.cell_type == "code")
    made.cells.insert(place, start)
    return made


def exercises(lesson: Lesson, notebook: Notebook) -> Iterable[tuple[Notebook, Notebook]]:
    """Each exercise with its check, the next cell of code. Raises ``Unfit`` if there is none, or no solution is marked."""
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for place, cell in enumerate(code):
        if EXERCISE in tags(cell):
            if not _solutions(cell.source):
                raise Unfit(lesson, f"an exercise without {BEGIN} … {END}: {cell.source[:60]!r}")
            if place + 1 == len(code) or CHECK not in tags(code[place + 1]):
                raise Unfit(lesson, f"an exercise without a check behind it: {cell.source[:60]!r}")
            yield cell, code[place + 1]
        elif CHECK in tags(cell) and (place == 0 or EXERCISE not in tags(code[place - 1])):
            raise Unfit(lesson, f"a check without an exercise in front of it: {cell.source[:60]!r}")


def answers(notebook: Notebook) -> list[Notebook]:
    """The cells of text that answer a question."""
    return [cell for cell in notebook.cells if cell.cell_type == "markdown" and ANSWER in tags(cell)]


def cleared(source: str) -> str:
    """The text of an exercise with a stub in the place of each solution."""
    return _MARKED.sub(lambda found: "\n".join(found["indent"] + line for line in stub()) + "\n", source + "\n").rstrip("\n")


def solved(source: str) -> str:
    """The text of an exercise with its solutions, and without the marks."""
    return _MARKED.sub(lambda found: found["solution"], source + "\n").rstrip("\n")


_MARKED = re.compile(rf"^(?P<indent>[ \t]*){BEGIN}[ \t]*\n(?P<solution>(?:.*\n)*?)[ \t]*{END}[ \t]*\n", re.MULTILINE)

_PROGRAM = re.compile(r"^```rh(?P<fails> fails RH\d{3})?\n(?P<program>.*?)^```$", re.MULTILINE | re.DOTALL)


def _grades(lesson: Lesson) -> str:
    return lesson.name if lesson.is_exam else f"lesson-{lesson.number}"


def _solutions(source: str) -> list[str]:
    """The solutions between the marks."""
    return [found["solution"] for found in _MARKED.finditer(source + "\n")]


def _folded(check: str, exercise: str) -> Notebook:
    """A cell that shows a solution when it is opened."""
    from nbformat.v4 import new_markdown_cell

    language = "python" if exercise.startswith("%%python") else "rh"
    text = f"<details><summary>Solution</summary>\n\n```{language}\n{solved(exercise)}\n```\n\n</details>"
    return new_markdown_cell(text, id=f"solution-of-{check}")


def _grading(name: str, *, solution: bool) -> dict[str, object]:
    """What nbgrader wants to know of a cell: its exercises have a solution and no grade, its checks a grade and no solution."""
    return {
        "cell_type": "code",
        "grade": not solution,
        "grade_id": name,
        "locked": not solution,
        "schema_version": 3,
        "solution": solution,
        "task": False,
    }
