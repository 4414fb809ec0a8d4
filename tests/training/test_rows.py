"""Readers by rows: any rows of an array, in any order."""

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.source.trampoline import exhaust
from rh_kernel.training.reading.npy import SingleArray
from rh_kernel.training.reading.reader import Damaged, Header
from rh_kernel.training.reading.rows import RowReader
from tests.tiers import law
from tests.training.test_reading import GOOD


class InOrder(RowReader):
    """An array in memory, by the methods that formats inherit."""

    random_access = False
    names = ("",)

    def __init__(self, array: np.ndarray) -> None:
        self.array = array
        self.read_rows: list[tuple[int, int]] = []

    def header(self, name: str) -> Header:
        return Header(self.array.shape, self.array.dtype)

    def rows(self, name: str, start: int, stop: int) -> np.ndarray:
        assert 0 <= start < stop <= len(self.array)
        self.read_rows.append((start, stop))
        return self.array[start:stop].astype(np.float64)

    def close(self) -> None:
        pass


@law(100)
@given(st.data())
def test_any_rows_in_any_order(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    """``take(rows)`` is ``read()[rows]``."""
    n = data.draw(st.integers(1, 12))
    shape = (n, *data.draw(st.lists(st.integers(0, 3), max_size=2)))
    array = np.arange(np.prod(shape)).reshape(shape).astype(data.draw(st.sampled_from(["<f8", ">f4", "u1"])))
    if data.draw(st.booleans()):
        array = np.asfortranarray(array)
    rows = np.array(data.draw(st.lists(st.integers(0, n - 1), max_size=20)), np.intp)
    file = tmp_path_factory.mktemp("rows") / "a.npy"
    np.save(file, array)
    single, in_order = SingleArray(file), InOrder(array)
    for reader in (single, in_order):
        whole = exhaust(reader.read([""]))[""]
        assert np.array_equal(whole, array)
        found = reader.take("", rows)
        assert (found.dtype, found.shape) == (np.float64, (len(rows), *shape[1:]))
        assert found.flags.c_contiguous
        assert found.flags.writeable
        assert np.array_equal(found, whole[rows])
        reader.close()


def test_adjacent_rows_are_read_at_once() -> None:
    reader = InOrder(np.arange(20.0))
    assert reader.take("", np.array([9, 3, 4, 5, 4, 19])).tolist() == [9, 3, 4, 5, 4, 19]
    assert reader.read_rows == [(3, 6), (9, 10), (19, 20)]


@pytest.mark.parametrize(
    "array", [array for array in GOOD.values() if array.ndim], ids=[k for k in GOOD if k != "a single number"]
)
def test_all_rows_are_the_array(tmp_path: Path, array: np.ndarray) -> None:
    np.save(tmp_path / "a.npy", array)
    reader = SingleArray(tmp_path / "a.npy")
    found = reader.rows("", 0, len(array))
    reader.close()
    assert found.dtype == np.float64
    assert found.flags.c_contiguous
    assert np.array_equal(found, array)


def test_rows_outlive_the_reader(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.arange(6.0).reshape(3, 2))
    reader = SingleArray(tmp_path / "a.npy")
    found = reader.rows("", 1, 3)
    reader.close()
    (tmp_path / "a.npy").unlink()
    assert found.tolist() == [[2, 3], [4, 5]]


def test_a_file_that_is_cut_off_while_it_is_read_is_reported(tmp_path: Path) -> None:
    """Access beyond the end of a mapped file would end the process."""
    np.save(tmp_path / "a.npy", np.ones((100_000, 2)))
    reader = SingleArray(tmp_path / "a.npy")
    assert reader.rows("", 0, 1).tolist() == [[1, 1]]
    os.truncate(tmp_path / "a.npy", 4096)
    with pytest.raises(Damaged, match="cut off after 4,096 of 1,600,128 bytes"):
        reader.rows("", 90_000, 90_001)
    reader.close()


def test_rows_of_a_damaged_file_are_reported(tmp_path: Path) -> None:
    (tmp_path / "a.npy").write_bytes(b"no array" * 20)
    reader = SingleArray(tmp_path / "a.npy")
    with pytest.raises(Damaged, match="no array saved by NumPy"):
        reader.take("", np.array([0]))
    reader.close()
