"""Saved views, opened from a file in Chromium and in Firefox: no network, no error, no fault of accessibility."""

from __future__ import annotations

import time
from collections.abc import Iterator
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from rh_kernel.display.view_files import encode_view
from tests.browser import firefox
from tests.browser.firefox import Tab
from tests.display.pages import PASS, shown

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SUBJECTS = {
    "player": f"%gradient {PASS}",
    "stepper": f"%trace {PASS}",
    "diagram": f"%diagram {PASS}",
    "derivation": f"%derivation {PASS}",
    "rewriting": "%%lambda\nfun f(x : Real) : Real = sin(x * x)\n%ad linear-negation f(1) --trace",
    "sweep": "sweep a in [1, 2]\n  a * a",
    "training": 'train rev handle (x) <u>. mlp(u) with sgd(0.1, t) for (x, t) in data("xor") epochs 5',
}
HAS_VIEW = "document.querySelector('.rh-live')?.childElementCount > 0 || document.querySelector('.rh-saved-static')"
OPEN_DETAILS = "document.querySelectorAll('main > details, .rh-live details').forEach(part => part.open = true)"
WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A file for each view."""
    folder = tmp_path_factory.mktemp("pages")
    found: dict[str, Path] = {}
    for kind, subject in SUBJECTS.items():
        found[kind] = folder / f"{kind}.html"
        found[kind].write_text(encode_view(shown(subject)[-1], ".html", title=kind), encoding="utf-8")
    return found


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        yield launched
        launched.close()


@pytest.fixture(scope="module")
def tab() -> Iterator[Tab]:
    program = firefox.found()
    if program is None:
        pytest.skip("there is no Firefox here")
    with firefox.opened(program, dark=True) as tab:
        yield tab


def opened(browser: Browser, file: Path, scheme: Any, width: int) -> tuple[Page, list[str]]:
    """A page, and what it asks for or complains about."""
    page, told = browser.new_page(color_scheme=scheme, viewport={"width": width, "height": 900}, bypass_csp=False), list[str]()
    page.on("request", lambda request: None if request.url.startswith(("file:", "data:")) else told.append(request.url))
    page.on("console", lambda message: told.append(message.text))
    page.on("pageerror", lambda error: told.append(str(error)))
    page.goto(file.as_uri())
    page.wait_for_function(HAS_VIEW)
    return page, told


def test_chromium_shows_each_view_on_a_phone_without_network(browser: Browser, pages: dict[str, Path]) -> None:
    for kind, file in pages.items():
        page, told = opened(browser, file, "dark", 400)
        assert page.evaluate(WIDE) <= 0, kind
        if kind == "stepper":
            page.locator(".rh-stepper").focus()
            page.keyboard.press("a")
            for _ in range(5):
                page.keyboard.press("ArrowRight")
            page.locator(".rh-stepper .rh-status", has_text="Step 6 of").wait_for()
            page.locator(".rh-stepper .rh-line").first.wait_for()
        if kind == "diagram":
            page.get_by_role("button", name="fold everything").click()
            page.wait_for_function("document.querySelectorAll('.rh-diagram-svg [data-box]').length < 4")
        if kind == "derivation":
            levels = page.get_by_label("open so many levels")
            levels.select_option(levels.locator("option").last.get_attribute("value"))
            page.wait_for_function("document.querySelectorAll('[role=treeitem]').length > 40")
        assert told == [], kind
        page.close()


def test_firefox_shows_each_view_on_a_phone_without_network(tab: Tab, pages: dict[str, Path]) -> None:
    tab.resize(400, 900)
    for kind, file in pages.items():
        tab.goto(file.as_uri())
        tab.wait_for(f"Boolean({HAS_VIEW})")
        assert tab.evaluate(WIDE) <= 0, kind
        assert tab.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
        if kind in ("player", "stepper"):
            tab.evaluate(f"document.querySelector('.rh-{kind}').focus()")
            # With all steps, the stepper moves by one.
            tab.press(*(["a"] if kind == "stepper" else []), *["ArrowRight"] * 5)
            told = {"player": "5 of", "stepper": "Step 6 of"}[kind]
            tab.wait_for(f"document.querySelector('.rh-player-count, .rh-status').textContent.includes({told!r})")
    assert tab.errors == []
    assert [url for url in tab.asked if not url.startswith(("file:", "data:", "about:"))] == []


def test_firefox_plays_a_moving_picture(tab: Tab, tmp_path: Path) -> None:
    file = tmp_path / "pass.svg"
    file.write_text(encode_view(shown(SUBJECTS["player"])[-1], ".svg", title="", animated=True), encoding="utf-8")
    tab.goto(file.as_uri())
    opacity = "Number(getComputedStyle(document.querySelector('g.m3')).opacity)"
    assert tab.evaluate(opacity) < 0.5
    end = time.monotonic() + 15
    while tab.evaluate(opacity) < 1:
        assert time.monotonic() < end


@pytest.mark.skipif(find_spec("axe_playwright_python") is None, reason="axe-playwright-python is not installed here")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_serious_fault(browser: Browser, pages: dict[str, Path], scheme: str) -> None:
    axe = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
    # The theme changes nothing but colours.
    rules = "" if scheme == "light" else "runOnly: { type: 'rule', values: ['color-contrast'] }"
    found: list[str] = []
    for kind, file in pages.items():
        page, _ = opened(browser, file, scheme, 1300)
        if page.locator(".rh-live").count():
            page.locator(".rh-live").first.focus()
            for _ in range(9):
                page.keyboard.press("ArrowRight")
        page.evaluate(OPEN_DETAILS)
        page.wait_for_timeout(300)
        page.evaluate(f"{axe};0")
        for fault in page.evaluate(f"axe.run(document, {{ resultTypes: ['violations'], {rules} }})")["violations"]:
            if fault["impact"] in ("serious", "critical"):
                found += [
                    f"{kind}: {fault['id']} {node['html'][:200]} {node['failureSummary'][:200]}" for node in fault["nodes"]
                ]
        page.close()
    assert found == []
