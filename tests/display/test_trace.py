"""Traces as text and HTML: every step with its rule, redex and contractum marked, within size limits."""

import re
from collections import Counter
from dataclasses import replace
from typing import cast

import numpy as np
import pytest
from hypothesis import given

from rh_kernel.display.rounding import ENTRIES, array_line, round_array, rounded
from rh_kernel.display.text import to_text
from rh_kernel.display.traces import html as trace_html_module
from rh_kernel.display.traces.captions import title
from rh_kernel.display.traces.cropping import is_large
from rh_kernel.display.traces.flows import flow
from rh_kernel.display.traces.frames import frame, heap_changes, subject_doc
from rh_kernel.display.traces.html import FIRST, LAST, MOST, trace_html
from rh_kernel.display.traces.panes import pane
from rh_kernel.display.traces.phases import Direction, legs
from rh_kernel.display.traces.text import LINES, WIDTH, trace_blocks, trace_text
from rh_kernel.operational.contexts import Subject
from rh_kernel.operational.reverse import reverse_clause
from rh_kernel.paper import Rule
from rh_kernel.session.results import TraceMade
from rh_kernel.syntax.core import RH, Bind, Command, Const, Let, Perform
from rh_kernel.syntax.printing.doc import Mark, annotated_texts, layout, plain
from rh_kernel.syntax.printing.printer import Abbreviation, PrintCache, command_doc
from rh_kernel.syntax.traversal import children
from tests.display.marked import after_marks, before_marks, marked, words_marked
from tests.display.pages import PASS, Page, assert_harmless, shown, traced
from tests.laws.readings import steps_of
from tests.strategies_of_commands import Program, programs
from tests.tiers import law

PROGRAMS = {
    "pass": PASS,
    "inference": "handle mlp([1.0, -2.0]) with infer",
    "term": "let (a, (b, _)) <- (1, ([1,2], 3)) in swish(b) + rd[swish](b, b)",
    "derivative": "[1.0, 1.0].rd(x. let y <- swish(x) in y * y + x)([1.0, 2.0])",
    "two passes": "let a <= rev handle ([1.0, 2.0]) <x>. mlp(x) with sgd(0.1, t) in rev handle (a) <b>. mlp(b) with sgd(1, t)",
    "skip": "rev handle ([1.0, -2.0], [0.5]) <x, b>. let y <= mlp(x) in return y + b with sgd(0.1, t)",
}
TRACES = {name: traced(text) for name, text in PROGRAMS.items()}

each_trace = pytest.mark.parametrize("name", TRACES)


def at(M: Subject, path: tuple[int, ...]) -> Subject:
    for position in path:
        M = children(M)[position][0]
    return M


# -- what is marked ------------------------------------------------------------------------------------------------------------


@each_trace
def test_the_redex_and_the_contractum_are_marked(name: str) -> None:
    for n, step in enumerate(TRACES[name].steps):
        f = frame(n, step)
        for doc, kind in ((f.before, "redex"), (f.after, "contractum")):
            assert [a.kind for a, _ in annotated_texts(doc)[1] if isinstance(a, Mark)].count(kind) == 1


@each_trace
def test_what_is_marked_is_the_redex(name: str) -> None:
    for n, step in enumerate(TRACES[name].steps):
        if step.context is None or not step.context.opens:
            f = frame(n, step)
            assert unprimed(marked(f.before, "redex")) == unprimed(plain(subject_doc(step.redex), float("inf")))
            assert unprimed(marked(f.after, "contractum")) == unprimed(plain(subject_doc(step.contractum), float("inf")))


@each_trace
def test_a_step_is_about_what_is_marked_in_the_whole(name: str) -> None:
    for n, step in enumerate(TRACES[name].steps):
        f = frame(n, step)
        assert (unprimed(f.about), unprimed(f.became)) == tuple([unprimed(text) for text in words_marked(f)])


def unprimed(text: str) -> str:
    """Which of two equal names gets a prime depends on the context."""
    return re.sub(r"['₀-₉]", "", text)


@each_trace
def test_each_place_that_a_value_went_to_is_marked(name: str) -> None:
    seen = 0
    for step in TRACES[name].steps:
        if step.rule in (Rule.LET, Rule.LET_COMMAND):
            assert isinstance(step.redex, Let | Bind)
            value = children(step.redex.bound)[0][0] if isinstance(step.redex, Bind) else step.redex.bound
            places = [path for path, mark in after_marks(step).items() if mark == Mark("changed")]
            assert all(at(step.after, path) == value for path in places)
            seen += len(places)
    assert seen or not any(step.rule in (Rule.LET, Rule.LET_COMMAND) for step in TRACES[name].steps)


def test_the_two_halves_of_the_clause_are_marked() -> None:
    """RH Fig. 7: Q^f and Q^b sandwich the continuation."""
    count = 0
    for step in TRACES["pass"].steps:
        if step.rule is Rule.RH_OP:
            assert isinstance(step.redex, RH)
            place = {mark.kind: path for path, mark in after_marks(step).items() if isinstance(mark, Mark)}
            looked = next(path for path, mark in before_marks(step).items() if mark == Mark("focus"))
            M = at(step.before, looked)
            assert isinstance(M, Perform)
            forward, backward = reverse_clause(step.redex.handler, M.operation)
            assert type(at(step.after, place["forward"])) is type(forward.body)
            assert type(at(step.after, place["backward"])) is type(backward.body)
            assert plain(frame(1, step).after).index("Get") < plain(frame(1, step).after).index("Put")
            count += 1
    assert count == 2


# -- legs ----------------------------------------------------------------------------------------------------------------------


@each_trace
def test_every_step_is_in_one_leg(name: str) -> None:
    steps = TRACES[name].steps
    assert [n for leg in legs(steps) for n in range(leg.first, leg.last + 1)] == [*range(len(steps))]


@each_trace
def test_the_way_back_mirrors_the_way_forward(name: str) -> None:
    steps = TRACES[name].steps
    opened = [leg for leg in legs(steps) if leg.opened_by is not None and isinstance(steps[leg.opened_by].redex, RH)]
    there = [leg.opened_by or 0 for leg in opened if leg.direction is Direction.FORWARD]
    back = [leg.opened_by or 0 for leg in opened if leg.direction is Direction.BACKWARD]
    turns = sum(leg.direction is Direction.TURN for leg in opened)
    assert turns == PROGRAMS[name].count("rev handle")
    assert sorted(there) == sorted(back)
    if turns == 1:
        assert back == there[::-1]
        depths = [leg.depth for leg in opened]
        assert depths == depths[::-1] == [*range(len(there) + 1), *reversed(range(len(there)))]


def test_the_legs_of_the_paper() -> None:
    """RH Fig. 8, with the numbers of RH E.1."""
    result = TRACES["pass"]
    parts = legs(result.steps)
    m0, m1, v = np.array([[0.1, -0.2], [0.3, 0.4], [-0.5, 0.6]]), np.array([[0.7, -0.8, 0.9]]), np.array([1.0, -2.0])
    s = m0 @ v
    sigma = 1 / (1 + np.exp(-s))
    e = 0.1 * (m1 @ (s * sigma) - 0.5)
    u = m1.T @ e
    u_ = u * (sigma + s * sigma * (1 - sigma))
    expected = [
        (Direction.FORWARD, "rev handle … with sgd(0.1, t)", "x", v),
        (Direction.FORWARD, "FC[w0](x)", "z", s),
        (Direction.FORWARD, "swish(z)", "h", s * sigma),
        (Direction.FORWARD, "FC[w1](h)", "y", m1 @ (s * sigma)),
        (Direction.TURN, "return clause of sgd(0.1, t)", "y'", e),
        (Direction.BACKWARD, "FC[w1](h)", "h'", u),
        (Direction.BACKWARD, "swish(z)", "z'", u_),
        (Direction.BACKWARD, "FC[w0](x)", "x'", m0.T @ u_),
    ]
    for leg, (direction, words, name, value) in zip(parts, expected, strict=True):
        ((shown, V),) = flow(leg, result.steps, result.value)
        assert (leg.direction, title(leg, result.steps), shown) == (direction, words, name)
        assert isinstance(V, Const)
        np.testing.assert_allclose(V.value, value)


# -- the page ------------------------------------------------------------------------------------------------------------------


@each_trace
def test_the_page_marks_one_redex_and_one_contractum_a_step(name: str) -> None:
    result = TRACES[name]
    page = assert_harmless(trace_html(result))
    titles = Counter(attributes.get("title") for _, attributes in page.elements)
    assert titles["redex"] == titles["contractum"] == len(result.steps)
    for step in result.steps:
        assert step.rule.value in page.text
        assert step.rule.figure.value in page.text


def test_only_the_first_step_is_open() -> None:
    page = assert_harmless(trace_html(TRACES["pass"]))
    opened = ["open" in attributes for tag, attributes in page.elements if tag == "details"]
    assert opened == [True, True, *[False] * (len(opened) - 2)]


def test_the_page_of_the_toy_net_is_small() -> None:
    result = TRACES["pass"]
    assert len(trace_html(result).encode()) <= 2000 * len(result.steps)


def test_the_page_tells_how_often_each_rule_fired() -> None:
    result = TRACES["pass"]
    text = Page.of(trace_html(result)).text
    for rule, times in Counter(step.rule for step in result.steps).items():
        assert f"{rule.value}{times}{rule.figure.value}{rule.says}" in text


def test_the_page_shows_what_became_of_the_heap() -> None:
    result = TRACES["pass"]
    text = Page.of(trace_html(result)).text
    changes = heap_changes(result)
    assert [change.location.name for change in changes.values()] == ["w1", "w0"]
    for change in changes.values():
        assert change.before is not None
        assert text.count(f"{change.location.name}{array_line(change.before)}→{array_line(change.after)}") == 1


def long_trace(count: int) -> TraceMade:
    """A trace of that many equal steps."""
    (step,) = (made := traced("1.0 + 1.0")).steps
    return replace(made, steps=(step,) * count)


@pytest.mark.parametrize("count", [MOST, MOST + 1, 3000])
def test_a_long_trace_is_folded(count: int) -> None:
    page = assert_harmless(trace_html(long_trace(count)))
    shown = count if count <= MOST else FIRST + LAST
    assert sum(attributes.get("title") == "redex" for _, attributes in page.elements) == shown
    assert (f"{count - shown} steps are folded ({FIRST + 1} to {count - LAST})" in page.text) == (count > MOST)


LARGE = traced("let z <- 1.0 + 1.0 in " + "".join(f"let x{i} <- ⟨z, z, z⟩ in " for i in range(40)) + "z")
"""A trace of terms of hundreds of lines."""


@pytest.mark.parametrize("result", [*TRACES.values(), LARGE], ids=[*TRACES, "large"])
def test_a_hundred_steps_take_less_than_200_kilobytes(result: TraceMade) -> None:
    for count in {len(result.steps), min(len(result.steps), 100)}:
        html = trace_html(replace(result, steps=result.steps[:count]))
        assert len(html.encode()) <= 200_000 * max(1, count / 100)


def test_the_text_of_large_states_is_their_beginning() -> None:
    nets = "\n".join([f"net d{i}(x : Real) : Real = let y <= d{i - 1}(x) in d{i - 1}(y)" for i in range(1, 8)])
    result = shown(f"net d0(x : Real) : Real = return x + 1\n{nets}\n%trace d7(0)")[-1]
    assert isinstance(result, TraceMade)
    assert len(trace_text(result)) > 400_000
    text = trace_text(result, 60)
    blocks = text.split("\n\n")
    assert len(blocks) == 63
    assert max(block.count("\n") for block in blocks) <= LINES + 1
    assert "\n⋮\n" in text


def test_where_there_is_little_room_less_is_shown_around_what_is_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    roomy = trace_html(TRACES["pass"])
    sizes = [len(roomy.encode())]
    for each in (1_000, 600, 0):
        monkeypatch.setattr(trace_html_module, "EACH", each)
        html = trace_html(TRACES["pass"])
        page = assert_harmless(html)
        sizes.append(len(html.encode()))
        for step in TRACES["pass"].steps:
            assert f"—{step.rule.value}→" in page.text
    assert sizes == sorted(sizes, reverse=True)
    assert "too long to be shown" in html
    assert "too long to be shown" not in roomy


def test_a_large_term_is_cut_around_what_is_marked() -> None:
    result = traced("let z <- 1.0 + 1.0 in " + "".join(f"let x{i} <- z + z in " for i in range(300)) + "z")
    doc = frame(1, result.steps[0]).before
    text = Page.of(pane(doc, 3)).text
    assert "1.0 + 1.0" in text
    assert "⋮" in text
    assert len(text.splitlines()) < 10


@pytest.mark.slow
@pytest.mark.essential
def test_of_a_large_state_the_text_shows_what_is_around_the_redex() -> None:
    deep = "1.0" + "".join(f" in let x{i} <- tanh(x{i + 1}) + x{i + 1}" for i in reversed(range(400)))
    result = traced(f"let x400 <- {deep} in x0")
    nested = traced("let y <- " * 120 + "1.0 + 1.0" + " in y + y + y + y + y + y" * 120)
    for trace, word in ((result, "tanh"), (nested, "inside of")):
        large = [block for step, block in zip(trace.steps, [*trace_blocks(trace)][1:], strict=False) if is_large(step.after)]
        assert len(large) > 20
        assert max(map(len, large)) < 4_000
        assert all("…" in block or "inside of" in block for block in large)
        assert word in large[0]


def test_a_stuck_trace_says_why() -> None:
    whole = TRACES["pass"]
    diagnostic = traced("log(0.0 - 1.0)")
    stuck = TraceMade(whole.subject, whole.type, whole.steps[:5], None, diagnostic.stuck, whole.heap)
    assert "stuck after 5 steps" in assert_harmless(trace_html(stuck)).text


# -- what is printed with a memory ---------------------------------------------------------------------------------------------


@each_trace
def test_a_frame_of_a_trace_is_that_of_the_step_alone(name: str) -> None:
    memory = PrintCache()
    for n, step in enumerate(TRACES[name].steps):
        ours, alone = frame(n, step, None, memory), frame(n, step)
        assert (ours.about, ours.became) == (alone.about, alone.became)
        for width in (30, 90):
            assert [*layout(ours.before, width)] == [*layout(alone.before, width)]
            assert [*layout(ours.after, width)] == [*layout(alone.after, width)]


@each_trace
def test_the_text_of_a_trace_is_that_of_its_steps(name: str) -> None:
    result = TRACES[name]
    blocks = [*trace_blocks(result)][1:-1]
    for step, block in zip(result.steps, blocks, strict=True):
        assert block.split("\n", 1)[1] == to_text(subject_doc(step.after), WIDTH)


@law(20)
@given(programs())
def test_numbers_are_rounded_where_they_are_printed(p: Program) -> None:
    memory = PrintCache()
    for step in steps_of(p.command, p.heap, 60):
        doc = subject_doc(step.after, {}, memory)
        whole = cast(Command, rounded(step.after))
        assert plain(doc, WIDTH) == plain(command_doc(whole, brevity=Abbreviation.at(ENTRIES)), WIDTH)


# -- the text ------------------------------------------------------------------------------------------------------------------


@each_trace
def test_the_text_has_one_block_a_step(name: str) -> None:
    result = TRACES[name]
    text = trace_text(result)
    assert re.findall(r"^—(\S+)→", text, flags=re.MULTILINE) == [step.rule.value for step in result.steps]
    assert result.value is not None
    assert text.endswith(f"{plain(subject_doc(result.value))} : {result.type}   in {len(result.steps)} steps")


@pytest.mark.parametrize("limit", [1, 3, 60, 89, 90, 1000])
def test_a_limited_text_says_what_it_leaves_out(limit: int) -> None:
    result = TRACES["pass"]
    text = trace_text(result, limit)
    shown = len(re.findall(r"^—", text, flags=re.MULTILINE))
    left_out = [int(n) for n in re.findall(r"⋮ (\d+) steps", text)]
    assert shown == min(limit, len(result.steps))
    assert sum(left_out) + shown == len(result.steps)


def test_the_text_shows_the_heap_when_it_changes() -> None:
    text = trace_text(TRACES["pass"])
    assert text.startswith("[w0 ↦ [[0.1, -0.2], [0.3, 0.4], [-0.5, 0.6]], w1 ↦ [[0.7, -0.8, 0.9]]]\nrev handle")
    assert [line for line in text.splitlines() if "↦" in line and "—" in line] == [
        "—Put→  46  [w1 ↦ [[0.7114, -0.8069, 0.8904]]]",
        "—Put→  85  [w0 ↦ [[0.119, -0.2381], [0.2924, 0.4153], [-0.5022, 0.6045]]]",
    ]


# -- small things --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", Rule)
def test_every_rule_says_something(rule: Rule) -> None:
    assert rule.says.strip()
    assert not rule.says.endswith(".")


def test_numbers_are_rounded_and_large_arrays_named() -> None:
    assert array_line(np.array([1 / 3, -123456.0, 1e-9, np.nan])) == "[0.3333, -123500.0, 1e-09, nan]"
    assert array_line(np.zeros((64, 10))) == "‹Real(64, 10)›"
    assert round_array(np.zeros((0,))).shape == (0,)


def test_rounding_leaves_the_shape_of_a_term() -> None:
    for step in TRACES["pass"].steps:
        assert_same_shape(step.after, rounded(step.after))


def assert_same_shape(M: Subject, N: Subject) -> None:
    assert type(M) is type(N)
    for (L, i), (R, j) in zip(children(M), children(N), strict=True):
        assert i == j
        assert_same_shape(L, R)
