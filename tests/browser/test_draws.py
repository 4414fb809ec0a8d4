"""Draws in JupyterLab: a dropout layer in the player and in the stepper."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import TOKEN, Lab, Window, opened

pytestmark = [pytest.mark.browser, pytest.mark.slow]

DROPOUT = """\
op Drop : Real(n) -> Real(n)
handler dropping = {
  return y -> return y
  Drop(x) -> let u <= Uniform[n]() in let keep <- step(u - fill[n](0.5)) in return (2 * x * keep, 2 * keep)
    | y, keep -> return y * keep
}"""
PASS = "rev handle ([1, 2, 3]) <x>. let y <= Drop(x) in let e <= Normal[3]() in return y + 0.1 * e with dropping"


@pytest.fixture(scope="module")
def window(chromium: str, lab: Lab) -> Iterator[Window]:
    lab.write("draws.ipynb", DROPOUT, f"%seed 3\n%gradient {PASS}", f"%trace {PASS}", "%heap")
    with opened(chromium, f"{lab.url}/lab/workspaces/draws/tree/draws.ipynb?token={TOKEN}") as window:
        window.page.emulate_media(reduced_motion="reduce")
        window.run_all()
        expect(window.page.locator(".rh-player")).to_have_count(1)
        expect(window.page.locator(".rh-stepper")).to_have_count(1)
        yield window
        assert window.errors == []


def test_the_player_shows_what_is_drawn(window: Window) -> None:
    root = window.page.locator(".rh-player")
    root.scroll_into_view_if_needed()
    root.focus()
    for _ in range(2):
        window.page.keyboard.press("ArrowRight")
    expect(root.get_by_text("Uniform[3], forward pass: makes u")).to_have_count(1)
    # No program can name the number of draws, so it is not among the locations.
    expect(root.get_by_text("draws made")).to_have_count(0)


def test_the_stepper_shows_the_rule(window: Window) -> None:
    root = window.page.locator(".rh-stepper")
    root.scroll_into_view_if_needed()
    expect(root.get_by_text("Draw", exact=True).first).to_be_visible()
    expect(root.get_by_text("draws made").first).to_be_visible()


def test_the_heap_shows_the_number_of_draws(window: Window) -> None:
    expect(window.page.get_by_role("row", name="draws made Real(1) 2")).to_have_count(1)
