"""Export of a notebook as a self-contained page: it loads and runs nothing, and shows all outputs that can be shown."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import subprocess
import sys
import zlib
from copy import deepcopy
from pathlib import Path
from typing import Any

import nbformat
import pytest

from rh_kernel.display.live.saved import MIME
from rh_kernel.exporters.exporter import RHHTMLExporter
from rh_kernel.exporters.static_pages import NEED_SCRIPTS, picture_loader, without_live_outputs
from tests.exporters.conftest import CELLS
from tests.exporters.reading import Page


def test_the_page_needs_nothing_but_itself(page: Page) -> None:
    # The one `<meta>` with a rule for the page forbids what is not listed there.
    assert page.diagnostics == []


def policy(html: str) -> str:
    (found,) = re.findall(r'<meta content="([^"]*)" http-equiv="Content-Security-Policy"', html)
    return found


def test_the_page_forbids_all_scripts_but_one_of_ours(html: str, page: Page) -> None:
    """It is that which shows the saved views; what is in the notebook is data for it."""
    ours = [text for kind, text in page.scripts if kind == "module"]
    data = [text for kind, text in page.scripts if kind == "application/json"]
    assert len(ours) == 1
    assert len(data) == 4
    assert len(page.scripts) == 5
    assert all(json.loads(zlib.decompress(base64.b64decode(text)))["whole"] for text in data)
    digest = base64.b64encode(hashlib.sha256(ours[0].encode()).digest()).decode()
    assert "default-src 'none'" in policy(html)
    assert re.findall(r"script-src ([^;]*)", policy(html)) == [f"'sha256-{digest}'"]


def test_a_page_can_be_without_scripts(notebook: Any) -> None:
    html = RHHTMLExporter(interactive=False).from_notebook_node(notebook)[0]
    assert Page(html).scripts == []
    assert "script" not in policy(html)


@pytest.mark.parametrize(
    "form",
    [
        {"kind": "player", "record": "</script><script>alert(1)</script>"},
        {"kind": 'player"><b>', "record": "eJw="},
        {"kind": ["player"], "record": "eJw="},
        {"kind": "player"},
        "eJw=",
    ],
)
def test_a_record_that_is_not_of_ours_is_left_out(notebook: Any, form: object) -> None:
    hostile = deepcopy(notebook)
    for cell in hostile.cells:
        for output in cell.get("outputs", []):
            if MIME in output.get("data", {}):
                output.data[MIME] = form
    assert Page(RHHTMLExporter().from_notebook_node(hostile)[0]).scripts == []


def test_links_lead_to_places_of_the_page(page: Page) -> None:
    assert "Second-part" in page.links
    assert set(page.links) <= page.identities


def test_links_that_led_out_are_told(page: Page) -> None:
    assert "a paper (https://paper.example/p.pdf)" in page.text
    assert page.text.count("https://auto.example/") == 1


def test_every_cell_has_its_source_and_its_outputs(notebook: Any, page: Page) -> None:
    squeezed = "".join(page.text.split())
    for cell in CELLS:
        assert "".join(cell.split()) in squeezed
    for words in ("0.1325", "RevHandle", "RH201", "epochs of 4 samples", "operations", "Slider(value=3)", "a warning"):
        assert "".join(words.split()) in squeezed, words
    assert page.text.count("not bold") == 1
    assert "<b>not bold</b>" in page.text


def test_pictures_are_inside(page: Page, html: str) -> None:
    assert html.count('src="data:image/png;base64,') == 4
    assert "[far away]" in page.text
    assert "data:image/svg+xml;base64," in html


def test_pictures_come_from_the_folder_of_the_notebook_alone(tmp_path: Path) -> None:
    (tmp_path / "inside").mkdir()
    for name in ("secret.png", "inside/a b.png", "inside/words.txt"):
        (tmp_path / name).write_bytes(b"x")
    picture = picture_loader(tmp_path / "inside")
    assert picture("a%20b.png") == "data:image/png;base64,eA=="
    for address in (
        "../secret.png",
        str(tmp_path / "secret.png"),
        "words.txt",
        "missing.png",
        "a\0.png",
        "",
        "https://a.example/a.png",
    ):
        assert picture(address) is None


def test_markup_around_markdown_stays_around_it() -> None:
    text = "<div class='rh-x'>\n\n*a*\n\n</div>\n\nb <kbd>c</kbd>"
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(text)])
    found = RHHTMLExporter().from_notebook_node(made, {"metadata": {"name": "a", "path": ""}})[0]
    assert re.search(r'<div class="rh-x">\s*<p><em>a</em></p>\s*</div>\s*<p>b <kbd>c</kbd></p>', found)


def test_mathematics_is_drawn_or_told(page: Page) -> None:
    assert page.tags.count("math") >= 5
    assert "mtable" in page.tags
    assert r"\unknown{y}" in page.text
    assert "$" not in page.text.replace("$ ", "")


def test_what_only_runs_is_left_out(notebook: Any, page: Page) -> None:
    assert page.tags.count("iframe") == 0
    assert page.tags.count("script") == len(page.scripts)
    before = json.dumps(notebook)
    made = without_live_outputs(notebook)
    assert json.dumps(notebook) == before
    forms = {
        form for cell in made.cells if cell.cell_type == "code" for output in cell.outputs for form in output.get("data", {})
    }
    assert not forms & set(NEED_SCRIPTS)
    assert "widgets" not in made.metadata


def test_live_results_have_their_static_form(notebook: Any) -> None:
    trace = next(cell for cell in notebook.cells if cell.source.startswith("%trace"))
    stays = next(cell for cell in without_live_outputs(notebook).cells if cell.source.startswith("%trace"))
    assert len(stays.outputs) == 1
    assert stays.outputs[-1].data["text/html"] == trace.outputs[-1].data["text/html"]


def test_the_title_is_text(html: str) -> None:
    assert "<title>A &lt;lesson&gt;</title>" in html


@pytest.mark.filterwarnings("ignore:No lexer found")
@pytest.mark.parametrize(
    "hostile", ["</title><script>alert(1)</script>", '"><script>alert(1)</script>', "</style><script>alert(1)</script>"]
)
def test_names_of_a_notebook_are_text(hostile: str) -> None:
    cell = nbformat.v4.new_code_cell(hostile, metadata={"tags": [hostile]}, execution_count=1)
    cell.outputs = [
        nbformat.v4.new_output("display_data", data={"image/png": hostile, "text/plain": hostile}),
        nbformat.v4.new_output("display_data", data={"text/plain": hostile}),
        nbformat.v4.new_output("display_data", data={"text/latex": hostile}),
        nbformat.v4.new_output("display_data", data={hostile: hostile}),
        nbformat.v4.new_output("stream", text=hostile),
        nbformat.v4.new_output("error", ename=hostile, evalue=hostile, traceback=[hostile]),
    ]
    made = nbformat.v4.new_notebook(cells=[cell, nbformat.v4.new_markdown_cell(f"${hostile}$")])
    made.metadata["title"] = hostile
    made.metadata["language_info"] = {"name": hostile}
    found = Page(RHHTMLExporter(language_code="en").from_notebook_node(made, {"metadata": {"name": hostile, "path": ""}})[0])
    assert "script" not in found.tags
    assert not found.diagnostics


def test_the_command_of_jupyter_writes_it(notebook: Any, tmp_path: Path) -> None:
    made = deepcopy(notebook)
    made.cells = made.cells[-1:]
    nbformat.write(made, tmp_path / "lesson.ipynb")
    command = [sys.executable, "-m", "nbconvert", "--to", "rh_kernel.exporters.exporter.RHHTMLExporter", "lesson.ipynb"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    assert Page((tmp_path / "lesson.html").read_text(encoding="utf-8")).diagnostics == []


def test_the_exporter_is_announced() -> None:
    import tomllib

    declared = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))
    named = declared["project"]["entry-points"]["nbconvert.exporters"]["rh_html"]
    assert named == f"{RHHTMLExporter.__module__}:{RHHTMLExporter.__qualname__}"
