"""What the parts of the report make of numbers: tables, and goals that are met or missed. The numbers are made up."""

from typing import Any

import pytest

from tests.benchmarks import cluster, digits_to_95, front, sequences, sources, stepping, sweep
from tests.benchmarks.__main__ import COUNTED, LONG, MODULES, PARTS, wanted
from tests.benchmarks.goals import Outcome
from tests.benchmarks.problems import MEASURED, Gru, Problem
from tests.benchmarks.programs import Written
from tests.benchmarks.sequences import kept, program


def _met(outcomes: list[Outcome]) -> list[bool | None]:
    return [outcome.met for outcome in outcomes]


@pytest.mark.parametrize(("two", "met"), [(5.0, True), (6.0, False)])
def test_a_sweep_in_two_processes(two: float, met: bool) -> None:
    rows = {"1": [10.0, 10.0, 30.0], "2": [two, two, 40.0]}
    assert _met(sweep.outcomes(rows)) == [met]
    assert "| 1 | 10.00 | 10.00 |" in sweep.table(rows)


@pytest.mark.parametrize(("two", "met"), [(0.11, True), (0.13, False)])
def test_a_step_on_two_workers(two: float, met: bool) -> None:
    rows = {"batch": 100.0, "here": 0.2, "1": 0.2, "2": two}
    assert _met(cluster.outcomes(rows)) == [met]
    assert "| 2 workers |" in cluster.table(rows)


@pytest.mark.parametrize(("speed", "met"), [(80.0, True), (79.0, False)])
def test_data_from_a_file(speed: float, met: bool) -> None:
    row = {"seconds": 1.0, "peak": 2_000_000, "weights": "abc"}
    rows = [{"data": sources.MEMORY, "speed": 100.0, **row}, {"data": "npy from its file", "speed": speed, **row}]
    assert _met(sources.outcomes(rows)) == [met]
    assert sources.table(rows).splitlines()[2] == "| npy in memory | 100 | 1.00 | 2 | abc |"


def test_a_transformer_takes_less_time_than_one_library_and_more_than_another() -> None:
    times = {"rh run": 2.0, "torch": 1.0, "jax": 4.0}
    rows = [{"net": "transformer", "epochs": 3, "who": who, "seconds": s, "accuracy": "0.96"} for who, s in times.items()]
    assert _met(digits_to_95.outcomes(rows)) == [False, True]
    assert digits_to_95.table(rows).splitlines()[-1] == "| transformer | 3 | jax | 4.00 s | 2.0 × | 0.96 |"


def test_the_front_end() -> None:
    rows = [{"what": front.CELL, "whole": 0.02}, {"what": front.KERNEL, "whole": 2.5}, {"what": "import numpy", "whole": 9.0}]
    assert _met(front.outcomes(rows)) == [True, False]


def test_the_stepper() -> None:
    row = {"family": "deep", "kept_seconds": 0.1, "bytes_per_step": 1001.0, "window_seconds": 0.04}
    rows: list[dict[str, Any]] = [
        {**row, "nodes": 1001, "steps": 1000, "run_seconds": 0.005},
        {**row, "nodes": 9999, "steps": 10_000, "run_seconds": 0.05},
    ]
    found = {outcome.wanted: outcome.met for outcome in stepping.outcomes(rows)}
    assert list(found.values()) == [True, True, False, True, True]


def test_a_long_sequence_needs_the_program_of_a_short_one() -> None:
    short, long = [
        {"length": n, "compiling": 0.01 * factor, "equations": 68, "kept": n, "scratch": [1.1 * n, 9 * n, 9 * n]}
        for n, factor in ((10, 1.0), (10_000, 1.6))
    ]
    rows = {"sizes": [short, long], "chains": [{"layers": 10, "equations": 13, "parts": [0.1, 0.2, 0.3], "whole": 0.6}]}
    assert _met(sequences.outcomes(rows)) == [True, False, True, True]
    assert "| 10 | 13 | 100.0 ms | 200.0 ms | 300.0 ms | 600.0 ms |" in sequences.table(rows)


def test_programs_of_all_lengths_are_of_one_size_and_keep_as_much_as_they_are_long() -> None:
    short, long = program(10), program(1000)
    assert short.count == long.count
    assert kept(long) == 100 * kept(short)


def test_a_step_has_the_locations_of_its_net() -> None:
    found = Written.of(Problem("W9", Gru("gru-5x3", 5, 3), 1))
    assert [location.name for location in found.locations] == ["wr", "wz", "wn", "ur", "uz", "un"]
    assert found.compiled().inputs


def test_only_what_is_asked_for_is_measured() -> None:
    assert wanted("") == (MEASURED, set(PARTS))
    problems, parts = wanted("W8,gru-10x64/b1,sweep,W6")
    assert [p.key for p in problems] == ["block-32x32/b16", "gru-10x64/b1"]
    assert parts == {"steps", "sweep", "digits"}
    assert not set(LONG) & set(PARTS)
    assert set(COUNTED) | set(MODULES) < set(PARTS)
