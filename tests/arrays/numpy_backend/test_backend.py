"""Plans on NumPy do what the words of ``loops.ir`` say, step by step and drawn at random."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.arrays.numpy_backend.arrays import Arrays
from rh_kernel.arrays.numpy_backend.backend import NumPy
from rh_kernel.loops import scalars
from rh_kernel.loops.ir import Input, Instruction, Kept, Map, Number, Plan, Precision, Store, View
from rh_kernel.loops.scalars import ScalarOp
from tests.arrays.plans import STEPS, ByDefinition, plans
from tests.tiers import law


@pytest.mark.parametrize("kind", STEPS)
@law(60)
@given(st.data())
def test_each_kind_of_step_does_what_its_definition_says(kind: str, data: st.DataObject) -> None:
    plan = data.draw(plans(kind))
    runner, expected = NumPy().runner(plan, {}), ByDefinition(plan, {})
    for _ in range(2):
        runner.step()
        expected.step()
    compare(runner.result(), expected.result(), 1e-9 if plan.precision == "float64" else 1e-3)


def compare(found: Any, expected: Any, tolerance: float) -> None:
    if isinstance(found, tuple):
        for x, y in zip(found, expected, strict=True):
            compare(x, y, tolerance)
    else:
        size = 1 + np.abs(expected[np.isfinite(expected)]).max(initial=0)
        np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance * size)


def test_the_step_of_a_difference_is_a_comparison() -> None:
    """``step(x − y)`` is 1 where x > y: not where one is not a number, nor where both are one infinity."""
    x = np.array([1.0, 2.0, np.nan, 1.0, np.inf, np.inf, 0.0])
    y = np.array([2.0, 1.0, 1.0, np.nan, np.inf, 1.0, 0.0])
    whole = [View(k, 0, (7,), (1,)) for k in range(3)]
    body = (Instruction(scalars.SUB, (0, 1)), Instruction(scalars.STEP, (2,)))
    step = Map((7,), (whole[0], whole[1]), body, (Store(whole[2], 3),))
    plan = Plan("float64", None, (), (Kept(x), Kept(y), Kept(np.zeros(7))), 0, (step,), whole[2], ())
    runner = NumPy().runner(plan, {})
    runner.step()
    assert np.asarray(runner.result()).tolist() == [0, 1, 0, 0, 0, 1, 0]


@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize("function", [scalars.NEG, scalars.SIGMOID])
def test_what_lies_apart_is_negated_where_it_lies(precision: Precision, function: ScalarOp) -> None:
    """NumPy 2.4 takes the second and third entry in place of the fifth and ninth on processors with AVX-512."""
    x = np.random.default_rng(0).normal(size=200)
    for stride, apart in ((4, 2), (4, 4), (8, 2), (8, 8), (3, 5)):
        n = 200 // max(stride, apart)
        source, target = View(0, 0, (n,), (stride,)), View(1, 0, (n,), (apart,))
        step = Map((n,), (source,), (Instruction(function, (0,)),), (Store(target, 1),))
        plan = Plan(precision, None, (), (Kept(x), Kept(np.zeros(200))), 0, (step,), target, ())
        runner = NumPy().runner(plan, {})
        runner.step()
        there = x[::stride][:n]
        np.testing.assert_allclose(runner.result(), -there if function is scalars.NEG else 1 / (1 + np.exp(-there)), rtol=1e-6)


def test_nought_and_negative_nought_are_two_numbers() -> None:
    numbers = (Number(1.0), Number(0.0), Number(-0.0), Instruction(scalars.DIV, (0, 1)), Instruction(scalars.DIV, (0, 2)))
    y, z = [View(k, 0, (1,), (1,)) for k in range(2)]
    plan = Plan(
        "float64",
        None,
        (),
        (Kept(np.ones(1)), Kept(np.ones(1))),
        0,
        (Map((1,), (), numbers, (Store(y, 3), Store(z, 4))),),
        (y, z),
        (),
    )
    runner = NumPy().runner(plan, {})
    runner.step()
    assert [np.asarray(found).tolist() for found in runner.result()] == [[np.inf], [-np.inf]]


def test_a_run_is_given_the_inputs_of_the_plan_and_no_others() -> None:
    x, y = [View(k, 0, (2,), (1,)) for k in range(2)]
    copied = Map((2,), (x,), (), (Store(y, 0),))
    runner = NumPy().runner(Plan("float64", None, ((2,),), (Input(0, 2), Kept(np.zeros(2))), 0, (copied,), y, ()), {})
    runner.step(np.array([1.0, 2.0]))
    for wrong in ((), (np.zeros(2), np.zeros(2)), (np.zeros(1),), (np.zeros(2, np.float32),)):
        with pytest.raises(ValueError, match="input"):
            runner.step(*wrong)
    assert np.asarray(runner.result()).tolist() == [1, 2]


@given(st.lists(st.lists(st.integers(0, 9), max_size=5), max_size=6))
def test_scratch_arrays_of_a_step_are_disjoint_and_reused_by_the_next_step(steps: list[list[int]]) -> None:
    """If the step that needs most comes first, the pool is no larger than that step needs."""
    arrays = Arrays([], np.dtype(np.float64))
    steps = [sorted(step, reverse=True) for step in steps]
    most = [max((step[i] for step in steps if len(step) > i), default=0) for i in range(5)]
    for step in [most, *steps]:
        arrays.begin()
        taken = [arrays.scratch((n,)) for n in step]
        for i, array in enumerate(taken):
            assert not any(np.shares_memory(array, other) for other in taken[:i])
    assert sum(array.size for array in arrays.pool) == sum(most)
