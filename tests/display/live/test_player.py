"""The live view of a pass: its opening, and answers or refusals to any question."""

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.display.contents import BUDGET, SOME, EntryBudget, content
from rh_kernel.display.data import Record
from rh_kernel.display.live.player import ALL, Player
from rh_kernel.display.live.view import Unanswerable, View
from rh_kernel.session.directives.gradient import recorded
from rh_kernel.session.results import GradientMade
from rh_kernel.session.settings import DEFAULT
from rh_kernel.typing.elaboration.items import ClosedCommand
from tests.display.pages import PASS
from tests.display.test_gradient import LAYER, LAYERS, gradient, looked_at, made_of
from tests.laws.readings import reached
from tests.strategies_of_commands import Program, programs
from tests.tiers import law

NESTED = "rev handle ([1.0]) <x>. let y <= rev handle (x) <u>. Layer(u) with true in Layer(x + y) with true"
SUBJECTS = (PASS, f"handle ({PASS}) with infer", "1 + 2", f"{LAYERS} with true against {LAYERS} with through", NESTED)


def player(text: str, declarations: str = LAYER) -> Player:
    return Player(gradient(text, declarations))


def told(text: str, declarations: str = LAYER) -> list[dict[str, Any]]:
    """The passes after a round trip through JSON."""
    view: View = player(text, declarations)
    assert view.kind == "player"
    return json.loads(json.dumps(view.opening(), allow_nan=False))["passes"]


def answered(view: Player, **question: Any) -> dict[str, Any]:
    return json.loads(json.dumps(view.answer(cast(Record, question)), allow_nan=False))


@pytest.mark.parametrize("text", SUBJECTS)
def test_the_frames_are_the_boxes_in_their_order(text: str) -> None:
    view = player(text)
    for p, one in enumerate(told(text)):
        assert [step["frame"] for step in one["steps"]] == list(range(1, one["frames"] + 1))
        boxes = answered(view, ask="layout", folded=False, **{"pass": p})["boxes"]
        assert {step["box"]: step["frame"] for step in one["steps"]} == {box["id"]: box["frame"] for box in boxes}
        assert len(boxes) == one["frames"]


@pytest.mark.parametrize("text", SUBJECTS)
def test_a_wire_is_read_after_it_is_born(text: str) -> None:
    for one in told(text):
        wires = {wire["id"]: wire for wire in one["wires"]}
        last = dict.fromkeys(wires, 0)
        for step in one["steps"]:
            assert all(wires[w]["born"] < step["frame"] for w in step["reads"])
            assert all(wires[w]["born"] == step["frame"] for w in step["makes"])
            last.update(dict.fromkeys(step["reads"], step["frame"]))
        for w, wire in wires.items():
            assert wire["last_read"] in (last[w] or wire["born"], one["frames"])
        assert {w for step in one["steps"] for w in step["makes"]} == set(wires)


@pytest.mark.parametrize("text", SUBJECTS)
def test_the_drawing_is_of_these_wires_and_lies_inside(text: str) -> None:
    for one in told(text):
        known = {wire["id"] for wire in one["wires"]}
        for kind in ("strands", "dots", "labels"):
            assert {piece["wire"] for piece in one[kind]} <= known
        for x, y in corners(one):
            assert -0.1 <= x <= one["width"] + 0.1
            assert -0.1 <= y <= one["height"] + 0.1
        json.dumps(one)


def test_what_is_put_aside_waits_until_the_way_back() -> None:
    """By hand: each of the two layers saves its matrix and its input."""
    (one,) = told(PASS)
    waiting = [wire for wire in one["wires"] if wire["waits"]]
    assert sorted(wire["type"] for wire in waiting) == sorted(["Real(3, 2)", "Real(2)", "Real(1, 3)", "Real(3)"])
    for wire in waiting:
        assert wire["born"] < one["turn"] <= wire["last_read"]


def test_a_folded_box_runs_from_its_first_box_to_its_last_one() -> None:
    view = player(PASS)
    frames = {step["box"]: step["frame"] for step in told(PASS)[0]["steps"]}
    folded = json.loads(json.dumps(view.opening()))["passes"][0]["boxes"]
    for box in folded:
        inside = [frames[str(n)] for n in box["members"]]
        assert (box["frame"], box["last_frame"]) == (min(inside), max(inside))
    assert any(box["frame"] < box["last_frame"] for box in folded)


def corners(one: dict[str, Any]) -> Iterator[tuple[float, float]]:
    for box in (*one["boxes"], *one["frames_of_parts"]):
        yield box["x"], box["y"]
        yield box["x"] + box["w"], box["y"] + box["h"]
    for strand in one["strands"]:
        yield from strand["points"]


@pytest.mark.parametrize("text", SUBJECTS)
def test_a_cotangent_belongs_to_a_wire_of_the_same_type(text: str) -> None:
    for one in told(text):
        wires = {wire["id"]: wire for wire in one["wires"]}
        for wire in wires.values():
            assert wire["of"] is None or wire["role"] == "cotangent"
            if wire["of"] is not None:
                assert wires[wire["of"]]["type"] == wire["type"] == wire["content"]["type"]
                assert wires[wire["of"]]["born"] <= wire["born"]
        for row in one["rows"]:
            assert {row["forward"], *row["cotangents"]} <= wires.keys()
            assert row["cotangent"] == (row["cotangents"][0] if row["cotangents"] else None)


def test_a_loop_of_no_rounds_has_no_value_that_a_cotangent_belongs_to() -> None:
    text = "rev handle ([1.5, 0.25]) <x>. repeat i < 0 from s = x do Get[vs[i]]() with { return x -> Get[vs[0]]() }"
    (one,) = told(text, "loc vs[2] : Real(2) = zeros\n")
    wires = {wire["id"]: wire for wire in one["wires"]}
    cotangents = [wire for wire in wires.values() if wire["role"] == "cotangent"]
    assert cotangents
    assert all(wire["of"] is None or wire["of"] in wires for wire in cotangents)


@law(40)
@given(programs())
def test_every_program_can_be_played(p: Program) -> None:
    """Properties of frames, wires and cotangents for any program, and its static forms."""
    reached(p.command, p.heap)
    made = played(p)
    (one,) = json.loads(json.dumps(Player(made).opening(), allow_nan=False))["passes"]
    wires = {wire["id"]: wire for wire in one["wires"]}
    for step in one["steps"]:
        assert all(wires[w]["born"] < step["frame"] <= wires[w]["last_read"] for w in step["reads"])
        assert all(step["frame"] in wires[w].get("writes", [wires[w]["born"]]) for w in step["makes"])
    for wire in wires.values():
        assert wire["of"] is None or wires[wire["of"]]["type"] == wire["type"]
    for row in one["rows"]:
        assert all(wires[w]["type"] == wires[row["forward"]]["type"] for w in row["cotangents"])
    for box in (*one["boxes"], *geometry_of(made, folded=False)["boxes"]):
        has_run = box["frame"] > 0
        assert has_run <= box["frame"] <= box["last_frame"] <= one["frames"]
    assert looked_at(made)[0].text


def played(p: Program) -> GradientMade:
    """The pass of a program from its heap."""
    run = recorded(ClosedCommand(p.command, p.type), "P", p.heap, DEFAULT)
    while True:
        try:
            next(run)
        except StopIteration as end:
            return GradientMade("P", p.type, (end.value,))


def geometry_of(made: GradientMade, *, folded: bool) -> dict[str, Any]:
    """The other drawing, if there is one."""
    try:
        return answered(Player(made), ask="layout", folded=folded)
    except Unanswerable:
        return {"boxes": []}


def test_the_way_back_begins_at_the_return_clause() -> None:
    (one,) = told(PASS)
    legs = [step["leg"] for step in one["steps"]]
    assert legs == ["", *["forward"] * 5, "return", *["backward"] * 7]
    assert one["turn"] == legs.index("return") + 1
    (plain,) = told("1 + 2")
    assert plain["turn"] is None


def test_what_the_pass_does_to_the_heap() -> None:
    (one,) = told(PASS)
    found = [(use["frame"], use["kind"], use["location"], use["before"] == use["after"]) for use in one["accesses"]]
    assert found == [(2, "Get", "w0", True), (5, "Get", "w1", True), (9, "Put", "w1", False), (13, "Put", "w0", False)]
    gets = [use["after"]["values"] for use in one["accesses"] if use["kind"] == "Get"]
    puts = [use["before"]["values"] for use in one["accesses"] if use["kind"] == "Put"]
    assert gets == puts[::-1]
    assert answered(player(PASS), ask="access", access=2) == {key: one["accesses"][2][key] for key in ("before", "after")}


def test_two_passes_have_titles() -> None:
    first, second = told(f"{LAYERS} with true against {LAYERS} with through")
    assert (first["title"], second["title"]) == (f"{LAYERS} with true", f"{LAYERS} with through")
    assert [row["label"] for row in first["rows"]] == [row["label"] for row in second["rows"]]


def test_the_content_of_a_wire() -> None:
    view = player(PASS)
    (one,) = json.loads(json.dumps(view.opening()))["passes"]
    for wire in one["wires"]:
        assert answered(view, ask="wire", wire=wire["id"])["content"] == wire["content"]
    answer = answered(view, ask="wire", wire=one["wires"][1]["id"], **{"pass": 0})
    assert answer["content"]["values"] == [0.1, -0.2, 0.3, 0.4, -0.5, 0.6]
    assert answer["content"]["shape"] == [3, 2]
    assert answer["content"]["norm"] == pytest.approx(0.91**0.5)
    assert (answer["content"]["min"], answer["content"]["max"]) == (-0.5, 0.6)
    assert answer["rows"] == [["0.1", "-0.2"], ["0.3", "0.4"], ["-0.5", "0.6"]]


def test_large_arrays_are_sent_when_they_are_asked_for() -> None:
    view = player("let x <= return fill[30, 40](2) in let y <= return fill[300, 300](1) in return sum(x) + sum(y)")
    (one,) = json.loads(json.dumps(view.opening()))["passes"]
    by_type = {wire["type"]: wire for wire in one["wires"]}
    some, too_many = by_type["Real(30, 40)"], by_type["Real(300, 300)"]
    assert some["content"]["values"] is None
    assert some["content"]["norm"] == pytest.approx(2 * 1200**0.5)
    answer = answered(view, ask="wire", wire=some["id"])
    assert len(answer["content"]["values"]) == 1200
    assert [len(row) for row in answer["rows"]] == [40] * 30
    assert answered(view, ask="wire", wire=too_many["id"])["content"]["values"] is None
    assert answered(view, ask="wire", wire=too_many["id"])["rows"] == []


def test_all_arrays_together_have_their_bounds() -> None:
    budget, array = EntryBudget(), np.ones(SOME)
    sent = sum(budget.content(array)["values"] is not None for _ in range(2 * BUDGET // SOME))
    assert BUDGET - SOME < sent * SOME <= BUDGET
    assert content(np.ones(ALL), ALL)["values"] is not None
    assert content(np.ones(ALL + 1), ALL)["values"] is None


def test_what_is_no_finite_number_is_a_word() -> None:
    found = content(np.array([np.nan, np.inf, -np.inf, 1.5]), SOME)
    assert found["values"] == ["nan", "inf", "-inf", 1.5]
    assert (found["min"], found["max"], found["norm"]) == (1.5, 1.5, "nan")
    assert content(np.array([np.nan]), SOME)["min"] is None
    assert content(np.full(4, 1e200), SOME)["norm"] == pytest.approx(2e200)
    assert content(np.zeros(0), SOME)["norm"] == content(np.zeros(3), SOME)["norm"] == 0


def test_at_first_each_clause_is_one_box_and_the_other_drawing_opens_them() -> None:
    view = player(PASS)
    (one,) = json.loads(json.dumps(view.opening()))["passes"]
    assert one["foldings"] == [True, False]
    assert one["folded"] is True
    opened = answered(view, ask="layout", folded=False)
    assert opened["folded"] is False
    assert len(one["boxes"]) < len(opened["boxes"])
    assert opened["width"] > one["width"]
    members = [n for box in one["boxes"] for n in box["members"]]
    assert sorted(members) == sorted(box["id"] for box in opened["boxes"])
    assert answered(view, ask="layout", folded=True)["boxes"] == one["boxes"]


def test_a_diagram_that_is_too_large_has_its_table() -> None:
    view = Player(made_of(1600, in_clauses=False))
    first = json.loads(json.dumps(view.opening()))["passes"][0]
    assert "too large" in first["too_large"]
    assert "boxes" not in first
    assert len(first["rows"]) == 1000
    assert first["rows_left_out"] == 601
    assert {row["forward"] for row in first["rows"]} <= {wire["id"] for wire in first["wires"]}
    with pytest.raises(Unanswerable):
        view.answer({"ask": "layout", "folded": True})


BAD: tuple[Record, ...] = (
    {},
    {"ask": "nothing"},
    {"ask": "wire"},
    {"ask": "wire", "wire": -1},
    {"ask": "wire", "wire": 10**9},
    {"ask": "wire", "wire": "0"},
    {"ask": "wire", "wire": 0.5},
    {"ask": "wire", "wire": 0, "pass": 1},
    {"ask": "access", "access": 4},
    {"ask": "layout", "folded": "yes"},
)


@pytest.mark.parametrize("question", BAD, ids=str)
def test_a_question_without_sense_is_refused(question: Record) -> None:
    with pytest.raises(Unanswerable):
        player(PASS).answer(question)


def test_a_wire_that_is_not_drawn_cannot_be_asked_for() -> None:
    view = player(PASS)
    drawn = {wire["id"] for wire in told(PASS)[0]["wires"]}
    (missing, *_) = set(range(max(drawn))) - drawn
    with pytest.raises(Unanswerable, match="no such wire"):
        view.answer({"ask": "wire", "wire": missing})
    with pytest.raises(Unanswerable, match="heap"):
        player("1 + 2").answer({"ask": "access", "access": 0})


SCALARS = st.none() | st.booleans() | st.integers(-3, 30) | st.floats(-5, 5) | st.text(max_size=5) | st.just("wire")


@law(100)
@given(st.dictionaries(st.sampled_from(["ask", "wire", "pass", "access", "folded"]), SCALARS))
def test_whatever_is_asked_there_is_an_answer_or_words(question: dict[str, Any]) -> None:
    with suppress(Unanswerable):
        json.dumps(PLAYER.answer(cast(Record, question)), allow_nan=False)


PLAYER = player(PASS)
