"""Data in HDF5, Parquet and Zarr files: the same arrays as from an archive, and errors for damaged and foreign files."""

import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zarr
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.source.diagnostic import Diagnostic, Rejected, Stuck
from rh_kernel.source.trampoline import exhaust
from rh_kernel.training.data import loading
from rh_kernel.training.reading import formats
from rh_kernel.training.reading.reader import ByteLimit, Damaged
from rh_kernel.training.reading.rows import RowReader
from tests.tiers import law
from tests.training.test_data import SPAN, diagnostic_of, find

Arrays = Mapping[str, Any]
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


def write_archive(file: Path, arrays: Arrays) -> None:
    np.savez_compressed(file, **arrays)


def write_archive_in_fortran_order(file: Path, arrays: Arrays) -> None:
    fortran: dict[str, Any] = {name: np.asfortranarray(array) for name, array in arrays.items()}
    np.savez(file, **fortran)


WRITERS: dict[str, tuple[str, Write]] = {
    "hdf5": ("a.h5", write_hdf5),
    "hdf5 in chunks": ("a.hdf5", write_hdf5_in_chunks),
    "zarr": ("a.zarr", write_zarr),
    "zarr 2": ("a.zarr", write_old_zarr),
    "parquet, lists": ("a.parquet", write_lists),
    "parquet, tensors": ("a.parquet", write_tensors),
    "archive": ("b.npz", write_archive),
    "archive in Fortran order": ("b.npz", write_archive_in_fortran_order),
}

each_format = pytest.mark.parametrize(("name", "write"), WRITERS.values(), ids=WRITERS)


def arrays_of(rows: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(rows)
    return {
        "t": rng.normal(size=rows),
        "x": rng.normal(size=(rows, 3, 4)),
        "y": rng.normal(size=(rows, 5)).astype(np.float32),
        "z": rng.integers(-5, 5, (rows, 2), np.int16),
    }


def opened(file: Path) -> RowReader:
    form = formats.find(file)
    assert form is not None
    reader = exhaust(form.open(file))
    assert isinstance(reader, RowReader)
    return reader


@each_format
def test_arrays_are_the_same_as_from_an_archive(tmp_path: Path, name: str, write: Write) -> None:
    arrays: dict[str, Any] = arrays_of(20)
    write(tmp_path / name, arrays)
    np.savez(tmp_path / "a.npz", **arrays)
    found, expected = find(name, tmp_path), find("a.npz", tmp_path)
    types = {"t": "Real(1)", "x": "Real(3, 4)", "y": "Real(5)", "z": "Real(2)"}
    assert {key: str(A) for key, A in found.types.items()} == types
    for key, array in expected.arrays.items():
        assert np.array_equal(found.arrays[key], array)
    assert find(f"{name}.train", tmp_path).size == 16


@each_format
def test_headers_have_shapes_and_dtypes(tmp_path: Path, name: str, write: Write) -> None:
    write(tmp_path / name, arrays_of(5))
    reader = opened(tmp_path / name)
    found = {array: (reader.header(array).shape, str(reader.header(array).dtype)) for array in reader.names}
    reader.close()
    rows = (5, 1) if name == "a.parquet" else (5,)
    assert found == {
        "t": (rows, "float64"),
        "x": ((5, 3, 4), "float64"),
        "y": ((5, 5), "float32"),
        "z": ((5, 2), "int16"),
    }


@each_format
@law(15)
@given(rows=st.data())
def test_any_rows_in_any_order(tmp_path_factory: pytest.TempPathFactory, name: str, write: Write, rows: st.DataObject) -> None:
    """``take(rows)`` and ``rows(start, stop)`` are the same parts of ``read()``."""
    file = tmp_path_factory.mktemp("rows") / name
    size = rows.draw(st.integers(1, 25))
    write(file, arrays_of(size))
    with closing(opened(file)) as reader:
        whole = exhaust(reader.read(reader.names))
        for array in rows.draw(st.lists(st.sampled_from(["t", "x", "y"]), min_size=1, max_size=6)):
            start, stop = sorted(rows.draw(st.tuples(st.integers(0, size), st.integers(0, size))))
            wanted = np.array(rows.draw(st.lists(st.integers(0, size - 1), max_size=9)), np.intp)
            for found, expected in (
                (reader.rows(array, start, stop), whole[array][start:stop]),
                (reader.take(array, wanted), whole[array][wanted]),
            ):
                assert (found.dtype, found.shape) == (np.float64, expected.shape)
                assert found.flags.c_contiguous
                assert found.flags.writeable
                assert np.array_equal(found, expected)


@each_format
def test_reading_pauses_after_each_block(tmp_path: Path, name: str, write: Write) -> None:
    rows = 100_000
    write(tmp_path / name, {"x": np.zeros((rows, 6))})
    assert rows * 6 * 8 >> 20 <= sum(1 for _ in loading(name, tmp_path, {}, SPAN))


@each_format
@law(40)
@given(data=st.data())
def test_no_change_of_a_few_bytes_is_a_fault_of_ours(
    tmp_path_factory: pytest.TempPathFactory, name: str, write: Write, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("torn")
    write(folder / name, {"x": np.arange(6.0).reshape(3, 2)})
    file = data.draw(st.sampled_from(sorted(file for file in folder.rglob("*") if file.is_file())))
    content = bytearray(file.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    file.write_bytes(content[: data.draw(st.integers(0, len(content)))] if data.draw(st.booleans()) else content)
    try:
        held = exhaust(loading(name, folder, {}, SPAN, ByteLimit(1000))).held
    except (Rejected, Stuck) as failure:
        held, spans = 0, [d.span for d in failure.diagnostics]
    else:
        spans = [SPAN]
    assert (held <= 1000, spans) == (True, [SPAN])


# -- HDF5 --------------------------------------------------------------------------------------------------------------------


def test_data_sets_in_groups_have_paths(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["b/c/x"] = file["x"] = np.ones((3, 2))
        file["b/up"] = file["b"]
        file["soft"] = h5py.SoftLink("/x")
        file["elsewhere"] = h5py.ExternalLink("other.h5", "/x")
        file.create_group("empty")
    reader = opened(tmp_path / "a.h5")
    assert reader.names == ("x", "b/c/x")
    reader.close()


@each_format
def test_rows_of_compressed_chunks_are_not_read_one_by_one(tmp_path: Path, name: str, write: Write) -> None:
    write(tmp_path / name, {"x": np.zeros((20, 3))})
    reader = opened(tmp_path / name)
    assert reader.random_access == (name == "a.h5")
    reader.close()


def write_words(file: Path) -> None:
    with h5py.File(file, "w") as opened:
        opened["x"] = ["red", "blue"]


def write_ragged(file: Path) -> None:
    with h5py.File(file, "w") as opened:
        opened.create_dataset("x", (2,), dtype=h5py.vlen_dtype(np.float64))


def write_references(file: Path) -> None:
    with h5py.File(file, "w") as opened:
        opened.create_dataset("x", (2,), dtype=h5py.ref_dtype)


def write_array(file: Path, array: np.ndarray) -> None:
    with h5py.File(file, "w") as opened:
        opened["x"] = array


def write_empty(file: Path) -> None:
    with h5py.File(file, "w") as opened:
        opened["x"] = h5py.Empty("f8")


OTHER_HDF5: dict[str, tuple[Callable[[Path], object], str, str]] = {
    "words": (write_words, "RH304", "an array of words"),
    "bytes": (lambda file: write_array(file, np.array([b"red", b"blue"])), "RH304", "an array of words"),
    "rows of different lengths": (write_ragged, "RH304", "an array of rows of different lengths"),
    "references": (write_references, "RH304", "an array of references"),
    "complex numbers": (lambda file: write_array(file, np.array([1j])), "RH304", "an array of complex numbers"),
    "records": (lambda file: write_array(file, np.zeros(2, [("a", "f8")])), "RH304", "[('a', '<f8')]"),
    "a single number": (lambda file: write_array(file, np.array(2.0)), "RH304", "a single number"),
    "nothing": (write_empty, "RH303", "`x` is empty"),
    "no data sets": (lambda file: h5py.File(file, "w").close(), "RH308", "no arrays"),
    "no rows": (lambda file: write_array(file, np.zeros((0, 2))), "RH308", "arrays of length 0"),
    "not finite": (lambda file: write_array(file, np.array([0, np.inf])), "RH306", "inf"),
    "another kind of file": (lambda file: file.write_bytes(b"another kind" * 99), "RH303", "signature not found"),
    "an empty file": (Path.touch, "RH303", "signature not found"),
}


@pytest.mark.parametrize(("write", "code", "words"), OTHER_HDF5.values(), ids=OTHER_HDF5)
def test_hdf5_that_cannot_be_used(tmp_path: Path, write: Callable[[Path], object], code: str, words: str) -> None:
    write(tmp_path / "a.h5")
    found = diagnostic_of("a.h5", tmp_path)
    assert found.code == code
    assert words in found.found
    assert ("`x`" if code == "RH304" else '"a.h5"' if code == "RH303" else "") in found.message


def test_a_file_that_python_still_writes_is_read(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["x"] = np.ones(3)
        assert find("a.h5", tmp_path).size == 3
        file["t"] = np.ones(3)
    assert list(find("a.h5", tmp_path).types) == ["t", "x"]


def test_hdf5_is_read_however_it_is_stored(tmp_path: Path) -> None:
    x = np.random.default_rng(0).integers(0, 9, (20, 3))
    with h5py.File(tmp_path / "a.h5", "w", userblock_size=512) as file:
        file["doubles"] = x.astype(np.float64)
        file["big_endian"] = x.astype(">i2")
        file["halves"] = x.astype(np.float16)
        file["truths"] = x > 4
        file.create_dataset("elsewhere", x.shape, np.float32, external=[(tmp_path / "part.bin", 0, x.size * 4)])[...] = x
        file.create_dataset("chunks", data=x, chunks=(4, 3))
        file.create_dataset("unwritten", x.shape, np.float64, fillvalue=7)
        bits = h5py.h5t.NATIVE_INT32.copy()
        bits.set_precision(24)
        place = h5py.h5d.create(file.id, b"bits", bits, h5py.h5s.create_simple(x.shape))
        place.write(h5py.h5s.ALL, h5py.h5s.ALL, x.astype(np.int32))
    expected = dict.fromkeys(("doubles", "big_endian", "halves", "elsewhere", "chunks", "bits"), x)
    expected |= {"truths": x > 4, "unwritten": np.full(x.shape, 7)}
    rows = np.array([19, 2, 2, 0])
    with closing(opened(tmp_path / "a.h5")) as reader:
        assert set(reader.names) == set(expected)
        for name, array in expected.items():
            assert np.array_equal(reader.rows(name, 3, 9), array[3:9]), name
            assert np.array_equal(reader.take(name, rows), array[rows]), name


@pytest.mark.parametrize("name", ["a.h5", "a.npy"])
def test_a_file_that_becomes_shorter_is_reported(tmp_path: Path, name: str) -> None:
    x = np.random.default_rng(0).normal(size=(10_000, 8))
    if name == "a.h5":
        write_hdf5(tmp_path / name, {"x": x})
    else:
        np.save(tmp_path / name, x)
    with closing(opened(tmp_path / name)) as reader:
        array = reader.names[0]
        assert np.array_equal(reader.rows(array, 0, 2), x[:2])
        with (tmp_path / name).open("r+b") as file:
            file.truncate(20_000)
        with pytest.raises(Damaged, match="the file was cut off after 20,000 of"):
            reader.rows(array, 9_000, 9_010)


def test_a_chunk_that_is_damaged_is_reported_with_its_array(tmp_path: Path) -> None:
    write_hdf5_in_chunks(tmp_path / "a.hdf5", {"x": np.random.default_rng(0).normal(size=(400, 2))})
    content = bytearray((tmp_path / "a.hdf5").read_bytes())
    content[len(content) // 2] ^= 255
    (tmp_path / "a.hdf5").write_bytes(content)
    found = diagnostic_of("a.hdf5", tmp_path)
    assert found.code == "RH303"
    assert found.found.startswith("`x`: ")


# -- Parquet -----------------------------------------------------------------------------------------------------------------


def table_of(folder: Path, **columns: object) -> None:
    pq.write_table(pa.table(columns), folder / "a.parquet")


def test_numbered_columns_form_arrays(tmp_path: Path) -> None:
    table_of(tmp_path, x1=[1.5, 2.5], t=[True, False], x0=pa.array([3, 4], pa.uint8()), half=pa.array([0.5, 2], pa.float16()))
    arrays = find("a.parquet", tmp_path).arrays
    assert {name: array.tolist() for name, array in arrays.items()} == {
        "x": [[3, 1.5], [4, 2.5]],
        "t": [[1], [0]],
        "half": [[0.5], [2]],
    }


def test_a_table_of_pandas_lacks_its_index(tmp_path: Path) -> None:
    pq.write_table(pa.table({"x": [1.0], "__index_level_0__": ["first"]}), tmp_path / "a.parquet")
    assert list(find("a.parquet", tmp_path).arrays) == ["x"]


def test_a_column_of_kinds_of_numbers_is_read(tmp_path: Path) -> None:
    table_of(tmp_path, x=pa.array([2.5, 1, 2.5]).dictionary_encode())
    assert find("a.parquet", tmp_path).arrays["x"].tolist() == [[2.5], [1], [2.5]]


OTHER_PARQUET: dict[str, tuple[dict[str, object], str, str]] = {
    "words": ({"x": [1.0], "kind": ["red"]}, "RH304", "an array of words"),
    "words by number": ({"kind": pa.array(["red"]).dictionary_encode()}, "RH304", "an array of words"),
    "dates": ({"day": pa.array([0], pa.date32())}, "RH304", "an array of dates or times"),
    "decimal numbers": ({"x": pa.array([1], pa.decimal128(5, 2))}, "RH304", "an array of decimal numbers"),
    "lists": ({"x": [[1.0], [2.0, 3.0]]}, "RH304", "an array of lists of any length"),
    "lists of words": ({"x": pa.array([["a"]], pa.list_(pa.string(), 1))}, "RH304", "an array of words"),
    "records": ({"x": [{"a": 1.0}]}, "RH304", "struct"),
    "nothing but missing numbers": ({"x": pa.nulls(2)}, "RH304", "null"),
    "a missing number": ({"x0": [1.0, 2], "x1": [1, None]}, "RH306", "missing"),
    "a missing list": ({"x": pa.array([[1.0], None], pa.list_(pa.float64(), 1))}, "RH306", "missing"),
    "a missing number in a list": ({"x": pa.array([[1.0, 2], [3, None]], pa.list_(pa.float64(), 2))}, "RH306", "missing"),
    "not finite": ({"x": [1.0, float("nan")]}, "RH306", "nan"),
    "no rows": ({"x": pa.array([], pa.float64())}, "RH308", "arrays of length 0"),
    "no columns": ({}, "RH308", "no arrays"),
    "a gap": ({"x0": [1.0], "x2": [1.0]}, "RH309", "x0, x2"),
    "two arrays of a name": ({"x": pa.array([[1.0]], pa.list_(pa.float64(), 1)), "x0": [1.0]}, "RH309", ""),
}


@pytest.mark.parametrize(("columns", "code", "words"), OTHER_PARQUET.values(), ids=OTHER_PARQUET)
def test_parquet_that_cannot_be_used(tmp_path: Path, columns: dict[str, object], code: str, words: str) -> None:
    table_of(tmp_path, **columns)
    found = diagnostic_of("a.parquet", tmp_path)
    assert found.code == code
    assert words in found.found
    if code in {"RH304", "RH306"}:
        assert f"`{list(columns)[-1]}`" in found.message


def test_a_missing_number_is_reported_with_its_row(tmp_path: Path) -> None:
    column = pa.array([*range(40), None, 1], pa.int32())
    pq.write_table(pa.table({"x0": column, "x1": column}), tmp_path / "a.parquet", row_group_size=16)
    assert diagnostic_of("a.parquet", tmp_path).message == "`x0`[40] is missing"


MANY = 300
"""Columns that are not decoded at the same time, if they have 7,500 entries."""


def many_columns(folder: Path, rows: int, **options: Any) -> np.ndarray:
    entries = np.random.default_rng(0).normal(size=(rows, MANY))
    entries[:, 1] = np.round(entries[:, 1])
    columns = {f"x{i}": entries[:, i] for i in range(MANY)} | {"x1": entries[:, 1].astype(np.int16)}
    pq.write_table(pa.table(columns), folder / "a.parquet", **options)
    return entries


def test_many_columns_are_decoded_one_after_another(tmp_path: Path) -> None:
    entries = many_columns(tmp_path, 20_000, row_group_size=7_500)
    reader = opened(tmp_path / "a.parquet")
    assert np.array_equal(exhaust(reader.read(["x"]))["x"], entries)
    assert np.array_equal(reader.rows("x", 7_400, 15_100), entries[7_400:15_100])
    assert np.array_equal(reader.take("x", np.array([19_999, 3, 3])), entries[[19_999, 3, 3]])


def test_a_missing_number_among_many_columns_is_reported_with_its_row(tmp_path: Path) -> None:
    full, gap = pa.array(np.arange(8_000.0)), pa.array([*range(7_999), None], pa.float64())
    pq.write_table(pa.table({f"x{i}": gap if i == 7 else full for i in range(MANY)}), tmp_path / "a.parquet")
    assert diagnostic_of("a.parquet", tmp_path).message == "`x7`[7999] is missing"


READ_IN_ORDER = """
import sys
from pathlib import Path
import pyarrow
from rh_kernel.training.reading.parquet import Columns

assert sum([len(rows) for rows in Columns(Path(sys.argv[1])).blocks("x", 0)]) == 20_000
print(pyarrow.default_memory_pool().max_memory(), "pandas" in sys.modules)
"""


def test_many_columns_are_decoded_in_little_memory(tmp_path: Path) -> None:
    entries = many_columns(tmp_path, 20_000)
    command = [sys.executable, "-c", READ_IN_ORDER, str(tmp_path / "a.parquet")]
    most, has_pandas = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    assert int(most) < entries.nbytes / 8
    assert has_pandas == "False"


def test_columns_of_one_name_are_reported(tmp_path: Path) -> None:
    pq.write_table(pa.Table.from_arrays([pa.array([1.0]), pa.array([2.0])], ["x", "x"]), tmp_path / "a.parquet")
    found = diagnostic_of("a.parquet", tmp_path)
    assert (found.code, found.message) == ("RH309", "two columns of the file are called `x`")


@pytest.mark.parametrize("content", [b"", b"no table" * 9, b"PAR1" + bytes(40) + b"PAR1", None])
def test_files_that_are_no_tables(tmp_path: Path, content: bytes | None) -> None:
    if content is None:
        table_of(tmp_path, x=np.arange(1000.0))
        content = (tmp_path / "a.parquet").read_bytes()[:-3000]
    (tmp_path / "a.parquet").write_bytes(content)
    found = diagnostic_of("a.parquet", tmp_path)
    assert (found.code, found.message) == ("RH303", '"a.parquet" cannot be read as a Parquet file')
    assert found.found


# -- Zarr --------------------------------------------------------------------------------------------------------------------


def test_arrays_in_groups_have_paths(tmp_path: Path) -> None:
    group = zarr.open_group(tmp_path / "a.zarr", mode="w")
    for path in ("b/c/x", "x"):
        group.create_array(path, data=np.ones((3, 2)))
    group.create_group("empty")
    reader = opened(tmp_path / "a.zarr")
    assert reader.names == ("x", "b/c/x")
    assert not reader.random_access


def test_a_single_array_has_no_name(tmp_path: Path) -> None:
    zarr.create_array(tmp_path / "a.zarr", data=np.arange(6).reshape(3, 2))
    reader = opened(tmp_path / "a.zarr")
    assert reader.names == ("",)
    assert reader.rows("", 1, 3).tolist() == [[2, 3], [4, 5]]


def zarr_of(folder: Path, array: np.ndarray) -> None:
    zarr.open_group(folder / "a.zarr", mode="w").create_array("x", data=array)


@pytest.mark.parametrize(
    ("array", "code", "words"),
    [
        (np.array([1j]), "RH304", "complex numbers"),
        (np.array(["2020-01-01"], "M8[s]"), "RH304", "dates"),
        (np.array(2.0), "RH304", "a single number"),
        (np.zeros((0, 2)), "RH308", "arrays of length 0"),
        (np.array([1, np.nan]), "RH306", "nan"),
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore:The data type:UserWarning")
def test_zarr_that_cannot_be_used(tmp_path: Path, array: np.ndarray, code: str, words: str) -> None:
    zarr_of(tmp_path, array)
    found = diagnostic_of("a.zarr", tmp_path)
    assert found.code == code
    assert words in found.found


def test_a_folder_that_is_no_zarr(tmp_path: Path) -> None:
    (tmp_path / "a.zarr").mkdir()
    found = diagnostic_of("a.zarr", tmp_path)
    assert (found.code, found.message) == ("RH303", '"a.zarr" cannot be read as a Zarr folder')


def test_a_zarr_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "a.zarr").touch()
    assert diagnostic_of("a.zarr", tmp_path).code == "RH302"


@pytest.mark.parametrize("damage", ["cut off", "other bytes", "nothing"])
def test_a_damaged_chunk_is_reported_with_its_array(tmp_path: Path, damage: str) -> None:
    write_zarr(tmp_path / "a.zarr", {"x": np.random.default_rng(0).normal(size=(30, 3))})
    chunk = tmp_path / "a.zarr" / "x" / "c" / "1" / "0"
    content = chunk.read_bytes()
    chunk.write_bytes({"cut off": content[:-20], "other bytes": bytes(len(content)), "nothing": b""}[damage])
    found = diagnostic_of("a.zarr", tmp_path)
    assert found.code == "RH303"
    assert found.found.startswith("`x`: ")


def test_an_array_whose_description_is_damaged(tmp_path: Path) -> None:
    zarr_of(tmp_path, np.ones(3))
    (tmp_path / "a.zarr" / "x" / "zarr.json").write_text("{")
    assert diagnostic_of("a.zarr", tmp_path).code == "RH303"


def test_a_folder_that_was_written_again_is_read_again(tmp_path: Path) -> None:
    for size in (3, 4):
        shutil.rmtree(tmp_path / "a.zarr", ignore_errors=True)
        zarr_of(tmp_path, np.ones(size))
        assert find("a.zarr", tmp_path).size == size


# -- libraries ---------------------------------------------------------------------------------------------------------------

WITHOUT = """
import sys
from pathlib import Path
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.span import Source, Span
from rh_kernel.training.data import load

sys.modules[sys.argv[1]] = None
try:
    load(sys.argv[2], Path(sys.argv[3]), {}, Span(Source("cell", "data"), 0, 4))
except Rejected as rejected:
    for found in rejected.diagnostics:
        print(found.code, found.message, found.hint, sep="\\n")
"""


@pytest.mark.parametrize(
    ("module", "library", "name"),
    [
        ("h5py", "h5py", "a.h5"),
        ("pyarrow", "pyarrow", "a.parquet"),
        ("zarr", "zarr", "a.zarr"),
        ("PIL", "Pillow", "a"),
    ],
)
def test_a_library_that_is_missing_is_named_with_the_command_that_installs_it(
    tmp_path: Path, module: str, library: str, name: str
) -> None:
    if name in {"a.zarr", "a"}:
        (tmp_path / name).mkdir()
    else:
        (tmp_path / name).touch()
    command = [sys.executable, "-c", WITHOUT, module, name, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=True)
    assert done.stdout.splitlines() == [
        "RH311",
        f'"{name}" needs {library}, which is not installed',
        "install it: pip install 'rh_kernel[data]'",
    ]


def test_no_library_is_imported_before_a_file_needs_it() -> None:
    code = "import sys; from rh_kernel.training.reading import formats; print(len(formats.formats())); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    count, modules = done.stdout.splitlines()
    assert int(count) >= 9
    assert not {"h5py", "pyarrow", "zarr", "PIL"} & set(modules.split())


def test_the_hint_says_how_to_write_each_format(tmp_path: Path) -> None:
    """A file of another kind under the name of each format."""
    for form in formats.formats():
        if not form.is_data or form.is_folder or form.name == "csv":
            continue
        name = f"a{form.suffixes[0]}" if form.suffixes else "a-idx3-ubyte"
        (tmp_path / name).write_bytes(b"another kind of file")
        found: Diagnostic = diagnostic_of(name, tmp_path)
        assert (found.code, bool(found.hint)) == ("RH303", True)
