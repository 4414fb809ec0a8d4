"""The texts train the same weights as NumPy written by hand, and the peers that are there train the same as both."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.benchmarks import texts
from tests.benchmarks.peers import c_floor, ours
from tests.benchmarks.peers.by_hand import ByHand
from tests.benchmarks.peers.peer import Unavailable
from tests.benchmarks.problems import (
    ATTENTION,
    CNN,
    GROWTH,
    IMAGES,
    MEASURED,
    TINY,
    TINY_NETS,
    UNET,
    Arrays,
    Dense,
    Problem,
    chain,
    mlp,
    problem,
    residual,
)
from tests.benchmarks.reference import STEPS, TOLERANCE, Disagreement, check, error, nearest, slope, swish, trained
from tests.benchmarks.rounds import Row, ratio
from tests.tiers import law

CHEAP = (
    Problem("W1", mlp(2, 3, 1), 1, 0.5),
    Problem("W1", mlp(16, 32, 8), 32),
    Problem("W2", residual(16, 64), 1, 0.0002),
    Problem("W3", CNN, 32, 0.01),
    Problem("W4", chain(10), 1),
    Problem("W5", UNET, 1, 0.001),
    Problem("W5", UNET, 32, 0.001),
)
"""Of the real shapes, those that take no time."""
EACH = pytest.mark.parametrize("asked", [*TINY, *CHEAP], ids=lambda p: p.key)


@EACH
def test_a_text_trains_what_is_written_by_hand(asked: Problem) -> None:
    arrays = asked.arrays()
    hand = ByHand(asked, arrays, "float64")
    hand.run(STEPS)
    text = ours.InSession(asked, arrays, "float64")
    text.run(STEPS)
    assert error(arrays, hand.weights(), text.weights()) <= TOLERANCE["float64"]


@pytest.mark.parametrize("asked", [*TINY, *CHEAP, *TINY_NETS, *IMAGES, *ATTENTION], ids=lambda p: p.key)
def test_a_step_from_python_is_a_step_of_a_run(asked: Problem) -> None:
    arrays = asked.arrays()
    steps = ours.StepByStep(asked, arrays, "float64")
    steps.run(STEPS)
    assert error(arrays, trained(asked, arrays), steps.weights()) <= TOLERANCE["float64"]


@EACH
@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_numpy_by_hand_is_the_reference(asked: Problem, precision: str) -> None:
    assert precision in TOLERANCE
    arrays = asked.arrays()
    hand = ByHand(asked, arrays, "float64" if precision == "float64" else "float32")
    hand.run(STEPS)
    assert all(w.dtype == precision for w in hand.weights())
    check("NumPy by hand", precision, arrays, trained(asked, arrays), hand.weights())


@pytest.mark.parametrize("asked", TINY, ids=lambda p: p.key)
def test_the_floor_is_the_reference(asked: Problem) -> None:
    arrays = asked.arrays()
    try:
        floor = c_floor.Floor(asked, arrays, "float64")
    except Unavailable as missing:
        pytest.skip(str(missing))
    floor.run(STEPS)
    check("C floor", "float64", arrays, trained(asked, arrays), floor.weights())


@pytest.mark.parametrize("asked", [*TINY, *TINY_NETS], ids=lambda p: p.key)
def test_a_step_goes_down_the_gradient(asked: Problem) -> None:
    """The reference against differences: the movement of each weight is −α times the slope of the mean error."""
    arrays = asked.arrays()
    moved = trained(asked, arrays, 1)
    small = 1e-6
    for i, w in enumerate(arrays.weights):
        at = np.unravel_index(np.argmax(np.abs(moved[i] - w)), w.shape)
        found = (moved[i] - w)[at] / -asked.alpha
        losses: list[float] = []
        for sign in (1.0, -1.0):
            other = [v.copy() for v in arrays.weights]
            other[i][at] += sign * small
            losses.append(_loss(asked, tuple(other)))
        assert found == pytest.approx((losses[0] - losses[1]) / (2 * small), rel=1e-4)


def _loss(asked: Problem, weights: tuple[np.ndarray, ...]) -> float:
    """The mean over the samples of ``½ Σ (y − t)²``, by ``handle model(x) with infer`` after a step of length 0."""
    arrays = asked.arrays()
    opened = ours.Opened(replace(asked, alpha=0.0), Arrays(weights, arrays.x, arrays.t), "float64")
    opened.do(texts.INFER[type(asked.net)])
    return opened.measured("let y <= handle model(x) with infer in return 0.5 * sum(square(y - t))")


def test_names_are_unique() -> None:
    keys = [p.key for p in (*MEASURED, *GROWTH, *TINY, *TINY_NETS)]
    assert len(set(keys)) == len(keys)
    assert all(problem(key).key == key for key in keys)


def test_a_peer_that_is_off_is_named() -> None:
    arrays = TINY[0].arrays()
    expected = trained(TINY[0], arrays)
    wrong = tuple([w + 1e-6 * (v - w) for v, w in zip(arrays.weights, expected, strict=True)])
    check("somebody", "float32", arrays, expected, wrong)
    with pytest.raises(Disagreement, match="somebody"):
        check("somebody", "float64", arrays, expected, wrong)
    with pytest.raises(Disagreement, match="nobody"):
        check("nobody", "float32", arrays, expected, tuple([w * np.nan for w in expected]))


def test_operations_of_the_toy() -> None:
    """2-3-1, one sample: products 6 + 3, 3, 3 + 6, so 21; each of the 3 inner entries 5 there and 4 back; the end 2."""
    assert Problem("W1", mlp(2, 3, 1), 1).flops == 2 * 21 + 3 * 9 + 2
    assert isinstance(mlp(2, 3, 1), Dense)


@given(st.floats(-30, 30))
def test_the_slope_of_swish(z: float) -> None:
    at, small = np.array(z), 1e-5
    assert slope(at) == pytest.approx((swish(at + small) - swish(at - small)) / (2 * small), abs=1e-8)


@given(st.integers(1, 40), st.integers(1, 40))
def test_nearest_is_a_floor(n: int, m: int) -> None:
    assert nearest(n, m).tolist() == [int(i * n / m + 1e-9) for i in range(m)]


@law(50)
@given(st.lists(st.tuples(st.floats(1, 2), st.floats(0.1, 10)), min_size=1, max_size=9))
def test_ratios_are_of_one_round(rounds: list[tuple[float, float]]) -> None:
    """A machine that gets slower from round to round changes no ratio."""
    ours_, theirs = Row("a"), Row("b")
    for slow, time in rounds:
        ours_.samples.append(slow * time)
        theirs.samples.append(3 * slow * time)
    assert ratio(ours_, theirs) == pytest.approx(3)


def test_everything_is_written_down() -> None:
    """What the reports call a workload is one of the goals' table."""
    assert {p.workload for p in MEASURED} == {"W1", "W2", "W3", "W4", "W5", "W7", "W8", "W9"}
    assert Path(__file__).with_name("floor").is_dir()
