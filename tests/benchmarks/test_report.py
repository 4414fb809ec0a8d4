"""Goals are met or missed by ratios within rounds; what is missing is neither; a process of its own tells what it measured."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.benchmarks import whole
from tests.benchmarks.goals import EVERY, JAX_NATIVE, JAX_NUMPY, TORCH_NATIVE, TORCH_NUMPY, Outcome, best, outcomes
from tests.benchmarks.peers import everyone as e
from tests.benchmarks.process import Broken, environment, megabytes, python
from tests.benchmarks.report import builds, goals, microseconds, table, times
from tests.benchmarks.rounds import Row

KEY = "res-16x64/b1"


def _rows(**seconds: float) -> dict[str, Row]:
    """Peers with the same time in three rounds, the names' underscores read as spaces."""
    return {name.replace("_", " "): Row(name.replace("_", " "), samples=[time] * 3) for name, time in seconds.items()}


def _met(key: str, rows: dict[str, Row]) -> dict[str, bool | None]:
    return {f"{o.goal} {o.wanted}": o.met for o in outcomes(key, rows)}


def test_a_goal_is_met_or_missed() -> None:
    fast = _met(KEY, _rows(rh=10e-6, NumPy_by_hand=10e-6, torch_eager=9e-6, torch_tuned=8e-6))
    assert fast["P5 ≤ 1.05 × the time of NumPy by hand"] is True
    assert fast["P2 ≥ 0.75 × as fast as torch"] is True
    slow = _met(KEY, _rows(rh=11e-6, NumPy_by_hand=10e-6, torch_eager=9e-6, torch_tuned=8e-6))
    assert slow["P5 ≤ 1.05 × the time of NumPy by hand"] is False
    assert slow["P2 ≥ 0.75 × as fast as torch"] is False


def test_the_best_of_the_others_counts() -> None:
    rows = _rows(jax_jit=3e-6, jax_scan_over_layers=2e-6, jax_sums_of_windows=4e-6)
    found = best(rows, e.JAX)
    assert found is not None
    assert found.peer == e.SCAN


def test_what_is_missing_is_not_measured() -> None:
    assert set(_met(KEY, {}).values()) == {None}
    rows = {e.OURS: Row(e.OURS, samples=[1e-6]), e.HAND: Row(e.HAND, why="not installed")}
    assert set(_met(KEY, rows).values()) == {None}


@pytest.mark.parametrize(("native", "met"), [(0.12e-6, True), (0.14e-6, False)])
def test_a_floor_below_a_call_is_compared_by_a_difference(native: float, met: bool) -> None:
    found = _met("mlp-2-3-1/b1", _rows(rh_native=native, C_floor=0.03e-6))
    assert found["P1 ≤ C floor + 0.10 µs"] is met


@pytest.mark.parametrize(("native", "met"), [(12e-6, True), (13e-6, False)])
def test_a_floor_above_a_call_is_compared_by_a_ratio(native: float, met: bool) -> None:
    found = _met(KEY, _rows(rh_native=native, C_floor=10e-6))
    assert found["P1 ≤ 1.25 × the time of C floor"] is met


def test_the_goals_are_about_problems_that_there_are() -> None:
    for wanted in (TORCH_NUMPY, TORCH_NATIVE, JAX_NUMPY, JAX_NATIVE):
        assert wanted.keys() <= set(EVERY)


def test_the_report_says_how_many() -> None:
    found = [("float64", Outcome("P1", KEY, "≤ 1", "0.5", True)), ("", Outcome("P2", KEY, "≤ 1", "2", False))]
    text = goals([*found, ("", Outcome("P4", KEY, "≤ 1"))])
    assert text.startswith("1 met, 1 missed; not measured: P4 on 1.")
    assert text.count("**missed**") == 1


@given(st.floats(1e-9, 10))
def test_microseconds_are_told_to_half_a_percent(seconds: float) -> None:
    told = float(microseconds(seconds))
    assert told == pytest.approx(1e6 * seconds, rel=5.1e-3, abs=5.1e-4)


def test_a_table_has_a_column_for_each_peer_with_numbers() -> None:
    rows = [Row("one", build=1.0, samples=[1e-6]), Row("two", why="not installed")]
    assert times({KEY: rows}).splitlines()[0] == "| median µs a step | one |"
    assert "two: not installed" in times({KEY: rows})
    assert builds({KEY: rows}).splitlines()[-1] == f"| {KEY} | 1.000 |"
    assert table(["a", "b"], [["x", "1"]]).splitlines() == ["| a | b |", "| --- | ---: |", "| x | 1 |"]


def test_one_thread_is_said_before_anything_is_imported() -> None:
    text = "import os; print(os.environ['OPENBLAS_NUM_THREADS'], len(os.sched_getaffinity(0)))"
    assert python("-c", text).output.split() == ["1", "1"]
    assert environment(2)["OMP_NUM_THREADS"] == "2"


def test_a_process_that_fails_is_told() -> None:
    with pytest.raises(Broken, match="ZeroDivisionError"):
        python("-c", "1 / 0")
    with pytest.raises(Broken):
        python("-c", "while True: pass", timeout=0.5)


def test_memory_is_that_of_the_process_itself() -> None:
    """However much the one that starts it has."""
    ballast = bytearray(100 << 20)
    most, end = megabytes("this")
    assert 1 < end <= most < 60 < len(ballast) >> 20


def test_a_process_of_its_own_measures() -> None:
    told = whole.child("steps", "mlp-3-4-2/b5", "float64", "1", "quick", "0", e.OURS, e.HAND)
    rows = [Row(**row) for row in told["rows"]]
    assert [row.peer for row in rows] == [e.OURS, e.HAND]
    assert all(row.error <= 1e-9 and min(row.samples) > 0 for row in rows)
    assert json.dumps(told)


def test_the_gradient_is_counted() -> None:
    part = whole.costs(("unet-14/b1",))
    assert [o.met for o in part.outcomes][:1] == [True]
    assert part.data[0]["forward"] < part.data[0]["both"]
