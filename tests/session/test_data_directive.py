"""``%data``: what a data set is, in text, as HTML with pictures, and as a record."""

import base64
import io
import re
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rh_kernel.display.registry import text, view_of
from rh_kernel.display.thumbnails import pictures, png
from rh_kernel.session.data_summary import DataShown
from rh_kernel.session.results import ItemFailed, Result, Shown
from rh_kernel.session.session import Session, execute
from rh_kernel.source.span import Source
from rh_kernel.training import files
from rh_kernel.training.reading.npy import SingleArray
from tests.tiers import law


def shown(program: str, folder: Path = Path()) -> list[Result]:
    events = execute(Session.start(folder), Source("cell", program))
    return [event.result for event in events if isinstance(event, Shown)]


def data(program: str, folder: Path = Path()) -> DataShown:
    *_, last = shown(program, folder)
    assert isinstance(last, DataShown), last
    return last


def html(result: DataShown) -> str:
    return view_of(DataShown).rich(result)["text/html"]


def test_digits() -> None:
    found = data('%data "digits"')
    x, t = found.components
    assert (found.name, found.samples) == ("digits", 1797)
    assert (x.name, x.type, x.low, x.high, x.counts) == ("x", "Real(64)", 0.0, 1.0, None)
    assert (t.type, t.counts) == ("Real(10)", (178, 182, 177, 183, 181, 182, 181, 179, 174, 180))
    lines = text(found).splitlines()
    assert lines[0] == 'data("digits"): 1,797 samples'
    assert "one-hot, samples of each class: 178, 182, 177" in lines[2]
    assert len(re.findall(r'<img src="data:image/png;base64,', html(found))) == 8
    assert "class 7" in html(found)
    (record,) = view_of(DataShown).records(found)
    assert (record["kind"], record["samples"]) == ("data", 1797)


@law(60)
@given(st.sampled_from([1, 3]).flatmap(lambda c: arrays(np.uint8, st.tuples(st.integers(1, 9), st.integers(1, 9), st.just(c)))))
def test_a_png_has_the_pixels(pixels: npt.NDArray[np.uint8]) -> None:
    image = pytest.importorskip("PIL.Image").open(io.BytesIO(png(pixels)))
    assert np.array_equal(np.asarray(image).reshape(pixels.shape), pixels)


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ((2, 5, 4), (2, 5, 4, 1)),
        ((2, 1, 5, 4), (2, 5, 4, 1)),
        ((2, 3, 5, 4), (2, 5, 4, 3)),
        ((2, 16), (2, 4, 4, 1)),
        ((2, 784), (2, 28, 28, 1)),
        ((2, 9), None),
        ((2, 17), None),
        ((2, 2, 5, 4), None),
        ((2, 5, 0), None),
        ((2, 40, 5), (2, 40, 5, 1)),
        ((2, 100, 2), None),
        ((2, 3, 2, 100), None),
        ((2, 1), None),
    ],
)
def test_what_is_a_picture(shape: tuple[int, ...], expected: tuple[int, ...] | None) -> None:
    values = np.arange(float(np.prod(shape))).reshape(shape)
    found = pictures(values)
    assert (None if found is None else found.shape) == expected
    if found is not None and shape[1:2] == (3,):
        assert found[0, 1, 2].tolist() == values[0, :, 1, 2].tolist()


def test_a_picture_shows_the_numbers(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.array([[[-1.0, 0.0], [1.0, 3.0]]]))
    source = re.search(r"base64,([^\"]*)", html(data('%data "x.npy"', tmp_path)))
    assert source is not None
    image = pytest.importorskip("PIL.Image").open(io.BytesIO(base64.b64decode(source[1])))
    assert np.asarray(image).tolist() == [[0, 64], [128, 255]]


def test_files_that_do_not_fit_are_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    np.save(tmp_path / "x.npy", rng.normal(size=(5000, 20)).astype(np.float32))
    np.save(tmp_path / "t.npy", np.eye(5)[rng.integers(0, 5, 5000)])
    read: list[int] = []
    true_rows = SingleArray.rows

    def rows(self: SingleArray, name: str, start: int, stop: int) -> Any:
        read.append(stop - start)
        return true_rows(self, name, start, stop)

    monkeypatch.setattr(SingleArray, "rows", rows)
    program = '%limit bytes 100000\n%data "x.npy", "t.npy"'
    found = data(program, tmp_path)
    x, t = found.components
    assert (x.in_memory, t.in_memory, x.stored, t.stored) == (False, False, "float32", "float64")
    assert (x.name, t.name) == ("x", "t")
    values = np.load(tmp_path / "x.npy")
    assert (x.low, x.high) == (values.min(), values.max())
    assert t.counts == tuple(np.load(tmp_path / "t.npy").sum(axis=0).astype(int).tolist())
    assert np.array_equal(x.first, values[:8])
    assert sum(read) == 10_000 + 16
    # What was found on the way is kept, even if the data set is not.
    files._kept.clear()
    read.clear()
    assert data(program, tmp_path).components[0].low == x.low
    assert sum(read) == 16


def test_parts_and_other_names(tmp_path: Path) -> None:
    np.save(tmp_path / "my x.npy", np.arange(10.0))
    found = data('%data "my x.npy.test"', tmp_path)
    assert (found.samples, found.components[0].name) == (2, "x0")
    last = np.random.default_rng(0).permutation(10)[8:]
    assert (found.components[0].low, found.components[0].high) == (last.min(), last.max())
    assert 'data("my x.npy.test"): 2 samples' in text(found)


@pytest.mark.parametrize(
    ("program", "code"),
    [
        ("%data", "RH042"),
        ('%data "nowhere.npy"', "RH302"),
        ('%data "digtis"', "RH301"),
        ('%data "xor", "moons"', "RH322"),
        ('%data "bad.npy"', "RH306"),
    ],
)
def test_errors(tmp_path: Path, program: str, code: str) -> None:
    np.save(tmp_path / "bad.npy", np.array([1.0, np.nan]))
    (failed,) = shown(program, tmp_path)
    assert isinstance(failed, ItemFailed)
    (found,) = failed.diagnostics
    assert found.code == code
    assert found.span is not None


def test_names_are_escaped(tmp_path: Path) -> None:
    name = "<b>&.npz"
    np.savez(tmp_path / name, **{"<i>": np.ones((2, 3))})  # pyright: ignore[reportArgumentType]
    found = html(data(f'%data "{name}"', tmp_path))
    assert "<b>" not in found
    assert "<i>" not in found
