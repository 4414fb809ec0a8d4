"""The page in a browser without network."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect, sync_playwright

pytestmark = [pytest.mark.browser, pytest.mark.slow]


class Seen:
    """A page, its requests, and its console messages."""

    def __init__(self, page: Page, file: Path) -> None:
        self.page = page
        self.asked: list[str] = []
        self.errors: list[str] = []
        page.route("**/*", self._route)
        page.on("console", lambda message: self.errors.append(message.text))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.goto(file.as_uri())

    def _route(self, route: Route) -> None:
        address = route.request.url
        if address.startswith("data:"):
            route.continue_()
            return
        self.asked.append(address)
        if address.startswith("file:"):
            route.continue_()
        else:
            route.abort()


@pytest.fixture(params=["light", "dark"])
def seen(request: pytest.FixtureRequest, file: Path) -> Iterator[Seen]:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("there is no Chromium here")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        try:
            yield Seen(browser.new_page(color_scheme=request.param, viewport={"width": 1100, "height": 900}), file)
        finally:
            browser.close()


def rounded(colour: str) -> list[float]:
    return [float(part) for part in colour.removeprefix("rgb(").removesuffix(")").split(",")]


def test_the_page_asks_for_nothing_and_complains_about_nothing(seen: Seen, file: Path) -> None:
    page = seen.page
    page.get_by_role("link", name="the second part").click()
    assert page.url.endswith("#Second-part")
    assert seen.asked == [file.as_uri()]
    assert seen.errors == []
    assert page.title() == "A <lesson>"


def test_what_is_shown_can_be_seen(seen: Seen, request: pytest.FixtureRequest) -> None:
    page = seen.page
    images: list[Any] = page.evaluate(
        "[...document.images].filter(i => i.checkVisibility()).map(i => i.complete && i.naturalWidth)"
    )
    assert len(images) >= 4
    assert all(images)
    boxes: list[float] = page.evaluate("[...document.querySelectorAll('math')].map(m => m.getBoundingClientRect().height)")
    assert len(boxes) >= 5
    assert min(boxes) > 5
    outputs: list[float] = page.evaluate(
        "[...document.querySelectorAll('.rh-output')].map(o => o.getBoundingClientRect().height)"
    )
    assert min(outputs) > 8
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_views_are_used_without_a_kernel(seen: Seen, file: Path) -> None:
    """By the keyboard, one runtime for all; each comes alive as it is scrolled to, and keeps its static form."""
    page = seen.page
    for view in page.locator(".rh-view").all():
        view.scroll_into_view_if_needed()
        view.locator("section.rh-live > *").first.wait_for(state="attached")
        assert view.locator("details.rh-saved-still").count() == 1
    page.locator(".rh-player").focus()
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    expect(page.locator(".rh-player-count")).to_have_text(re.compile("^box 5 of"))
    page.locator(".rh-stepper").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".rh-stepper .rh-status")).not_to_have_text(re.compile("^Step 1 of"))
    assert page.locator("script[type=module]").count() == 1
    assert seen.asked == [file.as_uri()]
    assert seen.errors == []


def test_without_scripts_the_pictures_are_there(seen: Seen, file: Path) -> None:
    browser = seen.page.context.browser
    assert browser is not None
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(file.as_uri())
    assert page.locator("section.rh-live").count() == 0
    assert page.locator(".rh-view").count() == 4
    assert all(len(view.inner_text()) > 50 for view in page.locator(".rh-view").all())
    context.close()


def test_lines_of_a_calculation_stand_below_their_signs(seen: Seen) -> None:
    edges: list[float] = seen.page.evaluate(
        "[...document.querySelectorAll('mtd.rh-right')].map(cell => cell.lastElementChild.getBoundingClientRect().right)"
    )
    assert len(edges) == 2
    assert edges[0] == pytest.approx(edges[1], abs=0.1)


def test_ink_and_paper_follow_the_reader(seen: Seen) -> None:
    page = seen.page
    is_dark = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    style = "getComputedStyle(document.body)"
    paper, ink = rounded(page.evaluate(f"{style}.backgroundColor")), rounded(page.evaluate(f"{style}.color"))
    assert (sum(paper) < sum(ink)) == is_dark
