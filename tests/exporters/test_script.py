"""Export of notebooks as programs: code cells are kept, and everything else is a comment."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbconvert.exporters.script import ScriptExporter

from lessons.press.texts import FOLDER, Lesson
from lessons.press.writing import write
from rh_kernel.exporters.script import RHScriptExporter, commented

LESSONS = sorted(FOLDER.glob("[0-9][0-9]-*.md"))
PROSE = "# A heading\n\nloc w : Real = [9]\n"
PYTHON = '%%python\nimport numpy as np\nrh.const("t", np.zeros(2))'


def notebook(*cells: Any) -> Any:
    made = nbformat.v4.new_notebook(cells=list(cells))
    made.metadata["language_info"] = {"name": "rh", "file_extension": ".rh"}
    return made


def script_of(*cells: Any) -> str:
    return RHScriptExporter().from_notebook_node(notebook(*cells))[0]


def test_prose_python_and_what_fails_are_comments() -> None:
    failing = nbformat.v4.new_code_cell("1 + ()", metadata={"tags": ["raises-exception"]})
    text = script_of(
        nbformat.v4.new_markdown_cell(PROSE),
        nbformat.v4.new_code_cell("loc w : Real = [1]\n\n"),
        nbformat.v4.new_raw_cell("raw"),
        nbformat.v4.new_code_cell(PYTHON),
        failing,
        nbformat.v4.new_code_cell("w"),
    )
    lines = [line for line in text.split("\n") if line and not line.startswith("#")]
    assert lines == ["loc w : Real = [1]", "w"]
    assert "# # A heading\n#\n# loc w : Real = [9]\n" in text
    assert commented(PYTHON) in text
    assert commented("1 + ()") in text
    assert "\n# raw\n" in text
    assert text.endswith("\nw\n")


@pytest.mark.parametrize("failed", [False, True])
def test_an_exercise_that_was_solved_is_no_comment(*, failed: bool) -> None:
    cell = nbformat.v4.new_code_cell("fun f(x : Real) : Real = x", metadata={"tags": ["exercise", "raises-exception"]})
    cell.execution_count = 1
    if failed:
        cell.outputs = [nbformat.v4.new_output("error", ename="RH101", evalue="", traceback=[])]
    assert script_of(cell).startswith("# fun" if failed else "fun")


def test_a_lock_ends_with_its_cell() -> None:
    text = script_of(*[nbformat.v4.new_code_cell(text) for text in ("%locked\ncheck 1 == 1", "check exp(9) == exp(9)")])
    lines = [line for line in text.split("\n") if line]
    assert lines == ["%locked", "check 1 == 1", "%locked off", "check exp(9) == exp(9)"]


def test_the_notebook_itself_stays_as_it_is() -> None:
    made = notebook(nbformat.v4.new_markdown_cell(PROSE))
    RHScriptExporter().from_notebook_node(made)
    assert made.cells[0].cell_type == "markdown"
    assert made.cells[0].source == PROSE


def test_nbconvert_takes_it_for_notebooks_of_the_language() -> None:
    made = notebook(nbformat.v4.new_markdown_cell("Prose"), nbformat.v4.new_code_cell("1 + 2"))
    text, resources = ScriptExporter().from_notebook_node(made)
    assert text.split() == ["#", "Prose", "1", "+", "2"]
    assert resources["output_extension"] == ".rh"


EDITIONS = [pytest.param(LESSONS[0], False, id="00-reader"), pytest.param(LESSONS[0], True, id="00-teacher")]
EDITIONS += [pytest.param(lesson, True, id=f"{lesson.stem[:2]}-teacher", marks=pytest.mark.slow) for lesson in LESSONS[1:]]


@pytest.mark.parametrize(("lesson", "solutions"), EDITIONS)
def test_a_lesson_that_was_never_opened_is_a_program_that_runs(lesson: Path, tmp_path: Path, *, solutions: bool) -> None:
    """Errors are allowed only for names that a Python cell of the notebook defines, and for what depends on those."""
    notebook, _ = write(Lesson(lesson), tmp_path, solutions=solutions)
    convert = [sys.executable, "-m", "nbconvert", "--to", "script", "--output-dir", str(tmp_path), str(notebook)]
    subprocess.run(convert, check=True, capture_output=True, timeout=120)
    program = tmp_path / f"{lesson.stem}.rh"
    done = subprocess.run(
        [sys.executable, "-m", "rh_kernel", "run", "--json", str(program)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    items = [json.loads(line) for line in done.stdout.splitlines()]
    errors = [item for item in items if item["kind"] == "error"]
    cells = [cell.source for cell in nbformat.read(notebook, as_version=4).cells if cell.source.startswith("%%python")]
    from_python = set(re.findall(r"\w+", "\n".join(cells)))
    own = [error for error in errors if error["code"] != "RH120"]
    unexpected = [error for error in own if not from_python & set(re.findall(r"\w+", error["message"]))]
    assert len(items) > len(errors)
    assert unexpected == []
    assert done.returncode == (1 if errors else 0)


@pytest.mark.parametrize("text", ["", "a", "a\nb", "\n", "a\r\nb", "a\u2028loc w = 1", "a\x0cloc w = 1"])
def test_a_comment_is_nothing_else(text: str) -> None:
    assert all(line.startswith("#") for line in commented(text).split("\n") if line)
