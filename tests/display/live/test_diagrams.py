"""The live view of a diagram: folds, layouts and exports (RH §6.1)."""

import json
import re
from collections import Counter
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.denotational.drawing.folding import folding
from rh_kernel.denotational.drawing.sketch import sketch
from rh_kernel.display.data import Record
from rh_kernel.display.diagrams.choice import BOTH
from rh_kernel.display.live.diagrams import ENDINGS, DiagramView
from rh_kernel.display.live.view import Unanswerable
from rh_kernel.session.results import DiagramMade
from tests.denotational.drawn import PROGRAMS, arrow
from tests.display.pages import PASS, shown
from tests.display.test_diagram import hostile, long_row, made
from tests.tiers import law
from tests.typing.cells import last

VIEWS = {name: DiagramView(DiagramMade(name, "Real(0) ~> Real(2)", arrow(name))) for name in PROGRAMS}


def told(record: Record) -> dict[str, Any]:
    """A round trip through JSON."""
    return cast(dict[str, Any], json.loads(json.dumps(record, allow_nan=False)))


@st.composite
def foldings(draw: st.DrawFn) -> tuple[DiagramView, list[int]]:
    view = VIEWS[draw(st.sampled_from(PROGRAMS))]
    folds = [fold["id"] for fold in told(view.opening())["folds"]]
    return view, sorted(draw(st.sets(st.sampled_from(folds))))


def test_the_opening_is_the_drawing_with_its_folds() -> None:
    opening = told(DiagramView(made(PASS)).opening())
    assert opening["summary"].startswith(f"⟦{PASS}⟧")
    assert [fold["label"] for fold in opening["folds"]][:2] == ["rev handle with sgd(0.1, t)", "mlp"]
    assert opening["drawing"]["folded"] == []
    assert {box["label"] for box in opening["drawing"]["boxes"]} >= {"Get[w0]", "swish(z)", "Put[w1]"}


def test_a_cotangent_belongs_to_a_wire_of_the_same_type_that_came_before() -> None:
    for view in VIEWS.values():
        opening = told(view.opening())
        types = {wire["id"]: wire["type"] for wire in opening["drawing"]["wires"]}
        for wire, of in opening["cotangents"]:
            assert of < wire
            assert not {wire, of} <= types.keys() or types[wire] == types[of]
    opening = told(DiagramView(made(PASS)).opening())
    names = {wire["id"]: wire["name"] for wire in opening["drawing"]["wires"]}
    assert [names[of] for _, of in opening["cotangents"]] == ["x", "h", "z", "x"]


@law(30)
@given(foldings())
def test_a_layout_is_that_of_the_folds_that_were_asked_for(case: tuple[DiagramView, list[int]]) -> None:
    view, closed = case
    opening, drawing = told(view.opening()), told(view.answer({"ask": "layout", "folded": [*closed]}))
    assert drawing["folded"] == closed
    everything = sum(box["count"] for box in opening["drawing"]["boxes"])
    assert sum(box["count"] for box in drawing["boxes"]) == everything
    assert {box["fold"] for box in drawing["boxes"]} - {None} <= set(closed)
    assert not {frame["fold"] for frame in drawing["frames"]} & set(closed)
    ends = [wire["id"] for wire in drawing["wires"] if None in wire["readers"]]
    assert ends == [wire["id"] for wire in opening["drawing"]["wires"] if None in wire["readers"]]


@law(30)
@given(foldings())
def test_wires_lead_from_box_to_box(case: tuple[DiagramView, list[int]]) -> None:
    view, closed = case
    drawing = told(view.answer({"ask": "layout", "folded": [*closed]}))
    boxes = {box["id"]: box for box in drawing["boxes"]}
    assert len(boxes) == len(drawing["boxes"])
    reads, makes = Counter[tuple[int, int]](), Counter[tuple[int, int]]()
    for wire in drawing["wires"]:
        assert wire["d"].startswith("M")
        makes.update([(wire["maker"], wire["id"])] if wire["maker"] is not None else [])
        reads.update([(reader, wire["id"]) for reader in wire["readers"] if reader is not None])
    assert makes == Counter([(box["id"], w) for box in boxes.values() for w in box["outs"]])
    assert reads == Counter([(box["id"], w) for box in boxes.values() for w in set(box["ins"])])


@pytest.mark.parametrize(
    "question",
    [
        {},
        {"ask": "everything"},
        {"ask": ["layout"]},
        {"ask": "layout", "folded": "all"},
        {"ask": "layout", "folded": [1.5]},
        {"ask": "layout", "folded": [True]},
        {"ask": "layout", "folded": [[0]]},
        {"ask": "export"},
        {"ask": "export", "as": "exe", "folded": []},
        {"ask": "export", "as": "svg", "folded": {"0": 1}},
    ],
)
def test_a_question_that_makes_no_sense_is_refused(question: Record) -> None:
    with pytest.raises(Unanswerable):
        VIEWS["example_4_1_mlp"].answer(question)


def test_numbers_that_are_no_folds_mean_nothing() -> None:
    view = VIEWS["example_4_1_mlp"]
    assert view.answer({"ask": "layout", "folded": [-1, 99, 10**30]}) == view.answer({"ask": "layout"})


def test_each_form_is_saved_as_it_is_folded() -> None:
    view = DiagramView(made(PASS))
    for form, kind in ENDINGS.items():
        opened, closed = (told(view.answer({"ask": "export", "as": form, "folded": [*folds]})) for folds in ((), (0,)))
        assert opened["type"] == closed["type"] == kind
        assert "swish" in opened["text"]
        assert ("swish" in closed["text"]) == (form == "text")
        assert form == "text" or "sgd" in closed["text"]


def test_a_saved_drawing_stands_alone_on_white_paper() -> None:
    svg = told(DiagramView(made(PASS)).answer({"ask": "export", "as": "svg"}))["text"]
    assert svg.startswith("<svg xmlns=")
    assert 'fill="#ffffff"' in svg
    assert "inherit" not in svg
    assert not re.search(r"(href|src|url\()", svg)


def test_a_large_diagram_opens_folded_and_stays_within_bounds() -> None:
    view = DiagramView(DiagramMade("deep", "Real(2) ~> Real(2)", long_row(BOTH + 1)))
    assert told(view.opening())["drawing"] is None
    assert "Tick" in told(view.opening())["listing"]
    with pytest.raises(Unanswerable, match="keep something folded"):
        view.answer({"ask": "layout", "folded": []})
    for name, small in VIEWS.items():
        drawing = told(small.opening())["drawing"]
        shown = folding(sketch(arrow(name)), drawing["folded"])
        assert shown.box_count == len(drawing["boxes"]) <= BOTH


def test_a_deep_net_opens_with_its_inner_nets_folded() -> None:
    deep = "".join(["let x <= mlp2(x) in " for _ in range(30)])
    text = f"""net mlp2(x : Real(2)) : Real(2) = let z <= FC[w0](x) in return [1.0, 2.0] + (2.0 * x)
net deep(x : Real(2)) : Real(2) = {deep}return x
%diagram rev handle ([1.0, 2.0]) <x>. deep(x) with sgd(0.1, [1.0, 2.0])"""
    view = DiagramView(made_last(text))
    opening = told(view.opening())
    closed = {fold["label"] for fold in opening["folds"] if fold["id"] in opening["drawing"]["folded"]}
    assert "Qᶠ FC[w0]" in closed
    assert "deep" not in closed


def made_last(text: str) -> DiagramMade:
    return [result for result in shown(text) if isinstance(result, DiagramMade)][-1]


@pytest.mark.parametrize(
    "words", ["<script>alert(1)</script>", '"]}{\\', "\x1b[31m\x00", "$\\input{x}%\n\\end{document}", "重é₁₂ᶠ"]
)
def test_hostile_words_stay_words(words: str) -> None:
    view = DiagramView(hostile(words))
    opening = told(view.opening())
    assert len(opening["drawing"]["boxes"]) == 2
    assert "\x1b" not in json.dumps(opening)
    forms = {form: told(view.answer({"ask": "export", "as": form}))["text"] for form in ENDINGS}
    assert "<script" not in forms["svg"]
    assert all(line.isprintable() for line in forms["tikz"].split("\n"))
    tex = re.sub(r"(?<!\\)%.*", "", forms["tikz"])
    assert tex.count("\\end{document}") == 1
    assert "\\input" not in tex
    bare = re.sub(r"\\[\\{}%]", "", tex)
    assert bare.count("{") == bare.count("}")


LOOP = "repeat i < 100 from s = [1, 2] do return tanh(s)"


def test_one_can_switch_between_the_ways_to_draw_rounds() -> None:
    made = last(f"%diagram {LOOP}")
    assert isinstance(made, DiagramMade)
    view = DiagramView(made)
    shown = {}
    for way in ("once", "folded", "unrolled", "once"):
        opening = cast(dict[str, Any], view.answer({"ask": "rounds", "rounds": way}))
        assert opening["rounds"]["shown"] == way
        assert [value for value, _ in opening["rounds"]["choices"]] == ["once", "folded", "unrolled"]
        shown[way] = [box["label"] for box in opening["drawing"]["boxes"]]
    assert shown["once"] == ["[1.0, 2.0]", "tanh(s)"]
    assert shown["folded"] == ["[1.0, 2.0]", "repeat i < 100"]
    assert shown["unrolled"].count("tanh(s)") == 3
    assert "… 97 rounds …" in shown["unrolled"]
    drawing = cast(dict[str, Any], view.answer({"ask": "layout", "folded": [], "rounds": "folded"}))
    assert [frame["label"] for frame in drawing["frames"]] == ["repeat i < 100"]
    for form in ("svg", "tikz", "dot", "text"):
        assert "repeat" in str(view.answer({"ask": "export", "as": form, "folded": [], "rounds": "once"})["text"])
    with pytest.raises(Unanswerable, match="once, folded, unrolled"):
        view.answer({"ask": "layout", "folded": [], "rounds": "twice"})


@pytest.mark.parametrize(("option", "text"), [("--folded ", "repeat i < 100"), ("--unrolled ", "… 97 rounds …"), ("", "tanh")])
def test_the_directive_says_how_rounds_are_drawn_at_first(option: str, text: str) -> None:
    made = last(f"%diagram {option}{LOOP}")
    assert isinstance(made, DiagramMade)
    opening = cast(dict[str, Any], DiagramView(made).opening())
    assert any(text in box["label"] for box in opening["drawing"]["boxes"])
