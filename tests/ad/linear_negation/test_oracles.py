"""The oracles O1 to O21 of the worked examples: values and gradients are absolute, lengths are those of strategy S."""

import pytest

from rh_kernel.ad.linear_negation import jvp
from rh_kernel.ad.linear_negation.binding import names, size
from rh_kernel.ad.linear_negation.calculus import Bang, Num, R, block
from rh_kernel.ad.linear_negation.evaluation import at, evaluate
from rh_kernel.ad.linear_negation.extraction import extract
from rh_kernel.ad.linear_negation.gradient import gradient
from rh_kernel.ad.linear_negation.ground import bp, let_form
from rh_kernel.ad.linear_negation.names import NameSupply
from rh_kernel.ad.linear_negation.rules import ARITHMETIC, BETA_ONLY, EARLIEST, NO_ETA, NO_FACTORING, Rule, Strategy
from tests.ad.linear_negation.examples import ORACLES, Oracle
from tests.ad.linear_negation.type_system import check

EACH = pytest.mark.parametrize("o", ORACLES, ids=[o.name for o in ORACLES])


@EACH
def test_size_and_type(o: Oracle):
    assert size(o.term) == o.size
    assert check(o.term, dict.fromkeys(o.inputs, R)) == R


@EACH
def test_evaluation(o: Oracle):
    found = evaluate(at(o.term, o.inputs, o.point))
    assert found.numbers == pytest.approx((o.value,), rel=6e-6)
    assert found.steps == o.evaluation
    assert sum(found.rules[rule] for rule in ARITHMETIC) == o.arithmetic[1]


@EACH
def test_corollary_16_by_tags(o: Oracle):
    found = gradient(o.source, o.point)
    assert found.value == pytest.approx((o.value,), rel=6e-6)
    assert found.gradient == pytest.approx(o.gradient, rel=6e-6)
    assert (found.forward, found.backward, found.garbage) == o.parts
    assert found.steps == o.steps
    assert found.rules[Rule.FACTOR] == o.factorings
    assert sum(found.rules[rule] for rule in ARITHMETIC) == o.arithmetic[0]


@EACH
def test_corollary_16_by_injections(o: Oracle):
    found = gradient(o.source, o.point, injections=True)
    assert found.gradient == pytest.approx(o.gradient, rel=6e-6)
    assert found.steps == o.injections


@EACH
def test_extraction(o: Oracle):
    found = extract(o.source)
    assert (found.steps, found.size) == (o.m, o.ground)


@EACH
def test_first_order_backpropagation(o: Oracle):
    """Prop. 12: the value and the gradient, by (9)n, (10), (12), (14) and (23) alone."""
    G = extract(o.source).term
    supply = NameSupply({*names(G), *o.inputs})
    a = supply.fresh("a")
    t = bp(let_form(G, supply), o.inputs, a, supply).term(o.inputs)
    found = evaluate(at(block((Bang(a, R, Num(1.0)),), t), o.inputs, o.point))
    assert found.numbers == pytest.approx((o.value, *o.gradient), rel=6e-6)
    assert found.steps == o.bp
    allowed = {Rule.COPY_NUMERAL, Rule.COLLECT, Rule.SUM, Rule.PRODUCT, Rule.FUNCTION}
    assert {rule for rule, n in found.rules.items() if n} <= allowed


@EACH
def test_forward(o: Oracle):
    for j, slope in enumerate(o.gradient):
        found = jvp.push(o.source, o.point, [float(i == j) for i in range(len(o.inputs))])
        assert found.value == pytest.approx((o.value,), rel=6e-6)
        assert found.tangent == pytest.approx((slope,), rel=6e-6)
        assert found.steps == o.forward


@EACH
def test_beta_alone(o: Oracle):
    found = gradient(o.source, o.point, strategy=BETA_ONLY)
    assert found.gradient == pytest.approx(o.gradient, rel=6e-6)
    assert found.steps == o.beta
    assert not found.rules[Rule.FACTOR]
    assert not found.rules[Rule.ETA_PAIR]


@EACH
@pytest.mark.parametrize("strategy", [NO_FACTORING, NO_ETA, EARLIEST], ids=["no (17)", "no (16)", "earliest"])
def test_every_strategy_finds_the_same_gradient(o: Oracle, strategy: Strategy):
    found = gradient(o.source, o.point, strategy=strategy)
    assert found.gradient == pytest.approx(o.gradient, rel=6e-6)
