"""The gradient player in JupyterLab, in detail: the displayed position, and no number before its time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

import numpy as np
import pytest
from playwright.sync_api import FloatRect, Locator, expect

from rh_kernel.display.data import Json, Record
from rh_kernel.display.live.player import Player
from rh_kernel.display.registry import records
from rh_kernel.session.results import GradientMade
from tests.browser.conftest import TOKEN, Lab, Window, opened
from tests.display.pages import MLP, PASS, shown

pytestmark = [pytest.mark.browser, pytest.mark.slow]

STILL = """
handler still(t : Real(k)) : rev handler(Real(k)) = {
  return x -> return x - t
  FC[l](x) -> let w <= Get[l]() in return (w @ x, w)
    | y, w -> return w^T @ y
}
"""
AGAINST = f"{PASS} against rev handle ([1.0, -2.0]) <x>. mlp(x) with still(t)"
WIDE = """
loc up   : Real(40, 2) = normal(0.5, seed=1)
loc over : Real(40, 40) = normal(0.5, seed=2)
net wide(x : Real(2)) : Real(40) = let z <= FC[up](x) in FC[over](z)
handler half : rev handler(Real(40)) = {
  return x -> return 0.5 * x
  FC[l](x) -> let w <= Get[l]() in return (w @ x, w)
    | y, w -> return w^T @ y
}
"""
LARGE = "rev handle ([1.0, -2.0]) <x>. wide(x) with half"
HEAP: dict[str, Json] = {"w0": [[0.1, -0.2], [0.3, 0.4], [-0.5, 0.6]], "w1": [[0.7, -0.8, 0.9]]}

FRAMES, TURN, PUTS = 14, 7, (9, 13)

CELLS = "() => window.jupyterapp.shell.currentWidget.content.widgets.map(cell => cell.model.sharedModel.getSource())"
CONTEXT = "window.jupyterapp.shell.currentWidget.context.sessionContext"
PICK = "() => document.activeElement?.dataset?.pick ?? null"
HIDDEN = """player => {
    const around = player.querySelector('.rh-player-scroller').getBoundingClientRect();
    const parts = [...player.querySelectorAll('.rh-player-canvas :is(.rh-player-shape, .rh-player-chip, .rh-player-line)')];
    return parts.filter(part => {
        const seen = part.getBoundingClientRect();
        const isAcross = seen.left >= around.left - 1 && seen.right <= around.right + 1;
        return !isAcross || seen.top < around.top || seen.bottom > around.bottom;
    }).map(part => part.textContent);
}"""
LETTERS = """player => Math.min(...[...player.querySelectorAll('.rh-player-canvas text')].map(
    text => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a))"""
SCALE = "svg => Number(svg.getAttribute('width')) / svg.viewBox.baseVal.width"
CHIPS = """player => [...player.querySelectorAll('.rh-player-chip')]
    .filter(chip => chip.getBoundingClientRect().width > 0).map(chip => chip.textContent)"""
WIRES = """player => [...player.querySelectorAll('.rh-player-canvas .rh-player-wire')].map(
    wire => [Number(wire.dataset.pick.split('-')[1]), wire.getAttribute('aria-label')])"""
NEAR_THE_START = """path => {
    const at = path.getPointAtLength(6).matrixTransform(path.getScreenCTM());
    return [at.x, at.y];
}"""
AT_REST = """scroller => new Promise(done => {
    let [before, same] = [null, 0];
    const look = () => {
        const now = `${scroller.scrollLeft} ${scroller.scrollTop}`;
        same = now === before ? same + 1 : 0;
        before = now;
        if (same > 5) done(scroller.scrollLeft);
        else requestAnimationFrame(look);
    };
    look();
})"""
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e-?\d+)?")


@dataclass(frozen=True, slots=True)
class Seen:
    """A player in a notebook, with what a user sees and does."""

    window: Window
    root: Locator

    @property
    def caption(self) -> Locator:
        return self.root.locator(".rh-player-caption")

    @property
    def card(self) -> Locator:
        return self.root.locator(".rh-player-inspector")

    @property
    def scroller(self) -> Locator:
        return self.root.locator(".rh-player-scroller").first

    def at(self, frame: int) -> None:
        """The current frame, according to all displays of it."""
        expect(self.root.locator(".rh-player-count")).to_have_text(re.compile(rf"^(box|moment) {frame} of \d+$"))
        expect(self.root.get_by_label("how many boxes have run")).to_have_value(str(frame))

    def button(self, name: str) -> Locator:
        return self.root.get_by_role("button", name=name, exact=True)

    def chip(self, text: str) -> Locator:
        return self.root.locator(".rh-player-chip", has_text=text).first

    def press(self, *keys: str) -> None:
        for key in keys:
            self.window.page.keyboard.press(key)

    def left(self) -> float:
        """The scroll position in the drawing, once the animation has ended."""
        return cast("float", self.scroller.evaluate(AT_REST))

    def scale(self) -> float:
        return cast("float", self.root.locator(".rh-player-canvas > svg").first.evaluate(SCALE))


def place(element: Locator) -> FloatRect:
    """The bounding box of an element."""
    found = element.bounding_box()
    assert found is not None
    return found


def made(program: str, declarations: str = "") -> GradientMade:
    """The result of the kernel, computed without it."""
    (result,) = [result for result in shown(f"{declarations}%gradient {program}") if isinstance(result, GradientMade)]
    return result


def numbers(text: str) -> list[float]:
    return [float(word) for word in NUMBER.findall(text)]


def flat(value: Json) -> list[float]:
    return [float(x) for x in np.asarray(value, dtype=np.float64).ravel()]


@pytest.fixture(scope="module")
def window(chromium: str, lab: Lab) -> Iterator[Window]:
    """A notebook with one pass, two passes side by side, and one with large arrays."""
    lab.write("closely.ipynb", MLP + STILL + WIDE, f"%gradient {PASS}", f"%gradient {AGAINST}", f"%gradient {LARGE}")
    with opened(chromium, f"{lab.url}/lab/workspaces/closely/tree/closely.ipynb?token={TOKEN}") as window:
        window.page.set_default_timeout(10_000)
        window.run_all()
        expect(window.page.locator(".rh-player")).to_have_count(3)
        yield window


def seen(window: Window, number: int = 0) -> Seen:
    root = window.page.locator(".rh-player").nth(number)
    root.evaluate("player => player.scrollIntoView()")
    root.focus()
    return Seen(window, root)


def ready(window: Window, number: int) -> Iterator[Seen]:
    player = seen(window, number)
    cells = window.page.evaluate(CELLS)
    player.press("Home", "Escape", "1")
    player.at(0)
    yield player
    assert window.page.evaluate(CELLS) == cells
    assert window.page.locator(".jp-Dialog").count() == 0
    assert window.errors == []


@pytest.fixture
def one(window: Window) -> Iterator[Seen]:
    """A pass before its first box; the test must leave the notebook unchanged."""
    yield from ready(window, 0)


@pytest.fixture
def two(window: Window) -> Iterator[Seen]:
    """Two passes before their first boxes."""
    yield from ready(window, 1)


def test_at_first_the_whole_pass_is_in_view_and_legible(window: Window) -> None:
    """In JupyterLab with its side bar, and until the reader chooses another scale."""
    player = seen(window)
    player.press("End")
    try:
        for width in (1300, 1500):
            window.page.set_viewport_size({"width": width, "height": 1000})
            player.left()
            assert player.root.evaluate(HIDDEN) == []
            assert player.root.evaluate(LETTERS) >= 10.99
            expect(player.root.locator(".rh-player-overview")).to_be_hidden()
    finally:
        window.page.set_viewport_size({"width": 1100, "height": 1000})
    running = place(player.root.locator(".rh-player-canvas .rh-player-box.rh-player-now"))
    turn = place(player.root.locator(".rh-player-canvas .rh-player-box", has_text="return"))
    assert running["x"] + running["width"] < turn["x"], "the backward pass does not come back"
    assert running["y"] > turn["y"] + turn["height"]


def test_keys_after_a_button_that_then_cannot_be_pressed(one: Seen) -> None:
    one.button("to the end (End)").click()
    one.press("ArrowLeft", "ArrowLeft")
    one.at(FRAMES - 2)


def test_the_slider_by_mouse(one: Seen) -> None:
    slider = one.root.get_by_label("how many boxes have run")
    slider.click()
    one.at(TURN)
    expect(slider).to_have_attribute("aria-valuetext", re.compile("the turn"))


def test_a_move_by_hand_pauses(one: Seen) -> None:
    play = one.button("play or pause (Space)")
    one.press("Space")
    expect(play).to_have_text("Pause")
    one.press("t")
    expect(play).to_have_text("Play")
    one.at(TURN)


def test_ctrl_and_the_wheel_make_it_larger(one: Seen) -> None:
    one.scroller.hover()
    one.window.page.keyboard.down("Control")
    one.window.page.mouse.wheel(0, -100)
    one.window.page.keyboard.up("Control")
    one.left()
    assert one.scale() > 1.2


def test_all_of_it_needs_no_overview(one: Seen) -> None:
    overview = one.root.locator(".rh-player-overview")
    expect(overview).to_be_visible()
    one.press("0")
    expect(overview).to_be_hidden()
    assert one.scroller.evaluate("e => e.scrollWidth <= e.clientWidth && e.scrollHeight <= e.clientHeight")


def test_pan_by_drag_and_by_the_overview(one: Seen) -> None:
    mouse = one.window.page.mouse
    around = place(one.scroller)
    x, y = around["x"] + around["width"] / 2, around["y"] + around["height"] - 24
    left = one.left()
    mouse.move(x, y)
    mouse.down()
    mouse.move(x - 70, y, steps=3)
    mouse.up()
    assert one.left() == pytest.approx(left + 70, abs=2)
    mouse.move(x, y)
    assert one.left() == pytest.approx(left + 70, abs=2)
    strip = place(one.root.locator(".rh-player-overview"))
    right, middle = strip["x"] + strip["width"] - 4, strip["y"] + 20
    mouse.click(right, middle)
    assert one.left() == pytest.approx(cast("float", one.scroller.evaluate("e => e.scrollWidth - e.clientWidth")), abs=1)
    mouse.move(right, middle)
    mouse.down()
    mouse.move(strip["x"] + 4, middle, steps=3)
    mouse.up()
    assert one.left() == 0


def test_what_runs_is_in_view(one: Seen) -> None:
    for frame in range(1, FRAMES + 1):
        one.press("ArrowRight")
        one.at(frame)
        one.left()
        running, around = place(one.root.locator(".rh-player-canvas .rh-player-box.rh-player-now")), place(one.scroller)
        assert running["x"] >= around["x"] - 1
        assert running["x"] + running["width"] <= around["x"] + around["width"] + 1
        assert running["y"] >= around["y"] - 1
        assert running["y"] + running["height"] <= around["y"] + around["height"] + 1


def test_one_walks_all_boxes_and_wires_by_keys(one: Seen) -> None:
    one.press("End", "ArrowUp")
    stops = one.root.locator(".rh-player-canvas [data-pick]").count()
    one.press(*["ArrowUp"] * stops)
    picked = [one.window.page.evaluate(PICK)]
    for _ in range(stops):
        one.press("ArrowDown")
        picked.append(one.window.page.evaluate(PICK))
    assert len(set(picked)) == stops
    assert None not in picked
    one.press("Enter")
    expect(one.card).to_be_focused()
    one.press("ArrowUp")
    assert one.window.page.evaluate(PICK) == picked[-3]


def test_a_cotangent_tells_what_it_is_of(one: Seen) -> None:
    one.press("End")
    one.chip("◂h").click()
    for words in ("Real(3)", "a cotangent", "made by wᵀ @ y", "cotangent of h", "-0.02572", "0.0294", "-0.03307"):
        expect(one.card).to_contain_text(words)
    expect(one.card.locator("svg.rh-heat[role=img]")).to_have_attribute("aria-label", re.compile(r"Real\(3\), norm "))
    expect(one.root.locator(".rh-player-partner")).to_have_count(1)
    one.card.get_by_role("button", name="h", exact=True).click()
    for words in ("a value in the forward pass", "its cotangent", "0.3112", "made by swish(z)"):
        expect(one.card).to_contain_text(words)
    expect(one.root.locator(".rh-player-wire.rh-player-picked")).to_have_attribute("aria-label", re.compile("^wire h : Real"))


def test_a_click_on_the_line_of_a_matrix_shows_a_heat_map(one: Seen) -> None:
    one.press("ArrowRight", "ArrowRight")
    one.left()
    x, y = cast("list[float]", one.root.locator(".rh-player-fresh .rh-player-halo").first.evaluate(NEAR_THE_START))
    one.window.page.mouse.click(x, y)
    for words in ("Real(3, 2)", "what a location held", "made by Get[w0]"):
        expect(one.card).to_contain_text(words)
    picture = one.card.locator("svg.rh-heat[role=img]")
    expect(picture).to_have_attribute("aria-label", re.compile(r"Real\(3, 2\), norm .*, from -0\.5 to 0\.6"))
    assert numbers(one.card.locator(".rh-player-entries").inner_text()) == flat(HEAP["w0"])


def test_what_is_not_computed_has_no_number(one: Seen) -> None:
    told = cast("list[Record]", Player(made(PASS)).opening()["passes"])[0]
    born = {cast("int", w["id"]): cast("int", w["born"]) for w in cast("list[Record]", told["wires"])}
    rows = [[[row["forward"]], row["cotangents"]] for row in cast("list[Record]", told["rows"])]
    one.root.locator("summary", has_text="As a table").click()
    cells = one.root.locator(".rh-player-table tbody tr")
    one.root.locator(f"[data-pick='wire-{max(born, key=lambda wire: born[wire])}']").focus()
    one.press("Enter")
    for frame in range(FRAMES + 1):
        one.at(frame)
        wires = cast("list[tuple[int, str]]", one.root.evaluate(WIRES))
        assert [w.endswith("; not computed yet") for _, w in wires] == [born[wire] > frame for wire, _ in wires]
        chips = cast("list[str]", one.root.evaluate(CHIPS))
        assert len(chips) == len([wire for wire, _ in wires if born[wire] <= frame])
        assert all(numbers(chip) or "‖" in chip for chip in chips)
        for i, row in enumerate(rows):
            for j, of in enumerate(cast("list[list[int]]", row)):
                text = cells.nth(i).locator("td").nth(j + 1).inner_text()
                assert bool(numbers(text)) == all(born[wire] <= frame for wire in of), text
        assert bool(numbers(one.root.locator(".rh-player-result").inner_text())) == (frame == FRAMES)
        assert one.card.locator(".rh-player-numbers").count() == (frame == FRAMES)
        assert ("not computed yet" in one.card.inner_text()) == (frame < FRAMES)
        blank = one.root.locator(".rh-player-blank:has(figcaption:text-is('after'))")
        expect(blank).to_have_count(len([put for put in PUTS if put > frame]))
        one.press("ArrowRight")
    one.root.locator("summary", has_text="As a table").click()


def test_a_put_changes_a_location_by_what_the_record_says(one: Seen) -> None:
    after = cast("dict[str, Json]", records(0, made(PASS))[0]["heap"])
    for put, location in zip(PUTS, ("w1", "w0"), strict=True):
        one.press("p")
        one.at(put)
        weight = one.root.locator(".rh-player-weight", has_text=location)
        expect(weight).to_contain_text("just now changes by ‖Δ‖ = ")
        far = float(np.linalg.norm(np.subtract(flat(after[location]), flat(HEAP[location]))))
        assert numbers(weight.inner_text())[-1] == pytest.approx(far, rel=1e-3)
        one.press("ArrowRight")
        expect(weight).not_to_contain_text("just now")


def test_keys_of_the_notebook_do_nothing_in_the_player(one: Seen) -> None:
    one.press("a", "b", "d", "d", "x", "m", "y", "c", "v", "i", "i", "0", "0", "Enter", "ArrowRight")
    one.at(1)


def test_both_passes_turn_together(two: Seen) -> None:
    two.press("t")
    for i, label in enumerate(("0.1 · (x - 0.5)", "x - 0.5")):
        expect(two.caption.locator(".rh-player-now").nth(i)).to_contain_text(f"{label}, the turn")
    two.press("End")
    expect(two.root.locator(".rh-player-later")).to_have_count(0)


def test_differences_are_of_what_both_have_computed(two: Seen) -> None:
    lines = two.root.locator(".rh-player-wide:has-text('What the two passes differ in') tbody tr")
    # The pass in the cell before has changed the heap.
    told = shown(f"{STILL}%gradient {PASS}\n%gradient {AGAINST}")
    (record,) = records(0, [result for result in told if isinstance(result, GradientMade)][-1])
    left, right = cast("list[Record]", record["boxes"]), cast("list[Record]", cast("Record", record["against"])["boxes"])
    compared: list[int] = []
    for frame in range(FRAMES + 1):
        two.at(frame)
        cells = [text.split("\t") for text in lines.all_inner_texts()]
        compared.append(len([line for line in cells if len(line) == 5]))
        assert all(len(line) == 5 or line[-1] in ("not computed yet", "only one has it") for line in cells)
        two.press("ArrowRight")
    assert compared == sorted(compared)
    assert (compared[TURN - 1], compared[TURN], compared[-1]) == (0, 1, len(left))
    for i, (mine, other) in enumerate(zip(left, right, strict=True)):
        x, y = np.asarray(flat(mine["cotangent"])), np.asarray(flat(other["cotangent"]))
        head, *rest = lines.nth(i).inner_text().split("\t")
        angle = float(x @ y / np.linalg.norm(x) / np.linalg.norm(y))
        wanted = [float(np.linalg.norm(x)), float(np.linalg.norm(y)), float(np.linalg.norm(x - y)), angle]
        assert head == f"cotangent of {mine['label']}"
        assert [numbers(text)[0] for text in rest] == pytest.approx(wanted, rel=2e-3)


def test_what_is_picked_in_one_pass_is_picked_in_the_other(two: Seen) -> None:
    two.press("End")
    two.chip("◂h").click()
    cards = two.card.locator(".rh-player-card")
    expect(cards).to_have_count(2)
    for i, name in enumerate(("first", "second")):
        expect(cards.nth(i)).to_contain_text(name)
        expect(cards.nth(i)).to_contain_text("cotangent of h")


def test_two_passes_are_beside_each_other_where_there_is_room(two: Seen) -> None:
    panes = [two.root.locator(".rh-player-pane").nth(i) for i in (0, 1)]
    places: list[list[FloatRect]] = []
    try:
        for width in (700, 2300):
            two.window.page.set_viewport_size({"width": width, "height": 1000})
            two.left()
            places.append([place(pane) for pane in panes])
            assert two.root.evaluate("player => player.scrollWidth <= player.clientWidth + 1")
    finally:
        two.window.page.set_viewport_size({"width": 1100, "height": 1000})
    (above, below), (one, other) = places
    assert above["x"] == below["x"]
    assert above["y"] + above["height"] <= below["y"]
    assert one["x"] + one["width"] <= other["x"]
    assert one["y"] == other["y"]


def test_large_arrays_come_when_they_are_wanted(window: Window) -> None:
    player = seen(window, 2)
    player.press("End", "Escape")
    player.chip("ℝ⁴⁰ˣ⁴⁰").click()
    expect(player.card).to_contain_text("Real(40, 40)")
    expect(player.card.locator("svg.rh-heat")).to_be_visible()
    expect(player.card.locator(".rh-player-entries tr")).to_have_count(40)
    assert window.errors == []


def test_a_restart_is_said_and_all_that_is_here_is_still_played(window: Window) -> None:
    window.page.evaluate(f"async () => await {CONTEXT}.session.kernel.restart()")
    player = seen(window)
    expect(player.root.locator(".rh-gone")).to_contain_text("The kernel no longer knows this pass")
    expect(player.button("open everything (o)")).to_be_disabled()
    player.press("Home")
    player.root.get_by_label("speed").select_option("10")
    player.button("play or pause (Space)").click()
    player.at(FRAMES)
    player.chip("◂h").click()
    expect(player.card).to_contain_text("-0.02572")
    assert window.errors == []
