"""Predicting the steps of a trace in JupyterLab: questions, feedback, and that nothing is revealed early."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import TOKEN, Lab, Window, opened
from tests.browser.test_stepper import CELLS, CONTRASTS, THEME, Seen, seen
from tests.display.pages import MLP, PASS, traced

pytestmark = [pytest.mark.browser, pytest.mark.slow]

FIRED = [step.rule.value for step in traced(PASS).steps]
PUTS = [number for number, rule in enumerate(FIRED, start=1) if rule == "Put"]

LET = "let x <- 1.0 + 2.0 in x + x"

# Whatever a page tells of a step, to eyes, to those who listen and to those who hover, but for what is the same at each step
# (the rules that one can go to or filter by), the answers that are offered, and the term before the step.
TOLD = """stepper => {
    const copy = stepper.cloneNode(true);
    const always = "option, .rh-filter, .rh-keys, .rh-predict-choices, .rh-side:first-child .rh-pane, .rh-outcome-subject";
    copy.querySelectorAll(always).forEach(each => each.remove());
    const all = [copy, ...copy.querySelectorAll("*")];
    const attributes = all.flatMap(each => [...each.attributes].filter(a => a.name !== "class").map(a => a.value));
    return [copy.textContent, ...attributes].join("\\n");
}"""


@pytest.fixture(scope="module")
def window(chromium: str, lab: Lab) -> Iterator[Window]:
    lab.write("predict.ipynb", MLP, f"%trace {PASS}", f"%trace {LET}", "%trace 1.0", "%trace FC[w0](swish([1.0, 2.0]))")
    url = f"{lab.url}/lab/workspaces/predict/tree/predict.ipynb?token={TOKEN}"
    with opened(chromium, url) as window:
        window.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        window.page.set_default_timeout(10_000)
        window.run_all()
        window.page.wait_for_function("() => document.querySelectorAll('.rh-stepper-frame').length === 4")
        seen(window, 0).button("Show all").click()
        yield window


def asked(window: Window, number: int) -> Iterator[Seen]:
    """A stepper at its first step in prediction mode, which is turned off at the end."""
    stepper = seen(window, number)
    cells = window.page.evaluate(CELLS)
    stepper.focus()
    stepper.press("Escape", "Home", "p")
    expect(stepper.root.get_by_role("region", name="predict")).to_be_visible()
    yield stepper
    stepper.focus()
    stepper.press("Escape")
    if stepper.button("Predict").get_attribute("aria-pressed") == "true":
        stepper.press("p")
    expect(stepper.root.get_by_role("region", name="predict")).to_be_hidden()
    assert window.page.evaluate(CELLS) == cells
    assert window.errors == []


@pytest.fixture
def pass_(window: Window) -> Iterator[Seen]:
    yield from asked(window, 0)


@pytest.fixture
def let(window: Window) -> Iterator[Seen]:
    yield from asked(window, 1)


def question(stepper: Seen) -> Locator:
    return stepper.root.locator(".rh-predict")


def choices(stepper: Seen) -> list[str]:
    buttons = stepper.root.locator(".rh-predict-choices button")
    names = buttons.evaluate_all("all => all.map(button => button.lastElementChild.textContent)")
    assert names[-1] == "Reveal"
    return names[:-1]


def asks(stepper: Seen, step: int) -> None:
    """Wait for the question, once the term before the step is there."""
    expect(stepper.status).to_contain_text(re.compile(rf"^Step {step} of \d+: which rule"))
    expect(question(stepper)).to_contain_text("Which rule fires next?")
    expect(stepper.root.locator(".rh-panes")).not_to_have_class(re.compile("rh-waiting"))
    expect(stepper.pane(0).locator(".rh-line").first).to_be_visible()
    expect(stepper.pane(1).locator(".rh-line")).to_have_count(0)
    expect(stepper.field("jump to step")).to_have_value(str(step))


def comes(stepper: Seen, step: int) -> None:
    stepper.field("jump to step").fill(str(step))
    stepper.press("Enter")
    asks(stepper, step)


def test_it_is_off_at_first(window: Window) -> None:
    for number in range(4):
        stepper = seen(window, number)
        expect(stepper.button("Predict")).to_be_visible()
        expect(question(stepper)).to_be_hidden()
    stepper = seen(window, 0)
    stepper.focus()
    stepper.press("1", "4", "0")
    stepper.at(1, "RevHandle")


def test_a_right_answer_shows_the_step(pass_: Seen) -> None:
    asks(pass_, 1)
    assert "RevHandle" in choices(pass_)
    pass_.press(str(choices(pass_).index("RevHandle") + 1))
    pass_.at(1, "RevHandle")
    expect(question(pass_)).to_contain_text("Right: RevHandle.")
    expect(question(pass_)).to_contain_text("RevHandle (Def. 5.10)")
    expect(question(pass_).locator("pre")).to_contain_text("→")
    expect(question(pass_)).to_contain_text("1 of 1 at the first try")
    expect(pass_.pane(1).locator(".rh-mark-contractum").first).to_be_visible()
    expect(pass_.root.locator(".rh-arrow")).to_contain_text("RevHandle")
    expect(pass_.root).to_be_focused()
    pass_.press("ArrowRight")
    asks(pass_, 2)


def test_a_wrong_answer_says_why_not(pass_: Seen) -> None:
    comes(pass_, 3)
    offered = choices(pass_)
    assert len(offered) == 4
    wrong = [name for name in offered if name != "RH-Op"]
    for name in wrong[:2]:
        pass_.press(str(offered.index(name) + 1))
        expect(question(pass_).locator(".rh-predict-told")).to_have_text(
            re.compile(rf"^{name} needs .*; here stands an RH whose head is an operation applied to a variable\.$")
        )
        expect(pass_.button(f"{name}, wrong")).to_have_attribute("aria-disabled", "true")
    asks(pass_, 3)
    pass_.button("RH-Op").click()
    pass_.at(3, "RH-Op")
    expect(question(pass_)).to_contain_text("Right: RH-Op, at try 3.")
    expect(question(pass_)).to_contain_text("0 of 1 at the first try")


def test_revealing(pass_: Seen) -> None:
    comes(pass_, 4)
    pass_.press("0")
    pass_.at(4, "Get")
    expect(question(pass_)).to_contain_text("It is Get.")
    pass_.button("Step on").click()
    asks(pass_, 5)
    pass_.button("Reveal").click()
    pass_.at(5, "Let⇐")
    expect(question(pass_)).to_contain_text("0 of 2 at the first try")
    pass_.press("ArrowLeft")
    pass_.at(4, "Get")
    pass_.press("Enter")
    pass_.at(5, "Let⇐")
    pass_.press(" ")
    asks(pass_, 6)


def test_a_whole_trace(let: Seen) -> None:
    for step, rule in enumerate(["Plus", "Let", "Plus"], start=1):
        asks(let, step)
        expect(let.root.locator(".rh-outcome-end")).to_have_text("? in 3 steps")
        let.press(str(choices(let).index(rule) + 1))
        let.at(step, rule)
        if step < 3:
            let.press("Enter")
    expect(question(let)).to_contain_text("That was the last step.")
    expect(question(let)).to_contain_text("3 of 3 at the first try")
    let.press("ArrowRight", "Enter", "1", "0")
    let.at(3, "Plus")
    let.press("p")
    let.says("You no longer predict: 3 of 3 at the first try.")
    expect(let.root.locator(".rh-outcome-end")).to_contain_text("6.0")


def test_leaving_shows_everything_as_before(pass_: Seen) -> None:
    pass_.press("p")
    pass_.at(1, "RevHandle")
    before = pass_.root.evaluate(TOLD)
    pass_.button("Predict").click()
    asks(pass_, 1)
    expect(pass_.button("Predict")).to_have_attribute("aria-pressed", "true")
    pass_.button("Predict").click()
    pass_.at(1, "RevHandle")
    expect(pass_.root.get_by_role("listbox", name="steps").get_by_role("option").nth(3)).to_contain_text("Get")
    assert pass_.root.evaluate(TOLD) == before


def test_nothing_is_told_of_a_step_before_it_is_answered(pass_: Seen) -> None:
    pass_.press("p", "e", "p")
    for step in (1, 2, 3, 4, 6, 8, 26, *PUTS, 59, 60, 64, 90):
        comes(pass_, step)
        # The list asks for its words when one rests, and shows none of them.
        pass_.window.page.wait_for_timeout(400)
        told = pass_.root.evaluate(TOLD)
        for rule in set(FIRED):
            assert not re.search(rf"(?<![\w-]){re.escape(rule)}(?![\w⇐-])", told), (step, rule)
        assert "changed by this" not in told
        assert "changed by step" not in told
        assert pass_.root.locator("[class*=rh-mark-]").count() == 0
        assert set(pass_.root.locator(".rh-row-rule").all_inner_texts()) == {"?"}
        expect(pass_.root.locator(".rh-leg")).to_have_count(0)
    pass_.press("p", "e", "p")


def test_what_has_been_seen_is_told_in_the_list(pass_: Seen) -> None:
    pass_.press("p")
    pass_.goes(14)
    pass_.press("p")
    asks(pass_, 14)
    rows = pass_.root.locator(".rh-row")
    told = rows.evaluate_all("all => all.map(row => [Number(row.ariaPosInSet), row.children[1].textContent])")
    assert len(told) > 10
    assert told == [[step, FIRED[step - 1] if step < 14 else "?"] for step, _ in told]
    notes = pass_.root.locator(".rh-leg .rh-note").all_inner_texts()
    assert notes[-1] == "13–…"
    assert [text for text in notes[:-1] if not re.fullmatch(r"\d+(–\d+)?", text)] == []
    pass_.press("0", "ArrowRight")
    asks(pass_, 15)
    expect(pass_.root.locator(".rh-row").filter(has_text="14").locator(".rh-row-rule").first).to_have_text(FIRED[13])
    pass_.press("ArrowLeft", "ArrowLeft")
    asks(pass_, 13)
    expect(pass_.root.locator(".rh-row-now .rh-row-rule")).to_have_text("?")


def test_the_heap_is_that_before_the_step(pass_: Seen) -> None:
    heap = pass_.root.get_by_role("region", name="heap")
    comes(pass_, PUTS[0])
    expect(heap).to_contain_text("Heap before this step")
    expect(heap).to_contain_text("[[0.7, -0.8, 0.9]]")
    expect(heap).not_to_contain_text("0.7114")
    pass_.press("0")
    expect(heap).to_contain_text("Heap after this step")
    expect(heap).to_contain_text("Put: changed by this step")
    expect(heap).to_contain_text("0.7114")
    pass_.press("ArrowRight")
    expect(heap).to_contain_text(f"changed by step {PUTS[0]}")
    comes(pass_, PUTS[1] - 1)
    expect(heap).to_contain_text("Heap before this step")
    pass_.press("p", "Home", "p")
    comes(pass_, PUTS[1])
    expect(heap).to_contain_text("changed by a step")


def test_where(pass_: Seen) -> None:
    comes(pass_, 6)
    expect(question(pass_)).to_contain_text("And where?")
    pass_.pane(0).locator(".rh-line").first.get_by_text("let").click()
    expect(question(pass_)).to_contain_text("Not there")
    asks(pass_, 6)
    pass_.pane(0).get_by_text("@").first.click()
    expect(question(pass_)).to_contain_text("Yes, there.")
    expect(pass_.pane(0).locator(".rh-mark-redex").first).to_be_visible()
    asks(pass_, 6)
    pass_.press(str(choices(pass_).index("Ev") + 1))
    expect(question(pass_)).to_contain_text("1 of 1 at the first try")


def test_where_by_keys(let: Seen) -> None:
    asks(let, 1)
    let.press("t")
    expect(let.pane(0).locator(".rh-mark-caret")).to_have_count(1)
    let.press("t")
    expect(let.pane(0).locator(".rh-mark-caret")).to_have_count(1)
    let.press("Enter")
    expect(question(let)).to_contain_text("Not there")
    for _ in range(9):
        let.press("ArrowRight")
    let.press("Enter")
    expect(question(let)).to_contain_text("Yes, there.")
    let.press("Escape")
    asks(let, 1)
    # Of what is nearly all of the term it is not asked where it is.
    let.press("0", "ArrowRight", "0", "ArrowRight")
    asks(let, 3)
    expect(question(let)).not_to_contain_text("And where?")


def test_a_caret_does_not_stay_in_a_term_that_is_hidden(pass_: Seen) -> None:
    pass_.press("0", "t", "t")
    types = pass_.root.get_by_role("region", name="type")
    expect(types).to_contain_text("in the term after")
    pass_.button("step on").click()
    asks(pass_, 2)
    expect(types).to_contain_text("in the term before")
    pass_.press("Escape")


def test_what_would_lead_to_the_answer_waits(pass_: Seen) -> None:
    waiting = {"r": "of a rule waits", "H": "heap waits", "/": "search waits", " ": "Play waits", "e": "with each answer"}
    for key, words in waiting.items():
        pass_.press(key)
        pass_.says(words)
    pass_.press("ArrowRight")
    pass_.says("First predict")
    for name in ("step on", "Play", "next step of this rule", "next change of the heap", "find forwards", "Filter"):
        expect(pass_.button(name)).to_have_attribute("aria-disabled", "true")
        pass_.button(name).click(force=True)
    expect(pass_.field("rule to go to")).to_be_disabled()
    expect(pass_.field("search for a step")).to_be_disabled()
    pass_.root.locator(".rh-arrow").click()
    pass_.press("c")
    pass_.says("Copied: step #1.")
    assert pass_.window.page.evaluate("() => navigator.clipboard.readText()") == "cell output · step 1 of 90 · ? · #1"
    pass_.press("End")
    asks(pass_, 90)
    pass_.root.get_by_role("listbox", name="steps").get_by_role("option").nth(8).click()
    expect(question(pass_)).to_contain_text("Which rule fires next?")
    pass_.press("Home", "PageDown")
    asks(pass_, 11)


def test_an_open_filter_is_closed_and_its_rules_are_not_asked_for(pass_: Seen) -> None:
    pass_.press("p")
    pass_.button("Filter").click()
    panel = pass_.root.get_by_role("dialog", name="which steps are shown")
    panel.get_by_role("button", name="Only RH rules and heap").click()
    panel.get_by_role("checkbox").first.focus()
    pass_.press("p")
    expect(panel).to_be_hidden()
    for step in (1, 2, 3, 4, 12):
        asks(pass_, step)
        assert FIRED[step - 1] in choices(pass_)
        pass_.press("0", "ArrowRight")
    pass_.press("p")
    pass_.button("Filter (on)").click()
    panel.get_by_role("button", name="All").click()
    pass_.press("Escape")


def test_traces_without_steps_and_stuck_ones(window: Window) -> None:
    value = seen(window, 2)
    value.focus()
    value.press("p", "1")
    expect(value.button("Predict")).to_be_disabled()
    expect(question(value)).to_be_hidden()
    for stuck in asked(window, 3):
        expect(stuck.root.locator(".rh-role-error")).to_have_count(0)
        stuck.press("0")
        stuck.at(1, "Ev")
        stuck.press("p")
        expect(stuck.root.locator(".rh-role-error").first).to_be_visible()


def test_words_for_those_who_listen(pass_: Seen) -> None:
    live = question(pass_).locator("[aria-live=polite]")
    expect(live).to_have_count(2)
    expect(live.first).to_have_text("Which rule fires next?")
    pass_.root.get_by_role("group", name="answers").get_by_role("button").first.focus()
    wrong = next(number for number, name in enumerate(choices(pass_)) if name != "RevHandle")
    answer = pass_.root.get_by_role("group", name="answers").get_by_role("button").nth(wrong)
    answer.focus()
    pass_.press("Enter")
    expect(live.nth(1)).to_contain_text("needs")
    expect(answer).to_be_focused()
    pass_.button("RevHandle").focus()
    pass_.press(" ")
    expect(live.first).to_have_text("Right: RevHandle, at try 2.")
    expect(pass_.root).to_be_focused()


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
@pytest.mark.parametrize("width", [1100, 560])
def test_the_look(pass_: Seen, theme: str, width: int, tmp_path: Path) -> None:
    page = pass_.window.page
    page.set_viewport_size({"width": width, "height": 1000})
    page.evaluate(THEME, theme)
    pass_.root.evaluate("stepper => stepper.scrollIntoView()")
    comes(pass_, 3)
    height = pass_.root.bounding_box()
    wrong = next(number for number, name in enumerate(choices(pass_), start=1) if name != "RH-Op")
    pass_.press(str(wrong))
    pass_.root.screenshot(path=tmp_path / "question.png")
    words = pass_.root.evaluate(CONTRASTS.replace(".rh-pane .rh-code span", ".rh-predict span, .rh-predict p, .rh-predict kbd"))
    assert len(words) > 8
    assert [word for word in words if word[0] < (4.5 if word[1] else 3)] == []
    right = "element => element.getBoundingClientRect().right"
    rights = question(pass_).locator("button").evaluate_all(f"all => all.map({right})")
    assert max(rights) <= question(pass_).evaluate(right)
    pass_.press("0")
    pass_.at(3, "RH-Op")
    assert pass_.root.bounding_box() == height
    pass_.root.screenshot(path=tmp_path / "answer.png")
    words = pass_.root.evaluate(CONTRASTS.replace(".rh-pane .rh-code span", ".rh-predict span, .rh-predict p, .rh-predict pre"))
    assert [word for word in words if word[0] < 4.5] == []
    page.set_viewport_size({"width": 1100, "height": 1000})
    page.evaluate(THEME, "JupyterLab Light")
