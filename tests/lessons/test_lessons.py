"""The lessons run from top to bottom in the real kernel, and only the cells that are meant to fail do."""

import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

LESSONS = sorted((Path(__file__).parents[2] / "lessons").glob("*.ipynb"))


def executed(path: Path) -> list[dict[str, Any]]:
    """The code cells of a lesson with the outputs that the kernel gave."""
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(notebook, timeout=300, kernel_name="rh", resources={"metadata": {"path": str(path.parent)}})
    client.execute()
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def plain(cell: dict[str, Any]) -> str:
    """All outputs of a cell as plain text."""
    return "\n".join(output.get("data", {}).get("text/plain", "") for output in cell["outputs"])


@pytest.fixture(scope="module", params=LESSONS, ids=lambda path: path.stem)
def lesson(request: pytest.FixtureRequest) -> tuple[Path, list[dict[str, Any]]]:
    return request.param, executed(request.param)


def test_only_cells_meant_to_fail_fail(lesson: tuple[Path, list[dict[str, Any]]]) -> None:
    for cell in lesson[1]:
        failed = any(output["output_type"] == "error" for output in cell["outputs"])
        assert failed == ("raises-exception" in cell["metadata"].get("tags", [])), cell["source"]


def test_no_traceback_reaches_the_reader(lesson: tuple[Path, list[dict[str, Any]]]) -> None:
    for cell in lesson[1]:
        assert "Traceback" not in str(cell["outputs"])


def test_lesson_is_stored_without_outputs() -> None:
    for path in LESSONS:
        for cell in nbformat.read(path, as_version=4).cells:
            assert cell.cell_type != "code" or (cell.outputs == [] and cell.execution_count is None), path


def test_digits_are_read_in_the_first_lesson(lesson: tuple[Path, list[dict[str, Any]]]) -> None:
    path, cells = lesson
    if not path.stem.startswith("01"):
        pytest.skip("the digits are in lesson 1")
    text = plain(next(cell for cell in cells if cell["source"].startswith("train")))
    accuracy = re.search(r"same_argmax\(y, t\).*?(0\.9[5-9]\d*|1\.0)", text, re.DOTALL)
    assert accuracy is not None, text
