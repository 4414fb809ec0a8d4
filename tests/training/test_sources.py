"""Data in files that need not fit into memory: the same numbers as in memory, to the bit, within the limit of bytes."""

import os
import threading
import tracemalloc
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.loops.ir import Precision
from rh_kernel.source.diagnostic import Diagnostic, Rejected, Stuck
from rh_kernel.source.span import Source, Span
from rh_kernel.source.trampoline import exhaust
from rh_kernel.syntax.core import Array
from rh_kernel.training import feeds, files
from rh_kernel.training.data import DataSet, loading_named
from rh_kernel.training.events import Event, Progress, Trained
from rh_kernel.training.loop import train
from rh_kernel.training.reading import converted
from rh_kernel.training.reading.format import Format, opener
from rh_kernel.training.reading.npy import SingleArray
from rh_kernel.training.reading.reader import ByteLimit, Header
from rh_kernel.training.reading.rows import RowReader
from rh_kernel.training.samples import EXACT
from rh_kernel.training.sources import InFile, InMemory, View
from tests.tiers import law
from tests.training.programs import Run, elaborated, kept, mlp, trained

SPAN = Span(Source("test", "data"), 0, 4)
LOSS = "let y <= handle mlp(x) with infer in return dot(y - t, y - t)"
FILES = ("x.npy", "t.npy")


def saved(folder: Path, size: int, dtype: npt.DTypeLike = np.float64, seed: int = 0) -> dict[str, Array]:
    """Write ``x.npy`` and ``t.npy`` and return what is in them."""
    rng = np.random.default_rng(seed)
    arrays = {"x": rng.normal(size=(size, 3)), "t": rng.normal(size=(size, 2))}
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", (10 * array).astype(dtype) if np.dtype(dtype).kind in "iu" else array.astype(dtype))
    return {name: np.load(folder / f"{name}.npy") for name in arrays}


def opened(folder: Path, limit: int, names: Sequence[str] = FILES, pattern: Sequence[str] = ("x", "t")) -> DataSet:
    """Return the data of these files if ``limit`` reals may be in memory."""
    return exhaust(loading_named(names, pattern, folder, {}, SPAN, ByteLimit(limit, "by `%limit bytes`")))


def refused(folder: Path, limit: int, names: Sequence[str] = FILES, pattern: Sequence[str] = ("x", "t")) -> Diagnostic:
    with pytest.raises((Rejected, Stuck)) as failure:
        opened(folder, limit, names, pattern)
    (found,) = failure.value.diagnostics
    assert found.span == SPAN
    return found


def training(arrays: Mapping[str, Array], options: str) -> Run:
    text = f'train rev handle (x) <u>. mlp(u) with sgd(0.1, t) for (x, t) in data("mine") {options}'
    return elaborated(f"{mlp(3, 4, 2)}\n{text}", {"mine": arrays})


def outcome(run: Run, data: DataSet, precision: Precision = "float64", reals: int = 1 << 40) -> tuple[Any, dict[str, bytes]]:
    """Return the measures of a run, and the weights after it, to the bit."""
    *_, last = train(run.run, data, {"mine": data}, run.weights(), reals, precision=precision)
    assert isinstance(last, Trained)
    return last.measures, {location.name: array.tobytes() for location, array in last.heap.items()}


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Chunks of about forty numbers, so that a few samples are several chunks."""
    monkeypatch.setattr(feeds, "CHUNK", 40)
    monkeypatch.setattr(feeds, "SLICE", 9)
    yield
    assert not reading()


def reading() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "rh-read-ahead"]


def test_a_file_that_fits_is_read_into_memory(tmp_path: Path) -> None:
    arrays = saved(tmp_path, 20)
    data = opened(tmp_path, 100)
    assert all(isinstance(source, InMemory) for source in data.sources.values())
    assert {name: array.tolist() for name, array in data.arrays.items()} == {k: v.tolist() for k, v in arrays.items()}
    # x alone fits, and then t no more.
    kinds = {name: type(source) for name, source in opened(tmp_path, 99).sources.items()}
    assert kinds == {"x": InMemory, "t": InFile}


def test_the_limit_decides_anew_each_time(tmp_path: Path) -> None:
    saved(tmp_path, 20)
    assert [opened(tmp_path, limit).held for limit in (100, 59, 100, 0)] == [100, 40, 100, 0]


@law(40)
@given(st.data())
def test_rows_of_a_file_are_rows_of_its_array(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    folder = tmp_path_factory.mktemp("rows")
    dtype = data.draw(st.sampled_from(["f8", "f4", "f2", ">f8", "i4", "u1", "?", "i8"]))
    shape = (data.draw(st.integers(1, 9)), *data.draw(st.lists(st.integers(1, 3), max_size=2)))
    array = np.random.default_rng(0).integers(0, 100, shape).astype(dtype)
    np.save(folder / "x.npy", np.asfortranarray(array) if data.draw(st.booleans()) else array)
    source = opened(folder, 0, ["x.npy"], ["x"]).sources["x"]
    assert isinstance(source, InFile)
    assert (source.shape, source.dtype) == ((*shape, 1) if len(shape) == 1 else shape, np.dtype(dtype))
    for taken, rows in ((source, range(shape[0])), (View(source, np.arange(shape[0])[::-1]), range(shape[0])[::-1])):
        wanted = np.array(data.draw(st.lists(st.sampled_from(range(shape[0])), max_size=12)), np.intp)
        found = taken.take(wanted)
        assert found.dtype == np.float64
        assert found.flags.c_contiguous
        assert np.array_equal(found, array.astype(float).reshape(source.shape)[[rows[i] for i in wanted]])


OPTIONS = [
    "epochs 3 batch 4 shuffle 0",
    "epochs 3 batch 5",
    "epochs 2 batch 7 shuffle 1",
    "epochs 4 batch 1",
    "epochs 2 batch 10 pieces 3 shuffle 1",
    "epochs 2 batch 100 shuffle 2",
    f"epochs 3 batch 4 shuffle 0 measure {LOSS}",
    f"epochs 2 batch 6 measure {LOSS} measure return 1",
]


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize("options", OPTIONS)
def test_training_from_a_file_gives_the_same_bits(tmp_path: Path, options: str, precision: Precision) -> None:
    arrays = saved(tmp_path, 60, np.float32 if precision == "float32" else np.float64)
    run = training(arrays, options)
    assert outcome(run, run.data, precision) == outcome(run, opened(tmp_path, 0), precision)


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("dtype", ["u1", "i8", ">f8", "f2"])
def test_numbers_of_any_type_train_as_they_do_in_memory(tmp_path: Path, dtype: str) -> None:
    run = training(saved(tmp_path, 23, dtype), "epochs 2 batch 4 shuffle 0")
    assert outcome(run, run.data) == outcome(run, opened(tmp_path, 0))


@pytest.mark.usefixtures("small_chunks")
def test_batches_that_run_in_pieces_give_the_same_bits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from rh_kernel.training import batches

    run = training(saved(tmp_path, 60), "epochs 2 batch 25 shuffle 0")
    monkeypatch.setattr(batches, "LARGEST", 400)
    assert outcome(run, run.data) == outcome(run, opened(tmp_path, 0))


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("part", [".train", ".test", ".test.train"])
def test_a_part_of_a_file_is_a_view_of_it(tmp_path: Path, part: str) -> None:
    saved(tmp_path, 50)
    names = [name + part for name in FILES]
    near, far = opened(tmp_path, 1000, names), opened(tmp_path, 0, names)
    assert all(isinstance(source, View) for source in far.sources.values())
    assert (near.size, near.name) == (far.size, far.name)
    assert all(np.array_equal(array, far.arrays[name]) for name, array in near.arrays.items())
    run = training(near.arrays, "epochs 2 batch 4 shuffle 0")
    assert outcome(run, near) == outcome(run, far)


def test_a_run_holds_far_less_than_the_data(tmp_path: Path) -> None:
    size = 200_000
    for name, columns in (("x", 30), ("t", 2)):
        file = np.lib.format.open_memmap(tmp_path / f"{name}.npy", "w+", np.float64, (size, columns))
        for start in range(0, size, 10_000):
            file[start : start + 10_000] = np.random.default_rng(start).normal(size=(10_000, columns))
    text = 'train rev handle (x) <u>. mlp(u) with sgd(0.01, t) for (x, t) in data("mine") epochs 1 batch 500 shuffle 0'
    run = elaborated(f"{mlp(30, 4, 2)}\n{text}", {"mine": {"x": np.ones((1, 30)), "t": np.ones((1, 2))}})
    limit = size * 32 // 2
    tracemalloc.start()
    try:
        data = opened(tmp_path, limit)
        assert data.held == size * 2
        outcome(run, data, reals=limit)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 8 * limit / 2


def test_a_stopped_run_leaves_no_thread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feeds, "CHUNK", 40)
    run = training(saved(tmp_path, 500), "epochs 1000 batch 1 shuffle 0")
    data = opened(tmp_path, 0)
    events = train(run.run, data, {"mine": data}, run.weights())
    seen = [next(events) for _ in range(5)]
    assert isinstance(seen[-1], Progress)
    assert isinstance(events, Generator)
    events.close()
    assert not reading()


def test_an_interrupt_in_a_run_leaves_the_heap_of_whole_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The interrupt comes while rows are being read; what is there is what some number of batches made of the weights."""
    monkeypatch.setattr(feeds, "CHUNK", 10)
    run = training(saved(tmp_path, 40), "epochs 1 batch 2")
    data, whole = opened(tmp_path, 0), [run.weights()]
    for count in range(1, 21):
        rows = {name: array[: 2 * count] for name, array in data.arrays.items()}
        short = training(rows, "epochs 1 batch 2")
        whole.append(dict(trained(short.events(run.weights())).heap))
    asked, true_take = list[int](), InFile.take

    def take(self: InFile, rows: npt.NDArray[np.intp]) -> Array:
        asked.append(len(rows))
        if len(asked) == 12:
            raise KeyboardInterrupt
        return true_take(self, rows)

    monkeypatch.setattr(InFile, "take", take)
    monkeypatch.setattr("rh_kernel.training.loop.BETWEEN_EVENTS", 0.0)
    seen: list[Event] = []
    with pytest.raises(KeyboardInterrupt):
        seen.extend(map(kept, train(run.run, data, {"mine": data}, run.weights())))
    last = seen[-1]
    assert isinstance(last, Progress)
    assert not reading()
    assert any(all(np.allclose(heap[at], last.heap[at], 1e-12, 1e-12) for at in heap) for heap in whole)


def test_without_threads_a_chunk_is_read_when_it_is_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = training(saved(tmp_path, 60), "epochs 2 batch 4 shuffle 0")
    expected = outcome(run, run.data)
    monkeypatch.setattr(feeds, "CHUNK", 40)

    def start(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", start)
    assert outcome(run, opened(tmp_path, 0)) == expected


def test_a_file_that_changes_during_a_run_ends_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feeds, "CHUNK", 40)
    run = training(saved(tmp_path, 500), "epochs 50 batch 1")
    data = opened(tmp_path, 0)
    events = train(run.run, data, {"mine": data}, run.weights())
    next(events)
    os.utime(tmp_path / "x.npy", ns=(1, 1))
    with pytest.raises(Rejected) as failure:
        list(events)
    assert (failure.value.diagnostics[0].code, failure.value.diagnostics[0].found) == (
        "RH303",
        "it has changed since it was opened",
    )
    assert not reading()


@pytest.mark.parametrize("limit", [1000, 0])
@pytest.mark.parametrize(
    ("array", "code", "message"),
    [
        (np.array([[1.0, 2.0], [3.0, np.nan]]), "RH306", "`x.npy`[1, 1] is nan"),
        (np.array([1.0, -np.inf]), "RH306", "`x.npy`[1, 0] is -inf"),
        (np.array([0, EXACT], np.int64), "RH320", "`x.npy`[1, 0] is too large to be kept exactly"),
        (np.array([[0], [-EXACT - 1]], np.int64), "RH320", "`x.npy`[1, 0] is too large to be kept exactly"),
        (np.array([EXACT + 1], np.uint64), "RH320", "`x.npy`[0, 0] is too large to be kept exactly"),
        (np.array(["a"]), "RH304", "`x.npy` is not an array of real numbers"),
        (np.ones((0, 2)), "RH308", 'there are no samples in "x.npy"'),
        (np.longdouble("1e400") * np.ones(1, np.longdouble), "RH306", "`x.npy`[0, 0] is inf"),
    ],
)
def test_numbers_that_cannot_be_used(tmp_path: Path, array: npt.NDArray[Any], code: str, message: str, limit: int) -> None:
    np.save(tmp_path / "x.npy", array)
    found = refused(tmp_path, limit, ["x.npy"], ["x"])
    assert (found.code, found.message) == (code, message)


def test_the_largest_integers_are_kept(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.array([EXACT - 1, 1 - EXACT]))
    assert opened(tmp_path, 0, ["x.npy"], ["x"]).arrays["x"][:, 0].tolist() == [EXACT - 1, 1 - EXACT]


def test_numbers_are_checked_once_for_each_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    saved(tmp_path, 50)
    seen: list[str] = []
    true_rows = SingleArray.rows

    def rows(self: SingleArray, name: str, start: int, stop: int) -> Array:
        seen.append(name)
        return true_rows(self, name, start, stop)

    monkeypatch.setattr(SingleArray, "rows", rows)
    for _ in range(2):
        opened(tmp_path, 0)
        files._kept.clear()
    assert len(seen) == 2
    os.utime(tmp_path / "x.npy", ns=(7, 7))
    opened(tmp_path, 0)
    assert len(seen) == 3


def test_reading_says_how_far_it_is_and_pauses(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.ones((5, 1 << 17)))
    blocks = loading_named(["x.npy"], ["x"], tmp_path, {}, SPAN, ByteLimit(10))
    texts = [text for text in blocks if text]
    assert texts == [f'"x.npy" {percent} %' for percent in (20, 40, 60, 80, 100)]


@pytest.mark.parametrize(
    ("names", "pattern", "words"),
    [
        (["x.npy"], ["x", "t"], "1 file for the 2 names of the pattern"),
        (["x.npy", "t.npy"], ["x"], "2 files for the 1 name of the pattern"),
        (["x.npy", "both.npz"], ["x", "t"], '"both.npz" names its arrays, so it cannot be one of several files'),
        (["xor", "t.npy"], ["x", "t"], '"xor" names its arrays, so it cannot be one of several files'),
    ],
)
def test_files_that_do_not_match_the_pattern(tmp_path: Path, names: list[str], pattern: list[str], words: str) -> None:
    np.savez(tmp_path / "both.npz", x=np.ones(4), t=np.ones(4))
    saved(tmp_path, 4)
    found = refused(tmp_path, 100, names, pattern)
    assert (found.code, found.message) == ("RH322", words)


def test_files_of_different_lengths(tmp_path: Path) -> None:
    saved(tmp_path, 4)
    np.save(tmp_path / "t.npy", np.ones(3))
    found = refused(tmp_path, 100)
    assert (found.code, found.found) == ("RH307", "`x` has 4, `t` has 3")


class InOrder(RowReader):
    """An array that can be read in order only, as if it were in a file of records."""

    random_access = False

    def __init__(self, file: Path) -> None:
        with file.open("rb") as stream:
            self._array = np.load(stream)
        self.names = ("x", "t")

    def header(self, name: str) -> Header:
        """The first three columns are x, the other two t."""
        array = self._columns(name)
        return Header(array.shape, array.dtype)

    def rows(self, name: str, start: int, stop: int) -> Array:
        """Return these rows."""
        return np.array(self._columns(name)[start:stop], np.float64)

    def close(self) -> None:
        """Do nothing."""

    def _columns(self, name: str) -> npt.NDArray[Any]:
        return self._array[:, :3] if name == "x" else self._array[:, 3:]


def _is_in_order(file: Path) -> Format:
    del file
    return IN_ORDER


IN_ORDER = Format("records", (".records",), "a file of records", opener(InOrder))


@pytest.fixture
def records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[npt.NDArray[Any], int], DataSet]:
    """A function that writes an array to a file that can be read in order only, and opens it with so many reals allowed."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("rh_kernel.training.data.find", _is_in_order)

    def read(array: npt.NDArray[Any], limit: int = 0) -> DataSet:
        with (tmp_path / "a.records").open("wb") as file:
            np.save(file, array)
        return opened(tmp_path, limit, ["a.records"], ["x", "t"])

    return read


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.uint8, np.longdouble])
def test_what_can_be_read_in_order_only_is_converted_once(
    tmp_path: Path, records: Callable[..., DataSet], dtype: type[np.number[Any]]
) -> None:
    array = np.random.default_rng(0).uniform(0, 100, (40, 5)).astype(dtype)
    far = records(array)
    assert "a.records" in far.notice
    kept = sorted((tmp_path / "cache" / "rh_kernel" / "data").iterdir())
    assert [file.suffix for file in kept] == [".npy", ".npy"]
    assert {np.load(file).dtype for file in kept} == {np.dtype(dtype) if dtype is not np.longdouble else np.dtype(float)}
    run = training({"x": array[:, :3].astype(float), "t": array[:, 3:].astype(float)}, "epochs 2 batch 7 shuffle 0")
    assert outcome(run, run.data) == outcome(run, far)
    files._kept.clear()
    stamp = (tmp_path / "a.records").stat().st_mtime_ns
    again = opened(tmp_path, 0, ["a.records"], ["x", "t"])
    assert (again.notice, (tmp_path / "a.records").stat().st_mtime_ns) == ("", stamp)
    assert np.array_equal(again.arrays["t"], far.arrays["t"])
    assert sorted((tmp_path / "cache" / "rh_kernel" / "data").iterdir()) == kept


def test_a_conversion_that_fails_leaves_nothing(tmp_path: Path, records: Callable[..., DataSet]) -> None:
    array = np.ones((40, 5))
    array[30, 4] = np.nan
    with pytest.raises(Rejected) as failure:
        records(array)
    assert failure.value.diagnostics[0].message == '`t`[30, 1] in "a.records" is nan'
    assert not list((tmp_path / "cache" / "rh_kernel" / "data").iterdir())


def test_the_cache_of_converted_data_is_bounded(
    tmp_path: Path, records: Callable[..., DataSet], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(converted.BYTES, str(2 * 40 * 5 * 8 + 1000))
    folder = tmp_path / "cache" / "rh_kernel" / "data"
    first, *more = [records(np.full((40, 5), float(i))) for i in range(4)]
    assert len(list(folder.iterdir())) <= 4
    assert np.array_equal(more[-1].arrays["x"], np.full((40, 3), 3.0))
    if os.name == "posix":
        assert np.array_equal(first.arrays["x"], np.zeros((40, 3)))
    monkeypatch.setenv(converted.BYTES, "100")
    with pytest.raises(Rejected) as failure:
        records(np.full((40, 5), 9.0))
    (found,) = failure.value.diagnostics
    assert (found.code, converted.BYTES in found.hint) == ("RH321", True)


def test_abandoned_conversions_are_removed(tmp_path: Path, records: Callable[..., DataSet]) -> None:
    records(np.ones((4, 5)))
    folder = tmp_path / "cache" / "rh_kernel" / "data"
    for name, age in (("old.new", 10_000), ("young.new", 0)):
        (folder / name).write_bytes(b"1")
        moment = folder.stat().st_mtime - age
        os.utime(folder / name, (moment, moment))
    records(np.zeros((4, 5)))
    assert [(folder / name).exists() for name in ("old.new", "young.new")] == [False, True]


def write_h5(folder: Path, arrays: Mapping[str, Array]) -> str:
    h5py = pytest.importorskip("h5py")
    with h5py.File(folder / "a.h5", "w") as file:
        for name, array in arrays.items():
            file[name] = array
    return "a.h5"


def write_zarr(folder: Path, arrays: Mapping[str, Array]) -> str:
    zarr = pytest.importorskip("zarr")
    group = zarr.open_group(folder / "a.zarr", mode="w")
    for name, array in arrays.items():
        group.create_array(name, data=array, chunks=(7, array.shape[1]))
    return "a.zarr"


def write_parquet(folder: Path, arrays: Mapping[str, Array]) -> str:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    columns = {f"{name}{i}": array[:, i] for name, array in arrays.items() for i in range(array.shape[1])}
    pq.write_table(pa.table(columns), folder / "a.parquet", row_group_size=11)
    return "a.parquet"


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("write", [write_h5, write_zarr, write_parquet])
def test_every_format_by_rows_trains_as_in_memory(
    tmp_path: Path, write: Callable[[Path, Mapping[str, Array]], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    arrays = saved(tmp_path, 60)
    name = write(tmp_path, arrays)
    run = training(arrays, "epochs 2 batch 7 shuffle 0")
    near, far = opened(tmp_path, 1000, [name]), opened(tmp_path, 0, [name])
    assert (near.held, far.held) == (300, 0)
    assert outcome(run, run.data) == outcome(run, near) == outcome(run, far)
    parts = [opened(tmp_path, limit, [f"{name}.test"]) for limit in (1000, 0)]
    assert all(np.array_equal(array, parts[1].arrays[key]) for key, array in parts[0].arrays.items())


@pytest.mark.usefixtures("small_chunks")
def test_pictures_in_folders_train_as_in_memory(tmp_path: Path) -> None:
    images = pytest.importorskip("PIL.Image")
    rng = np.random.default_rng(0)
    for kind in ("cats", "dogs"):
        (tmp_path / "animals" / kind).mkdir(parents=True)
        for i in range(6):
            images.fromarray(rng.integers(0, 256, (4, 5), np.uint8)).save(tmp_path / "animals" / kind / f"{i}.png")
    near, far = opened(tmp_path, 1000, ["animals"]), opened(tmp_path, 0, ["animals"])
    assert far.held == 0
    assert {name: str(A) for name, A in far.types.items()} == {"x": "Real(1, 4, 5)", "t": "Real(2)"}
    assert all(np.array_equal(array, far.arrays[name]) for name, array in near.arrays.items())


def test_a_view_of_samples_can_be_replaced_in_a_data_set(tmp_path: Path) -> None:
    saved(tmp_path, 5)
    data = opened(tmp_path, 0)
    assert replace(data, name="other").types == data.types
