"""Goals are met or missed by ratios within rounds; what is missing is neither; a process of its own tells what it measured."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.benchmarks import whole
from tests.benchmarks.cases import Case, Measured
from tests.benchmarks.goals import EVERY, JAX_NATIVE, JAX_NUMPY, NAMES, TORCH_NATIVE, TORCH_NUMPY, Outcome, best, outcomes
from tests.benchmarks.peers import everyone as e
from tests.benchmarks.process import Broken, child, environment, megabytes, python
from tests.benchmarks.report import builds, by_name, goals, microseconds, table, times
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


def test_one_table_has_a_line_for_each_case_and_for_what_other_machines_have() -> None:
    ours, theirs = Row(e.NATIVE, build=1.0, samples=[1e-6] * 3), Row(e.EAGER, build=2.0, samples=[3e-6] * 3)
    missing = Row(e.JIT, why="not installed")
    found = [Measured(Case(KEY, "float32", 2, "avx2"), [ours, theirs, missing]), Measured(Case(KEY), [ours])]
    head, _, first, second, other, *rest = times(found, ["avx512"]).splitlines()
    assert head.startswith("| median µs a step | numbers | threads | instructions | rh native | torch eager |")
    assert first == f"| {KEY} | float32 | 2 | avx2 | 1.00 | 3.00 | 3 | – |"
    assert second.endswith("| 1.00 | – | – | – |")
    assert other.startswith("| all |  |  | avx512 | not on this machine |")
    assert len({line.count("|") for line in (head, first, second, other)}) == 1
    assert rest[-1] == "jax jit: not installed"
    assert builds(found).splitlines()[2] == f"| {KEY} | float32, 2 threads, avx2 | 1.000 | 2.000 |"
    assert table(["a", "b"], [["x", "1"]]).splitlines() == ["| a | b |", "| --- | ---: |", "| x | 1 |"]


def test_every_goal_is_told_by_its_name() -> None:
    text = by_name([Outcome("P1", KEY, "≤ 1", "0.5", True), Outcome("P1", KEY, "≤ 1", "2", False), Outcome("P4", KEY, "≤ 1")])
    lines = {line.split(" | ")[0].strip("| "): line for line in text.splitlines()[2:]}
    assert lines.keys() == NAMES.keys()
    assert lines["P1"].endswith("| **missed** | 1 | 1 | 0 |")
    assert lines["P4"].endswith("| not measured | 0 | 0 | 1 |")


def test_a_narrower_instruction_set_is_said_to_every_library() -> None:
    found = environment(1, "avx2")
    assert found["RH_ISA"] == "avx2"
    assert found["OPENBLAS_CORETYPE"] == "Haswell"
    assert found["ATEN_CPU_CAPABILITY"] == "avx2"
    assert found["XLA_FLAGS"].split()[-1] == "--xla_cpu_max_isa=AVX2"
    assert environment(2)["XLA_FLAGS"] == ""
    assert environment(2)["RH_THREADS"] == "2"


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


def test_a_process_of_its_own_measures_several_problems() -> None:
    told = child("steps", "mlp-3-4-2/b5,gru-5x3/b1", "float64", "3", "3.0", "0", e.OURS, e.HAND)
    first, second = [[Row(**row) for row in rows] for rows in told]
    assert [row.peer for row in first] == [row.peer for row in second] == [e.OURS, e.HAND]
    assert all(row.error <= 1e-9 and row.least > 0 for row in (*first, second[0]))
    assert second[1].why == "not written"
    assert json.dumps(told)


def test_the_memory_that_training_adds_is_that_of_its_arrays_at_least() -> None:
    added = child("resident", "mlp-784-512-10/b1", e.HAND)["bytes"]
    assert added >= 8 * 784 * 512


def test_the_gradient_is_counted() -> None:
    part = whole.costs(("unet-14/b1",))
    assert [o.met for o in part.outcomes][:1] == [True]
    assert part.data[0]["forward"] < part.data[0]["both"]
