"""Cells that read files: errors for damaged and large files, and interrupts between blocks."""

import os
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rh_kernel.session.results import ItemFailed, Working
from rh_kernel.session.session import Session, execute
from rh_kernel.source.diagnostic import Diagnostic
from rh_kernel.source.span import Source
from tests.session.cells import codes, run
from tests.training.test_reading import BROKEN

DECLARED = "loc v : Real(3, 2) = zeros\n"
TRAIN = 'train return x for x in data("points.csv")\n'


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return run(Session.start(tmp_path), DECLARED)[1]


def with_seconds(session: Session, seconds: int) -> Session:
    bounds = replace(session.settings.bounds, seconds=seconds)
    return replace(session, settings=replace(session.settings, bounds=bounds))


def diagnostic_of(session: Session, text: str) -> Diagnostic:
    """Return the only diagnostic of a cell, which has no effect."""
    results, same = run(session, text)
    assert same is session
    (failed,) = [result for result in results if isinstance(result, ItemFailed)]
    (found,) = failed.diagnostics
    return found


@pytest.mark.parametrize(("content", "words"), BROKEN.values(), ids=BROKEN)
def test_a_broken_file_is_reported_with_its_error(session: Session, tmp_path: Path, content: bytes, words: str) -> None:
    (tmp_path / "w.npy").write_bytes(content)
    with zipfile.ZipFile(tmp_path / "w.npz", "w") as archive:
        archive.writestr("v.npy", content)
    found = diagnostic_of(session, 'loc w : Real(3, 2) = load("w.npy")')
    assert (found.code, found.message) == ("RH341", '"w.npy" is not an array saved as .npy')
    assert words in found.found
    found = diagnostic_of(session, "%load w.npz")
    assert (found.code, found.message) == ("RH343", "`w.npz` cannot be read as a .npz file")
    assert words in found.found


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (np.array([["a", "b"]] * 3), "not contain real numbers"),
        (np.ones((3, 2)) * 1j, "not contain real numbers"),
        (np.zeros((3, 2), [("a", "f8")]), "not contain real numbers"),
        (np.array(1.0), "wrong shape"),
        (np.ones(6), "wrong shape"),
    ],
    ids=str,
)
@pytest.mark.parametrize("text", ['loc w : Real(3, 2) = load("w.npy")', "%load w.npz"])
def test_an_array_that_does_not_fit_is_refused(
    session: Session, tmp_path: Path, array: np.ndarray, words: str, text: str
) -> None:
    np.save(tmp_path / "w.npy", array)
    np.savez(tmp_path / "w.npz", v=array)
    found = diagnostic_of(session, text)
    assert found.code in {"RH341", "RH343"}
    assert words in found.message


@pytest.mark.parametrize("array", [np.arange(6).reshape(3, 2), np.asfortranarray(np.arange(6.0).reshape(3, 2)).astype(">f4")])
def test_an_array_that_fits_is_the_content(session: Session, tmp_path: Path, array: np.ndarray) -> None:
    np.save(tmp_path / "w.npy", array)
    _, after = run(session, 'loc w : Real(3, 2) = load("w.npy")')
    content = {loc.name: a for loc, a in after.heap.items()}["w"]
    assert content.tolist() == array.tolist()
    assert not content.flags.writeable


def sparse(file: Path, rows: int) -> None:
    """Write a sparse ``.npy`` file of so many zeros."""
    with file.open("wb") as stream:
        np.lib.format.write_array_header_1_0(stream, {"descr": "<f8", "fortran_order": False, "shape": (rows,)})
        stream.truncate(stream.tell() + 8 * rows)


def test_an_array_of_another_shape_is_not_read(session: Session, tmp_path: Path) -> None:
    sparse(tmp_path / "huge.npy", 1 << 28)
    found = diagnostic_of(session, 'loc w : Real(3) = load("huge.npy")')
    assert (found.code, found.found, found.expected) == ("RH341", "Real(268435456)", "Real(3)")


def test_one_sample_at_a_time_is_bounded_by_the_limit_of_bytes(session: Session, tmp_path: Path) -> None:
    np.savez(tmp_path / "points.npz", x=np.zeros((2, 1_100_000)))
    found = diagnostic_of(session, '%limit bytes 8M\ntrain return x for x in data("points.npz")')
    assert (found.code, found.message) == ("RH241", '"points.npz" would need 8.8 MB of memory')
    assert found.expected == "at most 8 MB by `%limit bytes`"
    assert found.span is not None
    assert found.span.text == 'data("points.npz")'


def test_data_above_the_limit_of_bytes_is_not_held(session: Session, tmp_path: Path) -> None:
    np.savez(tmp_path / "points.npz", x=np.zeros((1000, 2)), t=np.zeros(1000))
    for limit in ("20k", "24k"):
        results, _ = run(session, f'%limit bytes {limit}\ntrain return t for t in data("points.npz")\n')
        assert not codes(results)


def files(folder: Path) -> None:
    """Write files of several blocks each."""
    (folder / "points.csv").write_text("x,t\n" + "0.5,2\n" * 100_000)
    np.savez(folder / "points.npz", x=np.zeros(500_000))
    np.savez(folder / "w.npz", w=np.zeros(500_000))
    sparse(folder / "w.npy", 500_000)


READING = {
    "a table": TRAIN,
    "the program of a training run": f"%compile {TRAIN}",
    "a table of measures": 'train return 1 for x in data("xor") measure return 1 on data("points.csv")',
    "an archive": 'train return x for x in data("points.npz.test")',
    "a content": 'loc u : Real(500000) = load("w.npy")',
    "a heap": "%load w.npz",
}
reading = pytest.mark.parametrize("text", READING.values(), ids=READING)


@pytest.fixture
def large(tmp_path: Path) -> Session:
    files(tmp_path)
    return run(Session.start(tmp_path), "loc w : Real(500000) = zeros")[1]


@reading
def test_an_interrupt_passes_between_two_blocks(large: Session, text: str) -> None:
    events = execute(large, Source("cell", text))
    assert isinstance(next(events), Working)
    assert isinstance(next(events), Working)
    with pytest.raises(KeyboardInterrupt):
        events.throw(KeyboardInterrupt())


@reading
def test_the_limit_of_seconds_is_looked_at_between_two_blocks(large: Session, text: str) -> None:
    session = with_seconds(large, 0)
    results, same = run(session, text + "\n" + TRAIN)
    assert codes(results) == ["RH208"]
    assert same is session
    # The first pause, if the alarm leaves time for one, is the last: nothing more is read of this file, nor of the next one.
    assert sum(isinstance(event, Working) for event in execute(session, Source("cell", text + "\n" + TRAIN))) <= 1


def test_a_file_that_cannot_be_read_is_reported_beside_what_else_is_wrong(session: Session) -> None:
    results, _ = run(session, 'train return x for x in data("nowhere.csv") epochs 0\nv + nothing')
    assert codes(results) == ["RH302", "RH104", "RH101"]


def test_a_pipe_is_no_file(session: Session, tmp_path: Path) -> None:
    """Opening a FIFO would block forever."""
    for name in ("p.csv", "p.npy", "p.npz"):
        os.mkfifo(tmp_path / name)
    assert diagnostic_of(session, 'train return x for x in data("p.csv")').code == "RH302"
    assert diagnostic_of(session, 'loc w : Real(3, 2) = load("p.npy")').code == "RH341"
    assert diagnostic_of(session, "%load p.npz").code == "RH343"
