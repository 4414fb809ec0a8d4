"""The paper's theorems as laws of random programs; bounds have the constants that were measured, and some slack."""

import math
from collections.abc import Iterator

import pytest
from hypothesis import assume, given

from rh_kernel.ad.language.evaluation import run
from rh_kernel.ad.linear_negation import jvp, reverse
from rh_kernel.ad.linear_negation.binding import names
from rh_kernel.ad.linear_negation.calculus import LinearLambda, R, block
from rh_kernel.ad.linear_negation.denotation import Meaning, called, flat, meaning
from rh_kernel.ad.linear_negation.evaluation import at, evaluate
from rh_kernel.ad.linear_negation.extraction import extract
from rh_kernel.ad.linear_negation.gradient import gradient
from rh_kernel.ad.linear_negation.names import NameSupply
from rh_kernel.ad.linear_negation.rules import BETA_ONLY, EARLIEST, NO_FACTORING, Rule
from rh_kernel.ad.linear_negation.source import Source, translate
from tests.ad.programs import FIRST_ORDER, HIGHER_ORDER, Fragment, Sample, finite_differences, programs
from tests.ad.programs import flat as numbers
from tests.tiers import law

ALL = Fragment(functions=True, conditionals=True, arrays=True, folds=True, fuel=16)
TIMES = law(120)


@given(programs(HIGHER_ORDER))
@TIMES
def test_p8_corollary_16(sample: Sample):
    """The gradient, in O(m + |G|) steps."""
    source = translate(sample.program)
    point = numbers(sample.point)
    found = gradient(source, point, numbers(sample.cotangent))
    assert found.value == pytest.approx(numbers(run(sample.program, sample.point)))
    expected = finite_differences(sample.program, sample.point, sample.cotangent)
    assert found.gradient == pytest.approx(expected, rel=1e-4, abs=1e-5)
    extracted = extract(source)
    outputs = len(extracted.results)
    assert found.steps <= 13 * (extracted.steps + extracted.size + len(point) + outputs)


@given(programs(HIGHER_ORDER, scalar=True))
@TIMES
def test_p9_injections(sample: Sample):
    """The same gradient as a tuple, with O(n #J) steps more."""
    source = translate(sample.program)
    point, w = numbers(sample.point), numbers(sample.cotangent)
    by_tags, by_tuples = gradient(source, point, w), gradient(source, point, w, injections=True)
    assert by_tuples.gradient == pytest.approx(by_tags.gradient)
    extracted = extract(source)
    assert by_tuples.steps <= 13 * (extracted.steps + extracted.size + max(len(point), 1) ** 2 + 1)


@given(programs(FIRST_ORDER, scalar=True))
@law(100)
def test_p10_corollary_9(sample: Sample):
    """The numbers do not depend on the strategy."""
    source = translate(sample.program)
    point, w = numbers(sample.point), numbers(sample.cotangent)
    expected = gradient(source, point, w)
    assume(expected.steps < 800)
    for strategy in (BETA_ONLY, NO_FACTORING, EARLIEST):
        found = gradient(source, point, w, strategy=strategy)
        assert found.value == expected.value
        assert found.gradient == pytest.approx(expected.gradient)


def _meaning(source: Source, point: tuple[float, ...]) -> Meaning:
    """``⟦D(t)⟧`` where input i has the backpropagator that multiplies by i + 1."""
    stream: Iterator[tuple[int, float]] = iter(enumerate(point))
    environment: dict[str, Meaning] = {}
    for x, _ in source.inputs:
        i, r = next(stream)
        environment[x] = r, lambda V, i=i: flat(V)[0] * (i + 1)
    return meaning(reverse.transform(source.term, NameSupply({*names(source.term), *environment})), environment)


@given(programs(HIGHER_ORDER, scalar=True))
@TIMES
def test_p13_backpropagators_are_linear(sample: Sample):
    source = translate(sample.program)
    assume(all(A == R for _, A in source.inputs))
    found = _meaning(source, numbers(sample.point))
    assert isinstance(found, tuple)

    def back(r: float) -> float:
        return flat(called(found[1], r))[0]

    assert back(0.5 + 0.75) == pytest.approx(back(0.5) + back(0.75), rel=1e-9, abs=1e-9)
    assert back(3 * 0.5) == pytest.approx(3 * back(0.5), rel=1e-9, abs=1e-9)
    weights = [i + 1 for i in range(len(sample.point))]
    slopes = gradient(source, numbers(sample.point)).gradient
    assert back(1.0) == pytest.approx(sum(w * g for w, g in zip(weights, slopes, strict=True)), rel=1e-9, abs=1e-9)


@given(programs(ALL))
@TIMES
def test_p14_proposition_1(sample: Sample):
    """F along a tangent is the gradient times the tangent, in steps linear in those of evaluation."""
    source = translate(sample.program)
    point = numbers(sample.point)
    tangent = [0.5 - i / 4 for i in range(len(point))]
    ahead = jvp.push(source, point, tangent)
    back = gradient(source, point, numbers(sample.cotangent))
    forwards = sum(w * s for w, s in zip(numbers(sample.cotangent), ahead.tangent, strict=True))
    backwards = sum(g * s for g, s in zip(back.gradient, tangent, strict=True))
    assert forwards == pytest.approx(backwards, rel=1e-9, abs=1e-9)
    assert ahead.value == back.value


@given(programs(HIGHER_ORDER, scalar=True))
@TIMES
def test_p15_cheap_gradients(sample: Sample):
    """Arithmetic of the reverse run is at most four times that of evaluation."""
    source = translate(sample.program)
    if all(A == R for _, A in source.inputs):
        t = at(source.term, [x for x, _ in source.inputs], numbers(sample.point))
        primal = sum(n for rule, n in evaluate(t).rules.items() if rule in (Rule.SUM, Rule.PRODUCT, Rule.FUNCTION))
        found = gradient(source, numbers(sample.point), numbers(sample.cotangent)).rules
        assert sum(found[rule] for rule in (Rule.SUM, Rule.PRODUCT, Rule.FUNCTION)) <= 4 * primal


@given(programs(ALL))
@TIMES
def test_p17_open_programs_become_graphs(sample: Sample):
    """At the point, all conditionals are decided; the graph has the value of the program."""
    source = translate(sample.program)
    point = numbers(sample.point)
    extracted = extract(source, point)
    found = [evaluate(at(block(extracted.stack, t), extracted.inputs, point)).numbers[0] for t in extracted.results]
    assert found == pytest.approx(list(numbers(run(sample.program, sample.point))))
    assert not any(isinstance(b.bound, LinearLambda) for b in extracted.stack)
    assert all(map(math.isfinite, found))
