"""nbgrader from the notebook of the teacher to the points of the students, with the settings that the wheel brings."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import nbformat
import pytest

from rh_kernel.kernel.install import SPEC
from tests.distribution.environments import Environment

pytestmark = pytest.mark.slow

TASK = """fun cube(x : Real(n)) : Real(n) =
  ### BEGIN SOLUTION
  x * x * x
  ### END SOLUTION"""
STUB = """fun cube(x : Real(n)) : Real(n) =
  # YOUR CODE HERE
  YOUR_CODE_HERE"""
OPEN = "check cube(2) == 8"
HIDDEN = """check cube([1, 2]) == [1, 8] within 1e-12
### BEGIN HIDDEN TESTS
check cube(-1) == -1
### END HIDDEN TESTS"""
SHOWN = "check cube([1, 2]) == [1, 8] within 1e-12"
NAMED = """### BEGIN SOLUTION
dim n = 4
### END SOLUTION"""

ANSWERS = {
    "ada": STUB.replace("YOUR_CODE_HERE", "x * x * x"),
    "ben": STUB.replace("YOUR_CODE_HERE", "x * x * relu(x)"),
    "cem": STUB,
}
POINTS = {"ada": 5, "ben": 2, "cem": 0}


def cell(name: str, text: str, points: int | None = None) -> Any:
    """A cell for an answer, or for ``points`` that an answer gets."""
    about: dict[str, object] = {"grade_id": name, "schema_version": 3, "task": False, "solution": points is None}
    about |= {"grade": points is not None, "locked": points is not None}
    if points is not None:
        about["points"] = points
    return nbformat.v4.new_code_cell(text, metadata={"nbgrader": about})


def notebook(cells: Sequence[Any]) -> Any:
    made = nbformat.v4.new_notebook(cells=[*cells])
    made.metadata["kernelspec"] = {"name": "rh", "display_name": "RH", "language": "rh"}
    return made


@pytest.fixture(scope="module")
def course(classroom: Environment, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course in which one assignment has been handed out, handed in and graded."""
    folder = tmp_path_factory.mktemp("course")
    source = folder / "source" / "first" / "task.ipynb"
    source.parent.mkdir(parents=True)
    cells = [cell("cube", TASK), cell("open", OPEN, 2), cell("hidden", HIDDEN, 3), cell("named", NAMED)]
    nbformat.write(notebook(cells), source)
    classroom.ask("nbgrader", "generate_assignment", "first", cwd=folder)
    for student, answer in ANSWERS.items():
        handed_in = nbformat.read(folder / "release" / "first" / "task.ipynb", as_version=4)
        handed_in.cells[0].source = answer
        file = folder / "submitted" / student / "first" / "task.ipynb"
        file.parent.mkdir(parents=True)
        nbformat.write(handed_in, file)
    classroom.ask("nbgrader", "autograde", "first", cwd=folder)
    return folder


def test_solutions_and_hidden_tests_are_taken_out(course: Path) -> None:
    released = nbformat.read(course / "release" / "first" / "task.ipynb", as_version=4)
    assert [one.source for one in released.cells] == [STUB, OPEN, SHOWN, "# YOUR CODE HERE\nYOUR_CODE_HERE"]


def test_an_answer_gets_the_points_of_the_checks_that_hold(course: Path, classroom: Environment) -> None:
    classroom.ask("nbgrader", "export", cwd=course)
    with (course / "grades.csv").open(encoding="utf-8", newline="") as file:
        points = {row["student_id"]: float(row["score"]) for row in csv.DictReader(file)}
    assert points == POINTS


def test_a_stub_that_nobody_replaced_fails_and_says_why(course: Path) -> None:
    graded = nbformat.read(course / "autograded" / "cem" / "first" / "task.ipynb", as_version=4)
    (error,) = [output for output in graded.cells[0].outputs if output.output_type == "error"]
    assert "replace this by your own code" in error.evalue
    assert "YOUR_CODE_HERE" in "\n".join(error.traceback)


def test_a_student_is_told_what_failed(course: Path, classroom: Environment) -> None:
    classroom.ask("nbgrader", "generate_feedback", "first", cwd=course)
    page = (course / "feedback" / "ben" / "first" / "task.html").read_text(encoding="utf-8")
    assert "RH2" in page
    assert "2.0" in page


def test_a_student_can_validate_what_is_to_be_handed_in(course: Path, classroom: Environment) -> None:
    told = classroom.ask("nbgrader", "validate", course / "submitted" / "cem" / "first" / "task.ipynb")
    assert "FAILED ON 2 CELL(S)" in told
    assert "`cube` is not defined" in told


def test_other_languages_keep_what_nbgrader_gives_them(classroom: Environment) -> None:
    asked = "import json; from nbgrader.preprocessors import ClearSolutions; print(json.dumps(ClearSolutions().code_stub))"
    ours = json.loads((SPEC.parent / "grading" / "nbgrader_config.json").read_text(encoding="utf-8"))
    stubs = ours["ClearSolutions"]["code_stub"]
    assert stubs.pop("rh") == "# YOUR CODE HERE\nYOUR_CODE_HERE"
    assert stubs == json.loads(classroom.ask("python", "-c", asked))


# -- locked cells --------------------------------------------------------------------------------------------------------------

GIVEN = "%locked\nconst golden = [1, 2]"
LOCKED = ("%locked\ncheck cube(golden) == [1, 8]", "%locked\ncheck dot(cube(golden), golden) == 17")
SETTINGS = """c = get_config()
c.Autograde.autograde_preprocessors.insert(1, "rh_kernel.exporters.grading.LockedCells")
"""
CHECKS_NOTHING = """%%python
import rh_kernel.session.check as check
def nothing(*_):
    return ()
    yield
check.compare = nothing"""
RUNS_NOTHING = """%%python
from rh_kernel.kernel.kernel import RHKernel
async def nothing(self, *_, **__):
    return {"status": "ok", "execution_count": 1, "payload": [], "user_expressions": {}}
RHKernel.do_execute = nothing"""
DECLARES_DOT = "fun dot(x : Real(n), y : Real(n)) : Real = 17 + 0 * sum(x + y)\nconst golden = [0, 0]"
WRONG = STUB.replace("YOUR_CODE_HERE", "0 * x")
"""What a student puts above the answer, and the answer."""
SUBMITTED = {
    "ada": ("", ANSWERS["ada"]),
    "eve": (CHECKS_NOTHING, WRONG),
    "fay": (RUNS_NOTHING, STUB),
    "gus": (DECLARES_DOT, WRONG),
    "hal": (f"%locked\n{DECLARES_DOT}", WRONG),
}


@pytest.fixture(scope="module")
def locked(classroom: Environment, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course whose checks are locked, and whose students know Python."""
    folder = tmp_path_factory.mktemp("locked")
    source = folder / "source" / "first" / "task.ipynb"
    source.parent.mkdir(parents=True)
    (folder / "nbgrader_config.py").write_text(SETTINGS, encoding="utf-8")
    given = cell("given", GIVEN)
    given.metadata["nbgrader"] |= {"solution": False, "locked": True}
    checks = [cell(f"check-{n}", text, n) for n, text in enumerate(LOCKED, start=2)]
    nbformat.write(notebook([given, cell("cube", TASK), *checks]), source)
    classroom.ask("nbgrader", "generate_assignment", "first", cwd=folder)
    for student, (above, answer) in SUBMITTED.items():
        handed_in = nbformat.read(folder / "release" / "first" / "task.ipynb", as_version=4)
        handed_in.cells[1].source = answer
        if above:
            handed_in.cells.insert(1, nbformat.v4.new_code_cell(above))
        file = folder / "submitted" / student / "first" / "task.ipynb"
        file.parent.mkdir(parents=True)
        nbformat.write(handed_in, file)
    classroom.ask("nbgrader", "autograde", "first", cwd=folder)
    return folder


def test_a_student_who_changes_the_kernel_gets_no_points(locked: Path, classroom: Environment) -> None:
    classroom.ask("nbgrader", "export", cwd=locked)
    with (locked / "grades.csv").open(encoding="utf-8", newline="") as file:
        points = {row["student_id"]: float(row["score"]) for row in csv.DictReader(file)}
    assert points == {student: 5 if student == "ada" else 0 for student in SUBMITTED}


def test_the_feedback_on_a_locked_cell_says_what_failed(locked: Path) -> None:
    graded = nbformat.read(locked / "autograded" / "eve" / "first" / "task.ipynb", as_version=4)
    errors = [output.ename for one in graded.cells for output in one.outputs if output.output_type == "error"]
    assert errors == ["RH207 Check failed"] * 2
