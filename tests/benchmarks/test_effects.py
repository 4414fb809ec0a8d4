"""The reference of Gaussian mixtures, and what the tables of effects and handlers make of numbers."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.benchmarks import effects, effects_mixtures
from tests.benchmarks.effects_gmm import Array, Mixture, drawn, gradient, objective
from tests.benchmarks.effects_gmm_peers import DIFFERENCES, EVERYONE, HAND, OURS, TORCH, differences
from tests.benchmarks.peers.peer import Unavailable

SIZES = st.integers(1, 4)


def by_complex_step(of: Mixture, name: str) -> Array:
    """``Im f(z + 10⁻³⁰·i) · 10³⁰``, which has no rounding of a difference"""
    a = getattr(of, name)
    found = np.zeros(a.shape)
    for place in np.ndindex(*a.shape):
        moved = a.astype(complex)
        moved[place] += 1e-30j
        found[place] = np.imag(objective(replace(of, **{name: moved}))) / 1e-30
    return found


@given(SIZES, SIZES, SIZES, st.floats(0.1, 2), st.integers(0, 3), st.integers(0, 999))
def test_the_gradient_by_hand_is_that_of_the_objective(d: int, k: int, n: int, gamma: float, m: int, seed: int) -> None:
    of = replace(drawn(d, k, n, seed), gamma=gamma, m=m)
    for name, found in zip(("alphas", "means", "icf"), gradient(of), strict=True):
        assert found == pytest.approx(by_complex_step(of, name), rel=1e-10, abs=1e-10)


def test_a_mixture_has_as_many_variables_as_in_adbench() -> None:
    """``K·(D + 1)·(D + 2)/2``"""
    assert [drawn(d, k, 1).count for d, k in ((2, 5), (10, 5), (64, 200))] == [30, 330, 429_000]


@pytest.mark.parametrize("name", EVERYONE)
def test_every_library_tells_the_same_gradient(name: str) -> None:
    of = drawn(3, 4, 5)
    try:
        found = EVERYONE[name](of)()
    except Unavailable as missing:
        pytest.skip(f"{name}: {missing}")
    for ours, theirs in zip(gradient(of), found, strict=True):
        assert theirs == pytest.approx(ours, rel=1e-6 if name == DIFFERENCES else 1e-11, abs=1e-6)


def test_many_variables_are_no_work_for_differences() -> None:
    with pytest.raises(Unavailable):
        differences(drawn(10, 10))


def test_a_line_is_a_line_and_a_parabola_is_none() -> None:
    sizes = list(range(20, 201, 20))
    r, slope = effects.fit(sizes, [3 + 2 * n for n in sizes], 1)
    assert (r, slope) == (pytest.approx(1), pytest.approx(2))
    assert effects.fit(sizes, [n * n for n in sizes], 1)[0] < 0.96
    assert effects.fit(sizes, [n * n for n in sizes], 2)[0] == pytest.approx(1)


def made_up(**changed: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Numbers as they should be: lines, a parabola, 100 bytes an n and a million more at the start."""
    lines: list[dict[str, Any]] = [
        {"mode": mode, "sizes": [500, 1000, 1500], "seconds": [slope * n for n in (500, 1000, 1500)]}
        for mode, slope in (("evaluate", 1.0), ("forward", 5.0), ("stateful", 8.0), ("taped", 8.0))
    ]
    parabola = {"mode": "continuation", "sizes": [20, 40, 60, 80], "seconds": [400, 1600, 3600, 6400]}
    return {
        "times": [*lines, parabola],
        "long": [{"mode": "forward", "sizes": [1, 2, 3], "seconds": [1, 2, 3]}],
        "counts": [{"mode": "forward", "counts": [[10, 225, 225], [20, 445, 445]]}],
        "weights": [{"mode": "forward", "sizes": [1000, 2000, 4000], "bytes": [1_100_000, 1_200_000, 1_400_000]}],
        "once": [{"mode": "forward", "n": 200_000, "seconds": 2.0, "before": 5, "after": 21_000_005}],
        **changed,
    }


def test_what_is_as_the_theory_has_it_is_met() -> None:
    rows = made_up()
    assert [outcome.met for outcome in effects.outcomes(rows)] == [True] * 8
    text = effects.table(rows)
    assert "| forward, n = 500 … 1,500 | 1.0000 | 1.0000 | 5000000.00 | 5.00 | 4.76 |" in text
    assert "| forward | 20 | 445 | 445 |" in text
    assert "| forward | 2.0 | 21.0 | 21.0 | 1.00 |" in text


def test_a_wrong_count_and_too_much_memory_are_missed() -> None:
    rows = made_up(
        counts=[{"mode": "forward", "counts": [[10, 226, 225], [20, 445, 445]]}],
        once=[{"mode": "forward", "n": 200_000, "seconds": 2.0, "before": 0, "after": 30_000_000}],
    )
    missed = [(outcome.wanted, outcome.measured) for outcome in effects.outcomes(rows) if not outcome.met]
    assert missed == [("operations counted exactly", "1 wrong"), ("≤ 29.0 MB", "30.0 MB")]
    assert "| forward | 10 | 226 | 225 |" in effects.table(rows)


def test_times_of_mixtures_stand_in_a_table() -> None:
    rows = [
        {"peer": OURS, "why": "", "error": 0.0, "build": 0.0, "samples": [0.002] * 3},
        {"peer": TORCH, "why": "", "error": 0.0, "build": 0.0, "samples": [0.001] * 3},
        {"peer": HAND, "why": "not installed", "error": 0.0, "build": 0.0, "samples": []},
    ]
    lines = [
        {"d": 2, "k": 5, "n": 1000, "variables": 30, "rows": rows},
        {"d": 2, "k": 10, "n": 1000, "variables": 60, "rows": rows[:1]},
    ]
    assert [(o.measured, o.met) for o in effects_mixtures.outcomes(lines)] == [("0.50 ×", True), ("–", None)]
    text = effects_mixtures.table(lines[:1])
    assert text.splitlines()[-1] == "| 2, 5, 1,000 | 30 | 2 | 1 | 0.50 |"
