"""Otter: an assignment as a Python notebook with ``%%rh``, whose tests are checks under ``%locked``."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_raw_cell

from tests.course.processes import Desk, described
from tests.course.submissions import DECLARES

CONFIG = """# ASSIGNMENT CONFIG
name: cubes
export_cell: false
tests:
  ok_format: false"""
ANSWER = """%%rh
fun cube(x : Real(n)) : Real(n) =
  # BEGIN SOLUTION
  x * x * x
  # END SOLUTION"""
CHECK = "check dot(cube([1, 2]), [1, 2]) == 17"
QUESTIONS = {"values": "%locked\ncheck cube([1, 2]) == [1, 8]", "locked": f"%locked\n{CHECK}", "open": CHECK}
"""What each question of the assignment runs; the last is the one before it without ``%locked``."""

RUNS_NOTHING = """class Pretends:
    def run(self, text):
        return None
rh = Pretends()"""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of student: the answer, a cell above it, and the questions that get their point."""

    answer: str
    above: str
    points: frozenset[str]


KINDS = {
    "solves": Kind("x * x * x", "", frozenset(QUESTIONS)),
    "stubs": Kind("...", "", frozenset()),
    "redeclares": Kind("x", f"%%rh\n{DECLARES}", frozenset({"open"})),
    # As the page for courses says: Otter's tests run where the student's Python runs.
    "python": Kind("x", RUNS_NOTHING, frozenset(QUESTIONS)),
}


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    made = Desk(uuid.uuid4().hex, tmp_path_factory.mktemp("otter") / "home")
    yield made
    assert described(made.mark) == []


@pytest.fixture(scope="module")
def assignment(desk: Desk) -> Path:
    """The folder with the students' edition and what grades it, from the teacher's notebook."""
    folder = desk.home.parent
    cells = [new_raw_cell(CONFIG), new_code_cell("%load_ext rh_kernel")]
    for name, text in QUESTIONS.items():
        cells.append(new_raw_cell(f"# BEGIN QUESTION\nname: {name}\npoints: 1"))
        if name == "values":
            cells += [new_raw_cell("# BEGIN SOLUTION"), new_code_cell(ANSWER), new_raw_cell("# END SOLUTION")]
        test = f"def test_{name}(rh):\n    rh.run({text!r})"
        cells += [new_raw_cell("# BEGIN TESTS"), new_code_cell(test), new_raw_cell("# END TESTS")]
        cells.append(new_raw_cell("# END QUESTION"))
    made = nbformat.v4.new_notebook(cells=cells)
    made.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(made, folder / "cubes.ipynb")
    # This also runs the tests on the solutions, and fails if one does not pass.
    desk.ask("otter", "assign", "cubes.ipynb", "made", "--no-pdfs", cwd=folder)
    return folder / "made"


def test_the_students_edition_has_no_solution(assignment: Path) -> None:
    sources = [cell.source for cell in _students(assignment).cells]
    assert "%%rh\nfun cube(x : Real(n)) : Real(n) =\n  ..." in sources
    assert "x * x * x" not in "".join(sources)


@pytest.mark.parametrize("name", KINDS)
def test_the_points(assignment: Path, desk: Desk, name: str) -> None:
    kind, folder = KINDS[name], assignment / name
    folder.mkdir()
    submission = deepcopy(_students(assignment))
    (at,) = [number for number, cell in enumerate(submission.cells) if cell.source.startswith("%%rh")]
    submission.cells[at].source = submission.cells[at].source.replace("...", kind.answer)
    if kind.above:
        submission.cells.insert(at, new_code_cell(kind.above))
    nbformat.write(submission, folder / "cubes.ipynb")
    (grader,) = (assignment / "autograder").glob("*.zip")
    desk.ask("otter", "run", "cubes.ipynb", "-a", grader, "-o", folder, "--no-logo", cwd=folder)
    results = json.loads((folder / "results.json").read_text(encoding="utf-8"))["tests"]
    assert {one["name"] for one in results if one.get("score")} == kind.points


def _students(assignment: Path) -> Any:
    return nbformat.read(assignment / "student" / "cubes.ipynb", as_version=4)
