"""A string diagram in JupyterLab: live in a trusted notebook, an image otherwise."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest

from rh_kernel.display.registry import bundle
from rh_kernel.session.results import DiagramMade
from tests.browser.conftest import Lab, Window
from tests.display.pages import MLP, PASS, shown

pytestmark = [pytest.mark.browser, pytest.mark.slow]

Open = Callable[..., Window]

VISIBLE = "selector => [...document.querySelectorAll('.jp-OutputArea ' + selector)].filter(e => e.checkVisibility()).length"
TOO_WIDE = """() => [...document.querySelectorAll('.rh-diagram-box')].flatMap(group => {
    const box = group.querySelector('rect, circle'), text = group.querySelector('text');
    return text.getBBox().width > box.getBBox().width - 2 ? [text.textContent] : [];
})"""

PIXELS = """frame => [...frame.querySelectorAll('text')].map(
    text => parseFloat(getComputedStyle(text).fontSize) * frame.querySelector('svg').getScreenCTM().a)"""


def test_a_diagram_is_drawn_once_and_no_text_leaves_its_box(open_notebook: Open, tmp_path: Path) -> None:
    window = open_notebook("diagram.ipynb", MLP, f"%diagram {PASS}")
    window.run_all()
    window.page.wait_for_selector(".rh-diagram-box")
    window.picture(tmp_path / "diagram.png")
    assert window.page.evaluate(VISIBLE, ".rh-diagram-svg") == 1
    assert window.page.evaluate(VISIBLE, "svg.rh-d") == 0
    assert window.page.evaluate(VISIBLE, "img") == 0
    assert window.page.evaluate(TOO_WIDE) == []
    assert window.errors == []


def test_an_untrusted_notebook_shows_an_image(open_notebook: Open, lab: Lab, tmp_path: Path) -> None:
    (made,) = [result for result in shown(f"%diagram {PASS}") if isinstance(result, DiagramMade)]
    file = lab.write("stored.ipynb", f"%diagram {PASS}")
    notebook = nbformat.read(file, as_version=4)
    notebook.cells[0].outputs = [nbformat.v4.new_output("display_data", data=bundle(made))]
    window = open_notebook("other.ipynb", "1")
    nbformat.write(notebook, file)
    window.page.goto(window.page.url.replace("other", "stored"))
    window.page.wait_for_selector(".jp-OutputArea-output img")
    window.page.wait_for_timeout(500)
    window.picture(tmp_path / "stored.png")
    assert window.page.evaluate(VISIBLE, "svg.rh-d") == 0
    assert window.page.evaluate(VISIBLE, "img") == 1
    assert "Qᶠ" not in "".join(window.outputs()[0])


def test_all_text_is_legible_at_first_and_what_is_wider_than_the_window_scrolls(open_notebook: Open) -> None:
    window = open_notebook("legible.ipynb", MLP, f"%diagram {PASS}")
    window.page.set_viewport_size({"width": 800, "height": 900})
    window.run_all()
    frame = window.page.locator(".rh-diagram-window")
    window.page.wait_for_selector(".rh-diagram-box")
    assert round(min(frame.evaluate(PIXELS)), 1) >= 11
    assert frame.evaluate("frame => frame.scrollWidth > frame.clientWidth && frame.scrollHeight <= frame.clientHeight + 1")
    frame.scroll_into_view_if_needed()
    around = frame.bounding_box()
    assert around is not None
    # A wire-free place of the drawing, pulled to the left.
    window.page.mouse.move(around["x"] + 300, around["y"] + 12)
    window.page.mouse.down()
    window.page.mouse.move(around["x"] + 100, around["y"] + 12, steps=4)
    window.page.mouse.up()
    assert frame.evaluate("frame => frame.scrollLeft") == pytest.approx(200, abs=2)
    frame.locator("[tabindex='0']").first.focus()
    window.page.keyboard.press("0")
    assert frame.evaluate("frame => frame.scrollWidth <= frame.clientWidth")
