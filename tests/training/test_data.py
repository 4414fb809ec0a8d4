"""Data sets (LANGUAGE §6): names, splits into parts, and errors."""

import builtins
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.source.diagnostic import Diagnostic, Rejected
from rh_kernel.source.span import Source, Span
from rh_kernel.syntax.core import Array
from rh_kernel.training import bundled
from rh_kernel.training.data import DataSet, load
from rh_kernel.training.reading.formats import data_suffixes, one_of
from tests.tiers import law

HERE = Path(__file__).parent
SOURCE = Source("cell 1", 'data("…")')
SPAN = Span(SOURCE, 5, 8)


def find(name: str, folder: Path = HERE, given: Mapping[str, Mapping[str, Any]] | None = None) -> DataSet:
    return load(name, folder, given or {}, SPAN)


def diagnostic_of(name: str, folder: Path = HERE, given: Mapping[str, Mapping[str, Any]] | None = None) -> Diagnostic:
    """Return the only diagnostic about the data of that name, which has the span of the name and can be displayed."""
    with pytest.raises(Rejected) as rejected:
        find(name, folder, given)
    (found,) = rejected.value.diagnostics
    assert found.span == SPAN
    assert found.message
    assert "{" not in found.message
    return found


def types(data: DataSet) -> dict[str, str]:
    return {name: str(A) for name, A in data.types.items()}


@pytest.mark.parametrize(
    ("name", "size", "x", "t"),
    [("digits", 1797, 64, 10), ("iris", 150, 4, 3), ("wine", 178, 13, 3), ("breast_cancer", 569, 30, 2)],
)
def test_collected_sets(name: str, size: int, x: int, t: int) -> None:
    pytest.importorskip("sklearn")
    data = find(name)
    assert (data.name, data.size) == (name, size)
    assert types(data) == {"x": f"Real({x})", "t": f"Real({t})"}
    assert one_hot(data.arrays["t"])
    pixels = data.arrays["x"]
    if name == "digits":
        assert (pixels.min(), pixels.max()) == (0.0, 1.0)
    else:
        np.testing.assert_allclose(pixels.mean(axis=0), 0, atol=1e-12)
        np.testing.assert_allclose(pixels.std(axis=0), 1)


def one_hot(t: Array) -> bool:
    return set(np.unique(t)) == {0.0, 1.0} and bool((t.sum(axis=1) == 1).all()) and bool(t.any(axis=0).all())


def test_xor() -> None:
    data = find("xor")
    assert types(data) == {"x": "Real(2)", "t": "Real(1)"}
    assert data.arrays["t"][:, 0].tolist() == [float(bool(a) != bool(b)) for a, b in data.arrays["x"]]


def test_moons_lie_on_two_half_circles() -> None:
    data = find("moons")
    assert (data.size, types(data)) == (300, {"x": "Real(2)", "t": "Real(1)"})
    lower = data.arrays["t"][:, 0] == 1
    centre = np.where(lower[:, None], [1.0, 0.5], [0.0, 0.0])
    radius = np.hypot(*(data.arrays["x"] - centre).T)
    assert abs(radius.mean() - 1) < 0.02
    assert 0.05 < radius.std() < 0.15
    assert lower.sum() == 150


def test_spiral_has_three_arms_in_the_disc() -> None:
    data = find("spiral")
    assert (data.size, types(data)) == (300, {"x": "Real(2)", "t": "Real(3)"})
    assert one_hot(data.arrays["t"])
    assert np.hypot(*data.arrays["x"].T).max() <= 1.0 + 1e-12
    assert data.arrays["t"].sum(axis=0).tolist() == [100, 100, 100]


def test_adding_marks_a_number_in_each_half_and_gives_their_sum() -> None:
    data = find("adding")
    assert (data.size, types(data)) == (1000, {"x": "Real(100, 2)", "t": "Real(1)"})
    numbers, marks = data.arrays["x"][..., 0], data.arrays["x"][..., 1]
    assert ((numbers >= 0) & (numbers < 1)).all()
    assert set(np.unique(marks)) == {0.0, 1.0}
    assert (marks[:, :50].sum(axis=1) == 1).all()
    assert (marks[:, 50:].sum(axis=1) == 1).all()
    for row, mark, (target,) in zip(numbers, marks, data.arrays["t"], strict=True):
        first, second = row[mark == 1]
        assert target == first + second


@pytest.mark.parametrize("name", bundled.SYNTHETIC)
def test_made_sets_are_made_the_same_way_every_time(name: str) -> None:
    made = bundled.SYNTHETIC[name]
    again = made()
    for key, array in made().items():
        assert np.array_equal(array, again[key])
        assert np.array_equal(array, find(name).arrays[key])


def test_nobody_writes_to_data() -> None:
    x = np.ones((3, 2))
    for data in (find("xor"), find("xor.train"), find("mine", given={"mine": {"x": x}})):
        with pytest.raises(ValueError, match="read-only"):
            data.arrays["x"][0] = 7
    assert x.flags.writeable


def test_scikit_learn_is_asked_for_when_it_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    true_import = builtins.__import__

    def missing(name: str, *rest: Any) -> Any:
        if name.split(".")[0] == "sklearn":
            raise ImportError(name)
        return true_import(name, *rest)

    monkeypatch.setattr(builtins, "__import__", missing)
    monkeypatch.setattr(bundled, "find_spec", Missing)
    bundled.bundled.cache_clear()
    assert find("xor").size == 4
    found = diagnostic_of("digits.train")
    assert found.code == "RH311"
    assert "scikit-learn" in found.message
    assert "[lessons]" in found.hint


def bunch(name: str) -> tuple[Any, Any]:
    """Return the arrays that scikit-learn's own loader returns."""
    datasets = pytest.importorskip("sklearn.datasets")
    return getattr(datasets, f"load_{name}")(return_X_y=True)


@pytest.mark.parametrize("name", bundled.FROM_SCIKIT_LEARN)
def test_what_is_read_without_scikit_learn_is_what_it_gives(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    x, labels = bunch(name)
    table = np.column_stack([x, labels])
    assert np.array_equal(bundled.table(name), table)
    monkeypatch.setattr(bundled, "find_spec", Missing)
    assert np.array_equal(bundled.table(name), table)


class Missing:
    """Return the location of a package that lacks the files."""

    def __init__(self, name: str) -> None:
        self.submodule_search_locations = [f"/nowhere/{name}"]


@law(30)
@given(st.integers(2, 60))
def test_a_set_is_parted_by_one_permutation(size: int) -> None:
    given = {"mine": {"x": np.arange(size)}}
    train, test = find("mine.train", given=given), find("mine.test", given=given)
    order = np.random.default_rng(0).permutation(size)
    assert train.size == int(size * 8 / 10)
    assert [*train.arrays["x"][:, 0], *test.arrays["x"][:, 0]] == order.tolist()
    assert (train.name, test.name) == ("mine.train", "mine.test")


def test_a_part_that_is_given_under_its_own_name_is_that() -> None:
    given = {"mine": {"x": np.arange(10)}, "mine.test": {"x": np.arange(3)}}
    assert find("mine.test", given=given).size == 3
    assert find("mine.train", given=given).size == 8


def test_a_part_without_samples() -> None:
    found = diagnostic_of("mine.train", given={"mine": {"x": np.ones((1, 2))}})
    assert (found.code, "mine.train" in found.message) == ("RH308", True)


def test_arrays_are_reals_with_samples_first() -> None:
    x = np.arange(24).reshape(2, 3, 4)
    given = {"mine": {"x": x, "t": np.array([True, False]), "s": np.array([1.5, 2.5], dtype=np.float32), "l": [[1], [2]]}}
    data = find("mine", given=given)
    assert types(data) == {"x": "Real(3, 4)", "t": "Real(1)", "s": "Real(1)", "l": "Real(1)"}
    assert all(array.dtype == np.float64 for array in data.arrays.values())
    assert np.array_equal(data.arrays["x"], x)
    assert data.arrays["t"].tolist() == [[1.0], [0.0]]


def test_a_given_name_goes_before_a_bundled_one() -> None:
    assert find("xor", given={"xor": {"x": np.ones(7)}}).size == 7


@pytest.mark.parametrize(
    ("arrays", "code", "words"),
    [
        ({}, "RH308", "no arrays"),
        ({"x": np.ones((0, 2))}, "RH308", "length 0"),
        ({"x": np.ones((3, 2)), "t": np.ones((4, 1))}, "RH307", "`x` has 3, `t` has 4"),
        ({"x": np.array(["a", "b"])}, "RH304", "words"),
        ({"x": np.array([1j])}, "RH304", "complex numbers"),
        ({"x": np.array([None, 1.0], dtype=object)}, "RH304", "Python objects"),
        ({"x": np.array(["2024-01-01"], dtype="datetime64[D]")}, "RH304", "dates"),
        ({"x": 3.0}, "RH304", "a single number"),
        ({"x": [[1.0], [1.0, 2.0]]}, "RH304", "rows of different lengths"),
        ({"x": np.array([[1.0, 2.0], [3.0, np.nan]])}, "RH306", "nan"),
        ({"x": np.array([[1.0, -np.inf]])}, "RH306", "-inf"),
    ],
)
def test_arrays_that_cannot_be_used(arrays: dict[str, Any], code: str, words: str) -> None:
    found = diagnostic_of("mine", given={"mine": arrays})
    assert found.code == code
    assert words in found.found


def test_the_place_of_a_missing_number_is_reported() -> None:
    x = np.zeros((4, 3, 2))
    x[2, 1, 0] = np.nan
    assert diagnostic_of("mine", given={"mine": {"x": x}}).message == "`x`[2, 1, 0] is nan"


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("digts", 'did you mean "digits"?'),
        ("digits.tran", 'did you mean "digits.train"?'),
        ("irsi", 'did you mean "iris"?'),
        ("min", 'did you mean "mine"?'),
        ("table", 'did you mean "table.csv"?'),
        ("qqqqqqqq", f"write the file name with its extension, {one_of(data_suffixes())}"),
        ("", f"write the file name with its extension, {one_of(data_suffixes())}"),
    ],
)
def test_an_unknown_name(tmp_path: Path, name: str, hint: str) -> None:
    (tmp_path / "table.csv").write_text("x\n1\n")
    found = diagnostic_of(name, tmp_path, {"mine": {"x": np.ones(2)}})
    assert (found.code, found.hint) == ("RH301", hint)
    assert f'"{name}"' in found.message
    assert all(known in found.expected for known in ("mine", "xor", "breast_cancer", ".npz"))


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("tabel.csv", 'did you mean "table.csv"?'),
        ("below/tabel.csv", 'did you mean "below/table.csv"?'),
        ("below", "subfolder"),
        ("nowhere/x.npz", "paths are relative"),
        ("folder.csv", ""),
        ("x" * 5000 + ".csv", "paths are relative"),
        ("nul\0.csv", "paths are relative"),
    ],
)
def test_a_file_that_is_not_there(tmp_path: Path, name: str, hint: str) -> None:
    for folder in (tmp_path, tmp_path / "below"):
        folder.mkdir(exist_ok=True)
        (folder / "table.csv").write_text("x\n1\n")
    (tmp_path / "folder.csv").mkdir()
    found = diagnostic_of(name, tmp_path)
    assert found.code == ("RH308" if name == "below" else "RH302")
    assert hint in found.hint
