"""MNIST's idx files: pictures, labels and other arrays, also packed, and damaged ones."""

import gzip
import os
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.source.diagnostic import Diagnostic, Rejected
from rh_kernel.source.trampoline import exhaust
from rh_kernel.training.data import loading
from rh_kernel.training.reading import formats, idx
from rh_kernel.training.reading.reader import Damaged
from rh_kernel.training.reading.rows import RowReader
from tests.tiers import law
from tests.training.test_data import SPAN, diagnostic_of

CODES = {"u1": 8, "i1": 9, ">i2": 11, ">i4": 12, ">f4": 13, ">f8": 14}
IMAGES, LABELS = "train-images-idx3-ubyte", "train-labels-idx1-ubyte"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "rh_kernel" / "data"


def written(array: np.ndarray, code: int | None = None, *sizes: int) -> bytes:
    """Return an idx file, with another type or other sizes than the array's if they are given."""
    code = CODES[next(name for name in CODES if np.dtype(name) == array.dtype)] if code is None else code
    sizes = sizes or array.shape
    return struct.pack(f">2xBB{len(sizes)}I", code, len(sizes), *sizes) + array.tobytes()


def opened(file: Path) -> RowReader:
    assert formats.find(file) is idx.IDX
    reader = exhaust(idx.IDX.open(file))
    assert isinstance(reader, RowReader)
    return reader


def array_in(file: Path) -> np.ndarray:
    """Return the array, which has the shape and dtype of the header and the same rows however they are read."""
    reader = opened(file)
    assert reader.names == ("",)
    assert reader.random_access
    (found,) = exhaust(reader.read(reader.names)).values()
    assert reader.header("").shape == found.shape
    rows = np.random.default_rng(0).integers(0, len(found), 9) if len(found) else np.zeros(0, np.intp)
    assert np.array_equal(reader.take("", rows), found[rows])
    assert np.array_equal(reader.rows("", 0, len(found)), found)
    reader.close()
    assert (found.dtype, found.flags.c_contiguous, found.flags.writeable) == (np.float64, True, True)
    return found


@pytest.mark.parametrize("name", ["a-idx3-ubyte", "a.idx3-ubyte", "a-IDX3-UBYTE", "a-idx3-ubyte.gz", "a.idx3.gz"])
def test_pictures_become_numbers_from_0_to_1(tmp_path: Path, name: str) -> None:
    pictures = np.arange(256, dtype=np.uint8).reshape(4, 8, 8)
    content = written(pictures)
    (tmp_path / name).write_bytes(gzip.compress(content, mtime=0) if name.endswith(".gz") else content)
    found = array_in(tmp_path / name)
    assert np.array_equal(found, pictures / 255.0)
    assert (found.min(), found.max()) == (0, 1)


def test_labels_become_one_hot(tmp_path: Path) -> None:
    (tmp_path / LABELS).write_bytes(written(np.array([2, 0, 4, 2], np.uint8)))
    assert array_in(tmp_path / LABELS).tolist() == np.eye(5)[[2, 0, 4, 2]].tolist()


@pytest.mark.parametrize(
    ("dtype", "shape"),
    [(dtype, shape) for dtype in CODES for shape in [(4,), (2, 3), (2, 3, 4), (0, 3)] if dtype != "u1" or len(shape) == 2],
)
def test_other_numbers_are_read_as_they_are(tmp_path: Path, dtype: str, shape: tuple[int, ...]) -> None:
    array = (np.arange(np.prod(shape)) - 3).astype(dtype).reshape(shape)
    (tmp_path / "a-idx0-double").write_bytes(written(array))
    assert np.array_equal(array_in(tmp_path / "a-idx0-double"), array)


@pytest.mark.parametrize("name", ["idx", "idx3-ubyte.csv", "a-idx-ubyte", "a-idx3-ubyte.zip", "aidx3-ubyte", "index3"])
def test_other_names_are_those_of_other_files(tmp_path: Path, name: str) -> None:
    (tmp_path / name).touch()
    assert formats.find(tmp_path / name) is not idx.IDX


GOOD = written(np.zeros((2, 3, 4), np.uint8))
BROKEN = {
    "empty": (b"", "it is empty"),
    "a few bytes": (GOOD[:3], "it begins with the bytes 00 00 08 instead of 00 00"),
    "another kind of file": (b"another kind of file", "it begins with the bytes 61 6e 6f 74"),
    "a type that is none": (written(np.zeros(3, np.uint8), 10), "it begins with the bytes 00 00 0a 01"),
    "no axes": (b"\0\0\x08\0", "it begins with the bytes 00 00 08 00"),
    "cut off in the header": (GOOD[:9], "its header ends after 9 of 16 bytes"),
    "cut off": (GOOD[:-1], "it has 39 bytes instead of 40, as its header says"),
    "too long": (GOOD + b"\0", "it has 41 bytes instead of 40, as its header says"),
    "very large": (written(np.zeros(1), 14, 1 << 31, 1 << 31), "invalid shape"),
    "very many axes": (written(np.zeros(1), 14, *[1] * 40), "40 axes"),
}


@pytest.mark.parametrize(("content", "words"), BROKEN.values(), ids=BROKEN)
def test_a_broken_file_is_reported(tmp_path: Path, content: bytes, words: str) -> None:
    (tmp_path / IMAGES).write_bytes(content)
    found = diagnostic_of(IMAGES, tmp_path)
    assert (found.code, found.message) == ("RH303", f'"{IMAGES}" cannot be read as an idx file')
    assert words in found.found


def packed_diagnostic(folder: Path, content: bytes) -> Diagnostic:
    """Return the error of a packed file, which leaves nothing behind."""
    (folder / f"{IMAGES}.gz").write_bytes(content)
    found = diagnostic_of(f"{IMAGES}.gz", folder)
    assert found.code == "RH303"
    assert f'"{IMAGES}.gz"' in found.message
    assert sorted(path.name for path in folder.iterdir()) == ["cache", f"{IMAGES}.gz"]
    return found


@pytest.mark.parametrize(("content", "words"), BROKEN.values(), ids=BROKEN)
def test_a_broken_file_in_a_packed_one_is_reported(tmp_path: Path, content: bytes, words: str) -> None:
    found = packed_diagnostic(tmp_path, gzip.compress(content, mtime=0))
    assert words.replace("it has 41", "it has more") in found.found


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "it is empty"),
        (GOOD, "Not a gzipped file"),
        (gzip.compress(GOOD, mtime=0)[:-12], "it cannot be unpacked: Compressed file ended"),
        (gzip.compress(GOOD, mtime=0)[:-8] + bytes(8), "CRC check failed"),
        (gzip.compress(GOOD, mtime=0)[:10] + b"\xff" * 8, "it cannot be unpacked: Error -3"),
    ],
)
def test_a_packed_file_that_cannot_be_unpacked_is_reported(tmp_path: Path, content: bytes, words: str) -> None:
    assert words in packed_diagnostic(tmp_path, content).found


@law(60)
@given(st.data())
def test_no_change_of_a_few_bytes_is_a_fault_of_ours(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    file = tmp_path_factory.mktemp("torn") / data.draw(st.sampled_from([IMAGES, f"{IMAGES}.gz"]))
    content = bytearray(gzip.compress(GOOD, mtime=0) if file.suffix == ".gz" else GOOD)
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    file.write_bytes(content[: data.draw(st.integers(0, len(content)))] if data.draw(st.booleans()) else content)
    try:
        opened(file).close()
    except (Damaged, OSError) as failure:
        assert str(failure)  # noqa: PT017


def packed(folder: Path, array: np.ndarray, name: str = IMAGES) -> Path:
    file = folder / f"{name}.gz"
    file.write_bytes(gzip.compress(written(array), mtime=0))
    return file


def test_a_packed_file_is_unpacked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = packed(tmp_path, np.ones((2, 3, 4), np.uint8))
    file.chmod(0o640)
    assert array_in(file).sum() * 255 == pytest.approx(24)
    beside = tmp_path / IMAGES
    assert beside.read_bytes() == written(np.ones((2, 3, 4), np.uint8))
    assert beside.stat().st_mode & 0o777 == 0o640
    monkeypatch.setattr(idx.gzip, "open", None)
    assert array_in(file).shape == (2, 3, 4)


def test_a_packed_file_that_was_replaced_is_unpacked_again(tmp_path: Path, cache: Path) -> None:
    """The file beside it might be the user's, so it is kept."""
    array_in(packed(tmp_path, np.ones((2, 3, 4), np.uint8)))
    file = packed(tmp_path, np.ones((5, 3, 4), np.uint8))
    os.utime(file, ns=(10**18, 10**18))
    assert array_in(file).shape == array_in(file).shape == (5, 3, 4)
    assert array_in(tmp_path / IMAGES).shape == (2, 3, 4)
    (kept,) = cache.iterdir()
    assert kept.name.endswith(f"-{IMAGES}")


def test_where_nothing_can_be_written_it_is_unpacked_into_the_cache(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    file = packed(folder, np.ones((2, 3, 4), np.uint8))
    create = idx.scratch.new

    def refusing(place: Path) -> object:
        # The superuser, as whom tests may run, can write to every folder.
        if place == folder:
            raise PermissionError(13, "Permission denied")
        return create(place)

    monkeypatch.setattr(idx.scratch, "new", refusing)
    assert array_in(file).shape == array_in(file).shape == (2, 3, 4)
    assert [path.name for path in folder.iterdir()] == [file.name]
    assert len(list(cache.iterdir())) == 1


def test_an_interrupt_while_it_is_unpacked_leaves_nothing(tmp_path: Path) -> None:
    file = packed(tmp_path, np.zeros((4000, 28, 28), np.uint8))
    opening = idx.IDX.open(file)
    next(opening)
    assert len(list(tmp_path.iterdir())) == 3
    with pytest.raises(KeyboardInterrupt):
        opening.throw(KeyboardInterrupt())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cache", file.name]


def test_reading_pauses_after_each_block(tmp_path: Path) -> None:
    rows = 3000
    (tmp_path / IMAGES).write_bytes(written(np.zeros((rows, 28, 28), np.uint8)))
    reader = opened(tmp_path / IMAGES)
    assert rows * 28 * 28 * 8 >> 20 <= sum(1 for _ in reader.read(reader.names))
    reader.close()


def test_a_file_that_is_cut_off_while_it_is_read_is_reported(tmp_path: Path) -> None:
    """Access beyond the end of a mapped file would end the process."""
    (tmp_path / IMAGES).write_bytes(written(np.zeros((3000, 28, 28), np.uint8)))
    reader = opened(tmp_path / IMAGES)
    os.truncate(tmp_path / IMAGES, 4096)
    with pytest.raises(Damaged, match="it has 4,096 bytes instead of 2,352,016"):
        reader.rows("", 2999, 3000)
    reader.close()


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / IMAGES).write_bytes(GOOD)
    with pytest.raises(Rejected) as rejected:
        exhaust(loading("train-image-idx3-ubyte", tmp_path, {}, SPAN))
    (found,) = rejected.value.diagnostics
    assert (found.code, found.hint) == ("RH302", f'did you mean "{IMAGES}"?')
