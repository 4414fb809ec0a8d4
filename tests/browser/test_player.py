"""The gradient player in JupyterLab: every control by mouse and keyboard, and the displayed numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import pytest
from playwright.sync_api import Locator, expect

from rh_kernel.display.registry import records
from tests.browser.conftest import TOKEN, Lab, Window, opened
from tests.display.pages import MLP, PASS, shown

pytestmark = [pytest.mark.browser, pytest.mark.slow]

THROUGH = """\
op Step : Real(2) -> Real(2)
handler exact : rev handler(Real(2)) = {
  return x -> return x
  Step(x) -> return (sign(x), ()) | y, z -> return 0 * y
}
handler through : rev handler(Real(2)) = {
  return x -> return x
  Step(x) -> return (sign(x), ()) | y, z -> return y
}"""
STEP = "rev handle ([3.0, -5.0]) <x>. Step(x) with"
AGAINST = f"%gradient {STEP} through against {STEP} exact"
BOXES = 14
TURN = 7
PUTS = (9, 13)
CELLS = "() => window.jupyterapp.shell.currentWidget.content.widgets.map(cell => cell.model.sharedModel.getSource())"


@dataclass(frozen=True, slots=True)
class Seen:
    """A player in a notebook, with what a user sees and does."""

    window: Window
    root: Locator

    def at(self, box: int) -> None:
        expect(self.root.locator(".rh-player-count")).to_have_text(re.compile(rf"^\w+ {box} of "))
        expect(self.field("how many boxes have run")).to_have_value(str(box))

    def button(self, name: str) -> Locator:
        return self.root.get_by_role("button", name=name, exact=True)

    def field(self, name: str) -> Locator:
        return self.root.get_by_label(name, exact=True)

    def focus(self) -> None:
        self.root.focus()

    def press(self, *keys: str) -> None:
        for key in keys:
            self.window.page.keyboard.press(key)

    @property
    def caption(self) -> Locator:
        return self.root.locator(".rh-player-caption")

    @property
    def card(self) -> Locator:
        return self.root.locator(".rh-player-inspector")

    def chips(self) -> list[str]:
        """The visible texts on the wires."""
        return self.root.locator(".rh-player-chip").evaluate_all(
            "chips => chips.filter(chip => chip.getBoundingClientRect().width > 0).map(chip => chip.textContent)"
        )


@pytest.fixture(scope="module")
def window(chromium: str, lab: Lab) -> Iterator[Window]:
    lab.write("player.ipynb", MLP, f"%gradient {PASS}", f"{THROUGH}\n{AGAINST}")
    with opened(chromium, f"{lab.url}/lab/workspaces/player/tree/player.ipynb?token={TOKEN}") as window:
        window.page.emulate_media(reduced_motion="reduce")
        window.run_all()
        expect(window.page.locator(".rh-player")).to_have_count(2)
        yield window
        assert window.errors == []


@pytest.fixture
def player(window: Window) -> Iterator[Seen]:
    """The player at the start of the pass; no key reaches the notebook."""
    seen = Seen(window, window.page.locator(".rh-player").nth(0))
    cells = window.page.evaluate(CELLS)
    seen.root.scroll_into_view_if_needed()
    seen.focus()
    seen.press("Home", "1", "Escape")
    seen.at(0)
    yield seen
    assert window.page.evaluate(CELLS) == cells


@pytest.fixture
def two(window: Window) -> Seen:
    seen = Seen(window, window.page.locator(".rh-player").nth(1))
    seen.root.scroll_into_view_if_needed()
    seen.focus()
    seen.press("Home")
    return seen


def test_at_the_start_nothing_has_a_number(player: Seen) -> None:
    assert player.chips() == []
    expect(player.caption).to_contain_text("nothing has been computed")
    assert "not updated yet" in player.root.inner_text()
    assert player.root.locator(".rh-player-wire").count() > 10


def test_buttons_go_to_and_fro(player: Seen) -> None:
    player.button("one box on (→)").click()
    player.at(1)
    player.button("one box on (→)").click()
    player.at(2)
    player.button("one box back (←)").click()
    player.at(1)
    player.button("to the end (End)").click()
    player.at(BOXES)
    expect(player.button("one box on (→)")).to_be_disabled()
    player.button("to the start (Home)").click()
    player.at(0)
    player.button("to the turn (t)").click()
    player.at(TURN)
    player.button("to the next Put (p)").click()
    player.at(PUTS[0])
    player.button("to the next Put (p)").click()
    player.at(PUTS[1])
    expect(player.button("to the next Put (p)")).to_be_disabled()


def test_keys_go_to_and_fro(player: Seen) -> None:
    for keys, box in (
        (["ArrowRight"] * 3, 3),
        (["ArrowLeft"], 2),
        (["End"], BOXES),
        (["Home"], 0),
        (["t"], TURN),
        (["p"], PUTS[0]),
        (["p"], PUTS[1]),
        (["P"], PUTS[0]),
    ):
        player.press(*keys)
        player.at(box)


def test_the_slider_goes_anywhere(player: Seen) -> None:
    player.field("how many boxes have run").fill("5")
    player.at(5)
    player.field("how many boxes have run").focus()
    player.press("ArrowRight")
    player.at(6)


def test_it_plays_and_pauses_at_the_speed_that_one_chooses(player: Seen) -> None:
    player.field("speed").select_option("10")
    player.button("play or pause (Space)").click()
    expect(player.button("play or pause (Space)")).to_have_text("Pause")
    player.at(BOXES)
    expect(player.button("play or pause (Space)")).to_have_text("Play")
    player.field("speed").select_option("1")
    player.focus()
    player.press("Home", " ")
    player.at(1)
    player.press(" ")
    expect(player.button("play or pause (Space)")).to_have_text("Play")


def test_forward_values_come_first_then_cotangents_and_no_number_before_its_time(player: Seen) -> None:
    """One more chip for each output wire, none otherwise; cotangents (◂) only after the turn."""
    met = 0
    for box in range(1, BOXES + 1):
        player.press("ArrowRight")
        player.at(box)
        chips = player.chips()
        assert len(chips) >= met
        met = len(chips)
        assert any(text.startswith("◂") for text in chips) == (box >= TURN)
        assert not any(re.fullmatch(r"[^=]*= 0", text) for text in chips)


def test_a_put_changes_what_a_location_holds(player: Seen) -> None:
    weights = player.root.locator(".rh-player-weight")
    expect(weights.filter(has_text="w1")).to_contain_text("not updated yet")
    player.press("p")
    expect(weights.filter(has_text="w1")).to_contain_text("‖Δ‖ = ")
    expect(weights.filter(has_text="w0")).to_contain_text("not updated yet")
    player.press("p")
    expect(weights.filter(has_text="w0")).to_contain_text("‖Δ‖ = ")


def test_a_box_and_a_wire_tell_what_they_hold(player: Seen) -> None:
    player.root.locator(".rh-player-box").filter(has_text="swish").first.locator(".rh-player-shape").click()
    expect(player.card).to_contain_text("not computed yet")
    player.press("End")
    expect(player.card).not_to_contain_text("not computed yet")
    player.card.locator("button.rh-player-link").first.click()
    expect(player.card).to_contain_text("Real(3)")
    assert player.card.locator("svg").count() >= 1
    player.focus()
    player.press("Escape")
    expect(player.card).to_contain_text("Click a wire or a box")
    player.press("ArrowDown", "ArrowDown", "Enter")
    expect(player.card).not_to_contain_text("Click a wire or a box")


def test_the_drawing_is_zoomed_and_folded(player: Seen) -> None:
    drawing = player.root.locator("svg.rh-player-svg[viewBox]").first

    def width() -> float:
        return cast(dict[str, float], drawing.bounding_box())["width"]

    full = width()
    player.button("larger (+)").click()
    assert width() > full
    player.press("-", "-")
    assert width() < full
    player.button("all of it (0)").click()
    whole = width()
    player.button("full size (1)").click()
    assert abs(width() - full) < 1
    player.press("0")
    assert abs(width() - whole) < 1
    player.press("1", "End")
    boxes = player.root.locator(".rh-player-box").count()
    assert boxes < BOXES
    expect(player.root.locator(".rh-player-box").filter(has_text="⟦Qᶠ FC[w0]⟧")).to_have_count(1)
    player.button("open everything (o)").click()
    expect(player.root.locator(".rh-player-box")).to_have_count(BOXES)
    expect(player.button("open everything (o)")).to_have_attribute("aria-pressed", "true")
    player.focus()
    player.press("c")
    expect(player.root.locator(".rh-player-box")).to_have_count(boxes)
    expect(player.button("fold every clause (c)")).to_have_attribute("aria-pressed", "true")


def test_help_lists_the_keys(player: Seen) -> None:
    player.press("?")
    expect(player.root.locator(".rh-keys")).to_contain_text("t to the turn")
    player.button("the keys (?)").click()
    expect(player.root.locator(".rh-keys")).to_be_hidden()


def test_the_cotangents_in_the_page_are_those_of_the_record(player: Seen) -> None:
    (made,) = [record for result in shown(f"%gradient {PASS}") for record in records(1, result)]
    player.press("End")
    player.root.locator("summary", has_text="As a table").click()
    rows = player.root.locator(".rh-player-details tbody tr")
    expect(rows).to_have_count(len(cast(list[Any], made["boxes"])))
    for i, box in enumerate(cast(list[dict[str, Any]], made["boxes"])):
        row = rows.nth(i)
        expect(row).to_contain_text(box["label"])
        told = row.locator("button.rh-player-link").all_text_contents()
        numbers = [re.findall(r"-?\d[\d.]*(?:e-?\d+)?", text) for text in told]
        wanted = [np.ravel(np.array(box[side], dtype=float)) for side in ("forward", "cotangent") if box[side] is not None]
        assert len(numbers) == len(wanted)
        for found, array in zip(numbers, wanted, strict=True):
            np.testing.assert_allclose(np.array(found, dtype=float), array, rtol=2e-3, atol=1e-12)
    player.root.locator("summary", has_text="As a table").click()


def test_two_handlers_are_played_side_by_side(two: Seen) -> None:
    two.window.page.set_viewport_size({"width": 1600, "height": 1000})
    expect(two.root.locator(".rh-player-pane")).to_have_count(2)
    table = two.root.locator("table", has_text="‖difference‖")
    expect(table).to_contain_text("not computed yet")
    two.press("End")
    expect(table).not_to_contain_text("not computed yet")
    expect(table.locator("tr", has_text="cotangent of x")).to_contain_text("1.414")
    one, other = (cast(dict[str, float], two.root.locator(".rh-player-pane").nth(i).bounding_box()) for i in (0, 1))
    assert abs(one["y"] - other["y"]) < 1
    assert one["x"] < other["x"]
    two.window.page.set_viewport_size({"width": 1000, "height": 1000})
    one, other = (cast(dict[str, float], two.root.locator(".rh-player-pane").nth(i).bounding_box()) for i in (0, 1))
    assert one["y"] + one["height"] <= other["y"]
