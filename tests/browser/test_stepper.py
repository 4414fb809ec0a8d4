"""The stepper in JupyterLab: every control by mouse and keyboard, on a short and a long trace."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import TOKEN, Lab, Window, opened
from tests.display.pages import MLP, PASS

pytestmark = [pytest.mark.browser, pytest.mark.slow]

# The chain rule goes through a function inside of a function again and again: a short text, and many steps.
DERIVATIVE = f"1.0.rd(x. {'tanh(' * 70}x{')' * 70})(0.5)"
LONG = f"%trace {' + '.join([DERIVATIVE] * 8)}"
LONG_STEPS = 21_583

SHORT_STEPS = 90

CELLS = "() => window.jupyterapp.shell.currentWidget.content.widgets.map(cell => cell.model.sharedModel.getSource())"
IS_COMMANDING = "() => window.jupyterapp.shell.currentWidget.content.mode === 'command'"
THEME = "async theme => await window.jupyterapp.commands.execute('apputils:change-theme', { theme })"

# Each word of the terms, as it is blended with what lies behind it, and how well it stands out from that.
CONTRASTS = """stepper => {
    const channels = text => {
        const numbers = (text.match(/[\\d.]+(e-?\\d+)?/g) ?? []).map(Number);
        const scale = text.startsWith("color(") ? 1 : 255;
        return [...numbers.slice(0, 3).map(each => each / scale), numbers[3] ?? 1];
    };
    const over = (top, share, below) => top.slice(0, 3).map((each, i) => each * share + below[i] * (1 - share));
    const light = colour => {
        const [r, g, b] = colour.map(c => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    return [...stepper.querySelectorAll(".rh-pane .rh-code span")].filter(word => word.textContent.trim()).map(word => {
        const path = [];
        for (let each = word; each !== null; each = each.parentElement) path.unshift(getComputedStyle(each));
        let back = [1, 1, 1];
        let share = 1;
        for (const look of path) {
            const colour = channels(look.backgroundColor);
            share *= Number(look.opacity);
            back = over(colour, colour[3] * share, back);
        }
        const front = over(channels(getComputedStyle(word).color), share, back);
        const [low, high] = [light(front), light(back)].sort((one, other) => one - other);
        return [(high + 0.05) / (low + 0.05), share === 1, word.className, word.textContent];
    });
}"""


@dataclass(frozen=True, slots=True)
class Seen:
    """A stepper in a notebook, with what a user sees and does."""

    window: Window
    root: Locator

    @property
    def status(self) -> Locator:
        return self.root.locator(".rh-status")

    def at(self, step: int, about: str = "", *, is_in_list: bool = True) -> None:
        """The current step, according to all displays of it, once its terms have arrived."""
        expect(self.status).to_have_text(re.compile(rf"^Step {step:,} of [\d,]+: {re.escape(about)}"))
        expect(self.root.locator(".rh-panes")).not_to_have_class(re.compile("rh-waiting"))
        if is_in_list:
            expect(self.root.locator(".rh-row-now .rh-row-number")).to_have_text(f"▸ {step}")
        expect(self.field("jump to step")).to_have_value(str(step))
        expect(self.field("step")).to_have_attribute("aria-valuetext", re.compile(f"^step {step} of "))

    def says(self, words: str) -> None:
        expect(self.status).to_contain_text(words)

    def button(self, name: str) -> Locator:
        return self.root.get_by_role("button", name=name, exact=True)

    def field(self, name: str) -> Locator:
        return self.root.get_by_label(name, exact=True)

    def pane(self, side: int) -> Locator:
        return self.root.locator(".rh-pane").nth(side)

    def focus(self) -> None:
        """Focus the stepper, as a click on a free area does."""
        self.root.locator(".rh-outcome").click(position={"x": 3, "y": 3})

    def press(self, *keys: str) -> None:
        for key in keys:
            self.window.page.keyboard.press(key)

    def goes(self, step: int) -> None:
        self.field("jump to step").fill(str(step))
        self.press("Enter")
        self.at(step)


@pytest.fixture(scope="module")
def window(chromium: str, lab: Lab) -> Iterator[Window]:
    """A notebook with a short trace and a long one."""
    lab.write("stepper.ipynb", MLP, f"%trace {PASS}", LONG, "%trace 1.0", "%trace FC[w0]([1.0, 2.0])")
    url = f"{lab.url}/lab/workspaces/stepper/tree/stepper.ipynb?token={TOKEN}"
    with opened(chromium, url) as window:
        window.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        window.page.set_default_timeout(10_000)
        window.run_all()
        window.page.wait_for_function("() => document.querySelectorAll('.rh-stepper-frame').length === 4")
        short = seen(window, 0)
        expect(short.root.locator(".rh-list-head .rh-note")).to_have_text("78 of 90 steps hidden")
        short.button("Show all").click()
        yield window


def seen(window: Window, number: int) -> Seen:
    root = window.page.locator(".rh-stepper").nth(number)
    root.evaluate("stepper => stepper.scrollIntoView()")
    return Seen(window, root)


@pytest.fixture
def short(window: Window) -> Iterator[Seen]:
    """The short trace at its first step; the test must leave the notebook unchanged."""
    stepper = seen(window, 0)
    cells = window.page.evaluate(CELLS)
    stepper.focus()
    stepper.press("Escape", "Home")
    stepper.at(1, "RevHandle")
    yield stepper
    assert window.page.evaluate(CELLS) == cells
    assert window.errors == []


@pytest.fixture
def long(window: Window) -> Iterator[Seen]:
    """The long trace at its first step."""
    stepper = seen(window, 1)
    stepper.focus()
    stepper.press("Escape", "Home")
    stepper.at(1)
    yield stepper
    assert window.errors == []


def test_steps_by_mouse(short: Seen) -> None:
    expect(short.button("step back")).to_have_attribute("aria-disabled", "true")
    short.button("last step").click()
    short.at(90, "Plus")
    expect(short.button("step on")).to_have_attribute("aria-disabled", "true")
    short.button("step on").click(force=True)
    short.at(90)
    short.button("step back").click()
    short.at(89, "Let⇐")
    expect(short.button("step on")).not_to_have_attribute("aria-disabled", "true")
    short.button("first step").click()
    short.at(1, "RevHandle")
    short.button("step on").click()
    short.at(2, "RH-Let, x")


def test_steps_by_keys(short: Seen) -> None:
    ways = [
        ("End", 90),
        ("ArrowRight", 90),
        ("ArrowLeft", 89),
        ("PageUp", 79),
        ("Home", 1),
        ("ArrowLeft", 1),
    ]
    for key, step in [*ways, ("PageDown", 11), ("PageDown", 21), ("PageUp", 11), ("PageUp", 1), ("PageUp", 1)]:
        short.press(key)
        short.at(step)


def test_keys_after_a_click_on_a_button(short: Seen) -> None:
    short.button("step on").click()
    short.press("ArrowRight", "ArrowRight")
    short.at(4, "Get")
    short.press("Enter")
    short.at(5)


def test_marks_and_headings_tell_what_a_step_does(short: Seen) -> None:
    short.goes(6)
    heads = short.root.locator(".rh-pane-head")
    expect(heads.nth(0)).to_contain_text("before")
    expect(heads.nth(1)).to_contain_text("after")
    redex = short.pane(0).locator(".rh-mark-redex")
    assert "".join(redex.all_inner_texts()) == "[[0.1, -0.2], [0.3, 0.4], [-0.5, 0.6]] @ [1.0, -2.0]"
    contractum = short.pane(1).locator(".rh-mark-contractum")
    assert "".join(contractum.all_inner_texts()) == "[0.5, -0.5, -1.7]"
    expect(heads.nth(0)).to_contain_text("redex")
    expect(heads.nth(1)).to_contain_text("contractum")
    expect(short.root.locator(".rh-arrow")).to_have_accessible_name("Ev, Def. 5.4: the equation")
    short.goes(3)
    expect(heads.nth(1)).to_contain_text("forward part")
    expect(heads.nth(1)).to_contain_text("backward part")


def test_play_by_mouse(short: Seen) -> None:
    short.field("speed").select_option("10")
    short.button("Play").click()
    expect(short.field("jump to step")).to_have_value(re.compile(r"^([4-9]|\d\d)$"))
    short.button("Pause").click()
    stopped = int(short.field("jump to step").input_value())
    short.window.page.wait_for_timeout(300)
    short.at(stopped)
    assert stopped < SHORT_STEPS


def test_play_by_keys(short: Seen) -> None:
    short.focus()
    short.press(" ")
    expect(short.button("Pause")).to_be_visible()
    expect(short.field("jump to step")).not_to_have_value("1")
    short.press(" ")
    expect(short.button("Play")).to_be_visible()
    short.press("End")
    short.at(90)
    short.press(" ")
    expect(short.field("jump to step")).to_have_value(re.compile(r"^\d$"))
    short.press("ArrowLeft")
    expect(short.button("Play")).to_be_visible()
    short.press("End", "ArrowLeft", " ")
    short.at(90)
    expect(short.button("Play")).to_be_visible()


def test_the_slider(short: Seen) -> None:
    slider = short.field("step")
    box = slider.bounding_box()
    assert box is not None
    short.window.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(short.field("jump to step")).to_have_value(re.compile(r"^4\d$"))
    here = int(short.field("jump to step").input_value())
    short.at(here)
    short.press("ArrowRight")
    short.at(here + 1)
    short.press("Home")
    short.at(1)
    short.press("Escape", "PageDown")
    short.at(11)


@pytest.mark.parametrize(
    ("text", "step"), [("17", 17), ("#17", 17), ("+10", 30), ("-3", 17), ("last", 90), ("first", 1), ("999", 90), ("step 8", 8)]
)
def test_a_jump(short: Seen, text: str, step: int) -> None:
    short.goes(20)
    short.focus()
    short.press("g")
    expect(short.field("jump to step")).to_be_focused()
    short.window.page.keyboard.type(text)
    short.press("Enter")
    short.at(step)
    expect(short.root).to_be_focused()


def test_a_jump_to_nowhere(short: Seen) -> None:
    short.press("g")
    short.window.page.keyboard.type("nowhere")
    short.press("Enter")
    short.says("“nowhere” names no step")
    expect(short.field("jump to step")).to_have_value("nowhere")
    short.press("Escape")
    short.at(1)
    expect(short.root).to_be_focused()


def test_the_same_rule(short: Seen) -> None:
    short.press("ArrowRight", "r")
    short.at(12, "RH-Let")
    short.press("r")
    short.at(16, "RH-Let")
    short.press("r")
    short.says("No step behind this one is of RH-Let.")
    short.press("R", "R")
    short.at(2, "RH-Let")
    expect(short.button("previous step of this rule")).to_have_attribute("aria-disabled", "true")
    short.button("next step of this rule").click()
    short.at(12, "RH-Let")
    short.button("previous step of this rule").click()
    short.at(2, "RH-Let")


def test_a_chosen_rule(short: Seen) -> None:
    rules = short.field("rule to go to")
    rules.select_option(label="Put (2)")
    short.button("next step of this rule").click()
    short.at(46, "Put")
    short.press("Escape", "r")
    short.at(85, "Put")
    expect(short.button("next step of this rule")).to_have_attribute("aria-disabled", "true")
    short.button("next step of this rule").click(force=True)
    short.says("No step behind this one is of Put.")
    short.press("R")
    short.at(46, "Put")
    rules.select_option(label="same rule")


def test_changes_of_the_heap(short: Seen) -> None:
    heap = short.root.get_by_role("region", name="heap")
    expect(heap).to_contain_text("as at the start")
    short.press("h")
    short.at(46, "Put")
    first = heap.locator(".rh-heap-entry").first
    expect(first).to_contain_text("w1: Real(1, 3)Put: changed by this step")
    expect(first).to_contain_text("[[0.7, -0.8, 0.9]]")
    expect(first).to_contain_text("[[0.7114, -0.8069, 0.8904]]")
    expect(first.get_by_role("img", name="becomes")).to_be_visible()
    expect(heap.locator(".rh-heap-entry").nth(1)).to_contain_text("as at the start")
    short.button("next change of the heap").click()
    short.at(85, "Put")
    expect(first).to_contain_text("w0")
    expect(heap.locator(".rh-heap-entry").nth(1)).to_contain_text("changed by step 46")
    short.press("h")
    short.says("No step behind this one changes the heap.")
    short.button("previous change of the heap").click()
    short.at(46)
    short.press("H")
    short.says("No step before this one changes the heap.")


def test_a_search(short: Seen) -> None:
    short.press("/")
    expect(short.field("search for a step")).to_be_focused()
    short.window.page.keyboard.type("swish")
    short.press("Enter")
    short.at(13, "RH-Term, swish(z)")
    short.press("Enter")
    short.at(14, "Ev, swish(")
    short.press("Shift+Enter")
    short.at(13)
    short.button("find forwards").click()
    short.at(14)
    short.button("find backwards").click()
    short.at(13)
    short.button("find backwards").click()
    short.says("No step before this one is about “swish”.")
    short.field("search for a step").fill("a zebra")
    short.press("Enter")
    short.says("No step behind this one is about “a zebra”.")
    short.press("Escape")
    expect(short.root).to_be_focused()
    short.at(13)
    short.field("search for a step").fill("")


def test_the_address_of_a_step(short: Seen) -> None:
    clipboard = "async () => await navigator.clipboard.readText()"
    short.goes(46)
    short.button("Copy #").click()
    short.says("Copied: step #46.")
    address = short.window.page.evaluate(clipboard)
    assert address == "cell output · step 46 of 90 · Put · #46"
    short.press("Home", "g", "Control+v", "Enter")
    short.at(46)
    short.press("ArrowRight", "c")
    short.says("Copied: step #47.")
    assert short.window.page.evaluate(clipboard).endswith("#47")


def test_a_filter(short: Seen) -> None:
    short.button("Filter").click()
    panel = short.root.get_by_role("dialog", name="which steps are shown")
    panel.get_by_role("button", name="Only RH rules and heap").click()
    hidden = short.root.locator(".rh-list-head .rh-note")
    expect(hidden).to_have_text("78 of 90 steps hidden")
    expect(panel.get_by_label("Let⇐ 32")).not_to_be_checked()
    panel.get_by_label("Get 2").click()
    expect(hidden).to_have_text("80 of 90 steps hidden")
    short.press("Escape")
    expect(panel).to_be_hidden()
    expect(short.root).to_be_focused()
    for step in (2, 3, 12):
        short.press("ArrowRight")
        short.at(step)
    short.press("Alt+ArrowLeft")
    short.at(11, "Let⇐ (hidden by the filter)", is_in_list=False)
    short.press("Alt+ArrowLeft")
    short.at(10, "Proj (hidden by the filter)", is_in_list=False)
    short.press("ArrowRight")
    short.at(12)
    short.button("step back").click()
    short.at(3)
    short.button("step on").click(modifiers=["Alt"])
    short.at(4, "Get (hidden by the filter)", is_in_list=False)
    short.press("End")
    short.at(85)
    short.button("Filter (on)").click()
    panel.get_by_role("button", name="Hide administrative steps").click()
    expect(hidden).to_have_text("56 of 90 steps hidden")
    panel.get_by_role("button", name="All").click()
    expect(hidden).to_have_text("90 steps, none hidden")
    panel.get_by_role("button", name="Close").click()
    expect(panel).to_be_hidden()


def test_the_main_steps_and_the_notation(short: Seen) -> None:
    hidden = short.root.locator(".rh-list-head .rh-note")
    expect(hidden).to_have_text("90 steps, none hidden")
    short.button("Main steps").click()
    expect(hidden).to_have_text("78 of 90 steps hidden")
    short.focus()
    short.press("ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight")
    short.at(12, "RH-Let, z  after 7 hidden steps")
    expect(short.pane(0)).to_contain_text("let (z', x') <=")
    expect(short.pane(0)).to_contain_text("rev handle ([0.5, -0.5, -1.7], [1.0, -2.0]) <z, x>.")
    short.press("w")
    expect(short.button("Paper notation")).to_have_attribute("aria-pressed", "true")
    expect(short.pane(0)).to_contain_text("let ⟨z', x'⟩ ⇐ RH^⟨[0.5, -0.5, -1.7],")
    short.button("Paper notation").click()
    expect(short.pane(0)).to_contain_text("let (z', x') <=")
    short.focus()
    short.press("a")
    expect(hidden).to_have_text("90 steps, none hidden")
    short.press("Home")
    expect(short.root.locator(".rh-pane-head").nth(1)).to_contain_text("written as before")


def test_what_explains_a_step_moves_nothing(short: Seen) -> None:
    listed = short.root.get_by_role("listbox", name="steps")
    before = short.root.bounding_box(), listed.bounding_box()
    for key, part in (("e", "rule"), ("p", "predict")):
        short.press(key)
        expect(short.root.get_by_role("region", name=part).first).to_be_visible()
        assert (short.root.bounding_box(), listed.bounding_box()) == before
        short.press(key)


def test_nets_and_handlers_fold(short: Seen) -> None:
    short.goes(14)
    folded = short.pane(0).locator(".rh-folded")
    lines = short.pane(0).locator(".rh-line")
    before = lines.all_inner_texts()
    short.press("f")
    short.says("Nets, functions and handlers are folded")
    expect(folded).to_have_text(["mlp · 2 lines", "sgd · 3 lines"])
    short.press("f")
    short.says("Nets, functions and handlers are unfolded.")
    expect(folded).to_have_count(0)
    short.press("f")
    short.pane(0).get_by_role("button", name=re.compile("^unfold sgd")).click()
    expect(folded).to_have_text(["mlp · 2 lines"])
    short.pane(0).get_by_role("button", name=re.compile("^fold sgd")).click()
    expect(folded).to_have_count(2)
    short.button("View").click()
    panel = short.root.get_by_role("dialog", name="how terms are written")
    expect(panel.get_by_label("sgd")).to_be_checked()
    panel.get_by_label("sgd").click()
    expect(folded).to_have_text(["mlp · 2 lines"])
    panel.get_by_label("sgd").click()
    panel.get_by_role("button", name="Unfold everything").click()
    expect(panel.get_by_label("sgd")).not_to_be_checked()
    panel.get_by_role("button", name="Close").click()
    assert lines.all_inner_texts() == before


def test_blocks_fold(short: Seen) -> None:
    short.goes(14)
    block = short.pane(0).locator(".rh-line").filter(has_text="let x'' <=")
    lines = short.pane(0).locator(".rh-line")
    before = lines.all_inner_texts()
    block.get_by_role("button", name="fold 3 lines").click()
    expect(block).to_contain_text("⋯ 3 lines")
    assert len(before) - lines.count() == 3
    short.press("ArrowRight")
    short.at(15)
    expect(block).to_contain_text("⋯ 3 lines")
    short.press("ArrowLeft")
    block.get_by_role("button", name="unfold 3 lines").click()
    assert lines.all_inner_texts() == before
    short.pane(0).get_by_role("button", name=re.compile("^fold")).first.click()
    short.says("These lines fold at the next step that does not look at them.")
    assert lines.all_inner_texts() == before
    short.pane(0).get_by_role("button", name=re.compile("^fold")).first.click()


def test_arrays_and_handlers_as_one_likes_them(short: Seen) -> None:
    short.goes(5)
    short.press("Escape")
    short.button("View").click()
    panel = short.root.get_by_role("dialog", name="how terms are written")
    expect(panel.get_by_label("Arrays written out")).to_be_focused()
    expect(short.pane(0)).to_contain_text("[[0.1, -0.2], [0.3, 0.4], [-0.5, 0.6]]")
    panel.get_by_label("Arrays written out").select_option(label="never")
    expect(short.pane(0)).not_to_contain_text("0.1, -0.2")
    panel.get_by_label("Arrays written out").select_option(label="up to 12 entries")
    expect(short.pane(0)).to_contain_text("0.1, -0.2")
    panel.get_by_role("button", name="Close").click()
    expect(panel).to_be_hidden()
    short.press("Home")
    short.at(1)
    short.button("View").click()
    expect(short.pane(0)).to_contain_text("with sgd(0.1, t)")
    panel.get_by_label("handlers and functions in full").check()
    expect(short.pane(0)).to_contain_text("Put[l]")
    panel.get_by_label("handlers and functions in full").uncheck()
    expect(short.pane(0)).to_contain_text("with sgd(0.1, t)")
    short.press("Escape")
    expect(panel).to_be_hidden()


def test_types(short: Seen) -> None:
    short.goes(6)
    types = short.root.get_by_role("region", name="type")
    short.pane(0).locator(".rh-mark-redex").filter(has_text="@").click()
    expect(types).to_contain_text(": Real(3)")
    assert "".join(short.pane(0).locator(".rh-mark-picked").all_inner_texts()).endswith("@ [1.0, -2.0]")
    short.press("Escape")
    expect(types).to_be_hidden()
    short.press("t")
    expect(short.pane(0).locator(".rh-mark-caret")).to_have_count(1)
    expect(types).to_contain_text("in the term before")
    here = types.inner_text()
    short.press("ArrowDown")
    expect(types).not_to_have_text(here)
    short.press("t")
    expect(short.pane(1).locator(".rh-mark-caret")).to_have_count(1)
    expect(types).to_contain_text("in the term after")
    short.press("Escape")
    expect(short.root.locator(".rh-mark-caret")).to_have_count(0)
    short.at(6)
    short.press("ArrowRight")
    short.at(7)


def test_the_equation_of_the_rule(short: Seen) -> None:
    rule = short.root.get_by_role("region", name="rule")
    expect(rule).to_be_hidden()
    short.press("e")
    expect(rule).to_contain_text("RevHandle (Def. 5.10)")
    expect(rule.locator("pre")).to_contain_text("→")
    short.press("ArrowRight")
    expect(rule).to_contain_text("RH-Let (Fig. 7)")
    short.root.locator(".rh-arrow").click()
    expect(rule).to_be_hidden()
    expect(short.root.locator(".rh-arrow")).to_have_attribute("aria-expanded", "false")


def test_the_list(short: Seen) -> None:
    box = short.root.get_by_role("listbox", name="steps")
    rows = box.get_by_role("option")
    rows.nth(3).click()
    short.at(4, "Get")
    expect(rows.nth(3)).to_have_attribute("aria-selected", "true")
    box.hover()
    short.window.page.mouse.wheel(0, 1000)
    expect(box.get_by_text("Plus", exact=True).first).to_be_visible()
    short.at(4, is_in_list=False)
    expect(rows.last).to_contain_text("→")
    short.press("ArrowRight")
    short.at(5)
    box.focus()
    short.press("ArrowDown", "ArrowDown", "ArrowUp")
    short.at(6)
    short.press("End")
    short.at(90)
    expect(box).to_have_attribute("aria-activedescendant", re.compile("-89$"))


def test_help_and_escape(short: Seen) -> None:
    panel = short.root.get_by_role("dialog", name="keys")
    short.press("?")
    expect(panel).to_contain_text("Page Up, Page Down")
    short.press("Escape")
    expect(panel).to_be_hidden()
    expect(short.root).to_be_focused()
    short.button("?").click()
    expect(panel.get_by_role("button", name="Close")).to_be_focused()
    short.press("Enter")
    expect(panel).to_be_hidden()


def test_keys_of_the_notebook_do_nothing(short: Seen) -> None:
    for key in "abdxzvmy":
        short.press(key, key)
    short.press("Shift+M", "ArrowUp", "ArrowDown")
    short.at(1)
    expect(short.root).to_be_focused()
    short.press("Escape", "Escape")


def test_a_long_trace(long: Seen) -> None:
    rows = long.root.get_by_role("listbox", name="steps").get_by_role("option")
    for step in (LONG_STEPS // 2, LONG_STEPS, 3):
        long.goes(step)
        now = long.root.locator(".rh-row-now")
        expect(now.locator(".rh-row-about")).not_to_be_empty()
        expect(now).to_be_visible()
        expect(now).to_have_attribute("aria-setsize", str(LONG_STEPS))
        assert rows.count() < 40
        assert long.root.locator("*").count() < 2000
    expect(long.button("step back")).not_to_have_attribute("aria-disabled", "true")


def test_the_list_of_a_long_trace(long: Seen) -> None:
    box = long.root.get_by_role("listbox", name="steps")
    box.evaluate("list => { list.scrollTop = list.scrollHeight / 2; }")
    row = box.get_by_role("option").nth(12)
    expect(row).to_have_attribute("aria-posinset", re.compile(r"^10[78]\d\d$"))
    expect(row.locator(".rh-row-about")).not_to_be_empty()
    number = int(row.locator(".rh-row-number").inner_text())
    assert box.get_by_role("option").count() < 40
    row.click()
    long.at(number)
    box.evaluate("list => { list.scrollTop = list.scrollHeight; }")
    expect(box.get_by_role("option").last).to_have_attribute("aria-posinset", str(LONG_STEPS))


def test_a_trace_without_steps_and_one_that_is_stuck(window: Window) -> None:
    value = seen(window, 2)
    expect(value.status).to_have_text("No step was taken: this is a value already.")
    expect(value.pane(0)).to_contain_text("1.0")
    expect(value.button("step on")).to_be_disabled()
    stuck = seen(window, 3)
    expect(stuck.root).to_contain_text("stuck")
    value.focus()
    value.press("ArrowRight", "End", "r", "h", "c", " ", "e")
    expect(value.status).to_contain_text("No step was taken")
    assert window.errors == []


def test_little_motion(short: Seen) -> None:
    page = short.window.page
    page.emulate_media(reduced_motion="reduce")
    moving = short.root.evaluate(
        """root => [...root.querySelectorAll("*")].filter(element => {
            const { animationName, transitionDuration } = getComputedStyle(element);
            return animationName !== "none" || transitionDuration !== "0s";
        }).length"""
    )
    assert moving == 0
    short.press("PageDown")
    short.at(11)
    page.emulate_media(reduced_motion="no-preference")


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
@pytest.mark.parametrize("width", [1500, 1100, 700])
def test_the_look(short: Seen, theme: str, width: int, tmp_path: Path) -> None:
    page = short.window.page
    page.set_viewport_size({"width": width, "height": 1000})
    page.evaluate(THEME, theme)
    short.root.evaluate("stepper => stepper.scrollIntoView()")
    short.goes(46)
    short.root.screenshot(path=tmp_path / "step.png")
    inside = "e => [...e.querySelectorAll('button, input, select')].filter(b => b.checkVisibility() && b.offsetWidth > 0)"
    outside = short.root.locator(".rh-controls").evaluate(
        f"""e => {{
            const edge = e.closest(".rh-stepper").getBoundingClientRect();
            const boxes = ({inside})(e).map(b => b.getBoundingClientRect());
            return boxes.filter(b => b.right > edge.right || b.left < edge.left).length;
        }}"""
    )
    assert outside == 0
    for step in (5, 46):
        short.goes(step)
        words = short.root.evaluate(CONTRASTS)
        assert len(words) > 20
        assert [word for word in words if word[0] < (4.5 if word[1] else 3.5)] == []
    short.press("Escape", "e", "?")
    short.root.screenshot(path=tmp_path / "keys.png")
    short.press("Escape", "e")
    page.set_viewport_size({"width": 1100, "height": 1000})
    page.evaluate(THEME, "JupyterLab Light")


def test_the_list_of_steps_is_whole_after_it_was_hidden_for_a_moment(short: Seen) -> None:
    """As while JupyterLab loads a theme."""
    short.goes(46)
    rows = short.root.locator(".rh-list").evaluate(
        """async list => {
            await new Promise(requestAnimationFrame);
            list.style.display = "none";
            list.dispatchEvent(new Event("scroll"));
            list.style.display = "";
            const edge = list.getBoundingClientRect();
            const rows = [...list.querySelectorAll(".rh-row, .rh-leg")].map(row => row.getBoundingClientRect());
            return rows.filter(row => row.bottom > edge.top && row.top < edge.bottom).length;
        }"""
    )
    assert rows >= 7
