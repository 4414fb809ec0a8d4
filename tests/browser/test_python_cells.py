"""``%%python`` cells in JupyterLab: plots, and controls that work in the session of the notebook."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.browser.conftest import Window

pytestmark = [pytest.mark.browser, pytest.mark.slow]

Open = Callable[..., Window]

DECLARATIONS = "loc weight : Real(3) = [1, 2, 3]\nfun grown(x : Real(3)) : Real(3) = 2 * x"
CONTROL = """\
%%python
from ipywidgets import interact
@interact(by=(0, 10))
def scale(by=3):
    rh.const("by", by)
    print("by", by, "gives", rh.run("by * sum(grown([1, 2, 3]))").value)
"""
DRAWN = """\
%%python
import matplotlib.pyplot as plt
plt.figure(figsize=(4, 2))
plt.bar(range(3), rh.heap["weight"]);
"""
SHOWN = '%%python\nrh.trace("return grown([1, 2, 3])")'


def test_a_slider_runs_programs_in_the_session(open_notebook: Open, tmp_path: Path) -> None:
    window = open_notebook("slider.ipynb", DECLARATIONS, CONTROL, "by", SHOWN, '%%python\nrh.const("wrong", "word")')
    window.run_all()
    window.page.wait_for_function("() => document.body.innerText.includes('by 3 gives [36.]')")
    assert window.outputs()[2][0].startswith("3")
    handle = window.page.locator(".jupyter-widgets .noUi-handle")
    handle.focus()
    handle.press("ArrowRight")
    window.page.wait_for_function("() => document.body.innerText.includes('by 4 gives [48.]')")
    assert "by 3" not in window.page.inner_text(".jp-Notebook")
    window.page.wait_for_function("() => document.querySelector('.rh-live')")
    assert "RH304" in window.outputs()[4][0]
    window.picture(tmp_path / "slider.png")
    assert window.errors == []


def test_a_figure_is_drawn_below_its_cell(open_notebook: Open) -> None:
    window = open_notebook("figure.ipynb", DECLARATIONS, DRAWN)
    window.run_all()
    assert window.page.locator(".jp-OutputArea-output img").evaluate("image => image.naturalWidth") > 100
    assert window.errors == []


def test_an_interrupt_from_the_menu_ends_a_cell_that_waits(open_notebook: Open) -> None:
    window = open_notebook("waiting.ipynb", '%%python\nimport asyncio\nprint("waits")\nawait asyncio.sleep(600)')
    window.command("notebook:run-all-cells")
    window.page.wait_for_function("() => document.querySelector('.jp-OutputArea')?.innerText.includes('waits')")
    window.command("notebook:interrupt-kernel")
    window.page.wait_for_function("() => document.body.innerText.includes('KeyboardInterrupt')", timeout=10_000)
