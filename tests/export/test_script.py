"""Notebooks as programs: what a cell does the program does, and everything else is a comment."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbconvert.exporters.script import ScriptExporter

from rh_kernel.export.script import RHScriptExporter, commented

LESSONS = sorted((Path(__file__).parents[2] / "lessons").glob("*.ipynb"))
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


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_is_a_program_that_runs(lesson: Path, tmp_path: Path) -> None:
    convert = [sys.executable, "-m", "nbconvert", "--to", "script", "--output-dir", str(tmp_path), str(lesson)]
    subprocess.run(convert, check=True, capture_output=True, timeout=120)
    program = tmp_path / f"{lesson.stem}.rh"
    done = subprocess.run(
        [sys.executable, "-m", "rh_kernel", "run", "--json", str(program)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:]
    kinds = [json.loads(line)["kind"] for line in done.stdout.splitlines()]
    assert kinds
    assert "error" not in kinds


@pytest.mark.parametrize("text", ["", "a", "a\nb", "\n", "a\r\nb", "a\u2028loc w = 1", "a\x0cloc w = 1"])
def test_a_comment_is_nothing_else(text: str) -> None:
    assert all(line.startswith("#") for line in commented(text).split("\n") if line)
