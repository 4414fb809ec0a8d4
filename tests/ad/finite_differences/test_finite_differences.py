"""Central differences: gradients and counts."""

import math

import pytest

from rh_kernel.ad.registry import system
from tests.ad.programs import program


def test_the_program_is_run_twice_for_each_number_and_once_more() -> None:
    """2n + 1 runs; quotients and products with the cotangent count."""
    f = program("fun f(x : Real, ys : Real(3)) : Real = x * sum(ys)")
    reverse = system("finite-differences").reverse
    assert reverse is not None
    found = reverse(f, (2.0, (1.0, 2.0, 3.0)), 1.0)
    assert dict(found.counters) == {"runs of f": 9}
    assert found.primal == 3
    assert found.derivative == 9 * 3 + 4 * (2 * 1 + 2)
    (dx, dys) = found.gradient
    assert dx == pytest.approx(6)
    assert dys == pytest.approx((2, 2, 2))


def test_a_cotangent_weighs_the_results() -> None:
    """``⟨W, f(V)⟩`` for a result of several numbers."""
    f = program("fun f(x : Real) : Real * Real(2) = (sin(x), [x * x, 3])")
    reverse = system("finite-differences").reverse
    assert reverse is not None
    (slope,) = reverse(f, (0.5,), (2.0, (10.0, 5.0))).gradient
    assert slope == pytest.approx(2 * math.cos(0.5) + 10)
