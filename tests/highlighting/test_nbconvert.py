"""The exporters of nbconvert find the lexer by the name of the language."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest
from nbconvert.exporters.html import HTMLExporter
from nbconvert.exporters.latex import LatexExporter

from lessons.press.texts import FOLDER, Lesson
from lessons.press.writing import write

FIRST, *OTHERS = sorted(FOLDER.glob("[0-9][0-9]-*.md"))
LESSONS = [FIRST, *[pytest.param(lesson, marks=pytest.mark.slow) for lesson in OTHERS]]


@pytest.mark.parametrize("info", [{"name": "rh"}, {"name": "rh", "pygments_lexer": "rh", "codemirror_mode": {"name": "rh"}}])
def test_a_notebook_has_colours(info: dict[str, object]) -> None:
    cells = ["loc w : Real = 1  # so", "%%python\nimport numpy"]
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    made.metadata["language_info"] = info
    page = HTMLExporter().from_notebook_node(made)[0]
    found = re.findall(r'<span class="(\w+)">([^<]+)</span>', page)
    assert {("kd", "loc"), ("nc", "Real"), ("c", "# so"), ("nd", "%%python"), ("kn", "import")} <= set(found)
    assert r"\PY{k+kd}{loc}" in LatexExporter().from_notebook_node(made)[0]


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_that_was_never_opened_has_colours(lesson: Path, tmp_path: Path) -> None:
    notebook, _ = write(Lesson(lesson), tmp_path)
    page = HTMLExporter().from_filename(str(notebook))[0]
    assert '<span class="k">return</span>' in page
    assert '<span class="err">' not in page
