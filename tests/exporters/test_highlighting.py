"""Highlighted programs: the text is unchanged, and the CSS classes are those of its tokens."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.exporters.exporter import RHHTMLExporter
from rh_kernel.exporters.highlighting import highlighted
from rh_kernel.exporters.sanitizer import sanitize
from tests.exporters.reading import Page

PROGRAMS = sorted((Path(__file__).parents[1] / "programs").rglob("*.rh"))


def text_of(html: str) -> str:
    return Page(html).text


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_keeps_its_characters(program: Path) -> None:
    text = program.read_text(encoding="utf-8").replace("\r", "")
    assert text_of(highlighted(text)) == text


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\r\x00")))
def test_any_text_keeps_its_characters_and_is_harmless(text: str) -> None:
    html = highlighted(text)
    assert text_of(html) == text
    assert sanitize(html) == html


def coloured(text: str) -> list[tuple[str, str]]:
    return re.findall(r'<span class="(\w+)">([^<]*)</span>', highlighted(text))


def test_words_signs_and_numbers_have_their_colours() -> None:
    assert coloured('let x <- exp(1.5) in x # why "so"') == [
        ("k", "let"),
        ("n", "x"),
        ("o", "&lt;-"),
        ("nb", "exp"),
        ("p", "("),
        ("m", "1.5"),
        ("p", ")"),
        ("k", "in"),
        ("n", "x"),
        ("c", '# why "so"'),
    ]
    assert coloured("%trace mlp") == [("nd", "%"), ("nd", "trace"), ("n", "mlp")]
    assert coloured("loc w = 1")[:2] == [("kd", "loc"), ("nv", "w")]


def test_a_python_cell_has_the_colours_of_python() -> None:
    assert coloured("%%python\nimport math")[:2] == [("nd", "%%python"), ("kn", "import")]


@pytest.mark.parametrize(
    ("source", "ours"), [("%%rh\nloc w = 1", True), ("%%rhythm\nloc w = 1", False), ("loc = 1", False), ("", False)]
)
def test_in_a_python_notebook_only_cells_of_the_language_are_read_so(source: str, ours: bool) -> None:
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)])
    made.metadata["language_info"] = {"name": "python", "pygments_lexer": "ipython3"}
    found = RHHTMLExporter().from_notebook_node(made, {"metadata": {"name": "a", "path": ""}})[0]
    assert ('<span class="kd">loc</span>' in found) == ours


def test_fenced_programs_are_in_colours() -> None:
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("```rh\nloc w = 1\n```")])
    found = RHHTMLExporter().from_notebook_node(made, {"metadata": {"name": "a", "path": ""}})[0]
    assert '<span class="kd">loc</span>' in found
