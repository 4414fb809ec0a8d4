"""``rh grade`` and the preprocessor for nbgrader: verdicts on locked cells, which cells of students cannot change."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import nbformat
import pytest

from rh_kernel.command_line.arguments import main
from rh_kernel.exporters.grading import LockedCells

GIVEN = "%locked\nconst golden = [1, 2]"
CUBE = "fun cube(x : Real(n)) : Real(n) = x * x * x"
NO_CUBE = "fun cube(x : Real(n)) : Real(n) = 0 * x"
CHECK = "%locked\ncheck cube(golden) == [1, 8]"
DOT = "%locked\ncheck dot(cube(golden), golden) == 17"

CHEATS = {
    "a function of the language redeclared": f"{NO_CUBE}\nfun dot(x : Real(n), y : Real(n)) : Real = 17 + 0 * sum(x + y)",
    "a name of the teacher redeclared": f"{NO_CUBE}\nconst golden = [0, 0]",
    "a lock of one's own": f"%locked\n{NO_CUBE}\nfun dot(x : Real(n), y : Real(n)) : Real = 17 + 0 * sum(x + y)",
    "a lock further down": f"{NO_CUBE}\n%locked off\n% locked\nfun dot(x : Real(n), y : Real(n)) : Real = 17",
}


def notebook(cells: Sequence[str], *, graded: bool = True, kernel: str = "rh") -> Any:
    """A notebook whose cells with ``%locked`` are graded cells of nbgrader, except for those that declare ``cube``."""
    made = nbformat.v4.new_notebook()
    made.metadata["kernelspec"] = {"name": kernel, "display_name": "RH", "language": kernel}
    for number, text in enumerate(cells, start=1):
        is_the_teachers = text in (GIVEN, CHECK, DOT)
        about = {
            "grade_id": f"cell-{number}",
            "locked": is_the_teachers,
            "grade": text in (CHECK, DOT),
            "solution": "fun" in text,
        }
        metadata = {"nbgrader": about} if graded and (is_the_teachers or "fun" in text) else {}
        made.cells.append(nbformat.v4.new_code_cell(text, metadata=metadata, id=f"id-{number}"))
    return made


class Grade:
    """Grades notebooks."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self.capsys = capsys

    def __call__(self, made: Any, *options: str) -> tuple[int, str, str]:
        """The exit code and the output."""
        path = self.folder / "task.ipynb"
        nbformat.write(made, path)
        code = main(["grade", str(path), *options])
        written = self.capsys.readouterr()
        return code, written.out, written.err

    def passed(self, made: Any) -> list[bool]:
        """The numbers of locked cells that pass."""
        records = [json.loads(line) for line in self(made, "--json")[1].splitlines()]
        return [record["passed"] for record in records if record["kind"] == "locked"]


@pytest.fixture
def grade(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Grade:
    return Grade(tmp_path, capsys)


def test_a_solution_passes(grade: Grade) -> None:
    code, out, err = grade(notebook([GIVEN, CUBE, CHECK, DOT]))
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "passes  cell 1 (cell-1)",
        "passes  cell 3 (cell-3)",
        "passes  cell 4 (cell-4)",
        "3 of 3 locked cells pass",
    ]


@pytest.mark.parametrize("cheat", CHEATS.values(), ids=CHEATS)
def test_redeclaring_passes_nothing(grade: Grade, cheat: str) -> None:
    made = notebook([GIVEN, cheat, CHECK, DOT])
    assert True not in grade.passed(made)[-2:]
    assert grade(made)[0] == 1


def test_python_is_not_run(grade: Grade, tmp_path: Path) -> None:
    python = f"%%python\nfrom pathlib import Path\nPath({str(tmp_path / 'ran')!r}).touch()\nrh.run({CUBE!r})"
    code, out, _ = grade(notebook([GIVEN, python, CHECK]))
    assert code == 1
    assert not (tmp_path / "ran").exists()
    assert "`cube` is not defined" in out
    assert "not run, as Python: cell 2" in out


def test_a_cell_that_fails_is_told_of(grade: Grade) -> None:
    code, out, _ = grade(notebook(["1 + nowhere", GIVEN, CUBE, CHECK]))
    assert code == 0
    assert out.startswith("error   cell 1\n    RH101 Unknown name")


def test_without_nbgrader_every_lock_counts(grade: Grade) -> None:
    assert grade.passed(notebook(["%locked\nconst golden = [1, 2]", CUBE, CHECK], graded=False)) == [True, True]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("1 + 2", "is not a notebook"),
        ("{}", "is not a notebook"),
        ("[" * 100_000, "is not a notebook"),
        (json.dumps(notebook([CUBE])), "has no cell with `%locked`"),
        (json.dumps(notebook([GIVEN], kernel="python")), "is a notebook in another language, python"),
        (json.dumps({"cells": 3, "metadata": {"kernelspec": {"name": "rh"}}}), "is not a notebook"),
        (
            json.dumps(
                {"cells": [{"cell_type": "code", "source": [3], "metadata": {}}], "metadata": {"kernelspec": {"name": "rh"}}}
            ),
            "is no",
        ),
    ],
    ids=range(7),
)
def test_what_cannot_be_graded_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, told: str) -> None:
    path = tmp_path / "task.ipynb"
    path.write_text(text, encoding="utf-8")
    assert main(["grade", str(path)]) == 1
    written = capsys.readouterr().err
    assert "RH381" in written
    assert told in written


# -- nbgrader's preprocessor ---------------------------------------------------------------------------------------------------


def processed(made: Any, folder: Path, **options: Any) -> list[list[str]]:
    """The types of the outputs of each cell; the kernel has been manipulated to report success."""
    for cell in made.cells:
        cell.outputs = [nbformat.v4.new_output("display_data", data={"text/plain": "✓ all is well"})]
    made, _ = LockedCells(**options)(made, {"metadata": {"path": str(folder)}})
    nbformat.validate(made)
    return [[output.output_type for output in cell.outputs] for cell in made.cells]


def test_the_verdicts_replace_what_the_kernel_said(tmp_path: Path) -> None:
    """Also if the folder contains a module with the name of a standard module."""
    (tmp_path / "json.py").write_text("raise SystemExit(0)", encoding="utf-8")
    made = notebook([GIVEN, NO_CUBE, CHECK, CUBE, CHECK])
    shown, wrong = ["display_data"], ["error"]
    assert processed(made, tmp_path) == [shown, shown, wrong, shown, shown]
    assert "all is well" not in str([made.cells[n].outputs for n in (0, 2, 4)])
    assert made.cells[2].outputs[0].ename == "RH207 Check failed"
    assert "expected  [1.0, 8.0]" in "\n".join(made.cells[2].outputs[0].traceback)


def test_without_a_verdict_nothing_passes(tmp_path: Path) -> None:
    assert processed(notebook([GIVEN, CUBE, CHECK]), tmp_path, timeout=0) == [["error"], ["display_data"], ["error"]]


@pytest.mark.slow
def test_a_program_that_does_not_end_keeps_the_verdicts_before_it(tmp_path: Path) -> None:
    forever = "repeat i < 1000000000000 from s = 0 do return s + 1"
    made = notebook([GIVEN, CUBE, CHECK, forever, DOT])
    assert processed(made, tmp_path, timeout=20)[2::2] == [["display_data"], ["error"]]
    assert made.cells[4].outputs[0].evalue == "The cells took longer than 20 s."


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the data of a process")
def test_a_cell_that_fills_the_memory_fails_alone(tmp_path: Path) -> None:
    """What the cells before it hold counts too."""
    contents = "\n".join([f"loc w{n} : Real(10000000) = normal(1, seed={n})" for n in range(6)])
    made = notebook([GIVEN, CUBE, f"%locked\n{contents}", CHECK])
    made.cells[2].metadata = {"nbgrader": {"grade_id": "large", "locked": True, "grade": True, "solution": False}}
    assert processed(made, tmp_path, memory=500)[1:] == [["display_data"], ["error"], ["display_data"]]
    assert made.cells[2].outputs[0].ename.startswith("RH241")


def test_other_notebooks_stay_as_they_are(tmp_path: Path) -> None:
    shown = [["display_data"]] * 2
    assert processed(notebook([CUBE, "check cube(2) == 8"]), tmp_path) == shown
    assert processed(notebook([GIVEN, CHECK], kernel="python"), tmp_path) == shown
