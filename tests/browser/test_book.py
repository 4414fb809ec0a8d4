"""The book in Chromium, opened from a file: its search by the keyboard, a phone, paper, and a browser without scripts."""

from __future__ import annotations

from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from lessons.press.book import bind
from tests.browser import firefox
from tests.lessons.test_press import EXERCISES, lesson

pytestmark = [pytest.mark.browser, pytest.mark.slow]

OPTION = ".rh-search [role=option]"
WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A book of one small lesson and the whole appendix."""
    folder = tmp_path_factory.mktemp("texts")
    text = lesson(folder, EXERCISES.replace("02-two.md#here", "01-one.md#a-lesson") + "\n## More\n\nThe rule `RH-Op`.\n")
    assert bind([text], folder / "book") == 0
    return folder / "book"


def opened(browser: Browser, file: Path, **options: Any) -> tuple[Page, list[str]]:
    """A page, and what it complains about or asks of anything but the book."""
    page, told = browser.new_page(**options), list[str]()
    page.on("request", lambda request: None if request.url.startswith(("file:", "data:")) else told.append(request.url))
    page.on("console", lambda message: told.append(message.text))
    page.on("pageerror", lambda error: told.append(str(error)))
    page.goto(file.as_uri())
    return page, told


def first(page: Page, asked: str) -> str:
    """The page and the heading of the first place that a search finds."""
    page.locator(".rh-search input").fill(asked)
    page.wait_for_function("() => document.querySelector('.rh-search [role=status]').textContent.match(/^[0-9]+ place/)")
    page.wait_for_timeout(50)
    option = page.locator(OPTION).first
    return f"{option.locator('.rh-search-page').inner_text()}: {option.locator('.rh-search-title').inner_text()}"


def test_a_search_finds_names_codes_and_signs(browser: Browser, book: Path) -> None:
    page, told = opened(browser, book / "appendix" / "rules.html")
    page.keyboard.press("Control+k")
    assert first(page, "RH219").startswith("Errors and how to fix them: RH219 ")
    assert first(page, "conv2d") == "The function symbols: conv2d"
    assert first(page, "RH-Op") == "The rules: RH-Op"
    assert first(page, "%slider").endswith(": %slider")
    assert first(page, "⊢").startswith("The rules: T-")
    assert "Backpropagation" in first(page, "backpropogation")
    page.locator(".rh-search input").fill("<img src=x onerror=alert(1)>")
    page.locator(".rh-search [role=status]", has_text="0 places").wait_for()
    assert told == []
    page.close()


def test_a_search_is_made_with_the_keyboard_alone(browser: Browser, book: Path) -> None:
    page, told = opened(browser, book / "index.html")
    page.keyboard.press("/")
    page.keyboard.type("RH-Op")
    page.locator(OPTION, has_text="More").wait_for()
    assert page.locator(f"{OPTION}[aria-selected=true] mark").first.inner_text() == "RH-Op"
    page.keyboard.press("ArrowDown")
    chosen = page.locator(f"{OPTION}[aria-selected=true]")
    assert chosen.get_attribute("id") == page.locator(".rh-search input").get_attribute("aria-activedescendant") == "rh-found-1"
    page.keyboard.press("Escape")
    assert not page.locator(".rh-search").is_visible()
    page.keyboard.press("/")
    page.locator(OPTION).first.wait_for()
    page.keyboard.press("Enter")
    page.wait_for_url("**/appendix/rules.html#rh-op")
    assert told == []
    page.close()


def test_pages_fit_a_phone(browser: Browser, book: Path) -> None:
    for file in sorted(book.rglob("*.html")):
        page, told = opened(browser, file, viewport={"width": 400, "height": 900}, color_scheme="dark")
        assert page.evaluate(WIDE) <= 0, file.name
        assert not page.get_by_text("The function symbols", exact=True).first.is_visible(), file.name
        assert told == [], file.name
        page.close()


def test_a_page_is_complete_without_scripts(browser: Browser, book: Path) -> None:
    page, told = opened(browser, book / "01-one.html", java_script_enabled=False)
    assert page.get_by_role("button").count() == 0
    page.get_by_role("navigation", name="On this page").get_by_role("link", name="More").click()
    page.get_by_role("link", name="Index of names").click()
    page.locator("main").get_by_role("link", name="RH-Op", exact=True).click()
    assert page.locator("h1").inner_text() == "The rules"
    page.get_by_role("navigation", name="Where this page is").get_by_role("link", name="Appendix").click()
    assert page.url.endswith("index.html#appendix")
    assert told == []
    page.close()


def test_paper_has_the_text_alone(browser: Browser, book: Path) -> None:
    page, _ = opened(browser, book / "appendix" / "teaching.html", color_scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    assert not page.locator("nav").locator("visible=true").count()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
    page.close()


@pytest.mark.skipif(find_spec("axe_playwright_python") is None, reason="axe-playwright-python is not installed here")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_serious_fault(browser: Browser, book: Path, scheme: Any) -> None:
    axe = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
    page, _ = opened(browser, book / "01-one.html", color_scheme=scheme)
    found: list[str] = []
    for is_searching in (False, True):
        if is_searching:
            page.keyboard.press("/")
            first(page, "handler")
        page.evaluate(f"{axe};0")
        for fault in page.evaluate("axe.run(document, { resultTypes: ['violations'] })")["violations"]:
            if fault["impact"] in ("serious", "critical"):
                found += [f"{fault['id']} {node['html'][:200]} {node['failureSummary'][:200]}" for node in fault["nodes"]]
    page.close()
    assert found == []


def test_firefox_searches_a_page_that_was_opened_as_a_file(book: Path) -> None:
    program = firefox.found()
    if program is None:
        pytest.skip("there is no Firefox here")
    with firefox.opened(program) as tab:
        tab.goto((book / "index.html").as_uri())
        tab.evaluate("document.querySelector('.rh-search-open').click()")
        tab.evaluate(
            "Object.assign(document.querySelector('.rh-search input'), { value: 'RH-Op' }).dispatchEvent(new Event('input'))"
        )
        tab.wait_for("document.querySelectorAll('.rh-search [role=option] mark').length > 3")
        assert tab.evaluate("document.querySelector('.rh-search-title').textContent") == "RH-Op"
        assert tab.errors == []
