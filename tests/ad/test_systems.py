"""The agreement matrix: every system against every other and against finite differences, on programs of their fragments."""

import math

import pytest
from hypothesis import given

from rh_kernel.ad.comparison import Refused, Row, compare, distance
from rh_kernel.ad.errors import OutsideFragment
from rh_kernel.ad.language.evaluation import run
from rh_kernel.ad.registry import NAMES, system
from rh_kernel.ad.system import VjpResult
from rh_kernel.operational.errors import OutOfFuel
from tests.ad.examples import EXAMPLES, Example
from tests.ad.programs import (
    ARRAYS,
    EVERYTHING,
    FIRST_ORDER,
    HIGHER_ORDER,
    Fragment,
    Sample,
    finite_differences,
    flat,
    programs,
)
from tests.tiers import law, tried

EXACT = tuple(name for name in NAMES if name != "finite-differences")


def compared(names: tuple[str, ...], sample: Sample | Example) -> tuple[Row, ...]:
    """Return the row of each system."""
    comparison = compare(tuple(map(system, names)), sample.program, sample.point, sample.cotangent)
    while True:
        try:
            next(comparison)
        except StopIteration as end:
            return end.value


def found(names: tuple[str, ...], sample: Sample | Example) -> dict[str, VjpResult]:
    """Return the results; a system that refuses names a construct, or its reduction ran out of fuel."""
    rows = compared(names, sample)
    for row in rows:
        if isinstance(row.outcome, Refused):
            assert all(isinstance(d, OutsideFragment | OutOfFuel) for d in row.outcome.diagnostics)
    return {row.system.name: row.outcome for row in rows if isinstance(row.outcome, VjpResult)}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: e.name)
def test_the_systems_find_the_gradients_of_the_papers_examples(example: Example) -> None:
    """Systems that support the program, among them all in ``must``, find the value and the gradient."""
    outcomes = found(NAMES, example)
    assert set(example.must) <= set(outcomes)
    for name, outcome in outcomes.items():
        tolerance = 1e-5 if name == "finite-differences" else 2e-9
        assert distance(flat(outcome.value), flat(run(example.program, example.point))) <= 1e-12, name
        assert distance(flat(outcome.gradient), example.gradient) <= tolerance, name
        assert 0 <= outcome.primal <= outcome.derivative, name


@pytest.mark.parametrize("fragment", [FIRST_ORDER, HIGHER_ORDER, ARRAYS, EVERYTHING], ids=["first", "higher", "arrays", "all"])
def test_the_systems_agree_on_random_programs(fragment: Fragment) -> None:
    """Each with each, to nine digits, on every program that both support: 300 programs in all."""
    took = dict.fromkeys(NAMES, 0)

    @law(75)
    @given(programs(fragment))
    def agree(sample: Sample) -> None:
        outcomes = found(EXACT, sample)
        for name in outcomes:
            took[name] += 1
        gradients = {name: flat(outcome.gradient) for name, outcome in outcomes.items()}
        whole = {name: g for name, g in gradients.items() if all(map(math.isfinite, g))}
        first, *others = whole.items() or [("", ())]
        for name, gradient in others:
            assert distance(gradient, first[1]) <= 1e-9, f"{name} and {first[0]}"

    agree()
    assert sum(count >= 0.4 * tried(75) for count in took.values()) >= 4, took


@law(75)
@given(programs(HIGHER_ORDER))
def test_the_first_system_agrees_with_finite_differences(sample: Sample) -> None:
    """On smooth programs with functions."""
    (outcome,) = found(("chad",), sample).values()
    expected = finite_differences(sample.program, sample.point, sample.cotangent)
    scale = max([1.0, *map(abs, flat(run(sample.program, sample.point)))])
    assert distance(flat(outcome.gradient), expected) <= 1e-5 * scale


@pytest.mark.parametrize("name", [name for name in EXACT if name != "chad"])
def test_a_system_agrees_with_chad_on_300_programs_of_its_fragment(name: str) -> None:
    """First-order programs, which every system supports."""
    took = 0

    @law(300)
    @given(programs(FIRST_ORDER, scalar=True))
    def agree(sample: Sample) -> None:
        nonlocal took
        outcomes = found(("chad", name), sample)
        if name not in outcomes:
            # Only the reduction of Fig. 6 runs out of fuel, and seldom.
            assert name == "reverse-derivative"
            return
        took += 1
        one, other = (flat(outcomes[system].gradient) for system in ("chad", name))
        if all(map(math.isfinite, one)):
            assert distance(one, other) <= 1e-9

    agree()
    assert took >= 0.95 * tried(300)
