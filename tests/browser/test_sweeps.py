"""A sweep in JupyterLab: the table fills, is sorted by click and by keyboard, and has a static form without the kernel."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.browser.conftest import Window
from tests.session.sweeps import NET

pytestmark = [pytest.mark.browser, pytest.mark.slow]

Open = Callable[..., Window]

SWEEP = """sweep alpha in [0.03, 0.1, 0.3, 1], h in [2, 4, 0.5], seed in 0..2
  loc v0 : Real(h, 2) = normal(0.5, seed=seed)
  loc v1 : Real(1, h) = normal(0.5, seed=seed)
  net small(x : Real(2)) : Real(1) = let z <= FC[v0](x) in let y <= return swish(z) in FC[v1](y)
  train rev handle (x) <u>. small(u) with sgd(alpha, t)
    for (x, t) in data("xor") epochs 60 batch 4 shuffle seed
    measure let y <= handle small(x) with infer in return dot(y - t, y - t)
  alpha * seed"""
COLUMN = """n => [...document.querySelectorAll('.rh-sweep tbody tr')].map(row => {
    const cell = row.querySelectorAll('td')[n];
    return (cell?.querySelector('.rh-sweep-value') ?? cell)?.innerText ?? '';
})"""
SORTED = "n => document.querySelectorAll('.rh-sweep thead th')[n].getAttribute('aria-sort')"


def column(window: Window, n: int) -> list[str]:
    return window.page.evaluate(COLUMN, n)


def test_a_sweep_is_sorted_by_click_and_by_keyboard(open_notebook: Open, tmp_path: Path) -> None:
    window = open_notebook("sweep.ipynb", NET, SWEEP)
    window.run_all()
    window.page.wait_for_selector(".rh-sweep tbody tr")
    window.picture(Path(os.environ.get("RH_PICTURES", tmp_path)) / "sweep.png")
    assert len(column(window, 1)) == 36
    assert column(window, 1)[:2] == ["0.03", "0.03"]
    assert window.page.locator(".rh-sweep tbody .rh-sweep-best").count() == 1
    assert window.page.locator(".rh-sweep tbody .rh-sweep-failed").count() == 12
    assert "RH118" in window.page.inner_text(".rh-sweep tbody .rh-sweep-failed >> nth=0")
    assert window.page.locator(".rh-sweep figure img").count() == 6

    # A line and its row belong together: by pointing at one, by going to the other, and by a click, which keeps the mark.
    marked = "() => [...document.querySelectorAll('tr.rh-linked-on')].map(row => row.dataset.run)"
    line = window.page.locator(".rh-sweep figure >> nth=1").locator("g[data-run]").last
    run = line.get_attribute("data-run")
    line.dispatch_event("pointerenter")
    assert window.page.evaluate(marked) == [run]
    assert window.page.locator(f".rh-sweep g.rh-linked-on[data-run='{run}']").count() >= 5
    line.dispatch_event("pointerleave")
    area = window.page.locator(".rh-sweep figure >> nth=2").locator("g[data-run]").last
    assert "★" in (area.text_content() or "")
    area.dispatch_event("pointerenter")
    assert window.page.evaluate(marked) == [area.get_attribute("data-run")]
    area.dispatch_event("pointerleave")
    line.dispatch_event("pointerenter")
    line.dispatch_event("pointerleave")
    assert window.page.evaluate(marked) == []
    line.dispatch_event("click")
    assert window.page.evaluate(marked) == [run]
    window.picture(Path(os.environ.get("RH_PICTURES", tmp_path)) / "sweep_marked.png")
    line.dispatch_event("click")
    window.page.focus(".rh-sweep tbody tr[tabindex='0']")
    first = window.page.evaluate(marked)
    window.page.keyboard.press("ArrowDown")
    assert window.page.evaluate(marked) != first
    assert len(window.page.evaluate(marked)) == 1
    window.page.keyboard.press("Shift+Tab")
    assert window.page.evaluate(marked) == []

    window.page.click(".rh-sweep thead button >> nth=3")
    assert window.page.evaluate(SORTED, 4) == "ascending"
    measures = [float(text) for text in column(window, 4)[:24]]
    assert measures == sorted(measures)
    assert column(window, 0)[0] == "★"
    assert column(window, 0)[24:] == ["✗"] * 12

    window.page.focus(".rh-sweep thead button >> nth=3")
    window.page.keyboard.press("Enter")
    assert window.page.evaluate(SORTED, 4) == "descending"
    measures = [float(text) for text in column(window, 4)[:24]]
    assert measures == sorted(measures, reverse=True)
    window.page.keyboard.press("Space")
    assert window.page.evaluate(SORTED, 4) == "none"
    assert column(window, 1)[:2] == ["0.03", "0.03"]
    window.page.keyboard.press("Shift+Tab")
    window.page.keyboard.press("Enter")
    assert window.page.evaluate(SORTED, 3) == "ascending"
    assert column(window, 3)[:12] == ["0"] * 12
    assert window.errors == []


def test_a_sweep_fills_while_it_runs_and_an_interrupt_keeps_the_rest(open_notebook: Open, tmp_path: Path) -> None:
    window = open_notebook("filling.ipynb", NET, SWEEP.replace("epochs 60", "epochs 30000"))
    window.command("notebook:run-all-cells")
    window.page.wait_for_selector(".rh-sweep")
    window.page.click(".rh-sweep thead button >> nth=2")
    window.page.wait_for_function(
        "!document.querySelector('.rh-sweep-head').innerText.startsWith('0 of 36 runs')", timeout=60_000
    )
    window.page.keyboard.press("Enter")
    assert window.page.evaluate(SORTED, 3) == "descending"
    window.page.wait_for_selector(".rh-sweep-pending >> text=/^running, [0-9]+ %$/", timeout=60_000)
    done = window.page.locator(".rh-sweep tbody .rh-sweep-curve").count()
    window.page.wait_for_function(
        f"document.querySelectorAll('.rh-sweep tbody .rh-sweep-curve').length > {done}", timeout=60_000
    )
    window.picture(Path(os.environ.get("RH_PICTURES", tmp_path)) / "filling.png")
    seeds = [int(text) for text in column(window, 3)]
    assert len(seeds) == 36
    assert seeds == sorted(seeds, reverse=True)
    window.command("notebook:interrupt-kernel")
    window.page.wait_for_selector(".rh-sweep-head >> text=/^stopped after/", timeout=60_000)
    assert 0 < len(column(window, 1)) < 36
    assert window.page.locator(".rh-sweep").count() == 1
    assert window.page.evaluate(SORTED, 3) == "descending"
    assert not window.page.is_visible(".rh-progress")
    window.page.evaluate("async () => await window.jupyterapp.shell.currentWidget.context.sessionContext.shutdown()")
    assert len(column(window, 1)) > 0
