"""The assignment, made from a lesson and an exercise of the teacher's own, and what each kind of student hands in."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from nbformat.v4 import new_code_cell

from lessons.press.editions import solved

LESSON = "05"
CUBE = """fun cube(x : Real(n)) : Real(n) =
  ### BEGIN SOLUTION
  x * x * x
  ### END SOLUTION"""
GIVEN = "%locked\nconst golden = [1, 2]"
CHECKS = {
    "large": "check cube(2 * golden) == 8 * cube(golden)",
    "golden": "check dot(cube(golden), golden) == 17",
    "small": "check cube(fill[size](2)) == fill[size](8)",
}
"""Each is in the notebook twice, with ``%locked`` and without, as a cell worth a point."""
LOCKED, OPEN = 8, 3
"""The points of the checks that are locked, five of the lesson and three of these, and of those that are not."""

WRONG = "fun cube(x : Real(n)) : Real(n) = x"
DECLARES = "fun dot(x : Real(n), y : Real(n)) : Real = 17 + 0 * sum(x + y)\nconst golden = [0, 0]"
RUNS_NOTHING = """%%python
from rh_kernel.kernel.kernel import RHKernel
async def nothing(self, *_, **__):
    return {"status": "ok", "execution_count": 1, "payload": [], "user_expressions": {}}
RHKernel.do_execute = nothing"""
LOOPS = "repeat i < 1000000000000 from s = 0 do return s + 1"
IGNORES_INTERRUPTS = """%%python
while True:
    try:
        while True:
            pass
    except KeyboardInterrupt:
        pass"""
FILLS = "\n".join([f"loc filling{n} : Real(40000000) = uniform(0, 1, seed={n})" for n in range(10)])
"""3.2 GB in ten locations."""
FILLS_FROM_PYTHON = """%%python
kept = [b"x" * 10**8 for _ in range(32)]"""


def with_own_exercise(lesson: Any) -> Any:
    """The teacher's edition of a lesson with one more exercise at its end."""
    made = deepcopy(lesson)
    made.cells += [
        new_code_cell("dim size = 3", id="size"),
        _cell("given", GIVEN, locked=True),
        _cell("cube", CUBE, solution=True),
        *[_cell(f"{name}-locked", f"%locked\n{text}", locked=True, grade=True, points=1) for name, text in CHECKS.items()],
        *[_cell(f"{name}-open", text, locked=True, grade=True, points=1) for name, text in CHECKS.items()],
    ]
    return made


def _cell(name: str, text: str, **about: object) -> Any:
    fields = {"cell_type": "code", "grade_id": name, "schema_version": 3, "task": False, "grade": False, "solution": False}
    return new_code_cell(text, id=name, metadata={"nbgrader": {**fields, "locked": False, **about}})


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of student: what one does with a notebook, and the points this should give.

    ``locked`` and ``open`` are the points of checks with and without ``%locked``; ``seen`` is how many of the locked checks
    pass in the student's own notebook, or ``None`` if a run of it does not end.
    """

    name: str
    does: Callable[[Any, Any], None]
    locked: int
    open: int
    seen: int | None


def _solves(notebook: Any, source: Any) -> None:
    """Put the solutions of the teacher's edition, ``source``, into the exercises."""
    solutions = {name: solved(cell.source) for name, cell in exercises(source).items()}
    for name, cell in exercises(notebook).items():
        cell.source = solutions[name]


def _leaves_stubs(_notebook: Any, _source: Any) -> None:
    """Nothing is done."""


def _answers(*cells: str, solved_first: bool = False) -> Callable[[Any, Any], None]:
    """Put a wrong answer to the last exercise, or right ones to all, and cells of one's own above the last exercise."""

    def does(notebook: Any, source: Any) -> None:
        if solved_first:
            _solves(notebook, source)
        else:
            exercises(notebook)["cube"].source = WRONG
        at = notebook.cells.index(named(notebook, "cube"))
        notebook.cells[at:at] = [new_code_cell(text) for text in cells]

    return does


def _makes_infinite(notebook: Any, _source: Any) -> None:
    exercises(notebook)["cube"].source = "fun cube(x : Real(n)) : Real(n) = exp(fill[n](1000) + 0 * x)"


def _changes_checks(notebook: Any, _source: Any) -> None:
    for cell in notebook.cells:
        if _is_locked_check(cell):
            cell.source = "%locked\ncheck 1 == 1"


def _deletes_checks(notebook: Any, source: Any) -> None:
    """Delete the checks of the exercise that is not solved."""
    _solves(notebook, source)
    exercises(notebook)["cube"].source = WRONG
    gone = {f"{name}-{kind}" for name in CHECKS for kind in ("locked", "open")}
    notebook.cells = [cell for cell in notebook.cells if cell.metadata.get("nbgrader", {}).get("grade_id") not in gone]


KINDS = (
    Kind("solves", _solves, LOCKED, OPEN, LOCKED),
    Kind("stubs", _leaves_stubs, 0, 0, 0),
    Kind("redeclares", _answers(DECLARES), 0, 2, 0),
    Kind("infinite", _makes_infinite, 0, 1, 0),
    Kind("empty", _answers("dim size = 0"), 0, 1, 0),
    Kind("python", _answers(RUNS_NOTHING), 0, OPEN, 3),
    Kind("own-lock", _answers(f"%locked\n{DECLARES}"), 0, 2, 2),
    Kind("changes", _changes_checks, 0, 0, LOCKED),
    Kind("deletes", _deletes_checks, LOCKED - 3, 0, LOCKED - 3),
    Kind("loops", _answers(LOOPS, solved_first=True), LOCKED - 3, OPEN, None),
    Kind("ignores-interrupts", _answers(IGNORES_INTERRUPTS, solved_first=True), LOCKED, 0, None),
    Kind("fills", _answers(FILLS, FILLS_FROM_PYTHON, solved_first=True), LOCKED, OPEN, LOCKED),
)
BY_NAME = {kind.name: kind for kind in KINDS}


def exercises(notebook: Any) -> dict[str, Any]:
    """The cells for answers by their names."""
    cells = [cell for cell in notebook.cells if cell.metadata.get("nbgrader", {}).get("solution")]
    return {cell.metadata["nbgrader"]["grade_id"]: cell for cell in cells}


def named(notebook: Any, name: str) -> Any:
    """The cell of this name in nbgrader."""
    (found,) = [cell for cell in notebook.cells if cell.metadata.get("nbgrader", {}).get("grade_id") == name]
    return found


def passing(notebook: Any) -> int:
    """How many of the locked checks have been run and report no error."""
    cells = [cell for cell in notebook.cells if _is_locked_check(cell)]
    return sum(all(output.output_type != "error" for output in cell.outputs) for cell in cells)


def _is_locked_check(cell: Any) -> bool:
    return bool(cell.metadata.get("nbgrader", {}).get("grade")) and "%locked" in cell.source
