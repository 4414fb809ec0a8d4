"""Plans on NumPy do what the words of ``arrays.plan`` say, step by step and drawn at random."""

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rh_kernel.arrays.numpy_plan import NumPy
from tests.arrays.plans import STEPS, ByDefinition, plans


@pytest.mark.parametrize("kind", STEPS)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
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
