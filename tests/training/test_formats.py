"""Data in HDF5, Parquet and Zarr files."""

from collections.abc import Callable, Mapping
from pathlib import Path

import h5py
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zarr

from tests.training.test_data import find

Arrays = Mapping[str, np.ndarray]
Write = Callable[[Path, Arrays], None]


def write_hdf5(file: Path, arrays: Arrays) -> None:
    with h5py.File(file, "w") as opened:
        for name, array in arrays.items():
            opened[name] = array


def write_hdf5_in_chunks(file: Path, arrays: Arrays) -> None:
    with h5py.File(file, "w") as opened:
        for name, array in arrays.items():
            opened.create_dataset(name, data=array, chunks=True, compression="gzip", shuffle=True, fletcher32=True)


def write_zarr(file: Path, arrays: Arrays) -> None:
    group = zarr.open_group(file, mode="w")
    for name, array in arrays.items():
        group.create_array(name, data=array, chunks=tuple(max(1, n // 3) for n in array.shape))


def write_old_zarr(file: Path, arrays: Arrays) -> None:
    group = zarr.open_group(file, mode="w", zarr_format=2)
    for name, array in arrays.items():
        group.create_array(name, data=array, chunks=tuple(max(1, n // 2) for n in array.shape))


def listed(array: np.ndarray) -> pa.Array:
    """Return a column whose entries are the rows of the array."""
    column = pa.array(array.reshape(-1))
    for size in array.shape[:0:-1]:
        column = pa.FixedSizeListArray.from_arrays(column, size)
    return column


def write_lists(file: Path, arrays: Arrays) -> None:
    pq.write_table(pa.table({name: listed(array) for name, array in arrays.items()}), file, row_group_size=7)


def write_tensors(file: Path, arrays: Arrays) -> None:
    columns = {
        name: pa.array(array) if array.ndim == 1 else pa.FixedShapeTensorArray.from_numpy_ndarray(array)
        for name, array in arrays.items()
    }
    pq.write_table(pa.table(columns), file, row_group_size=7)


WRITERS: dict[str, tuple[str, Write]] = {
    "hdf5": ("a.h5", write_hdf5),
    "hdf5 in chunks": ("a.hdf5", write_hdf5_in_chunks),
    "zarr": ("a.zarr", write_zarr),
    "zarr 2": ("a.zarr", write_old_zarr),
    "parquet, lists": ("a.parquet", write_lists),
    "parquet, tensors": ("a.parquet", write_tensors),
}

each_format = pytest.mark.parametrize(("name", "write"), WRITERS.values(), ids=WRITERS)


@each_format
def test_arrays_are_the_same_as_from_an_archive(tmp_path: Path, name: str, write: Write) -> None:
    rng = np.random.default_rng(0)
    arrays = {"t": rng.normal(size=20), "x": rng.normal(size=(20, 3, 4)), "y": rng.normal(size=(20, 5)).astype(np.float32)}
    write(tmp_path / name, arrays)
    np.savez(tmp_path / "a.npz", allow_pickle=False, **arrays)
    found, expected = find(name, tmp_path), find("a.npz", tmp_path)
    assert {key: str(A) for key, A in found.types.items()} == {"t": "Real(1)", "x": "Real(3, 4)", "y": "Real(5)"}
    for key, array in expected.arrays.items():
        assert np.array_equal(found.arrays[key], array)
