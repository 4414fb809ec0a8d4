"""A slider in JupyterLab: what depends on it follows while it is dragged, unless it is pinned, and the notebook keeps it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest

from tests.benchmarks.knobs import PASS, lesson
from tests.browser.conftest import Lab, Window

pytestmark = [pytest.mark.browser, pytest.mark.slow]

Open = Callable[..., Window]


def box(window: Window, rate: str) -> None:
    """Wait until the player has a box with this rate in it."""
    window.page.wait_for_selector(f".rh-player-box text:text-matches('^w - {rate} · outer')", timeout=60_000)


def test_what_depends_on_a_slider_follows_it(open_notebook: Open, lab: Lab, tmp_path: Path) -> None:
    window = open_notebook(
        "knobs.ipynb", *lesson(), "const alpha = 0.1", "%slider alpha 0.01 1 log", PASS, "10 * alpha", "2 * 3"
    )
    page = window.page
    window.run_all()
    page.wait_for_selector(".rh-player-box", timeout=60_000)
    page.focus(".rh-player")
    page.keyboard.press("o")
    box(window, "0.1")
    slider = page.locator(".rh-knob input")
    assert slider.get_attribute("aria-valuetext") == "0.1"
    page.focus(".rh-player")
    page.keyboard.press("End")

    slider.scroll_into_view_if_needed()
    around = slider.bounding_box()
    assert around is not None
    y = around["y"] + around["height"] / 2
    page.mouse.move(around["x"] + around["width"] / 2, y)
    page.mouse.down()
    page.mouse.move(around["x"] + around["width"] + 20, y, steps=40)
    page.mouse.up()
    box(window, "1.0")
    page.wait_for_selector(".jp-OutputArea-output:has-text('10 : Real(1)')")
    assert page.inner_text(".rh-player-count") == "box 16 of 16", "the player stays where it was"
    assert page.locator(".rh-knob-followers li").count() == 2, "`2 * 3` does not depend on it"
    assert page.inner_text(".rh-follow:not([hidden]) >> nth=0").endswith("follows alpha")

    page.click(".rh-knob-followers button >> nth=0")
    page.wait_for_selector(".rh-follow-pinned.rh-follow")
    page.focus(".rh-knob input")
    page.keyboard.press("Home")
    page.wait_for_selector(".jp-OutputArea-output:has-text('0.1 : Real(1)')")
    assert page.locator(".rh-player-box text:text-matches('^w - 1.0 · outer')").count() > 0
    window.picture(Path(os.environ.get("RH_PICTURES", tmp_path)) / "knobs.png")
    page.click(".rh-knob-followers button >> nth=0")
    box(window, "0.01")

    page.wait_for_timeout(1000)
    page.click(".rh-changes summary")
    page.focus(".rh-changes-number input >> nth=0")
    page.keyboard.press("End")
    page.wait_for_selector(".rh-player-box text:text-is('[2.0, -2.0]')")
    page.wait_for_selector(".rh-player:not(.rh-player-stale) .rh-changes .rh-player-quiet:has-text('would have been')")
    box(window, "0.01")
    window.picture(Path(os.environ.get("RH_PICTURES", tmp_path)) / "changes.png")
    page.click(".rh-changes button")
    page.wait_for_selector(".rh-player-box text:text-is('[1.0, -2.0]')")

    page.wait_for_timeout(1000)
    window.command("docmanager:save")
    page.wait_for_function("!window.jupyterapp.shell.currentWidget.context.model.dirty", timeout=60_000)
    cells = [cell for cell in nbformat.read(lab.folder / "knobs.ipynb", 4).cells if cell.cell_type == "code"]
    saved = [str(cell.outputs[-1].get("data", {}).get("text/plain")) for cell in cells[-4:-1]]
    assert saved[0].startswith("alpha = 0.01")
    assert "changed by at most 0.00" in saved[1], "the pass of the last value is saved"
    assert saved[2] == "0.1 : Real(1)"
    assert window.errors == []


PLACES = """() => {
    const of = (root, selector) => {
        const e = document.querySelector(root + ' ' + selector);
        return [e.scrollTop, e.scrollLeft];
    };
    const svg = document.querySelector('.rh-diagram-svg');
    const scale = svg.getAttribute('width') / svg.viewBox.baseVal.width;
    return {
        step: document.querySelector('.rh-row-now .rh-row-number')?.textContent,
        details: of('.rh-stepper', '.rh-details')[0],
        boxes: document.querySelectorAll('.rh-diagram-box').length,
        zoom: [scale.toFixed(3), of('.rh-diagram', '.rh-diagram-window').map(Math.round)],
        list: document.querySelector('.rh-diagram details').open,
        page: of('.rh-derivation', '.rh-proof-page'),
        judgments: document.querySelectorAll('.rh-proof-conclusion').length,
        picked: document.querySelector('.rh-proof-on .rh-proof-conclusion')?.textContent,
    };
}"""


def test_a_view_that_follows_stays_where_it_was(open_notebook: Open, tmp_path: Path) -> None:
    """The step, the folds, the zoom, what is picked, and how far the parts of a view are scrolled."""
    command = "rev handle ([1.0, -2.0]) <x>. loss(x) with descent(0.1)"
    cells = [f"%{name} {command}" for name in ("trace", "diagram", "derivation")]
    window = open_notebook("places.ipynb", *lesson(), "%slider descent.alpha 0.01 1 log", *cells)
    page = window.page
    window.run_all()
    for selector in (".rh-row-now", ".rh-diagram-box", ".rh-proof-conclusion"):
        page.wait_for_selector(selector, timeout=60_000)
    page.wait_for_selector(".rh-knob-value:has-text('as written')", timeout=60_000)
    window.picture(Path(os.environ.get("RH_PICTURES", tmp_path)) / "parameter.png")
    page.focus(".rh-stepper")
    page.keyboard.press("Home")
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    page.evaluate("() => { document.querySelector('.rh-stepper .rh-details').scrollTop = 30 }")
    boxes = page.locator(".rh-diagram-box").count()
    page.locator(".rh-diagram [data-fold]").last.press("Enter")
    page.wait_for_function("count => document.querySelectorAll('.rh-diagram-box').length < count", arg=boxes)
    for key in ("+", "+", "+", "Shift+ArrowRight"):
        page.keyboard.press(key)
    page.click(".rh-diagram details summary")
    page.locator(".rh-derivation select").select_option("40")
    page.wait_for_timeout(500)
    page.evaluate("() => { const p = document.querySelector('.rh-proof-page'); p.scrollTop = 40; p.scrollLeft = 60 }")
    page.wait_for_timeout(500)
    before = page.evaluate(PLACES)
    assert before["page"][1] > 0 or before["page"][0] > 0
    page.evaluate(
        """() => {
            const input = document.querySelector('.rh-knob input');
            for (let at = 30; at < 36; at += 1) {
                input.value = String(at);
                input.dispatchEvent(new Event('input', {bubbles: true}));
            }
        }"""
    )
    page.wait_for_selector(".rh-knob-value:has-text('0.0')")
    page.wait_for_timeout(2500)
    end = time.monotonic() + 20
    while (after := page.evaluate(PLACES)) != before and time.monotonic() < end:
        page.wait_for_timeout(200)
    assert after == before
    assert page.locator(".rh-stepper .rh-row-now").count() == 1
    page.click(".rh-knob button:has-text('as written')")
    page.wait_for_selector(".rh-knob-value:has-text('as written')")
    window.picture(Path(os.environ.get("RH_PICTURES", tmp_path)) / "places.png")
    assert window.errors == []
