"""F6, P11 and P14: the evaluators by abstract linear functions and by linear terms agree."""

import pytest
from hypothesis import given

from rh_kernel.ad.chad.execution import derivative, jvp, vjp
from rh_kernel.ad.chad.target.types import NUMBER, Mode
from rh_kernel.ad.chad.values import Bag, Counters
from rh_kernel.ad.language.scalars import quietly
from tests.ad.chad.abstraction import Abstraction, LFun, LinearFunctions
from tests.ad.chad.oracles import ORACLES, Oracle
from tests.ad.chad.test_oracles import close
from tests.ad.programs import EVERYTHING, Sample, flat, programs
from tests.tiers import law


def check(mode: Mode, sample: Sample | Oracle) -> None:
    """Compare the values, and the cotangents or tangents, of both evaluators."""
    f, point = sample.program, sample.point
    t = derivative("chad", f, mode)
    direction = sample.cotangent if mode is Mode.REVERSE else point
    gamma = dict(zip((x for x, _ in f.parameters), point, strict=True))
    with quietly():
        value, linear = Abstraction(Counters()).value(t, gamma)
        found = linear(direction)
    assert isinstance(linear, LFun)
    if mode is Mode.REVERSE:
        result = vjp(f, point, sample.cotangent, t)
        assert flat(value) == flat(result.value)
        assert close(flat(found), flat(result.gradient), 1e-9)
    else:
        result = jvp(f, point, point, t)
        assert flat(value) == flat(result.value)
        assert close(flat(found), flat(result.tangent), 1e-9)


@pytest.mark.parametrize("oracle", ORACLES, ids=lambda o: o.name)
@pytest.mark.parametrize("mode", Mode)
def test_p11_the_translation_of_the_oracles(mode: Mode, oracle: Oracle) -> None:
    """``tᵀ`` is t as a function, on every program of the digest."""
    check(mode, oracle)


@law(60)
@given(programs(EVERYTHING))
def test_p11_the_translation(sample: Sample) -> None:
    """``tᵀ`` is t as a function, on random programs of the whole language."""
    for mode in Mode:
        check(mode, sample)


def test_p14_the_order_of_the_list_is_not_observable() -> None:
    """``lcopowfold`` of a permutation, of merged keys and of an empty copower; after ``{(x, −)}`` it is the function at x."""
    linear = LinearFunctions(Counters())
    times = linear.fold(NUMBER, lambda x: linear.operation(lambda v: x * v))
    assert times(Bag(((2.0, 1.0), (3.0, -2.0)))) == times(Bag(((3.0, -2.0), (2.0, 1.0)))) == -4.0
    assert times(Bag(((2.0, 1.0), (2.0, 0.5)))) == times(Bag(((2.0, 1.5),))) == 3.0
    assert times(Bag(())) == 0.0
    assert linear.then(linear.single(2.0), times)(1.5) == 3.0


def test_the_laws_of_the_interface() -> None:
    """``lid`` is neutral, ``lswap`` and ``leval`` are inverse to each other, ``lpair`` has its components."""
    linear = LinearFunctions(Counters())
    double, triple = linear.operation(lambda v: 2 * v), linear.operation(lambda v: 3 * v)
    for f in (linear.then(linear.identity(), double), linear.then(double, linear.identity()), double):
        assert f(1.5) == 3.0
    assert linear.then(linear.pair([double, triple]), linear.component(2))(1.0) == 3.0
    assert linear.then(linear.swap(lambda x: linear.operation(lambda v: x * v)), linear.evaluation(4.0))(0.5) == 2.0
    assert linear.plus(double, triple)(1.0) == 5.0
    assert linear.plus(double, linear.zero(NUMBER))(1.0) == 2.0
