"""The live view of a derivation: its opening, its answers, and that they agree with the derivation."""

import json
from typing import Any, cast

import pytest
from hypothesis import given

from rh_kernel.display.data import Record
from rh_kernel.display.derivations.proof_tree import Proof, proof_tree
from rh_kernel.display.derivations.text import one_line
from rh_kernel.display.live.derivations import FIRST, MOST, DerivationView
from rh_kernel.display.live.view import Unanswerable
from rh_kernel.session.results import DerivationMade
from rh_kernel.typing.derivation.derivations import Derivation
from rh_kernel.typing.derivation.derive import derive_command
from rh_kernel.typing.derivation.rules import TypingRule
from tests.display.pages import PASS, shown
from tests.display.test_derivation import derived, tower
from tests.strategies_of_commands import Program, programs
from tests.tiers import law

VIEW = DerivationView(derived(PASS))
EVERYTHING = 1_000_000


def told(record: Record) -> dict[str, Any]:
    """A round trip through JSON."""
    return cast(dict[str, Any], json.loads(json.dumps(record, allow_nan=False)))


def opened(view: DerivationView) -> dict[int, dict[str, Any]]:
    """Every judgment, fetched from the root on, so that some arrive late."""
    nodes = {node["id"]: node for node in told(view.opening())["trees"][0]["nodes"]}
    pending = [0]
    while pending:
        here = pending.pop()
        if not all(premise in nodes for premise in nodes[here]["premises"]):
            answer = told(view.answer({"ask": "open", "node": here, "levels": 1}))
            nodes |= {node["id"]: node for node in answer["nodes"]}
        pending += nodes[here]["premises"]
    return nodes


def line(node: dict[str, Any]) -> str:
    return node["left"] + " ".join("".join([text for text, _, _ in node["subject"]]).split()) + node["right"]


def test_the_opening_is_next_to_the_root() -> None:
    opening = told(VIEW.opening())
    (tree,) = opening["trees"]
    assert tree["nodes"][0]["rule"] == "T-RHANDLE"
    assert tree["nodes"][0]["above"] + 1 == tree["size"]
    assert len(tree["nodes"]) <= FIRST
    assert tree["measures"].startswith("depth 1")
    assert [name for name, _ in tree["names"]][-1] == "sgd(0.1, t)"


@law(30)
@given(programs(fuel=4))
def test_it_is_the_derivation_whatever_was_asked_first(P: Program) -> None:
    d = derive_command((), (), P.command)
    nodes = opened(DerivationView(DerivationMade("P", (d,))))
    pending: list[tuple[int, Derivation]] = [(0, d)]
    met = 0
    while pending:
        number, part = pending.pop()
        node = nodes[number]
        met += 1
        assert node["rule"] == part.rule.value
        assert len(node["premises"]) == len(part.premises)
        assert node["above"] == sum(nodes[m]["above"] + 1 for m in node["premises"])
        pending += zip(node["premises"], part.premises, strict=True)
    assert met == len(nodes) == nodes[0]["above"] + 1


def test_the_judgments_are_those_of_the_page_without_scripts() -> None:
    d = derived(PASS).derivations[0]
    nodes = opened(VIEW)
    pending: list[tuple[int, Proof]] = [(0, proof_tree(d, EVERYTHING, EVERYTHING).root)]
    while pending:
        number, proof = pending.pop()
        # The names of contexts are given in another order.
        assert nodes[number]["right"] == proof.judgment.right
        assert nodes[number]["rule"] == proof.rule.value
        if "Δ" not in one_line(proof) and "⋮" not in line(nodes[number]):
            assert line(nodes[number]) == one_line(proof)
        pending += zip(nodes[number]["premises"], proof.premises, strict=True)


def test_what_has_been_told_is_told_alike_again() -> None:
    view = DerivationView(derived("sgd"))
    first = opened(view)
    again = told(view.answer({"ask": "open", "node": 0, "levels": 1000}))["nodes"]
    assert {node["id"]: node for node in again} == first


@pytest.mark.slow
@pytest.mark.essential
def test_a_high_derivation_is_told_in_parts() -> None:
    view = DerivationView(DerivationMade("P", (derive_command((), (), tower(3000)),)))
    opening = told(view.opening())
    assert len(opening["trees"][0]["nodes"]) <= FIRST
    assert opening["trees"][0]["size"] > 5000
    top = max(node["id"] for node in opening["trees"][0]["nodes"])
    assert len(told(view.answer({"ask": "open", "node": top, "levels": EVERYTHING}))["nodes"]) <= MOST
    last = opening["trees"][0]["size"] - 1
    assert "⊢" in told(view.answer({"ask": "judgment", "node": last}))["text"]


def test_every_rule_says_what_it_is() -> None:
    for rule in TypingRule:
        stated = told(VIEW.answer({"ask": "rule", "name": rule.value}))
        assert "⊢" in stated["conclusion"]
        assert all("⊢" in premise or premise == "…" for premise in stated["premises"])
        assert stated["gloss"]
    assert told(VIEW.opening())["rules"].keys() == {rule.value for rule in TypingRule}


def test_the_schemas_have_as_many_premises_as_the_rules() -> None:
    several = {TypingRule.T_TUPLE, TypingRule.T_RHANDLER, TypingRule.T_HANDLER}
    for node in opened(VIEW).values():
        rule = TypingRule(node["rule"])
        if rule not in several:
            stated = told(VIEW.answer({"ask": "rule", "name": rule.value}))
            assert len(stated["premises"]) == len(node["premises"])


def test_a_function_with_its_own_derivative_has_two_trees() -> None:
    text = "fun ste(x : Real(n)) = round(x) with rd(w, x) = w\n%derivation ste"
    view = DerivationView(derived_last(text))
    opening = told(view.opening())
    assert len(opening["trees"]) == 2
    for tree in (0, 1):
        found = told(view.answer({"ask": "open", "tree": tree, "node": 0}))
        assert found["nodes"][0] == opening["trees"][tree]["nodes"][0]


def derived_last(text: str) -> DerivationMade:
    return [result for result in shown(text) if isinstance(result, DerivationMade)][-1]


@pytest.mark.parametrize(
    "question",
    [
        {},
        {"ask": "prove"},
        {"ask": "open"},
        {"ask": "open", "node": -1},
        {"ask": "open", "node": 10_000},
        {"ask": "open", "node": "0"},
        {"ask": "open", "node": 0, "tree": 1},
        {"ask": "open", "node": 0, "levels": 0},
        {"ask": "judgment", "node": 0.5},
        {"ask": "rule", "name": "T-NOTHING"},
        {"ask": "export", "as": "pdf"},
    ],
)
def test_a_question_that_makes_no_sense_is_refused(question: Record) -> None:
    with pytest.raises(Unanswerable):
        VIEW.answer(question)


def test_the_derivation_is_saved_as_text_and_as_a_document() -> None:
    text = told(VIEW.answer({"ask": "export", "as": "text"}))["text"]
    assert "T-RHANDLE" in text
    latex = told(VIEW.answer({"ask": "export", "as": "latex"}))["text"]
    assert latex.startswith("\\documentclass")
    assert latex.count("\\DisplayProof") >= 1
    assert latex.count("{") == latex.count("}")
