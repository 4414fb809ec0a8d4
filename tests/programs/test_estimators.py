"""One program under three handlers estimates one gradient (LANGUAGE §9): dropout, reparametrisation, score function."""

import numpy as np
import pytest

from tests.benchmarks.estimators import GRADIENT, HANDLERS, estimate
from tests.laws.readings import assert_close


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("handler", HANDLERS)
def test_the_mean_is_the_gradient_within_three_standard_errors(handler: str, seed: int) -> None:
    found = estimate(handler, 20_000, seed)
    assert np.all(abs(found.mean - GRADIENT) < 3 * found.error)
    assert np.all(found.error < 0.25)


def test_the_score_function_has_the_largest_variance() -> None:
    dropout, reparametrised, score = [estimate(handler, 20_000, 1).variance for handler in HANDLERS]
    assert np.all(score > 4 * reparametrised)
    assert np.all(score > 4 * dropout)


def test_the_variance_of_dropout_is_that_by_hand() -> None:
    """The gradient is ``2 (x k − c) k`` with k = 1.25 in four of five cases, else 0."""
    k = np.array([1.25, 0.0])[:, None]
    values, share = 2 * (np.array([3.0, 1.0]) * k - np.array([1.0, 2.0])) * k, np.array([0.8, 0.2])
    mean = share @ values
    assert_close([mean], [GRADIENT])
    found = estimate("dropout", 20_000, 1).variance
    np.testing.assert_allclose(found, share @ (values - mean) ** 2, rtol=0.05)


@pytest.mark.parametrize("handler", HANDLERS)
def test_the_three_evaluators_estimate_the_same(handler: str) -> None:
    compiled, stepped, denoted = [estimate(handler, 3, 1, evaluator) for evaluator in ("compiled", "stepped", "denoted")]
    for other in (stepped, denoted):
        assert_close([other.mean, other.variance], [compiled.mean, compiled.variance])
