"""Native steps = the definition of a plan, for every kind of step, both precisions, and numbers that are none."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import Phase, given
from hypothesis import strategies as st

from rh_kernel.arrays.backend import Arrays
from rh_kernel.arrays.native import Native, available, schedule
from rh_kernel.arrays.native.axes import Axis
from rh_kernel.arrays.native.schedule import Machine, Schedule
from rh_kernel.loops.ir import Plan, Precision
from rh_kernel.syntax.core import Array
from tests.arrays.native import plans
from tests.arrays.plans import interpret
from tests.tiers import law

pytestmark = pytest.mark.skipif(not available(), reason="there is no C compiler")
CLOSE: dict[Precision, float] = {"float64": 1e-9, "float32": 2e-3}
WHOLE = [Phase.explicit, Phase.reuse, Phase.generate]
"""A plan is drawn by one number, so there is nothing to make smaller."""


def agree(plan: Plan, x: Array) -> None:
    """One run by either gives the same."""
    runner = Native().runner(plan, {})
    runner.step(x)
    expected, _ = interpret(plan, {}, [x])
    compare(runner.result(), expected, CLOSE[plan.precision])


def compare(found: Arrays, expected: Arrays, tolerance: float) -> None:
    """The same trees of the same arrays, but for rounding."""
    if isinstance(found, tuple):
        assert isinstance(expected, tuple)
        for a, b in zip(found, expected, strict=True):
            compare(a, b, tolerance)
    else:
        assert not isinstance(expected, tuple)
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize("kind", [plans.entrywise, plans.between, plans.fold, plans.product, plans.selection, plans.neighbours])
@pytest.mark.usefixtures("walk")
def test_native_steps_do_what_their_definition_says(kind: Callable[[plans.Drawing], None], precision: Precision) -> None:
    @law(6, phases=WHOLE)
    @given(st.data())
    def holds(data: st.DataObject) -> None:
        plan, x = data.draw(plans.plans(kind, precision))
        agree(plan, x)

    holds()


@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize("is_packed", [False, True])
def test_products_with_packed_rows_do_what_their_definition_says(
    is_packed: bool, precision: Precision, monkeypatch: pytest.MonkeyPatch
) -> None:
    cheapest = schedule._schedules
    chosen: list[Schedule] = []

    def with_packed_rows(found: tuple[Axis, ...], machine: Machine) -> list[Schedule]:
        every = list(cheapest(found, machine))
        packed = [s for s in every if s.packed_rows is not None and (s.packed is not None) == is_packed]
        chosen.extend(packed)
        return packed or every

    monkeypatch.setattr(schedule, "MANY", 1)
    monkeypatch.setattr(schedule, "_schedules", with_packed_rows)
    schedule.schedule.cache_clear()

    @law(12, phases=WHOLE)
    @given(st.data())
    def holds(data: st.DataObject) -> None:
        plan, x = data.draw(plans.plans(plans.product, precision))
        agree(plan, x)

    try:
        holds()
    finally:
        schedule.schedule.cache_clear()
    assert chosen
