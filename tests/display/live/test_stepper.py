"""The view of a trace: following the edits gives every state as it is printed, and malformed questions are refused."""

import contextlib
import json
import math
import re
from collections import Counter
from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.display.live import stepper as stepper_module
from rh_kernel.display.live.lines import ROLES, WIDTH, piece, triples, units
from rh_kernel.display.live.stepper import MOST_STEPS, NOTATIONS, Stepper
from rh_kernel.display.live.view import Unanswerable
from rh_kernel.display.text import runs
from rh_kernel.display.traces.captions import line, title
from rh_kernel.display.traces.cropping import is_large
from rh_kernel.display.traces.flows import flow
from rh_kernel.display.traces.frames import frame, subject_doc
from rh_kernel.display.traces.phases import legs
from rh_kernel.operational.contexts import Subject
from rh_kernel.session.results import TraceMade
from rh_kernel.syntax.core import Bind, Let, Perform, Return
from rh_kernel.syntax.printing.doc import plain
from rh_kernel.syntax.printing.printer import PrintCache
from rh_kernel.syntax.signature import Location
from tests.display.live.stepping import PROGRAMS, ask, details, graft, trace_of, trace_of_paper, trace_of_random, walked
from tests.display.marked import after_marks, before_marks, words_marked
from tests.display.pages import traced
from tests.programs.readings import PROGRAMS as PAPER
from tests.strategies_of_commands import Program, programs
from tests.tiers import law

each_program = pytest.mark.parametrize("name", PROGRAMS)
each_paper = pytest.mark.parametrize("program", PAPER)


def subject(result: TraceMade, state: int) -> Subject:
    if state < len(result.steps):
        return result.steps[state].before
    return result.steps[-1].after if result.steps else result.subject


def printed(result: TraceMade, state: int) -> list[tuple[str, list[str]]]:
    """The lines of a state and the role of each character, printed independently."""
    steps = result.steps
    marks = {
        **(after_marks(steps[state - 1]) if state else {}),
        **(before_marks(steps[state]) if state < len(steps) else {}),
    }
    lines: list[tuple[str, list[str]]] = [("", [])]
    for run in runs(subject_doc(subject(result, state), marks), WIDTH):
        for n, text in enumerate(run.text.split("\n")):
            lines += [("", [])] if n else []
            lines[-1] = (lines[-1][0] + text, lines[-1][1] + [run.style.role.value if run.style.role else ""] * units(text))
    return lines


def assert_printed(lines: list[Any], expected: list[tuple[str, list[str]]]) -> None:
    """The lines are the expected ones, except that lines far from the mark may be left out, with their number."""
    above, below = (re.fullmatch(r"⋮ ([\d,]+) lines", lines[at][0]) for at in (0, -1))
    if above:
        lines, expected = lines[1:], expected[int(above[1].replace(",", "")) :]
    if below:
        lines, expected = lines[:-1], expected[: -int(below[1].replace(",", ""))]
    assert [text for text, _, _ in lines] == [text for text, _ in expected]
    for (text, looks, _), (_, roles) in zip(lines, expected, strict=True):
        spread = [ROLES[role] for length, role in zip(looks[::2], looks[1::2], strict=True) for _ in range(length)]
        assert [role.value if role else "" for role in spread] + [""] * (units(text) - len(spread)) == roles


# -- states and edits ----------------------------------------------------------------------------------------------------------


@each_program
@pytest.mark.parametrize("size", [7, 100])
def test_following_the_edits_gives_every_state_as_it_is_printed(name: str, size: int) -> None:
    result = trace_of(name)
    states = walked(Stepper(result), len(result.steps), size)
    for state, lines in enumerate(states):
        assert_printed(lines, printed(result, state))


@each_program
def test_the_last_state_is_the_value(name: str) -> None:
    result = trace_of(name)
    assert result.value is not None
    last = "".join([text.strip() for text, _, _ in walked(Stepper(result), len(result.steps), 100)[-1]])
    assert last.removeprefix("⌊").removesuffix("⌋") == plain(subject_doc(result.value), math.inf)


@each_paper
def test_windows_of_the_programs_of_the_paper(program: str) -> None:
    result = trace_of_paper(program)
    count, stepper = len(result.steps), Stepper(result)
    for first in {0, count // 3, count // 2, count - 1, count}:
        window = ask(stepper, "window", **{"from": first, "count": 1})
        assert len(window["edits"]) == (first < count)
        if not is_large(subject(result, first)):
            assert_printed(window["first"], printed(result, first))


@law(15)
@given(programs(), st.integers(1, 30))
def test_following_the_edits_of_random_programs(p: Program, size: int) -> None:
    result = trace_of_random(p, 25)
    for state, lines in enumerate(walked(Stepper(result), len(result.steps), size)):
        if not is_large(subject(result, state)):
            assert_printed(lines, printed(result, state))


@each_program
def test_windows_agree_in_whatever_order_they_are_asked_for(name: str) -> None:
    result = trace_of(name)
    count, stepper = len(result.steps), Stepper(result)
    places = [*range(count, -1, -7), *range(0, count + 1, 9), 0, count, count // 2]
    for place in places:
        question = {"from": place, "count": 4}
        assert ask(stepper, "window", **question) == ask(Stepper(result), "window", **question)


def test_an_answer_holds_no_more_steps_than_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = trace_of("pass")
    result = replace(whole, steps=whole.steps * 2)
    for budget, told in ((1, 1), (10**9, MOST_STEPS)):
        monkeypatch.setattr(stepper_module, "BUDGET", budget)
        assert len(ask(Stepper(result), "window", **{"from": 3, "count": 1000})["edits"]) == told


@law(25)
@given(programs())
def test_grafting_each_contractum_gives_every_state(p: Program) -> None:
    """The law of a trace, ``K[M] → K[N]``, in every rendering."""
    result = trace_of_random(p, 60)
    M: Subject = result.subject
    for step in result.steps:
        assert step.before == M
        M = graft(M, step.path, step.contractum)
        assert step.after == M


@each_program
def test_grafting_each_contractum_gives_the_value(name: str) -> None:
    result = trace_of(name)
    M: Any = result.subject
    for step in result.steps:
        M = graft(M, step.path, step.contractum)
    assert (M.term if isinstance(M, Return) else M) == result.value


# -- what is marked, and what is said about a step -----------------------------------------------------------------------------


def marked(lines: list[Any], ranges: list[int]) -> str:
    for at, start, end in triples(ranges):
        text = lines[at][0]
        assert 0 <= start < end <= units(text)
        assert piece(text, start, end).strip(" ")
    return alike(" ".join([piece(lines[at][0], start, end) for at, start, end in triples(ranges)]))


def alike(text: str) -> str:
    """Which of two equal names gets a prime, and where lines break, depends on the context."""
    return re.sub(r"['₀-₉\s]", "", text)


def printed_alone(M: Subject) -> str:
    return alike(plain(subject_doc(M), math.inf))


@each_program
def test_what_is_marked_is_the_redex_and_the_contractum(name: str) -> None:
    result = trace_of(name)
    states, told = walked(Stepper(result), len(result.steps), 50), details(Stepper(result), len(result.steps))
    for n, (step, detail) in enumerate(zip(result.steps, told, strict=True)):
        before, after = detail["marks_before"], detail["marks_after"]
        assert before.keys() <= {"redex", "focus"}
        assert after.keys() <= {"contractum", "changed", "forward", "backward"}
        for ranges, lines in ((before, states[n]), (after, states[n + 1])):
            assert all(marked(lines, places) for places in ranges.values())
        if step.context is None or not step.context.opens:
            assert marked(states[n], before["redex"]) == printed_alone(step.redex)
            assert marked(states[n + 1], after["contractum"]) == printed_alone(step.contractum)
        if isinstance(step.redex, Let | Bind) and step.rule.value in ("Let", "Let⇐"):
            bound = step.redex.bound
            V = printed_alone(bound.term if isinstance(bound, Return) else bound)
            places = len(after_marks(step)) - 1
            assert marked(states[n + 1], after.get("changed", [])) == V * places


@each_program
def test_a_step_says_what_it_is_about_as_the_whole_says_it(name: str) -> None:
    result, memory = trace_of(name), PrintCache()
    stepper = Stepper(result)
    for n, (step, detail) in enumerate(zip(result.steps, details(stepper, len(result.steps)), strict=True)):
        expected = words_marked(frame(n, step, None, memory))
        assert (alike(detail["about"]), alike(detail["became"])) == tuple([alike(text) for text in expected])
        assert ask(stepper, "words", steps=[n]) == {"words": [[detail["about"], detail["became"]]]}


@each_program
def test_the_legs_are_those_of_the_static_page(name: str) -> None:
    result = trace_of(name)
    told = ask(Stepper(result), "legs")
    assert told.keys() == {"legs"}
    for leg, (first, last, direction, depth, words, leaves) in zip(legs(result.steps), told["legs"], strict=True):
        assert (first, last, direction, depth) == (leg.first, leg.last, leg.direction.value, leg.depth)
        assert alike(words) == alike(title(leg, result.steps))
        flows = [f"{name} = {line(subject_doc(V), 40)}" for name, V in flow(leg, result.steps, result.value)]
        assert " · ".join(flows).startswith(leaves.removesuffix("…"))


def test_of_many_legs_the_first_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stepper_module, "MOST_LEGS", 3)
    told = ask(Stepper(trace_of("pass")), "legs")
    assert len(told["legs"]) == 3
    assert told["more"] == len(legs(trace_of("pass").steps)) - 3


# -- the opening, the heap -----------------------------------------------------------------------------------------------------


@each_program
def test_the_opening_tells_the_rules(name: str) -> None:
    result = trace_of(name)
    opening = json.loads(json.dumps(Stepper(result).opening(), allow_nan=False))
    assert opening["steps"] == len(result.steps)
    assert [opening["rules"][ord(c) - 65]["name"] for c in opening["fired"]] == [step.rule.value for step in result.steps]
    times = [rule["times"] for rule in opening["rules"]]
    assert times == sorted(times, reverse=True)
    assert {rule["name"]: rule["times"] for rule in opening["rules"]} == Counter(step.rule.value for step in result.steps)
    assert all(rule["gloss"] and rule["figure"] and "→" in rule["equation"] for rule in opening["rules"])
    assert result.value is not None
    for name, notation in NOTATIONS.items():
        assert opening["written"][name]["value"] == line(subject_doc(result.value, notation=notation), 104)
    assert opening["type"] == str(result.type)
    assert opening["roles"] == [None if role is None else role.value for role in ROLES]


def test_a_stuck_trace_says_why() -> None:
    result = traced("let x <= return swish([1.0, -2.0]) in FC[w0](x)")
    opening = Stepper(result).opening()
    assert cast(Any, opening["written"])["source"]["value"] is None
    assert [f"{d.code}: {d.message}" for d in result.stuck] == opening["stuck"] != []
    assert_printed(walked(Stepper(result), 2, 5)[-1], printed(result, 2))


@each_program
def test_the_heap_at_every_state(name: str) -> None:
    result = trace_of(name)
    stepper, now = Stepper(result), dict(result.heap)
    steps = details(stepper, len(result.steps))
    changed_by: dict[str, int | None] = {}
    assert stepper.opening()["puts"] == [n for n, step in enumerate(result.steps) if step.change is not None]
    told = {entry["location"] for entry in ask(stepper, "heap", state=0)["contents"]}
    touched = {
        index.name
        for step in result.steps
        if isinstance(step.redex, Perform)
        for index in step.redex.operation.indices
        if isinstance(index, Location)
    }
    assert told == touched
    for state in range(len(result.steps) + 1):
        contents = {entry["location"]: entry for entry in ask(stepper, "heap", state=state)["contents"]}
        for location, array in now.items():
            if location.name in contents:
                entry = contents[location.name]
                assert np.array_equal(np.reshape(entry["content"]["values"], array.shape), array)
                assert entry["changed_by"] == changed_by.get(location.name)
        if state < len(result.steps) and (change := result.steps[state].change) is not None:
            told_change = steps[state]["change"]
            assert told_change["before"] == contents[change.location.name]["content"]
            assert np.array_equal(np.reshape(told_change["after"]["values"], change.content.shape), change.content)
            now[change.location], changed_by[change.location.name] = change.content, state


# -- looking for a text --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["swish", "FC[w0]", "put", "0.1325", "RH-Op", "nowhere to be found", ""])
def test_finding_a_text(text: str) -> None:
    result = trace_of("pass")
    stepper, count = Stepper(result), len(result.steps)
    told = zip(result.steps, details(stepper, count), strict=True)
    lines = [f"{step.rule.value} {detail['about']} {detail['became']}" for step, detail in told]
    holds = [n for n, words in enumerate(lines) if text.casefold() in words.casefold()]
    for start in [*range(0, count, 4), count]:
        onwards = next((n for n in holds if n >= start), None)
        back = next((n for n in reversed(holds) if n <= start), None)
        assert ask(stepper, "find", **{"text": text, "from": start}) == {"step": onwards}
        assert ask(stepper, "find", **{"text": text, "from": start, "backwards": True}) == {"step": back}


def test_a_long_search_is_taken_up_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stepper_module, "SEARCHED", 500)
    stepper = Stepper(trace_of("pass"))
    place, answers = 0, 0
    while "reached" in (answer := ask(stepper, "find", **{"text": "Put[w0]", "from": place})):
        assert answer["step"] is None
        assert answer["reached"] > place
        place, answers = answer["reached"], answers + 1
    assert answers > 3
    assert answer == {"step": 84}
    while "reached" in (answer := ask(stepper, "find", **{"text": "not there", "from": place, "backwards": True})):
        assert answer["reached"] < place
        place = answer["reached"]
    assert answer == {"step": None}


# -- what a reader may choose --------------------------------------------------------------------------------------------------


def test_arrays_are_written_out_as_far_as_the_reader_wants() -> None:
    def first(entries: int) -> str:
        stepper = Stepper(trace_of("pass"))
        return "".join([text for text, _, _ in ask(stepper, "window", **{"from": 7, "count": 0, "entries": entries})["first"]])

    assert "‹Real(3, 2)›" in first(5)
    assert "‹Real(2)›" in first(0)
    assert "‹Real(3, 2)›" not in first(6)
    assert "[[0.1, -0.2], [0.3, 0.4], [-0.5, 0.6]]" in first(6)


def test_handlers_are_written_in_full_if_the_reader_wants() -> None:
    stepper = Stepper(trace_of("pass"))
    short = walked(stepper, 90, 30)
    whole = walked(stepper, 90, 30, whole=True)
    assert not any("return x → " in text for text, _, _ in short[0])
    text = " ".join([text.strip() for text, _, _ in whole[0]])
    assert "sgd" not in text
    assert "return x → ⌊0.1 · (x - 0.5)⌋" in text
    assert "Put[l](w - outer(y, x))" in text
    assert "RH^⟨[1.0, -2.0]⟩_sgd(0.1, t)(" in whole[1][0][0], "there is no room for clauses: the name stays"
    assert not any("{…}" in text for lines in whole for text, _, _ in lines)
    assert whole[-1] == short[-1]


@pytest.mark.parametrize("name", ["pass", "skip", "derivative", "inference"])
def test_everything_is_written_in_the_notation_that_the_reader_wants(name: str) -> None:
    stepper = Stepper(trace_of(name))
    count = len(trace_of(name).steps)

    def told(**notation: str) -> str:
        lines = walked(stepper, count, count, **notation)
        captions = [ask(stepper, "words", steps=[n], **notation) for n in range(count)]
        return json.dumps([lines, captions, ask(stepper, "legs", **notation)], ensure_ascii=False).replace(" → ", "")

    signs = set("⟨⟩⌊⌋←⇐ᵀ")
    assert told() == told(notation="paper")
    assert set(told(notation="paper")) & signs
    assert not set(told(notation="source")) & signs
    assert "RH^" not in told(notation="source")


# -- what makes no sense -------------------------------------------------------------------------------------------------------

_ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=3,
)
_KINDS = st.sampled_from(["window", "heap", "type", "legs", "words", "find"]) | _ANYTHING
_FIELD = st.integers(-2, 100) | _ANYTHING


@law(300)
@given(
    st.fixed_dictionaries(
        {},
        optional={
            "ask": _KINDS,
            **dict.fromkeys(("from", "count", "state", "line", "column", "entries"), _FIELD),
            "whole": st.booleans() | _ANYTHING,
            "steps": st.lists(_FIELD, max_size=3) | _ANYTHING,
            "text": st.text(max_size=3) | _ANYTHING,
            "notation": st.sampled_from([*NOTATIONS]) | _ANYTHING,
            "backwards": st.booleans() | _ANYTHING,
        },
    )
)
def test_every_question_is_answered_or_refused(question: dict[str, Any]) -> None:
    stepper = Stepper(trace_of("inference"))
    with contextlib.suppress(Unanswerable):
        json.dumps(stepper.answer(question), allow_nan=False)


@pytest.mark.parametrize(
    "question",
    [
        {},
        {"ask": "nothing"},
        {"ask": ["window"]},
        {"ask": "window"},
        {"ask": "window", "from": 0},
        {"ask": "window", "from": -1, "count": 1},
        {"ask": "window", "from": 10**30, "count": 1},
        {"ask": "window", "from": 0, "count": -1},
        {"ask": "window", "from": 0.5, "count": 1},
        {"ask": "window", "from": math.nan, "count": 1},
        {"ask": "window", "from": math.inf, "count": 1},
        {"ask": "window", "from": True, "count": 1},
        {"ask": "window", "from": "0", "count": 1},
        {"ask": "window", "from": 0, "count": 1, "entries": 1001},
        {"ask": "window", "from": 0, "count": 1, "whole": "yes"},
        {"ask": "heap", "state": 91},
        {"ask": "type", "state": 0, "line": 0},
        {"ask": "type", "state": 0, "line": 10**9, "column": 0},
        {"ask": "type", "state": 0, "line": 500, "column": 0},
        {"ask": "window", "from": 0, "count": 1, "notation": "latin"},
        {"ask": "legs", "notation": ["paper"]},
        {"ask": "words"},
        {"ask": "words", "steps": [0, 90]},
        {"ask": "words", "steps": [math.nan]},
        {"ask": "words", "steps": [0] * 101},
        {"ask": "find", "text": 3, "from": 0},
        {"ask": "find", "text": "x" * 5000, "from": 0},
        {"ask": "find", "text": "x", "from": 91},
    ],
)
def test_what_makes_no_sense_is_refused(question: dict[str, Any]) -> None:
    with pytest.raises(Unanswerable):
        Stepper(trace_of("pass")).answer(question)
