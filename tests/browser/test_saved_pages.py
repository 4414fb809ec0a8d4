"""Saved views, opened from a file in Chromium and in Firefox: no network, no error, no fault of accessibility."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from rh_kernel.display.live.assets import KINDS
from rh_kernel.display.view_files import encode_view
from tests.browser import firefox
from tests.browser.firefox import PATIENCE, Tab
from tests.display.every_view import every_view, kinds

pytestmark = [pytest.mark.browser, pytest.mark.slow]

HAS_VIEW = "!document.querySelector('script[data-kind]') || document.querySelector('section.rh-live')?.childElementCount > 0"
OPEN_DETAILS = "document.querySelectorAll('.rh-saved-still, .rh-live details').forEach(part => part.open = true)"
WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A file for each view, by its name."""
    folder = tmp_path_factory.mktemp("pages")
    found: dict[str, Path] = {}
    for n, (name, result) in enumerate(every_view().items()):
        found[name] = folder / f"{n}.html"
        found[name].write_text(encode_view(result, ".html", title=name), encoding="utf-8")
    return found


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
    wait_until(page, HAS_VIEW)
    return page, told


def wait_until(page: Page, expression: str) -> None:
    """Wait for an expression to be true. Playwright's own way evaluates a string in the page, whose policy forbids that."""
    end = time.monotonic() + PATIENCE
    while not page.evaluate(expression):
        assert time.monotonic() < end, expression
        page.wait_for_timeout(50)


def test_without_javascript_a_page_has_its_static_form(browser: Browser, pages: dict[str, Path]) -> None:
    context = browser.new_context(java_script_enabled=False, viewport={"width": 1300, "height": 900})
    page = context.new_page()
    for name in kinds():
        page.goto(pages[name].as_uri())
        expect(page.locator(".rh-saved-static")).to_be_visible()
        assert len(page.locator(".rh-saved-static").inner_text()) > 10, name
    context.close()


# What one does in a saved view of each kind, and what it then shows.


def uses_stepper(page: Page) -> None:
    page.locator(".rh-stepper").focus()
    page.keyboard.press("a")
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    page.locator(".rh-stepper .rh-status", has_text="Step 6 of").wait_for()
    page.locator(".rh-stepper .rh-line").first.wait_for()


def uses_player(page: Page) -> None:
    page.locator(".rh-player").focus()
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    page.locator(".rh-player-count", has_text="5 of").wait_for()


def uses_diagram(page: Page) -> None:
    page.get_by_role("button", name="fold everything").click()
    wait_until(page, "document.querySelectorAll('.rh-diagram-svg [data-box]').length < 4")


def uses_derivation(page: Page) -> None:
    levels = page.get_by_label("open so many levels")
    levels.select_option(levels.locator("option").last.get_attribute("value"))
    wait_until(page, "document.querySelectorAll('[role=treeitem]').length > 40")


def uses_rewriting(page: Page) -> None:
    page.locator(".rh-rewriting").focus()
    before = page.locator(".rh-rewriting").inner_text()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".rh-rewriting")).not_to_have_text(before, use_inner_text=True)


def uses_sweep(page: Page) -> None:
    first = page.locator(".rh-sweep tbody tr").first
    before = first.inner_text()
    page.locator(".rh-sweep thead button").first.click()
    page.locator(".rh-sweep thead button").first.click()
    assert page.locator(".rh-sweep tbody tr").first.inner_text() != before


def uses_race(page: Page) -> None:
    page.locator(".rh-race tbody tr").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert page.locator(".rh-race tbody tr").nth(1).evaluate("row => row.classList.contains('rh-linked-on')")


def uses_flow(page: Page) -> None:
    """The time bar: by the pointer, by the keys, and playing."""
    slider, where = page.locator(".rh-flow .rh-time-slider"), page.locator(".rh-flow .rh-time-where")
    numbers = page.locator(".rh-flow-number")
    at_the_end = numbers.all_text_contents()
    drag(page, slider, 1, 0)
    expect(where).to_have_text(re.compile("^batch 0 of"))
    assert numbers.all_text_contents() != at_the_end
    page.keyboard.press("ArrowRight")
    expect(where).not_to_have_text(re.compile("^batch 0 of"))
    page.keyboard.press("Home")
    page.locator(".rh-flow .rh-time-play").click()
    expect(where).not_to_have_text(re.compile("^batch 0 of"))
    page.locator(".rh-flow .rh-time-play").click()


def uses_surface(page: Page) -> None:
    """The time bar over the epochs, and a point in the picture."""
    picture, said = page.locator(".rh-surface-svg"), page.locator(".rh-surface-said")
    if page.locator(".rh-time-slider").count():
        pixels, where = picture.locator("image").first, page.locator(".rh-time-where")
        last = pixels.get_attribute("href")
        drag(page, page.locator(".rh-time-slider"), 1, 0)
        expect(where).to_have_text(re.compile("^at the start"))
        assert pixels.get_attribute("href") != last
        page.keyboard.press("End")
        expect(where).to_have_text(re.compile(r"^after epoch (\d+) of \1$"))
        assert pixels.get_attribute("href") == last
    picture.click(position={"x": 60, "y": 40})
    expect(said).to_have_text(re.compile(r"^x\[0\] = .*: class \d"))
    before = said.inner_text()
    page.keyboard.press("ArrowDown")
    assert said.inner_text() != before


def uses_confusion(page: Page) -> None:
    """A click on a cell shows its samples, and the arrow keys those of the next one."""
    cell = page.locator(".rh-confusion td button[data-row='1'][data-column='1']")
    cell.click()
    samples = page.locator(".rh-confusion-samples > *")
    expect(samples).to_have_count(int(cell.inner_text()))
    page.keyboard.press("ArrowRight")
    expect(page.locator(".rh-confusion-words")).to_have_text(re.compile("class 1 taken for 2"))
    page.keyboard.press("ArrowLeft")
    page.get_by_role("button", name="all samples").click()
    while page.get_by_role("button", name="show more").count():
        page.get_by_role("button", name="show more").click()
        page.wait_for_timeout(50)
    expect(samples).to_have_count(int(page.inner_text(".rh-confusion-words").split()[0]))


def uses_sees(page: Page) -> None:
    """A click and the arrow keys choose a picture; a sample can be hidden."""
    page.locator(".rh-sees-cell").first.click()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".rh-sees-cell[aria-pressed='true'][data-column='1']")).to_have_count(1)
    page.locator(".rh-sees-detail summary").click()
    assert page.locator(".rh-sees-numbers td").count() > 2
    rows = page.locator(".rh-sees tbody tr:visible")
    shown = rows.count()
    page.locator(".rh-sees .rh-bar button").first.click()
    assert 0 < rows.count() < shown


USES = {
    "stepper": uses_stepper,
    "player": uses_player,
    "diagram": uses_diagram,
    "derivation": uses_derivation,
    "rewriting": uses_rewriting,
    "sweep": uses_sweep,
    "race": uses_race,
    "flow": uses_flow,
    "surface": uses_surface,
    "confusion": uses_confusion,
    "sees": uses_sees,
}


def drag(page: Page, slider: Locator, begin: float, end: float) -> None:
    """Drag the knob of a slider from one share of its length to another."""
    box = slider.bounding_box()
    assert box is not None
    y = box["y"] + box["height"] / 2
    places = [box["x"] + 8 + (box["width"] - 16) * share for share in (begin, (begin + end) / 2, end)]
    page.mouse.move(places[0], y)
    page.mouse.down()
    for x in places[1:]:
        page.mouse.move(x, y)
    page.mouse.up()


def test_every_kind_of_view_is_used_in_a_saved_page(browser: Browser, pages: dict[str, Path]) -> None:
    """By pointer and keyboard, without network and without an error. A knob has no saved view: nothing would follow it."""
    of_kind = {kind: name for name, kind in kinds().items()}
    assert set(of_kind) == set(KINDS) - {"knob"} == set(USES)
    for kind, use in USES.items():
        page, told = opened(browser, pages[of_kind[kind]], "light", 1300)
        use(page)
        assert told == [], kind
        page.close()


def test_a_page_is_opened_at_a_step(browser: Browser, pages: dict[str, Path]) -> None:
    told = {
        "trace of a pass: TraceMade": (".rh-stepper .rh-status", r"^Step 12 of"),
        "gradient of a pass: GradientMade": (".rh-player-count", r"^box 5 of"),
        "rewriting: RewritingShown": (".rh-rewriting", r"[Ss]tep 3 of"),
        "training with surfaces: TrainingDone": (".rh-time-where", r"^at the start"),
    }
    steps = (12, 5, 3, 0)
    for (name, (place, words)), step in zip(told.items(), steps, strict=True):
        page = browser.new_page()
        page.goto(f"{pages[name].as_uri()}#step={step}")
        expect(page.locator(place)).to_have_text(re.compile(words))
        page.close()


def test_firefox_shows_each_view_on_a_phone_without_network(tab: Tab, pages: dict[str, Path]) -> None:
    tab.resize(400, 900)
    for name, kind in {kind: (name, kind) for name, kind in kinds().items()}.values():
        tab.goto(pages[name].as_uri())
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
    moving = encode_view(every_view()["gradient of a pass: GradientMade"], ".svg", title="", animated=True)
    file.write_text(moving, encoding="utf-8")
    tab.goto(file.as_uri())
    opacity = "Number(getComputedStyle(document.querySelector('g.m3')).opacity)"
    assert tab.evaluate(opacity) < 0.5
    end = time.monotonic() + 15
    while tab.evaluate(opacity) < 1:
        assert time.monotonic() < end


RULES: dict[tuple[Any, int], list[str] | None] = {
    ("light", 1300): None,
    ("light", 400): ["scrollable-region-focusable", "target-size"],
    ("dark", 400): ["color-contrast", "scrollable-region-focusable", "target-size"],
    ("dark", 1300): ["target-size"],
}
"""The rules of axe for each theme and width: all of them, and then those whose outcome can be another one."""


@pytest.mark.skipif(find_spec("axe_playwright_python") is None, reason="axe-playwright-python is not installed here")
def test_each_view_fits_a_phone_asks_for_nothing_and_has_no_serious_fault(browser: Browser, pages: dict[str, Path]) -> None:
    axe = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
    found: list[str] = []
    for name, file in pages.items():
        page, told = opened(browser, file, "light", 1300)
        assert (page.locator("section.rh-live").count() > 0) == (name in kinds()), name
        if name in kinds():
            page.locator("section.rh-live").first.focus()
            for _ in range(9):
                page.keyboard.press("ArrowRight")
        page.evaluate(OPEN_DETAILS)
        page.evaluate(f"{axe};0")
        for (scheme, width), rules in RULES.items():
            page.emulate_media(color_scheme=scheme)
            page.set_viewport_size({"width": width, "height": 900})
            page.wait_for_timeout(100)
            assert page.evaluate(WIDE) <= 0, (name, width)
            only = {} if rules is None else {"runOnly": {"type": "rule", "values": rules}}
            faults = page.evaluate("only => axe.run(document, { resultTypes: ['violations'], ...only })", only)["violations"]
            found += [
                f"{name}, {scheme}, {width}: {fault['id']} {node['html'][:200]} {node['failureSummary'][:200]}"
                for fault in faults
                if fault["impact"] in ("serious", "critical")
                for node in fault["nodes"]
            ]
        assert told == [], name
        page.close()
    assert found == []
