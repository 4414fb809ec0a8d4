"""Readers of array files: every dtype and order, damaged files, limits, and blocks."""

import io
import struct
import time
import zipfile
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.source.diagnostic import Diagnostic, Rejected, Stuck
from rh_kernel.source.trampoline import exhaust
from rh_kernel.training.data import loading
from rh_kernel.training.reading import converted, formats, table
from rh_kernel.training.reading.reader import ByteLimit, Damaged
from tests.tiers import law
from tests.training.test_data import SPAN, diagnostic_of, find


def saved(array: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, array, allow_pickle=True)
    return file.getvalue()


def headed(header: str, data: bytes = b"", version: bytes = b"\1\0") -> bytes:
    """Write an ``.npy`` file with that header, valid or not."""
    count = "<H" if version == b"\1\0" else "<I"
    return b"\x93NUMPY" + version + struct.pack(count, len(header)) + header.encode("latin-1") + data


def described(shape: str, descr: str = "<f8") -> str:
    return f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"


def arrays_in(file: Path) -> Mapping[str, np.ndarray]:
    form = formats.find(file)
    assert form is not None
    reader = exhaust(form.open(file))
    try:
        for name in reader.names:
            reader.header(name)
        return exhaust(reader.read(reader.names))
    finally:
        reader.close()


def zipped(file: Path, members: Mapping[str, bytes]) -> None:
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)


GOOD = {
    "whole numbers": np.arange(6).reshape(3, 2),
    "unsigned": np.array([0, 255], np.uint8),
    "half precision": np.array([0.5, 2], np.float16),
    "long double": np.array([0.5, 2], np.longdouble),
    "truth values": np.array([[True, False]]),
    "the other byte order": np.array([[1.5, 2.5]], ">f8"),
    "columns first": np.asfortranarray(np.arange(24.0).reshape(2, 3, 4)),
    "a single number": np.array(3.5),
    "nothing": np.zeros((0, 4)),
    "several blocks": np.arange(300_000, dtype=np.int32).reshape(3, 100_000),
    "several blocks, columns first": np.asfortranarray(np.arange(300_000.0).reshape(3, 100_000)),
}


@pytest.mark.parametrize("array", GOOD.values(), ids=GOOD)
@pytest.mark.parametrize("suffix", [".npy", ".npz"])
def test_every_array_of_real_numbers_is_read_as_float64(tmp_path: Path, array: np.ndarray, suffix: str) -> None:
    file = tmp_path / f"a{suffix}"
    if suffix == ".npy":
        np.save(file, array)
    else:
        np.savez_compressed(file, x=array)
    (found,) = arrays_in(file).values()
    assert found.dtype == np.float64
    assert found.flags.c_contiguous
    assert found.shape == array.shape
    assert np.array_equal(found, array)


BROKEN = {
    "cut off": (saved(np.ones((3, 2)))[:-8], "ends after 40 of 48 bytes"),
    "cut off in the header": (saved(np.ones((3, 2)))[:40], "broken header"),
    "nothing but its first bytes": (b"\x93NUMPY", "broken header"),
    "empty": (b"", "no array saved by NumPy"),
    "another kind of file": (b"no array" * 20, "no array saved by NumPy"),
    "an open bracket": (headed("{'descr': '<f8', 'shape': (3,"), "broken header"),
    "very many brackets": (headed("(" * 9000), "broken header"),
    "no dictionary": (headed("[1, 2]"), "broken header"),
    "a call": (headed(described("__import__('os')")), "broken header"),
    "bytes 0": (headed("\0\0\0"), "broken header"),
    "a dtype that is none": (headed(described("(3,)", "zz9")), "broken header"),
    "a version that is none": (headed(described("(1,)"), bytes(8), b"\7\0"), "broken header"),
    "a header of gigabytes": (b"\x93NUMPY\2\0" + struct.pack("<I", 1 << 31) + b"x" * 99, "header of 2,147,483,648 bytes"),
    "a shape beyond the file": (headed(described("(1000000000000, 2)"), bytes(8)), "ends after 8 of 16,000,000,000,000"),
    "a shape beyond every machine": (headed(described(f"({10**13}, {10**13})"), bytes(8)), "invalid shape"),
    "no rows of impossible length": (headed(described(f"(0, {10**30})")), "invalid shape"),
    "a negative shape": (headed(described("(-1, 2)"), bytes(16)), "invalid shape"),
    "very many axes": (headed(described("(" + "1, " * 40 + ")"), bytes(8)), "40 axes"),
    "Python objects": (saved(np.array([{}, []], object)), "Python objects"),
}


@pytest.mark.parametrize(("content", "words"), BROKEN.values(), ids=BROKEN)
def test_a_broken_array_is_reported_with_its_error(tmp_path: Path, content: bytes, words: str) -> None:
    (tmp_path / "a.npy").write_bytes(content)
    with pytest.raises(Damaged, match="the array ") as damaged:
        arrays_in(tmp_path / "a.npy")
    assert words in str(damaged.value)
    zipped(tmp_path / "a.npz", {"x.npy": content})
    found = diagnostic_of("a.npz", tmp_path)
    assert found.code == "RH303"
    assert '"a.npz"' in found.message
    assert found.found.startswith("`x` ")
    assert words in found.found


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (np.array(["red", "blue"]), "words"),
        (np.array([1j, 2]), "complex numbers"),
        (np.array(["2020-01-01"], "M8[D]"), "dates"),
        (np.zeros(3, [("a", "f8"), ("ä", "i4")]), "('a', '<f8')"),
        (np.zeros(3, "V8"), "|V8"),
        (np.array(3.0), "a single number"),
    ],
    ids=str,
)
def test_an_array_of_something_else_is_reported_from_its_header(tmp_path: Path, array: np.ndarray, words: str) -> None:
    np.savez(tmp_path / "a.npz", x=np.ones(3), t=array)
    found = diagnostic_of("a.npz", tmp_path)
    assert found.code == "RH304"
    assert "`t`" in found.message
    assert words in found.found


def damaged_archive(kind: str) -> bytes:
    file = io.BytesIO()
    (np.savez_compressed if kind == "packed data" else np.savez)(file, x=np.random.default_rng(0).normal(size=(400, 2)))
    content = bytearray(file.getvalue())
    directory = content.find(b"PK\x01\x02")
    match kind:
        case "cut off":
            return bytes(content[: len(content) // 2])
        case "cut off at the end":
            return bytes(content[:-5])
        case "checksum":
            content[2000] ^= 255
        case "packed data":
            content[300:400] = bytes(100)
        case "method":
            content[8:10] = content[directory + 10 : directory + 12] = b"\x63\0"
        case "password":
            content[6] |= 1
            content[directory + 8] |= 1
        case "longer than it says":
            file = io.BytesIO()
            with zipfile.ZipFile(file, "w") as archive:
                archive.writestr("x.npy", saved(np.ones(3)) + b"more")
            return file.getvalue()
        case _:
            content[:4] = b"none"
    return bytes(content)


ARCHIVES = ["cut off", "cut off at the end", "checksum", "packed data", "method", "password", "place", "longer than it says"]


@pytest.mark.parametrize("kind", ARCHIVES)
def test_a_broken_archive_is_reported_with_its_error(tmp_path: Path, kind: str) -> None:
    (tmp_path / "a.npz").write_bytes(damaged_archive(kind))
    found = diagnostic_of("a.npz", tmp_path)
    assert found.code == "RH303"
    assert '"a.npz"' in found.message
    assert found.found


@law(60)
@given(st.data())
def test_no_change_of_a_few_bytes_is_a_fault_of_ours(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    file = tmp_path_factory.mktemp("torn") / "a.npz"
    np.savez(file, x=np.arange(6.0).reshape(3, 2))
    content = bytearray(file.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    file.write_bytes(content[: data.draw(st.integers(0, len(content)))] if data.draw(st.booleans()) else content)
    try:
        reals = exhaust(loading(file.name, file.parent, {}, SPAN, ByteLimit(1000))).reals
    except (Rejected, Stuck) as failure:
        reals = 0
        spans = [d.span for d in failure.diagnostics]
    else:
        spans = [SPAN]
    assert reals <= 1000
    assert spans == [SPAN]


def bomb(file: Path, reals: int) -> None:
    """Write an archive of a few kilobytes that unpacks to so many zeros."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("x.npy", "w", force_zip64=True) as member:
        member.write(headed(described(f"({reals},)")))
        for start in range(0, reals, 1 << 17):
            member.write(bytes(8 * min(1 << 17, reals - start)))


def refused(name: str, folder: Path, reals: int) -> Diagnostic:
    """Return the error in the data if so many reals may be in memory."""
    with pytest.raises(Rejected) as rejected:
        exhaust(loading(name, folder, {}, SPAN, ByteLimit(reals)))
    (found,) = rejected.value.diagnostics
    assert found.span == SPAN
    return found


def test_an_archive_that_unpacks_to_more_than_there_is_room_for_is_refused_by_its_header(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    bomb(tmp_path / "bomb.npz", 2_000_000)
    assert (tmp_path / "bomb.npz").stat().st_size < 40_000
    # The bytes of the numbers are never read.
    content = bytearray((tmp_path / "bomb.npz").read_bytes())
    content[5000:6000] = b"\x5a" * 1000
    (tmp_path / "bomb.npz").write_bytes(content)
    monkeypatch.setenv(converted.BYTES, "1000000")
    found = refused("bomb.npz", tmp_path, 1_000_000)
    assert (found.code, found.found.split(" in ")[0], found.expected) == ("RH321", "room for 1 MB", "16 MB")
    assert diagnostic_of("bomb.npz", tmp_path).code == "RH303"


BLANK = '\n \t\n""\n"  "\r\n\r\n'


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_table_that_exceeds_the_limit_is_converted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    lines = [
        f"{i},{i / 7},{-i}" + (BLANK.replace("\r\n", "\n").replace("\n", end) if i % 50 == 7 else "") for i in range(9_000)
    ]
    (tmp_path / "long.csv").write_text(f"x0,t,x1{end}{end}" + end.join(lines), newline="")
    far = exhaust(loading("long.csv", tmp_path, {}, SPAN, ByteLimit(2999, "by `%limit bytes`")))
    assert far.notice.startswith('"long.csv" can be read in order only: it was converted to .npy')
    near = exhaust(loading("long.csv", tmp_path, {}, SPAN))
    assert (far.held, near.held, near.size) == (0, 27_000, 9_000)
    for name, array in near.arrays.items():
        assert np.array_equal(array, far.arrays[name])


def test_an_error_in_a_table_that_exceeds_the_limit_has_its_line_and_column(tmp_path: Path) -> None:
    (tmp_path / "long.csv").write_text("x0,x1,t\n" + "1,2,3\n\n" * 500 + "1,red,3\n" + "1,2,3\n" * 499)
    found = [refused("long.csv", tmp_path, reals) for reals in (2999, 1 << 60)]
    assert [(d.code, d.message) for d in found] == [("RH305", found[0].message)] * 2
    assert "1002" in found[0].message
    assert "`x1`" in found[0].message


def test_a_table_that_grows_while_it_is_read_is_reported(tmp_path: Path) -> None:
    (tmp_path / "long.csv").write_text("x,t\n" + "1,2\n" * 10)
    with closing(exhaust(table.open_csv(tmp_path / "long.csv"))) as reader:
        assert reader.rows("t", 8, 10).tolist() == [[2.0], [2.0]]
        (tmp_path / "long.csv").write_text("x,t\n" + "1,2\n" * 11)
        with pytest.raises(Damaged, match="it has grown"):
            reader.rows("x", 0, 10)
        (tmp_path / "long.csv").write_text("x,t\n" + "1,2\n" * 9)
        with pytest.raises(Damaged, match="ends after 9 of 10 rows"):
            reader.rows("x", 0, 10)


def test_a_table_that_just_fits_is_read(tmp_path: Path) -> None:
    (tmp_path / "points.csv").write_text("x,t\n" + "0.12345678901234567,2\n" * 100)
    assert exhaust(loading("points.csv", tmp_path, {}, SPAN, ByteLimit(200))).size == 100


def test_what_is_kept_of_earlier_files_gives_way(tmp_path: Path) -> None:
    """A data set is cached for the next run, unless another one fills the limit."""
    for name in ("a.npz", "b.npz"):
        np.savez(tmp_path / name, x=np.ones(600))
    one = exhaust(loading("a.npz", tmp_path, {}, SPAN))
    assert exhaust(loading("a.npz", tmp_path, {}, SPAN)) is one
    exhaust(loading("b.npz", tmp_path, {}, SPAN, ByteLimit(1000)))
    assert exhaust(loading("a.npz", tmp_path, {}, SPAN)) is not one
    assert not exhaust(loading("b.npz", tmp_path, {}, SPAN, ByteLimit(599))).held


@pytest.mark.parametrize("name", ["points.npz", "points.csv", "points.csv.train"])
def test_reading_pauses_after_each_block(tmp_path: Path, name: str) -> None:
    rows = 70_000
    if name == "points.npz":
        np.savez(tmp_path / name, x=np.ones((rows, 8)))
        blocks = rows * 8 * 8 >> 20
    else:
        (tmp_path / "points.csv").write_text("x0,x1\n" + "0.25,-1.75\n" * rows)
        blocks = rows * 11 // table.READ
    pauses = sum(1 for _ in loading(name, tmp_path, {}, SPAN))
    assert blocks <= pauses <= 4 * blocks + 8


@law(60)
@given(st.text("0123456789+-.eE_ infax\"'٣\u00a0", max_size=6))
def test_both_readings_of_a_cell_agree(tmp_path_factory: pytest.TempPathFactory, cell: str) -> None:
    """NumPy's fast parser and the slow parser accept the same files."""
    folder = tmp_path_factory.mktemp("cell")

    def outcome(text: str) -> object:
        (folder / "points.csv").write_text(text, encoding="utf-8")
        try:
            return exhaust(loading("points.csv", folder, {}, SPAN)).arrays["x"][0].tolist()
        except Rejected as rejected:
            return rejected.diagnostics[0].code

    # A cell in quotes with blanks behind them is one that only the slow reader is sure about.
    alone, after_blank = outcome(f"x,t\n{cell},1\n"), outcome(f'x,t\n{cell},1\n" "\n')
    assert alone == after_blank


@pytest.mark.parametrize("cell", ["1_000", "٣", "1e", "0x10", "1,5", "1 000", "1d5", "True", "½"])
def test_what_is_no_decimal_number_is_refused(tmp_path: Path, cell: str) -> None:
    (tmp_path / "points.csv").write_text(f"x;t\n1;2\n{cell};3\n", encoding="utf-8")
    found = diagnostic_of("points.csv", tmp_path)
    assert (found.code, found.found) == ("RH305", f"`{cell}`")
    assert found.message == "line 3 of the file has no number in column `x`"


@pytest.mark.parametrize("cell", ["nan", "-inf", "Infinity", "1e999"])
def test_what_is_not_finite_is_refused(tmp_path: Path, cell: str) -> None:
    (tmp_path / "points.csv").write_text(f"x,t\n1,2\n{cell},3\n")
    assert diagnostic_of("points.csv", tmp_path).code == "RH306"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("size", [1, 2, 5, 16, 1 << 18])
def test_blocks_end_at_ends_of_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str, size: int) -> None:
    monkeypatch.setattr(table, "READ", size)
    monkeypatch.setattr(table, "COUNTED", size)
    lines = ["\ufeffx0,x1,é", "1,2,3", "", '"4","5","6"', " ", "7,8,9"]
    for last in ("", end):
        (tmp_path / "points.csv").write_bytes((end.join(lines) + last).encode())
        assert find("points.csv", tmp_path).arrays["x"].tolist() == [[1, 2], [4, 5], [7, 8]]
        (tmp_path / "points.csv").unlink()
    (tmp_path / "points.csv").write_bytes(end.join([*lines, "1,2,red"]).encode())
    assert diagnostic_of("points.csv", tmp_path).message == "line 7 of the file has no number in column `é`"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"x,t\n1,2\n1,\xff\n", "line 3 contains the byte 0xff, which is not UTF-8"),
        (b"x,t\n1,2\n\n1,\0\n", "line 4 contains a zero byte, so this is not a text file"),
        (b'x,t\n1,2\n"1,2\n', "a quote that begins on line 3 does not end there"),
        (b'x\n1\n"2\n', "a quote that begins on line 3 does not end there"),
        (b'x\n"1\n"2\n3\n', "a quote that begins on line 2 does not end there"),
        (b"x,t\n1,2\n" + b"1" * 3000, "line 3 is longer than 1,000 bytes"),
    ],
)
def test_what_is_no_table_is_reported_where(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes, words: str
) -> None:
    monkeypatch.setattr(table, "LONGEST_LINE", 1000)
    (tmp_path / "points.csv").write_bytes(content)
    found = diagnostic_of("points.csv", tmp_path)
    assert (found.code, found.found) == ("RH303", words)


@pytest.mark.parametrize(("name", "columns"), [("x{}", 60_000), ("c{}z", 10_000)], ids=["one array", "an array each"])
def test_many_columns_take_no_longer_each(tmp_path: Path, name: str, columns: int) -> None:
    """Linear in the number of columns: a quadratic algorithm would take a minute."""
    lines = [",".join([name.format(i) for i in range(columns)]), *[",".join([str(i)] * columns) for i in range(3)]]
    (tmp_path / "wide.csv").write_text("\n".join(lines))
    began = time.process_time()
    data = find("wide.csv", tmp_path)
    assert (data.size, data.reals) == (3, 3 * columns)
    (tmp_path / "wide.csv").write_text("\n".join(lines).replace(name.format(9), name.format(8)))
    assert diagnostic_of("wide.csv", tmp_path).code == "RH309"
    assert time.process_time() - began < 10


def test_a_gap_among_many_columns_is_reported_in_short(tmp_path: Path) -> None:
    (tmp_path / "wide.csv").write_text(",".join([f"x{i}" for i in range(2, 5000)]) + "\n" + "1," * 4997 + "1\n")
    found = diagnostic_of("wide.csv", tmp_path)
    assert found.code == "RH309"
    assert found.found == "x2, x3, x4, x5, x6, x7, x8, x9, …"


def test_a_very_long_line_is_read_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "READ", 32)
    monkeypatch.setattr(table, "CELLS", 4)
    columns = 50
    lines = [",".join([f"x{i}" for i in range(columns)]), *[",".join([f"{i}.{j}" for j in range(columns)]) for i in (1, 2)]]
    (tmp_path / "wide.csv").write_text("\n".join(lines))
    expected = [[float(cell) for cell in line.split(",")] for line in lines[1:]]
    assert find("wide.csv", tmp_path).arrays["x"].tolist() == expected
    assert sum(1 for _ in loading("wide.csv", tmp_path, {}, SPAN)) <= 1, "what was read is kept"
    for cell, code in (("red", "RH305"), ("", "RH305"), ("nan", "RH306"), ("7,8", "RH310"), ('"7"', None)):
        (tmp_path / f"{code}.csv").write_text("\n".join([lines[0], lines[1], lines[2].replace("2.7,", f"{cell},")]))
        if code is None:
            assert find(f"{code}.csv", tmp_path).arrays["x"][1, 7] == 7
        else:
            found = diagnostic_of(f"{code}.csv", tmp_path)
            assert found.code == code
            assert "line 3 of the file" in found.message
    # Each row takes a pause for every four cells.
    (tmp_path / "again.csv").write_text("\n".join(lines))
    assert sum(1 for _ in loading("again.csv", tmp_path, {}, SPAN)) >= 2 * columns // 4


def test_a_cell_of_very_many_characters_is_reported_where(tmp_path: Path) -> None:
    (tmp_path / "points.csv").write_text("x,t\n1,2\n" + "a" * 200_000 + ",2\n")
    found = diagnostic_of("points.csv", tmp_path)
    assert (found.code, found.found) == ("RH303", "line 3: field larger than field limit (131072)")
