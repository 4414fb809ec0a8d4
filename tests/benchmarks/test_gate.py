"""The gate fails if a ratio has fallen however often it is measured, and says which; no clock decides these tests."""

from collections.abc import Sequence
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from tests.benchmarks import releases
from tests.benchmarks.cases import Case, Measured
from tests.benchmarks.gate import CASES, JAX, KEYS, LEAST, PYTORCH, TRIES, Fallen, best, fallen, judged, lowest, ratios, told
from tests.benchmarks.machine import instruction_sets, not_here
from tests.benchmarks.peers import everyone as e
from tests.benchmarks.problems import MEASURED
from tests.benchmarks.rounds import Row

KEY = "res-16x64/b1"
NAME = f"{KEY} float64"


def _measured(case: Case, torch: float) -> Measured:
    """PyTorch takes so many times as long; the other rounds are slower, and do not count."""
    rows = [Row(e.NATIVE, samples=[1.0, 5.0]), Row(e.TUNED, samples=[9 * torch, torch]), Row(e.JIT, why="not installed")]
    return Measured(case, rows)


class Machine:
    """Measures given ratios, one after the other, and knows which cases it was asked for each time."""

    def __init__(self, *runs: dict[str, float]) -> None:
        self.runs, self.asked = list(runs), list[list[str]]()

    def __call__(self, cases: Sequence[Case]) -> list[Measured]:
        self.asked.append([case.key for case in cases])
        found = self.runs.pop(0)
        return [_measured(case, found[case.key]) for case in cases]


def test_a_ratio_is_that_of_the_quickest_rounds() -> None:
    assert ratios([_measured(Case(KEY), 3.0)]) == {NAME: {PYTORCH: 3.0}}


def test_the_best_of_a_library_counts() -> None:
    rows = [Row(e.NATIVE, samples=[1.0]), Row(e.TUNED, samples=[4.0]), Row(e.LAYER, samples=[2.0]), Row(e.JIT, samples=[3.0])]
    assert ratios([Measured(Case(KEY), rows)]) == {NAME: {PYTORCH: 2.0, JAX: 3.0}}


@given(st.floats(0.1, 1000), st.floats(0.01, 2))
def test_a_ratio_has_fallen_below_the_limit_and_not_above(committed: float, part: float) -> None:
    found = fallen({NAME: {PYTORCH: committed * part}}, {NAME: {PYTORCH: committed}})
    assert bool(found) is (committed * part < LEAST * committed)


def test_what_is_on_one_side_only_has_not_fallen() -> None:
    assert not fallen({NAME: {JAX: 0.1}, "new": {PYTORCH: 0.1}}, {NAME: {PYTORCH: 5.0}, "old": {PYTORCH: 5.0}})


def test_a_disturbed_measurement_is_repeated_and_forgiven() -> None:
    machine = Machine({KEY: 1.0, "unet-134/b1": 4.0}, {KEY: 2.9})
    committed = {NAME: {PYTORCH: 3.0}, "unet-134/b1 float64": {PYTORCH: 4.0}}
    found, slower = judged([Case(KEY), Case("unet-134/b1")], committed, machine)
    assert not slower
    assert found[NAME] == {PYTORCH: 2.9}
    assert machine.asked == [[KEY, "unet-134/b1"], [KEY]]


def test_a_loss_that_stays_fails_with_its_best_ratio() -> None:
    machine = Machine({KEY: 1.0}, {KEY: 2.0}, {KEY: 1.5})
    _, slower = judged([Case(KEY)], {NAME: {PYTORCH: 3.0}}, machine)
    assert slower == [Fallen(NAME, PYTORCH, 2.0, 3.0)]
    assert str(slower[0]) == f"{NAME} ÷ PyTorch: 2, committed 3, 33 % less"
    assert len(machine.asked) == TRIES


def test_nothing_is_repeated_without_committed_ratios() -> None:
    machine = Machine({KEY: 1.0})
    assert judged([Case(KEY)], {}, machine)[1] == []
    assert len(machine.asked) == 1


def test_the_lowest_of_several_runs_is_committed() -> None:
    """Not a lucky one; who is missing in one run counts in the others."""
    runs = [{NAME: {PYTORCH: 3.0, JAX: 1.0}}, {NAME: {PYTORCH: 9.0}}, {NAME: {PYTORCH: 2.0, JAX: 1.0}}]
    assert lowest(runs) == {NAME: {PYTORCH: 2.0, JAX: 1.0}}


RATIOS = st.dictionaries(st.sampled_from("abc"), st.dictionaries(st.sampled_from("xy"), st.floats(0.1, 9)))


@given(RATIOS, RATIOS)
def test_the_best_is_no_less_than_either(left: dict[str, dict[str, float]], right: dict[str, dict[str, float]]) -> None:
    found = best(left, right)
    for side in (left, right):
        assert all(found[name][peer] >= ratio for name, line in side.items() for peer, ratio in line.items())
    assert best(right, left) == found


def test_what_could_not_be_measured_is_told() -> None:
    text = told({NAME: {PYTORCH: 2.0, JAX: 1.0}}, {NAME: {PYTORCH: 4.0}, "old": {JAX: 1.5}})
    assert f"| {NAME} | PyTorch | 2 | 4 | -50 % |" in text
    assert f"| {NAME} | JAX | 1 | – | new |" in text
    assert text.endswith("Not measured: old ÷ JAX.")


def test_the_gate_asks_for_problems_that_there_are() -> None:
    assert set(KEYS) <= {p.key for p in MEASURED}
    assert len({(case.key, case.precision) for case in CASES}) == len(CASES) == 2 * len(KEYS)


def test_an_instruction_set_is_here_or_not() -> None:
    assert not set(instruction_sets()) & set(not_here())
    assert CASES[0].instructions == instruction_sets()[-1]


def test_releases_are_kept_by_version_and_machine(tmp_path: Path) -> None:
    file = tmp_path / "releases.json"
    assert releases.committed("avx2", file) == {}
    for number, machine, ratio in (("1", "avx2", 1.0), ("2", "avx512", 2.0), ("2", "avx2", 3.0), ("3", "avx512", 4.0)):
        releases.update(number, machine, {"ratios": {NAME: {PYTORCH: ratio}}}, file)
    assert list(releases.load(file)) == ["3", "2", "1"]
    assert releases.committed("avx2", file) == {NAME: {PYTORCH: 3.0}}
    assert releases.committed("avx512", file) == {NAME: {PYTORCH: 4.0}}
    assert releases.committed("neon", file) == {}


def test_ratios_are_written_with_three_digits() -> None:
    assert releases.rounded({NAME: {PYTORCH: 1234.5, JAX: 1.23456}}) == {NAME: {PYTORCH: 1230.0, JAX: 1.23}}


def test_committed_ratios_are_of_cases_that_are_measured() -> None:
    names = {f"{case.key} {case.precision}" for case in CASES}
    newest = next(iter(releases.load().values()))
    assert all(entry["ratios"].keys() == names for entry in newest.values())
