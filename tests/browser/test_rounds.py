"""Loops in JupyterLab: rounds in the player, in the stepper and in diagrams, forward and back."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import TOKEN, Lab, Window, opened

pytestmark = [pytest.mark.browser, pytest.mark.slow]

GRU = """\
op FC[l : Loc(m, n)] : Real(n) -> Real(m)
loc us[3] : Real(8, 3) = glorot(seed=1)
loc ws[3] : Real(8, 8) = glorot(seed=2)
handler sgd(a : Real) : rev handler(Real) = {
  return y -> return a * y
  FC[l](x) -> let w <= Get[l]() in return (w @ x, (w, x))
    | y, (w, x) -> let now <= Get[l]() in let _ <= Put[l](now - outer(y, x)) in return w^T @ y
}
net gru(xs : Real(n, 3), h : Real(8)) = scan (x in xs) from h = h do
  let a <= FC[us[0]](x) in let b <= FC[ws[0]](h) in
  let c <= FC[us[1]](x) in let d <= FC[ws[1]](h) in
  let z <- sigmoid(a + b) in let r <- sigmoid(c + d) in
  let e <= FC[us[2]](x) in let f <= FC[ws[2]](r * h) in
  let c <- tanh(e + f) in return ((), z * h + (fill[8](1) - z) * c)
net loss(xs : Real(n, 3)) = let (_, h) <= gru(xs, fill[8](0)) in return sum(h * h)"""
PASS = "rev handle (fill[100, 3](0.5)) <xs>. loss(xs) with sgd(0.1)"
SHORT = PASS.replace("100", "12")


@pytest.fixture(scope="module")
def window(chromium: str, lab: Lab) -> Iterator[Window]:
    lab.write("rounds.ipynb", GRU, f"%gradient {PASS}", f"%diagram {PASS}", f"%trace {SHORT}")
    with opened(chromium, f"{lab.url}/lab/workspaces/rounds/tree/rounds.ipynb?token={TOKEN}") as window:
        window.page.emulate_media(reduced_motion="reduce")
        window.run_all()
        expect(window.page.locator(".rh-player")).to_have_count(1)
        expect(window.page.locator(".rh-diagram")).to_have_count(1)
        expect(window.page.locator(".rh-stepper")).to_have_count(1)
        yield window
        assert window.errors == []


@pytest.fixture
def player(window: Window) -> Locator:
    root = window.page.locator(".rh-player")
    root.scroll_into_view_if_needed()
    root.focus()
    window.page.keyboard.press("Home")
    return root


def go(root: Locator, round_number: int) -> None:
    field = root.get_by_label("number of the round", exact=True)
    field.fill(str(round_number))
    field.press("Enter")


CONTROLS = """view => [...view.querySelectorAll('.rh-drawing-bar button')].slice(0, 6).map(button => [
    button.getAttribute('aria-label'), button.innerHTML,
    Math.round(button.getBoundingClientRect().left - view.getBoundingClientRect().left)])"""


def test_the_player_and_the_diagram_have_the_same_controls_at_the_same_place(player: Locator, window: Window) -> None:
    diagram = window.page.locator(".rh-diagram")
    controls = player.evaluate(CONTROLS)
    assert [name for name, _, _ in controls][:4] == ["smaller (-)", "larger (+)", "all of it (0)", "full size (1)"]
    assert diagram.evaluate(CONTROLS) == controls
    for view, drawing in ((player, ".rh-player-panes"), (diagram, ".rh-diagram-window")):
        bar, below = view.locator(".rh-drawing-bar").bounding_box(), view.locator(drawing).bounding_box()
        assert bar is not None
        assert below is not None
        assert -1 < below["y"] - bar["y"] - bar["height"] < 12


def test_one_jumps_to_a_round_and_comes_back_through_it(player: Locator, window: Window) -> None:
    caption = player.locator(".rh-player-caption")
    go(player, 37)
    expect(caption).to_have_text(re.compile("^round 37 of 100: it begins with"))
    player.focus()
    window.page.keyboard.press("r")
    expect(caption).to_have_text(re.compile("^round 38 of 100"))
    player.get_by_label("loop", exact=True).select_option(index=1)
    go(player, 37)
    expect(caption).to_have_text(re.compile("^round 37 of 100, going back"))
    player.focus()
    window.page.keyboard.press("R")
    expect(caption).to_have_text(re.compile("^round 36 of 100, going back"))


def test_the_wires_of_a_round_are_filled_as_its_boxes_run(player: Locator, window: Window) -> None:
    go(player, 37)
    begun = player.locator(".rh-player-canvas .rh-player-box.rh-player-ran").count()
    player.focus()
    for _ in range(8):
        window.page.keyboard.press("ArrowRight")
    expect(player.locator(".rh-player-caption")).to_have_text(re.compile("^round 37 of 100"))
    assert player.locator(".rh-player-canvas .rh-player-box.rh-player-ran").count() > begun
    expect(player.locator(".rh-player-chip.rh-player-fresh")).not_to_contain_text("…")


def test_the_current_round_is_marked_in_the_picture_of_the_cotangents(player: Locator) -> None:
    mark = player.locator(".rh-player-sizes-now")
    expect(mark).to_be_hidden()
    go(player, 50)
    expect(mark).to_be_visible()
    picture = player.locator(".rh-player-sizes img")
    around, line = picture.bounding_box(), mark.bounding_box()
    assert around is not None
    assert line is not None
    assert 0.4 < (line["x"] - around["x"]) / around["width"] < 0.65


def test_rounds_are_drawn_once_as_one_box_or_unrolled(window: Window) -> None:
    root = window.page.locator(".rh-diagram")
    rounds = root.get_by_label("rounds", exact=True)
    expect(root.locator(".rh-diagram-svg")).to_contain_text("stack")
    rounds.select_option("folded")
    expect(root.locator(".rh-diagram-svg")).to_contain_text("scan, 100 rounds, back")
    root.get_by_label("rounds", exact=True).select_option("unrolled")
    expect(root.locator(".rh-diagram-svg")).to_contain_text("… 97 rounds …")


def test_a_round_is_one_row_of_the_steps_until_it_is_opened(window: Window) -> None:
    root = window.page.locator(".rh-stepper")
    root.scroll_into_view_if_needed()
    root.locator(".rh-outcome").click(position={"x": 3, "y": 3})
    keys = window.page.keyboard
    keys.press("Home")
    rows = root.get_by_role("listbox", name="steps").get_by_role("option")
    first = rows.filter(has_text="round 1 of 12").first
    keys.press("n")
    expect(root.locator(".rh-status")).to_contain_text("⟳ round 1 of 12 (scan)")
    expect(first).to_have_attribute("aria-expanded", "false")
    keys.press("l")
    expect(first).to_have_attribute("aria-expanded", "true")
    expect(root.locator(".rh-row-now")).to_contain_text("RH-Scan")
    expect(root.locator(".rh-row-now")).to_be_in_viewport()
    keys.press("l")
    expect(first).to_have_attribute("aria-expanded", "false")
    expect(root.locator(".rh-row-now")).to_contain_text("round 1 of 12")
    for number in range(2, 13):
        keys.press("n")
        expect(root.locator(".rh-status")).to_contain_text(f"⟳ round {number} of 12 (scan)")
    keys.press("n")
    expect(root.locator(".rh-status")).to_contain_text("⟳ backward through round 12 of 12 (scan)")
    keys.press("N")
    expect(root.locator(".rh-status")).to_contain_text("⟳ round 12 of 12 (scan)")
