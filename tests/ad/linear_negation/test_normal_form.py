"""Theorem 15: the normal form of ``D(t)`` is ``bp(G)``, in O(m + |G|) steps."""

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given

from rh_kernel.ad.linear_negation.binding import names
from rh_kernel.ad.linear_negation.calculus import Negation, R, Times
from rh_kernel.ad.linear_negation.extraction import extract
from rh_kernel.ad.linear_negation.ground import bp, let_form
from rh_kernel.ad.linear_negation.names import NameSupply
from rh_kernel.ad.linear_negation.normal_form import normalize
from rh_kernel.ad.linear_negation.printing import document
from rh_kernel.ad.linear_negation.reduction import Reduction
from rh_kernel.ad.linear_negation.rules import EARLIEST, NO_FACTORING, Rule, S, Strategy
from rh_kernel.ad.linear_negation.source import Source, translate
from rh_kernel.syntax.printing.doc import plain
from tests.ad.linear_negation.canonical import Canon
from tests.ad.linear_negation.examples import ORACLES, Oracle
from tests.ad.linear_negation.type_system import check
from tests.ad.programs import FIRST_ORDER, HIGHER_ORDER, Sample, programs
from tests.tiers import law

BY_NAME = {o.name: o for o in ORACLES}
EACH = pytest.mark.parametrize("o", ORACLES, ids=BY_NAME)


def agrees(source: Source, strategy: Strategy = S) -> bool:
    """Whether ``G0`` and all ``Gj`` of the normal form are those of ``bp`` of an extracted graph."""
    extracted = extract(source)
    G = extracted.term
    supply = NameSupply({*names(G), *extracted.inputs})
    a = supply.fresh("a")
    canon = Canon()
    backward = bp(let_form(G, supply), extracted.inputs, a, supply)
    return canon.symbolic(normalize(source, strategy)) == canon.backward(backward, extracted.inputs, a)


@EACH
def test_p7_the_normal_form_is_bp(o: Oracle):
    assert agrees(o.source)


@given(programs(HIGHER_ORDER, scalar=True))
@law(300)
def test_p7_of_random_programs(sample: Sample):
    assert agrees(translate(sample.program))


@given(programs(FIRST_ORDER, scalar=True))
@law(60)
def test_p7_in_another_order(sample: Sample):
    """The order is one of cost alone: the other normal forms are typed, and have the same value."""
    source = translate(sample.program)
    canon = Canon()
    for strategy in (EARLIEST, NO_FACTORING):
        found = normalize(source, strategy)
        assert check(found.term, found.opened.types) == Times(R, Negation())
        assert canon.symbolic(found)[0] == canon.symbolic(normalize(source))[0]


@EACH
def test_p6_steps_are_simulated(o: Oracle):
    """Lemma 13: a step of the source changes neither the normal form of D, nor its length by more than a constant."""
    canon = Canon()
    reduction = Reduction(o.term, dict.fromkeys(o.inputs, R))
    start = normalize(o.source)
    lengths = [len(start.events)]
    for part in (reduction.evaluate(), reduction.collect()):
        for _ in part:
            found = normalize(Source(o.source.inputs, reduction.term, R))
            assert canon.symbolic(found) == canon.symbolic(start)
            lengths.append(len(found.events))
    assert len(lengths) == o.m + 1
    assert all(abs(after - before) <= 8 for before, after in pairwise(lengths))


@EACH
def test_p7_length(o: Oracle):
    """``O(m + |G|)``, with the constant that was measured on graphs."""
    assert len(normalize(o.source).events) <= 12 * (o.m + o.ground + len(o.inputs))


@EACH
def test_the_normal_form_is_typed(o: Oracle):
    """It is, in the repaired system; with the table's rule for ``let°`` it would not be for O11."""
    found = normalize(o.source)
    assert check(found.term, found.opened.types) == Times(R, Negation())


@pytest.mark.parametrize(
    ("name", "steps", "factorings", "text"),
    [
        (
            "O1", 67, 1,
            "⟨z, λ°a₅. (y₂′(a₉) + x₂′(a₁₀))[a₁₀° := 1 · a₈][a₉° := −1 · a₈][a₈° := z1₃ · a₇ + z1₃ · a₇][a₇° := cos(z2₂) · a₅]⟩"
            "[z := sin(z2₂)][z2₂ := z1₃ · z1₃][z1₃ := x₂ − y₂]",
        ),
        (
            "O3", 57, 1,
            "⟨z₂, λ°a₅. (y₂′(a₉) + x₃′(a₁₀))[a₁₀° := y₂ · a₅ + cos(x₃) · a₅][a₉° := x₃ · a₅]⟩"
            "[z₂ := z + z₁][z := x₃ · y₂][z₁ := sin(x₃)]",
        ),
        (
            "O6", 61, 2,
            "⟨z, λ°a₂. x₁′(a₇)[a₇° := x₁ · a₆ + x₁ · a₆][a₆° := q₉ · a₂ + q₉ · a₂]⟩[z := q₉ · q₉][q₉ := x₁ · x₁]",
        ),
    ],
    ids=["Fig. 1", "N8", "N9"],
)  # fmt: skip
def test_worked_normal_forms(name: str, steps: int, factorings: int, text: str):
    found = normalize(BY_NAME[name].source)
    rules = Counter(event.rule for event in found.events)
    assert len(found.events) == steps
    assert rules[Rule.FACTOR] == factorings
    assert plain(document(found.term), 1000) == text


def test_canonical_values_tell_terms_apart():
    canon = Canon()
    values = {o.name: canon.symbolic(normalize(o.source)) for o in ORACLES if len(o.inputs) == 2}
    assert values["O8"] == values["O8b"]
    distinct = [v for name, v in values.items() if name != "O8b"]
    assert all(first != second for i, first in enumerate(distinct) for second in distinct[:i])
