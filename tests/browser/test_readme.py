"""What the README shows is what one sees: its programs run in JupyterLab, and its two pictures are taken of that.

``RH_PICTURES=1`` takes the pictures again.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import TOKEN, Lab, Window, opened

pytestmark = [pytest.mark.browser, pytest.mark.slow]

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PROGRAM = "\n".join(re.findall(r"^```rh\n(.*?)^```", README, re.MULTILINE | re.DOTALL))
PASS = "rev handle ([1.0, -2.0]) <x>. mlp(x) with sgd(0.1, [0.5])"
STEPPER, PLAYER = ROOT / "lessons" / "pictures" / "stepper.png", ROOT / "lessons" / "pictures" / "player.png"


@pytest.fixture(scope="module")
def window(chromium: str, lab: Lab) -> Iterator[Window]:
    declarations, _, _ = PROGRAM.rpartition("rev handle (")
    lab.write("readme.ipynb", declarations, f"%trace {PASS}", f"%reset\n%gradient {PASS}")
    with opened(chromium, f"{lab.url}/lab/workspaces/readme/tree/readme.ipynb?token={TOKEN}") as window:
        window.page.set_viewport_size({"width": 1320, "height": 1400})
        window.run_all()
        window.command("application:toggle-left-area")
        yield window


def test_the_stepper_is_as_in_the_picture(window: Window) -> None:
    stepper = window.page.locator(".rh-stepper")
    expect(stepper).to_be_visible()
    stepper.focus()
    window.page.keyboard.press("/")
    window.page.keyboard.type("RH-Op")
    window.page.keyboard.press("Enter")
    expect(stepper.locator(".rh-status")).to_contain_text("RH-Op")
    taken(window, stepper, STEPPER)
    assert not window.errors


def test_the_player_is_as_in_the_picture(window: Window) -> None:
    player = window.page.locator(".rh-player")
    expect(player).to_be_visible()
    player.focus()
    for _ in range(11):
        window.page.keyboard.press("ArrowRight")
    expect(player.locator(".rh-player-count")).to_contain_text("11 of")
    taken(window, player, PLAYER)
    assert not window.errors


def taken(window: Window, part: Locator, file: Path) -> None:
    """Take the picture if it is to be renewed; it has to exist."""
    if os.environ.get("RH_PICTURES"):
        part.scroll_into_view_if_needed()
        window.page.wait_for_timeout(600)
        part.screenshot(path=file)
    assert file.read_bytes().startswith(b"\x89PNG")
    assert f"({file.relative_to(ROOT)})" in README
