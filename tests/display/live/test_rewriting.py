"""The live view of a trace of whole terms."""

from __future__ import annotations

import contextlib
import json
import math
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.display.live.rewriting import Rewriting
from rh_kernel.display.live.view import Unanswerable
from rh_kernel.display.registry import live_view
from rh_kernel.session.results import ReductionShown, Result, RewritingShown, Shown
from rh_kernel.session.session import Session, execute
from rh_kernel.source.span import Source
from tests.tiers import law

LAMBDA = "%%lambda\nfun f(x : Real, y : Real) : Real = x * x * y\n%ad reverse-derivative f(3, 2) --trace\n"
GRADIENT = "%%eff\ninclude evaluate\ninclude stateful\n%trace handle grad {x -> t (t x x) x} 2 with evaluate\n"
PRINTING = '%%eff\n%trace print "<b>a</b>"; let a = array ["<i>"] in store a 0 "b"; print (fetch a 0)\n'
STUCK = "%%eff\n%trace quotient 1 0\n"
VALUE = "%%eff\n%trace 3\n"


@cache
def results(text: str) -> tuple[Result, ...]:
    return tuple(
        e.result for e in execute(Session.start(Path()), Source("cell", text), keep_going=True) if isinstance(e, Shown)
    )


@cache
def view(text: str) -> Rewriting:
    found = next(result for result in results(text) if isinstance(result, RewritingShown | ReductionShown))
    made = live_view(found)
    assert isinstance(made, Rewriting)
    return made


def step(text: str, n: int, width: int = 90) -> Any:
    return view(text).answer({"ask": "step", "step": n, "width": width})


def lines(side: Any) -> list[str]:
    return [line[0] for line in side["lines"]]


def marked(side: Any, kind: str) -> str:
    """The characters of a mark."""
    ranges = side["marks"].get(kind, [])
    places = zip(ranges[::3], ranges[1::3], ranges[2::3], strict=True)
    return " ".join([side["lines"][line][0][start:end] for line, start, end in places])


@pytest.mark.parametrize("text", [LAMBDA, GRADIENT, PRINTING])
def test_the_opening_is_about_the_steps(text: str) -> None:
    """Each step has a rule, and the counts of rules are right."""
    opening: Any = view(text).opening()
    json.dumps(opening, allow_nan=False)
    assert len(opening["fired"]) == opening["steps"] > 0
    for n, rule in enumerate(opening["rules"]):
        assert opening["fired"].count(n) == rule["times"] > 0
    assert [rule["times"] for rule in opening["rules"]] == sorted([rule["times"] for rule in opening["rules"]], reverse=True)


@pytest.mark.parametrize("text", [LAMBDA, GRADIENT, PRINTING])
def test_a_step_goes_on_where_the_one_before_has_ended(text: str) -> None:
    """The term after a step is the term before the next one."""
    count: Any = view(text).opening()["steps"]
    for n in range(count - 1):
        assert lines(step(text, n)["after"]) == lines(step(text, n + 1)["before"])


def test_a_reduction_tells_of_rules_marks_and_cells() -> None:
    """The first write of the backward pass: the cell of the result is 1; it is the third one created: z, x·x, x·x·x."""
    opening: Any = view(GRADIENT).opening()
    names = [rule["name"] for rule in opening["rules"]]
    n = next(n for n, rule in enumerate(opening["fired"]) if names[rule] == "write")
    found = step(GRADIENT, n)
    assert marked(found["before"], "redex") == "⟨r2⟩ := 1"
    assert marked(found["after"], "contractum") == "()"
    assert found["cells"] == [["r0", "0", False], ["r1", "0", False], ["r2", "1", True]]
    assert n in opening["changes"]
    assert (opening["end"], opening["type"], opening["why"]) == ("12", "Float", [])
    assert opening["numbers"][-1][1] > opening["steps"]


def test_what_is_k_and_what_is_performed() -> None:
    """(op): the operation is in the redex, and the continuation in the contractum."""
    opening: Any = view(GRADIENT).opening()
    names = [rule["name"] for rule in opening["rules"]]
    found = step(GRADIENT, opening["fired"].index(names.index("op")))
    assert marked(found["before"], "focus") == "ap0 (Const 0)"
    assert marked(found["after"], "changed").startswith("{x -> handle")


def test_other_traces_have_no_cells_and_no_numbers() -> None:
    """``%ad … --trace``: the rules of that system, marks in the contractum, and no store."""
    opening: Any = view(LAMBDA).opening()
    assert (opening["numbers"], opening["changes"], opening["printed"]) == ([], [], [])
    assert all(step(LAMBDA, n)["cells"] == [] for n in range(opening["steps"]))
    assert any(marked(step(LAMBDA, n)["after"], "contractum") for n in range(opening["steps"]))
    assert opening["title"] != ""


def test_a_mode_of_the_laboratory_is_shown_with_its_cells() -> None:
    """``%ad effects:stateful … --trace`` is a reduction too: x·x·y at (3, 2), with the gradient in the cells at the end."""
    text = LAMBDA.replace("reverse-derivative", "effects:stateful")
    opening: Any = view(text).opening()
    assert opening["title"] != ""
    assert opening["end"] == "[12, 9]"
    last = step(text, opening["steps"] - 1)
    assert [content for _, content, _ in last["cells"]][:2] == ["12", "9"]
    assert any(marked(step(text, n)["before"], "redex") for n in range(10))


def test_texts_are_told_as_they_are() -> None:
    """The page makes text nodes of them, so nothing is escaped here."""
    opening: Any = view(PRINTING).opening()
    assert [words for _, words in opening["printed"]] == ["<b>a</b>", "b"]
    assert '"<i>"' in step(PRINTING, opening["changes"][0])["cells"][0][1]


def test_a_trace_that_is_stuck_says_why() -> None:
    opening: Any = view(STUCK).opening()
    assert opening["steps"] == 0
    assert opening["why"] == ["RH530: quotient divides 1 by zero"]


def test_a_value_takes_no_step() -> None:
    assert view(VALUE).opening()["steps"] == 0
    assert lines(step(VALUE, 0)["before"]) == ["3"]


def test_lines_are_as_wide_as_a_page_asks() -> None:
    assert all(len(line) <= 120 for line in lines(step(GRADIENT, 5, 120)["before"]))
    assert len(lines(step(GRADIENT, 5, 40)["before"])) > len(lines(step(GRADIENT, 5, 160)["before"]))


def test_a_search_goes_both_ways() -> None:
    """The first step whose contractum contains a text, and the last one; a rule is found by its name."""
    rewriting = view(GRADIENT)
    opening: Any = rewriting.opening()
    count = opening["steps"]
    first: Any = rewriting.answer({"ask": "find", "text": "⟨r2⟩ := 1", "from": 0})["step"]
    last: Any = rewriting.answer({"ask": "find", "text": "⟨r2⟩ :=  1", "from": count, "backwards": True})["step"]
    shown = ["⟨r2⟩ := 1" in " ".join(lines(step(GRADIENT, n, 160)["after"])) for n in range(count)]
    assert first == shown.index(True) <= last
    assert not any(shown[last + 1 :])
    assert rewriting.answer({"ask": "find", "text": "adapt-ret", "from": 0})["step"] is not None
    assert rewriting.answer({"ask": "find", "text": "nowhere at all", "from": 0}) == {"step": None}


_ANYTHING = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.lists(st.integers(), max_size=2)
_FIELD = st.integers(-2, 60) | _ANYTHING


@law(200)
@given(
    st.fixed_dictionaries(
        {},
        optional={
            "ask": st.sampled_from(["step", "find"]) | _ANYTHING,
            **dict.fromkeys(("step", "width", "from"), _FIELD),
            "text": st.text(max_size=3) | _ANYTHING,
            "backwards": _ANYTHING,
        },
    )
)
def test_every_question_is_answered_or_refused(question: dict[str, Any]) -> None:
    with contextlib.suppress(Unanswerable):
        json.dumps(view(PRINTING).answer(question), allow_nan=False)


@pytest.mark.parametrize(
    "question",
    [
        {},
        {"ask": "nothing"},
        {"ask": "step"},
        {"ask": "step", "step": -1},
        {"ask": "step", "step": 10**9},
        {"ask": "step", "step": math.nan},
        {"ask": "step", "step": 0, "width": 10**9},
        {"ask": "find", "text": 3, "from": 0},
        {"ask": "find", "text": "x", "from": math.inf},
        {"ask": "find", "text": "x" * 1001, "from": 0},
    ],
)
def test_what_makes_no_sense_is_refused(question: dict[str, Any]) -> None:
    with pytest.raises(Unanswerable):
        view(PRINTING).answer(question)
