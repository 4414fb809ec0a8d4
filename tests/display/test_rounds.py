"""Rounds in a trace: which steps are of round 2 of 3, forward and backward, and how a trace shows them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, cast

import pytest

from rh_kernel.display.data import Json
from rh_kernel.display.live.stepper import Stepper
from rh_kernel.display.registry import bundle
from rh_kernel.display.traces.phases import legs
from rh_kernel.display.traces.records import bounded_records
from rh_kernel.display.traces.rounds import ROUND, Round, Shown, around, outline, rounds
from rh_kernel.paper import Rule
from rh_kernel.session.results import TraceMade
from rh_kernel.session.session import Session
from tests.session.cells import run

DECLARATIONS = """
op FC[l : Loc(m, n)] : Real(n) -> Real(m)
loc w : Real(2, 2) = normal(0.5, seed=1)
handler descent(rate : Real) : rev handler(Real(k)) = {
  return x -> return x
  FC[l](x) -> let w <= Get[l]() in return (w @ x, (w, x))
    | y, (w, x) -> let _ <= Put[l](w - rate * outer(y, x)) in return w^T @ y
}
"""

PLAIN = "repeat i < 3 from s = 2 do return s * s"
TRAINED = "rev handle ([1, 2]) <x>. repeat i < 3 from s = x do let y <= FC[w](s) in return tanh(y) with descent(0.1)"
NESTED = (
    "rev handle ([1, 2]) <x>. repeat i < 2 from s = x do repeat j < 3 from s = s do let y <= FC[w](s) in return tanh(y) "
    "with descent(0.1)"
)
SCANNED = (
    "rev handle ([[1, 2], [3, 4], [5, 6]]) <xs>. let (bs, s) <= scan (x in xs) from s = [0, 0] do "
    "let y <= FC[w](s) in let s <- tanh(x + y) in return (s, s) in return s with descent(0.1)"
)
WITHOUT_ROWS = SCANNED.replace("return (s, s) in", "return ((), s) in")
INSIDE = "repeat i < 2 from s = 3 do rev handle (s) <x>. repeat j < 3 from t = x do return t * t with { return y -> return 1 }"

MAPPED = "map (x in [[1, 2], [3, 4], [5, 6]]) do map (y in x) do y * y"


def traced(command: str) -> TraceMade:
    results, _ = run(Session.start(Path()), f"{DECLARATIONS}%trace {command}")
    made = results[-1]
    assert isinstance(made, TraceMade)
    return made


def found(made: TraceMade) -> tuple[Round, ...]:
    return rounds(made.steps, legs(made.steps))


def names(command: str, level: int = 0) -> list[str]:
    return [each.title for each in found(traced(command)) if each.level == level]


def forward_and_back(loop: str, count: int) -> list[str]:
    there = [f"round {n} of {count} ({loop})" for n in range(1, count + 1)]
    return [*there, *[f"backward through {name}" for name in reversed(there)]]


def test_each_round_is_named() -> None:
    assert names(PLAIN) == forward_and_back("repeat i", 3)[:3]
    assert names("scan (x in [1, 2]) from s = 0 do return (s, s + x)") == forward_and_back("scan", 2)[:2]
    assert names("map (x in [1, 2, 3]) do x * x") == forward_and_back("map", 3)[:3]
    assert names("scan (x in [1, 2, 3]) from s = 0 do return ((), s + x)") == forward_and_back("scan", 3)[:3]
    assert names("repeat i < 0 from s = 1 do return s") == []


def test_a_map_in_a_map_has_rounds_of_its_own() -> None:
    """Also where it has as many rows as the one around it has still to come."""
    assert names(MAPPED) == forward_and_back("map", 3)[:3]
    assert names(MAPPED, 1) == forward_and_back("map", 2)[:2] * 3


@pytest.mark.parametrize(("command", "loop"), [(TRAINED, "repeat i"), (SCANNED, "scan"), (WITHOUT_ROWS, "scan")])
def test_the_backward_pass_goes_through_the_rounds_in_reverse(command: str, loop: str) -> None:
    assert names(command) == forward_and_back(loop, 3)


def test_rounds_nest_as_their_loops_do() -> None:
    assert names(NESTED) == forward_and_back("repeat i", 2)
    inner = forward_and_back("repeat j", 3)
    assert names(NESTED, 1) == [*inner[:3], *inner[:3], *inner[3:], *inner[3:]]


def test_a_pass_inside_of_a_round_goes_back_in_that_round() -> None:
    assert names(INSIDE) == forward_and_back("repeat i", 2)[:2]
    assert names(INSIDE, 1) == forward_and_back("repeat j", 3) * 2


@pytest.mark.parametrize("command", [PLAIN, TRAINED, NESTED, SCANNED, INSIDE, MAPPED])
def test_every_round_is_in_the_one_around_it_and_begins_with_its_unfolding(command: str) -> None:
    made = traced(command)
    inside = [*around(found(made), len(made.steps))]
    for each in found(made):
        assert [here[each.level] for here in inside[each.first : each.last + 1]] == [each] * (each.last - each.first + 1)
        if not each.is_backward:
            assert made.steps[each.first].rule in (Rule.REPEAT, Rule.SCAN, Rule.MAP, Rule.RH_REPEAT, Rule.RH_SCAN)
    assert [[each.level for each in here] for here in inside] == [[*range(len(here))] for here in inside]


def test_a_backward_round_changes_the_weights_that_its_round_has_read() -> None:
    made = traced(TRAINED)
    puts = [n for n, step in enumerate(made.steps) if step.rule is Rule.PUT]
    where = [*around(found(made), len(made.steps))]
    assert [where[n][0].name for n in puts] == [f"backward through round {n} of 3" for n in (3, 2, 1)]


def test_a_continuation_that_is_dropped_ends_the_loop() -> None:
    made = traced("handle repeat i < 3 from s = [1, 2] do FC[w](s) with { return x -> return 0 ; FC[l](x), k -> return 1 }")
    assert [each.name for each in found(made)] == ["round 1 of 3"]
    assert found(made)[0].last < len(made.steps) - 1


def test_a_continuation_that_is_called_goes_on_with_the_loop() -> None:
    clauses = "{ return x -> return x ; FC[l](x), k -> let w <= Get[l]() in k(w @ x) }"
    made = traced(f"handle repeat i < 3 from s = [1, 2] do FC[w](s) with {clauses}")
    assert {each.name for each in found(made)} == {f"round {n} of 3" for n in (1, 2, 3)}


def test_what_is_shown_stands_for_every_step_once() -> None:
    made = traced(NESTED)
    count = len(made.steps)
    for most, first, last in ((count, 5, 5), (60, 40, 20), (10, 6, 4), (3, 1, 1)):
        shown = outline(found(made), count, most, first, last)
        assert [n for each in shown for n in each.steps] == [*range(count)]
        assert len(shown) <= max(most + 1, first + last + 1)


def test_only_the_first_round_of_a_long_trace_is_open() -> None:
    shown = outline(found(traced(NESTED)), 340, 60, 40, 20)
    folded = [each.item.title for each in shown if isinstance(each.item, Round)]
    assert folded == [*forward_and_back("repeat j", 3)[1:3], *forward_and_back("repeat i", 2)[1:]]
    assert Shown(2, shown[2].inside) in shown
    assert [each.title for each in shown[2].inside] == ["round 1 of 2 (repeat i)", "round 1 of 3 (repeat j)"]


def test_the_text_and_the_page_name_the_rounds() -> None:
    made = traced(NESTED)
    shown = bundle(made)
    text, page = str(shown["text/plain"]), str(shown["text/html"])
    assert re.findall(rf"^{ROUND} (.*)  ", text, re.MULTILINE)[-2:] == [
        "backward through round 2 of 2 (repeat i)",
        "backward through round 1 of 2 (repeat i)",
    ]
    assert f"—RH-Repeat→  3  {ROUND} round 1 of 3 (repeat j)" in text
    for each in ("round 1 of 3", "round 3 of 3", "backward through round 1 of 2"):
        assert f"{ROUND} {each}" in page


def test_the_records_name_the_rounds() -> None:
    records = [*bounded_records(traced(NESTED))]
    assert "rounds" not in records[0]
    assert records[2]["rounds"] == [
        {"loop": "repeat i", "round": 1, "of": 2, "backward": False},
        {"loop": "repeat j", "round": 1, "of": 3, "backward": False},
    ]
    assert records[-1]["rounds"] == [
        {"loop": "repeat i", "round": 1, "of": 2, "backward": True},
        {"loop": "repeat j", "round": 1, "of": 3, "backward": True},
    ]


def told(made: TraceMade, **question: Json) -> dict[str, Any]:
    return cast(dict[str, Any], Stepper(made).answer({"ask": "legs", **question}))


def test_the_stepper_is_told_the_rounds_and_the_legs_outside_of_them() -> None:
    made = traced(NESTED)
    answer = told(made)
    assert answer["rounds"]["loops"] == ["repeat i", "repeat j"]
    expected = [
        [
            each.first,
            each.last,
            each.level,
            ["repeat i", "repeat j"].index(each.loop),
            each.number,
            each.count,
            each.is_backward,
        ]
        for each in found(made)
    ]
    assert answer["rounds"]["found"] == expected
    inside = [*around(found(made), len(made.steps))]
    for first, last, *_ in answer["legs"]:
        assert any(not inside[n] for n in range(first, last + 1))
    shown = {n for first, last, *_ in answer["legs"] for n in range(first, last + 1)}
    assert shown >= {n for n, here in enumerate(inside) if not here}


def test_the_stepper_is_told_the_legs_of_a_round_when_it_is_opened() -> None:
    made = traced(NESTED)
    for each in found(made):
        legs_here = told(made, **{"from": each.first, "to": each.last})["legs"]
        assert [leg[:2] for leg in legs_here] == [
            [leg.first, leg.last] for leg in legs(made.steps) if leg.first <= each.last and each.first <= leg.last
        ]


def test_a_trace_without_loops_has_no_rounds() -> None:
    assert "rounds" not in told(traced("let x <- 2 in x * x"))
