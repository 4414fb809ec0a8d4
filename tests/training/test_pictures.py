"""Folders of pictures: a subfolder is a class."""

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from rh_kernel.source.diagnostic import Rejected, Stuck
from rh_kernel.source.trampoline import exhaust
from rh_kernel.training.data import loading
from rh_kernel.training.reading import formats, pictures
from rh_kernel.training.reading.reader import ByteLimit
from rh_kernel.training.reading.rows import RowReader
from tests.tiers import law
from tests.training.test_data import SPAN, diagnostic_of, find, types


def save(folder: Path, name: str, array: np.ndarray, mode: str | None = None) -> None:
    """Save a picture, which is converted if a mode is given."""
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    picture = Image.fromarray(array)
    (picture if mode is None else picture.convert(mode)).save(file)


def coloured(seed: int, height: int = 4, width: int = 5) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3), np.uint8)


@pytest.mark.parametrize("suffix", [".png", ".bmp", ".tiff", ".ppm", ".PNG"])
def test_a_subfolder_is_a_class(tmp_path: Path, suffix: str) -> None:
    for number, name in enumerate(["dog/b", "cat/2", "dog/a", "cat/10", "cat/wild/x"]):
        save(tmp_path, f"pets/{name}{suffix}", coloured(number))
    (tmp_path / "pets" / "README.txt").touch()
    (tmp_path / "pets" / "cat" / "notes.txt").touch()
    save(tmp_path, "pets/.thumbnails/x.png", coloured(9))
    save(tmp_path, "pets/dog/.hidden.png", coloured(9))
    data = find("pets", tmp_path)
    assert types(data) == {"x": "Real(3, 4, 5)", "t": "Real(2)"}
    assert data.arrays["t"].tolist() == [[1, 0], [1, 0], [1, 0], [0, 1], [0, 1]]
    for row, number in enumerate([3, 1, 4, 2, 0]):
        assert np.array_equal(data.arrays["x"][row], coloured(number).transpose(2, 0, 1) / 255.0)


def test_the_data_is_the_same_as_from_an_archive(tmp_path: Path) -> None:
    x = np.stack([coloured(number) for number in range(6)])
    for number in range(6):
        save(tmp_path, f"a/{number % 3}/{number}.png", x[number])
    order = [0, 3, 1, 4, 2, 5]
    np.savez(tmp_path / "a.npz", x=x[order].transpose(0, 3, 1, 2) / 255.0, t=np.eye(3)[[0, 0, 1, 1, 2, 2]])
    found, expected = find("a", tmp_path), find("a.npz", tmp_path)
    for name in ("x", "t"):
        assert np.array_equal(found.arrays[name], expected.arrays[name])


GREY = np.array([[0, 51], [102, 255]], np.uint8)


@pytest.mark.parametrize(
    ("array", "mode", "suffix", "channels"),
    [
        (GREY, None, ".png", [[[0, 0.2], [0.4, 1]]]),
        (GREY, "LA", ".png", [[[0, 0.2], [0.4, 1]], [[1, 1], [1, 1]]]),
        (np.array([[0, 13107], [26214, 65535]], np.uint16), None, ".png", [[[0, 0.2], [0.4, 1]]]),
        (np.array([[0, 13107], [26214, 65535]], np.uint16), None, ".tiff", [[[0, 0.2], [0.4, 1]]]),
        (np.array([[False, True]]), None, ".png", [[[0, 1]]]),
        (np.array([[False, True]]), None, ".pbm", [[[0, 1]]]),
        (GREY, "RGBA", ".png", [[[0, 0.2], [0.4, 1]]] * 3 + [[[1, 1], [1, 1]]]),
        (GREY, "P", ".gif", [[[0, 0.2], [0.4, 1]]] * 3),
        (GREY, "P", ".png", [[[0, 0.2], [0.4, 1]]] * 3),
        (GREY, "CMYK", ".tiff", [[[0, 0.2], [0.4, 1]]] * 3),
    ],
    ids=["grey", "LA", "16 bits", "16 bits tiff", "two levels", "two levels pbm", "RGBA", "gif", "palette", "CMYK"],
)
def test_each_mode_has_its_channels(
    tmp_path: Path, array: np.ndarray, mode: str | None, suffix: str, channels: list[list[list[float]]]
) -> None:
    save(tmp_path, f"a/0/0{suffix}", array, mode)
    np.testing.assert_allclose(find("a", tmp_path).arrays["x"][0], channels, rtol=1e-15)


@pytest.mark.parametrize("suffix", [".jpg", ".jpeg", ".webp"])
def test_pictures_of_photographs_are_read(tmp_path: Path, suffix: str) -> None:
    save(tmp_path, f"a/0/0{suffix}", np.full((8, 9, 3), 200, np.uint8))
    data = find("a", tmp_path)
    assert types(data) == {"x": "Real(3, 8, 9)", "t": "Real(1)"}
    np.testing.assert_allclose(data.arrays["x"], 200 / 255, atol=0.01)


def test_the_first_picture_of_an_animation_counts(tmp_path: Path) -> None:
    (tmp_path / "a" / "0").mkdir(parents=True)
    first, second = (Image.fromarray(np.full((2, 2), level, np.uint8)) for level in (255, 0))
    first.save(tmp_path / "a" / "0" / "0.gif", save_all=True, append_images=[second])
    assert (find("a", tmp_path).arrays["x"] == 1).all()


@law(20)
@given(st.lists(st.integers(0, 5), max_size=9))
def test_any_rows_in_any_order(tmp_path_factory: pytest.TempPathFactory, rows: list[int]) -> None:
    folder = tmp_path_factory.mktemp("pictures")
    for number in range(6):
        save(folder, f"{number % 2}/{number}.png", coloured(number))
    reader = exhaust(pictures.PICTURES.open(folder))
    assert isinstance(reader, RowReader)
    whole = exhaust(reader.read(reader.names))
    for name in ("x", "t"):
        found = reader.take(name, np.array(rows, np.intp))
        assert np.array_equal(found, whole[name][rows])
        assert np.array_equal(reader.rows(name, 2, 5), whole[name][2:5])
        assert (found.dtype, found.flags.c_contiguous, found.flags.writeable) == (np.float64, True, True)


def test_pictures_of_another_size_are_reported_with_both_sizes(tmp_path: Path) -> None:
    save(tmp_path, "a/cat/0.png", coloured(0))
    save(tmp_path, "a/dog/wild/7.png", coloured(0, 6, 7))
    found = diagnostic_of("a", tmp_path)
    assert (found.code, found.message) == ("RH303", '"a" cannot be read as a folder of pictures')
    assert found.found == "`dog/wild/7.png` is 7 × 6 and coloured, and `cat/0.png` is 5 × 4 and coloured"
    assert "all of one size" in found.hint


def test_pictures_of_another_mode_are_reported(tmp_path: Path) -> None:
    save(tmp_path, "a/cat/0.png", coloured(0, 2, 2))
    save(tmp_path, "a/dog/0.png", GREY)
    assert diagnostic_of("a", tmp_path).found == "`dog/0.png` is 2 × 2 and grey, and `cat/0.png` is 2 × 2 and coloured"


def test_a_palette_and_colours_go_together(tmp_path: Path) -> None:
    save(tmp_path, "a/0/0.png", coloured(0, 2, 2))
    save(tmp_path, "a/0/1.gif", GREY, "P")
    assert find("a", tmp_path).size == 2


@pytest.mark.parametrize("damage", ["cut off", "empty", "another kind", "bytes", "no largest value"])
@pytest.mark.parametrize("damaged", ["cat/0.tiff", "dog/1.tiff"])
def test_a_picture_that_cannot_be_read_is_named(tmp_path: Path, damage: str, damaged: str) -> None:
    for name in ("cat/0.tiff", "dog/0.tiff", "dog/1.tiff"):
        save(tmp_path, f"a/{name}", coloured(0, 64, 64))
    file = tmp_path / "a" / damaged
    content = file.read_bytes()
    if damage == "no largest value":
        Image.fromarray(np.zeros((64, 64), np.float32)).save(file)
    else:
        other = {
            "cut off": content[:-5000],
            "empty": b"",
            "another kind": b"no picture" * 99,
            "bytes": content[:8] + bytes(999),
        }
        file.write_bytes(other[damage])
    found = diagnostic_of("a", tmp_path)
    assert found.code == "RH303"
    assert found.found.startswith(f"`{damaged}`")
    assert str(tmp_path) not in found.found


@pytest.mark.parametrize("suffix", [".png", ".jpg", ".gif", ".bmp", ".webp"])
@law(30)
@given(data=st.data())
def test_no_change_of_a_few_bytes_is_a_fault_of_ours(
    tmp_path_factory: pytest.TempPathFactory, suffix: str, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("torn")
    save(folder, f"a/0/0{suffix}", coloured(0))
    file = folder / "a" / "0" / f"0{suffix}"
    content = bytearray(file.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    file.write_bytes(content[: data.draw(st.integers(0, len(content)))] if data.draw(st.booleans()) else content)
    try:
        held = exhaust(loading("a", folder, {}, SPAN, ByteLimit(1000))).held
    except (Rejected, Stuck) as failure:
        held, spans = 0, [d.span for d in failure.diagnostics]
    else:
        spans = [SPAN]
    assert (held <= 1000, spans) == (True, [SPAN])


def test_a_folder_without_subfolders(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    found = diagnostic_of("a", tmp_path)
    assert (found.code, found.found) == ("RH308", "no subfolder")
    assert found.hint == "put the pictures of each class into a subfolder of its own"


def test_a_class_without_pictures(tmp_path: Path) -> None:
    save(tmp_path, "a/cat/0.png", coloured(0))
    (tmp_path / "a" / "dog").mkdir()
    found = diagnostic_of("a", tmp_path)
    assert (found.code, found.found) == ("RH303", "there is no picture in the subfolder `dog`")


def test_a_picture_in_no_subfolder(tmp_path: Path) -> None:
    save(tmp_path, "a/cat/0.png", coloured(0))
    save(tmp_path, "a/dog.png", coloured(0))
    found = diagnostic_of("a", tmp_path)
    assert (found.code, found.found) == ("RH303", "`dog.png` is in no subfolder")


def test_links_between_folders_are_followed_once(tmp_path: Path) -> None:
    save(tmp_path, "elsewhere/0.png", coloured(0))
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "cat").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere" / "again").symlink_to(tmp_path / "elsewhere")
    assert find("a", tmp_path).size == 1


def test_reading_pauses_after_some_pictures(tmp_path: Path) -> None:
    for number in range(200):
        save(tmp_path, f"a/0/{number}.png", GREY)
    assert sum(1 for _ in loading("a", tmp_path, {}, SPAN)) >= 4


def test_a_picture_that_was_changed_is_read_again(tmp_path: Path) -> None:
    for level in (0, 255):
        save(tmp_path, "a/0/0.png", np.full((2, 2), level, np.uint8))
        os.utime(tmp_path / "a" / "0" / "0.png", ns=(level, level))
        assert (find("a", tmp_path).arrays["x"] == level / 255).all()


@pytest.mark.parametrize("name", ["a", "a/", "./a", "b/../a"])
def test_a_folder_has_many_names(tmp_path: Path, name: str) -> None:
    save(tmp_path, "a/0/0.png", GREY)
    (tmp_path / "b").mkdir()
    assert find(name, tmp_path).size == 1
    assert formats.find(tmp_path / name) is pictures.PICTURES


@pytest.mark.parametrize("name", ["pet", "nowhere/pets"])
def test_a_folder_that_is_not_there(tmp_path: Path, name: str) -> None:
    save(tmp_path, "pets/0/0.png", GREY)
    found = diagnostic_of(name, tmp_path)
    assert found.code == "RH301"
    if name == "pet":
        assert found.hint == 'did you mean "pets"?'
