"""The live trace of whole terms in JupyterLab: keys, rules, cells, search, reload, and no kernel."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.browser.conftest import Window

pytestmark = [pytest.mark.browser, pytest.mark.slow]

Open = Callable[..., Window]

REDUCTION = "%%eff\ninclude evaluate\ninclude stateful\n%trace handle grad {x -> t (t x x) x} 2 with evaluate"
HOSTILE = '%%eff\n%trace print "<img src=x onerror=alert(1)>"; let r = new "<b>bold</b>" in @r'
LAMBDA = "%%lambda\nfun f(x : Real, y : Real) : Real = x * x * y\n%ad reverse-derivative f(3, 2) --trace"


def status(window: Window) -> str:
    return window.page.inner_text(".rh-rewriting-status")


def shown(window: Window, side: int) -> str:
    return window.page.locator(".rh-rewriting-page").nth(side).inner_text()


def at(window: Window, step: int) -> None:
    """Wait until this step and its terms have arrived."""
    window.page.wait_for_selector(f".rh-rewriting-status:has-text('Step {step} of ')")
    window.page.wait_for_selector(".rh-rewriting-frame:not(.rh-waiting)")


def test_a_reduction_is_walked_through(open_notebook: Open, tmp_path: Path) -> None:
    window = open_notebook("reduction.ipynb", REDUCTION)
    window.run_all()
    at(window, 1)
    assert "grad" in shown(window, 0)
    window.page.focus(".rh-rewriting")
    window.page.keyboard.press("ArrowRight")
    at(window, 2)
    after = shown(window, 1)
    window.page.keyboard.press("ArrowRight")
    at(window, 3)
    assert shown(window, 0) == after
    window.page.click(".rh-rewriting-chip:has-text('write')")
    window.page.wait_for_selector(".rh-rewriting-status:has-text('write')")
    window.page.wait_for_selector(".rh-rewriting-frame:not(.rh-waiting)")
    assert window.page.inner_text(".rh-rewriting-page >> nth=0 >> .rh-mark-redex >> nth=0").startswith("⟨r2⟩")
    assert window.page.inner_text(".rh-rewriting-changed").split() == ["r2", "1"]
    window.picture(tmp_path / "write.png")
    window.page.focus(".rh-rewriting")
    window.page.keyboard.press("End")
    window.page.wait_for_function(
        "() => /Step (\\d+) of \\1:/.test(document.querySelector('.rh-rewriting-status').textContent)"
    )
    window.page.wait_for_selector(".rh-rewriting-frame:not(.rh-waiting)")
    assert shown(window, 1).strip() == "12"
    assert window.errors == []


def test_a_search_and_a_jump(open_notebook: Open) -> None:
    window = open_notebook("search.ipynb", REDUCTION)
    window.run_all()
    at(window, 1)
    window.page.fill(".rh-rewriting-search", "⟨r2⟩ := 1")
    window.page.press(".rh-rewriting-search", "Enter")
    window.page.wait_for_function("() => !document.querySelector('.rh-rewriting-status').textContent.startsWith('Step 1 ')")
    window.page.wait_for_selector(".rh-rewriting-frame:not(.rh-waiting)")
    assert "⟨r2⟩ := 1" in " ".join(shown(window, 1).split())
    window.page.fill(".rh-rewriting-jump", "7")
    window.page.press(".rh-rewriting-jump", "Enter")
    at(window, 7)
    window.page.fill(".rh-rewriting-jump", "nowhere")
    window.page.press(".rh-rewriting-jump", "Enter")
    assert "names no step" in window.page.inner_text(".rh-rewriting-notice")
    assert window.errors == []


def test_texts_of_a_program_are_no_html(open_notebook: Open) -> None:
    window = open_notebook("hostile.ipynb", HOSTILE)
    window.run_all()
    at(window, 1)
    window.page.focus(".rh-rewriting")
    window.page.keyboard.press("End")
    window.page.wait_for_selector(".rh-rewriting-cells td:has-text('<b>bold</b>')")
    assert window.page.locator(".rh-rewriting img, .rh-rewriting-cells b").count() == 0
    assert "<img src=x onerror=alert(1)>" in window.page.inner_text(".rh-rewriting-printed pre")
    assert window.errors == []


def test_a_reload_finds_the_step_and_a_dead_kernel_is_told(open_notebook: Open) -> None:
    window = open_notebook("kept.ipynb", LAMBDA)
    window.run_all()
    at(window, 1)
    window.page.focus(".rh-rewriting")
    for _ in range(4):
        window.page.keyboard.press("ArrowRight")
    at(window, 5)
    window.page.wait_for_timeout(1500)
    window.page.evaluate("async () => await window.jupyterapp.commands.execute('docmanager:save')")
    window.page.reload()
    window.page.wait_for_selector(".jp-Notebook .jp-Cell")
    at(window, 5)
    window.page.evaluate("async () => await window.jupyterapp.shell.currentWidget.context.sessionContext.shutdown()")
    window.page.wait_for_selector(".rh-rewriting-notice.rh-gone")
    assert "run the cell again" in window.page.inner_text(".rh-rewriting-notice")
