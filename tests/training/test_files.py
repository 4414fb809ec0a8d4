"""Data from valid and invalid ``.npz`` and ``.csv`` files."""

import csv
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.syntax.core import Array
from tests.tiers import law
from tests.training.test_data import diagnostic_of, find, types

finite = st.floats(allow_nan=False, allow_infinity=False)


def test_an_archive_holds_an_array_for_each_name(tmp_path: Path) -> None:
    x, t = np.random.default_rng(0).normal(size=(5, 2, 3)), np.arange(5)
    (tmp_path / "below").mkdir()
    np.savez(tmp_path / "below" / "points.npz", x=x, t=t)
    data = find("below/points.npz", tmp_path)
    assert types(data) == {"x": "Real(2, 3)", "t": "Real(1)"}
    assert np.array_equal(data.arrays["x"], x)
    assert find("below/points.npz.test", tmp_path).size == 1


def test_an_archive_that_was_written_again_is_read_again(tmp_path: Path) -> None:
    file = tmp_path / "points.npz"
    for size in (3, 4):
        np.savez(file, x=np.ones(size))
        os.utime(file, ns=(size, size))
        assert find("points.npz", tmp_path).size == size


def test_python_objects_are_not_unpickled(tmp_path: Path) -> None:
    np.savez(tmp_path / "objects.npz", x=np.array([{"a": 1}], dtype=object))
    found = diagnostic_of("objects.npz", tmp_path)
    assert found.code == "RH303"
    assert "without Python objects" in found.hint


@pytest.mark.parametrize("content", [b"", b"no archive", b"PK\x03\x04 but torn", None])
def test_files_that_are_no_archives(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "bad.npz"
    if content is None:
        np.savez_compressed(file, x=np.arange(1000))
        content = file.read_bytes()
        content = content[:60] + bytes(40) + content[100:]
    file.write_bytes(content)
    assert diagnostic_of("bad.npz", tmp_path).code == "RH303"


def test_a_single_array_is_no_archive(tmp_path: Path) -> None:
    with (tmp_path / "single.npz").open("wb") as file:
        np.save(file, np.ones(3))
    assert diagnostic_of("single.npz", tmp_path).code == "RH303"


def test_an_archive_without_arrays(tmp_path: Path) -> None:
    np.savez(tmp_path / "empty.npz")
    assert diagnostic_of("empty.npz", tmp_path).code == "RH308"


@law(50)
@given(
    st.integers(1, 6).flatmap(lambda n: st.lists(st.lists(finite, min_size=n, max_size=n), min_size=1, max_size=8)),
    st.sampled_from([",", ";", "\t"]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_what_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, rows: list[list[float]], separator: str, end: str
) -> None:
    file = tmp_path_factory.mktemp("csv") / "points.csv"
    names = [f"x{i}" for i in range(len(rows[0]))]
    with file.open("w", newline="", encoding="utf-8") as text:
        writer = csv.writer(text, delimiter=separator, lineterminator=end)
        writer.writerows([names, *rows])
    assert np.array_equal(find("points.csv", file.parent).arrays["x"], np.array(rows))


def written(folder: Path, text: str) -> dict[str, Array]:
    (folder / "points.csv").write_text(text, encoding="utf-8")
    return dict(find("points.csv", folder).arrays)


def test_numbered_columns_form_arrays(tmp_path: Path) -> None:
    arrays = written(tmp_path, "x1,t,x0,w'0\n1,2,3,4\n5,6,7,8\n")
    assert {name: array.tolist() for name, array in arrays.items()} == {
        "x": [[3, 1], [7, 5]],
        "t": [[2], [6]],
        "w'": [[4], [8]],
    }


@pytest.mark.parametrize(
    "text",
    [
        "x0,x1\n1,2\n3,4",
        "\ufeffx0,x1\n1,2\n3,4\n",
        "x0, x1\n 1 , 2\n\n3,4\n\n",
        '"x0","x1"\n"1","2"\n3,4\n',
        "x0;x1\n1;2\n3;4\n",
        "x0\tx1\r\n1\t2\r\n3\t4\r\n",
        "x00,x01\n1,2\n3,4\n",
        "x0,x1\n1.0,2e0\n+3,04\n",
    ],
)
def test_tables_as_people_write_them(tmp_path: Path, text: str) -> None:
    assert written(tmp_path, text)["x"].tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("", "RH308", "there are no samples in "),
        ("\n1\n", "RH308", "there are no samples in "),
        ("x0,x1\n", "RH308", "there are no samples in "),
        ("x0,x1\n\n  \n", "RH308", "there are no samples in "),
        ('x\n" "\n', "RH308", "there are no samples in "),
        ("1,2\n3,4\n", "RH309", "the first line of the file contains numbers"),
        ("x,,t\n1,2,3\n", "RH309", "column 2 of the file has no name"),
        ("x,t,x\n1,2,3\n", "RH309", "two columns of the file are called `x`"),
        ("x0,x2\n1,2\n", "RH309", "the columns of `x` are not numbered consecutively from 0"),
        ("x1,x2\n1,2\n", "RH309", "the columns of `x` are not numbered consecutively from 0"),
        ("x0,x00\n1,2\n", "RH309", "the columns of `x` are not numbered consecutively from 0"),
        ("x,x0\n1,2\n", "RH309", "`x` is both a column and the name of numbered columns"),
        ("x0,x1\n1,2\n3\n", "RH310", "line 3 of the file does not have as many entries as the first line"),
        ("x0,x1\n1,2,3\n", "RH310", "line 2 of the file does not have as many entries as the first line"),
        ("x0,x1\n1,2,\n3,4,\n", "RH310", "line 2 of the file does not have as many entries as the first line"),
        ("x0,t\n1,2\n\n3,red\n", "RH305", "line 4 of the file has no number in column `t`"),
        ("x0,t\n,2\n", "RH305", "line 2 of the file has no number in column `x0`"),
        ("x0;t\n0,5;2\n", "RH305", "line 2 of the file has no number in column `x0`"),
        ("x0,t\n1,2\n1,nan\n", "RH306", "line 3 of the file, in the column `t`, is nan"),
        ("x0,t\n1,2\n1e999,1\n", "RH306", "line 3 of the file, in the column `x0`, is inf"),
    ],
)
def test_tables_that_cannot_be_used(tmp_path: Path, text: str, code: str, message: str) -> None:
    (tmp_path / "points.csv").write_text(text, encoding="utf-8")
    found = diagnostic_of("points.csv", tmp_path)
    assert found.code == code
    assert found.message.startswith(message)


def test_text_in_another_encoding(tmp_path: Path) -> None:
    (tmp_path / "points.csv").write_bytes("größe,t\n1,2\n".encode("latin-1"))
    assert diagnostic_of("points.csv", tmp_path).code == "RH303"


def test_a_class_as_a_word_is_reported_with_a_hint(tmp_path: Path) -> None:
    (tmp_path / "points.csv").write_text("x0,kind\n1,setosa\n")
    found = diagnostic_of("points.csv", tmp_path)
    assert found.found == "`setosa`"
    assert "t0, t1" in found.hint
