"""`%save` and `%load`: what is read is what was written, and a file is there as a whole or not at all."""

import os
import zipfile
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import hypothesis.extra.numpy as arrays_of
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.session.directives import storage
from rh_kernel.session.results import Notice
from rh_kernel.session.session import Session, execute
from rh_kernel.source.diagnostic import Rejected, Stuck
from rh_kernel.source.span import Source, Span
from tests.session.cells import codes, run

HERE = Span(Source("text", "%save w"), 0, 7)
DECLARED = "loc w : Real(2, 3) = normal(1, seed=1)\nloc v : Real(2) = [1, 2]\n"
both = pytest.mark.parametrize("form", storage.FORMATS)


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return run(Session.start(tmp_path), DECLARED)[1]


@pytest.fixture(autouse=True)
def nothing_is_left_over(tmp_path: Path) -> Iterator[None]:
    """No scratch file survives, whatever happened."""
    yield
    assert not [p.name for p in tmp_path.rglob(".*")]


@given(
    st.dictionaries(
        st.sampled_from(["w", "file", "w'", "α", "allow_pickle"]),
        arrays_of.arrays(np.float64, arrays_of.array_shapes(min_dims=1, max_dims=4, min_side=0, max_side=3)),
        min_size=1,
    ),
    st.sampled_from(storage.FORMATS),
)
def test_what_is_read_is_what_was_written(contents: dict[str, np.ndarray], form: str) -> None:
    with TemporaryDirectory() as folder:
        target = Path(folder) / f"heap{form}"
        storage.put(storage.write(contents, target, HERE), HERE)
        found = storage.read(target, target, 1 << 20, HERE)
        assert [*Path(folder).iterdir()] == [target]
    assert found.keys() == contents.keys()
    for name, array in contents.items():
        np.testing.assert_array_equal(found[name], array)


@both
def test_the_heap_goes_to_a_file_and_comes_back(session: Session, form: str) -> None:
    results, session = run(session, f"%save weights{form}")
    assert [r.text for r in results if isinstance(r, Notice)] == [f"2 locations saved to weights{form}"]
    _, changed = run(session, "let _ <= Put[v]([7, 8]) in return 1")
    results, restored = run(changed, f"%load weights{form}")
    assert [r.text for r in results if isinstance(r, Notice)] == [f"2 locations loaded from weights{form}: w, v"]
    for location, array in session.heap.items():
        np.testing.assert_array_equal(restored.heap[location], array)
        assert not restored.heap[location].flags.writeable


def test_other_programs_can_read_the_files(session: Session, tmp_path: Path) -> None:
    from safetensors.numpy import load_file

    run(session, '%save "my weights.npz"\n%save w.safetensors')
    with np.load(tmp_path / "my weights.npz", allow_pickle=False) as found:
        assert sorted(found.files) == ["v", "w"]
        assert found["v"].tolist() == [1, 2]
    assert load_file(tmp_path / "w.safetensors")["v"].tolist() == [1, 2]


def test_single_precision_and_whole_numbers_are_taken(session: Session, tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", v=np.array([3, 4]), w=np.ones((2, 3), np.float32))
    _, after = run(session, "%load a.npz")
    assert {loc.name: (a.dtype, a.sum()) for loc, a in after.heap.items()} == {"v": (np.float64, 7), "w": (np.float64, 6)}


def test_what_is_missing_on_either_side_is_told(session: Session, tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", v=np.array([3, 4]), u=np.ones(2))
    results, after = run(session, "%load a.npz")
    (notice,) = results
    assert isinstance(notice, Notice)
    assert notice.text.split("\n") == [
        "1 location loaded from a.npz: v",
        "not in the file, and as before: w",
        "in the file, and no location here: u",
    ]
    assert {loc.name for loc in after.heap} == {"v", "w"}


@both
def test_a_cell_that_fails_later_writes_nothing(session: Session, tmp_path: Path, form: str) -> None:
    target = tmp_path / f"w{form}"
    results, same = run(session, f"%save w{form}\nlet _ <= Put[v]([1, 1]) in return 1\ncheck 1 == 2")
    assert codes(results) == ["RH207"]
    assert same is session
    assert not target.exists()
    target.write_text("mine")
    run(session, f"%save w{form}\ncheck 1 == 2")
    assert target.read_text() == "mine"


def test_a_cell_that_is_interrupted_writes_nothing(session: Session, tmp_path: Path) -> None:
    events = execute(session, Source("cell", "%save w.npz\n1 + 1\n2 + 2"))
    next(events)
    with pytest.raises(KeyboardInterrupt):
        events.throw(KeyboardInterrupt())
    assert not (tmp_path / "w.npz").exists()


def test_a_cell_that_is_given_up_writes_nothing(session: Session, tmp_path: Path) -> None:
    events = execute(session, Source("cell", "%save w.npz\n1 + 1"))
    next(events)
    events.close()
    assert not (tmp_path / "w.npz").exists()


def test_a_cell_reads_what_it_has_saved_itself(session: Session) -> None:
    results, after = run(session, "%save w.npz\nlet _ <= Put[v]([7, 8]) in return 1\n%load w.npz")
    assert not codes(results)
    assert {loc.name: a.tolist() for loc, a in after.heap.items()}["v"] == [1, 2]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("%save nowhere/w.npz", "RH342"),
        ("%save w.pkl", "RH342"),
        ("%save .", "RH342"),
        ("%save folder.npz", "RH342"),
        ("%save two files.npz", "RH042"),
        ("%load w.npz", "RH343"),
        (f"%load {'w' * 300}.npz", "RH343"),
        (f"%save {'w' * 300}.npz", "RH342"),
        ("%load w\0.npz", "RH343"),
        ("%save w\0.npz", "RH342"),
        ("%save \ud800.npz", "RH342"),
        (f'loc u : Real = load("{"w" * 300}")', "RH341"),
        ("%load folder.npz", "RH343"),
        ("%load torn.npz", "RH343"),
        ("%load torn.safetensors", "RH343"),
        ("%load objects.npz", "RH343"),
        ("%load words.npz", "RH343"),
        ("%load other.npz", "RH343"),
        ("%load none.npz", "RH343"),
        ("%load single.npz", "RH343"),
    ],
)
def test_what_cannot_be_is_refused_and_changes_nothing(session: Session, tmp_path: Path, text: str, code: str) -> None:
    (tmp_path / "folder.npz").mkdir()
    (tmp_path / "torn.npz").write_bytes(b"PK\x03\x04 and so on")
    (tmp_path / "torn.safetensors").write_bytes(b"\xff" * 20)
    np.savez(tmp_path / "objects.npz", v=np.array([{}, []], object))
    np.savez(tmp_path / "words.npz", v=np.array(["red", "blue"]))
    np.savez(tmp_path / "other.npz", v=np.ones(3))
    np.savez(tmp_path / "none.npz", nobody=np.ones(3))
    with (tmp_path / "single.npz").open("wb") as file:
        np.save(file, np.ones(2))
    results, same = run(session, text)
    assert codes(results) == [code]
    assert same is session


def test_what_is_for_no_location_may_be_anything(session: Session, tmp_path: Path) -> None:
    np.savez(tmp_path / "mixed.npz", v=np.array([3, 4]), words=np.array(["red"]))
    results, after = run(session, "%load mixed.npz")
    assert not codes(results)
    assert {loc.name: a.tolist() for loc, a in after.heap.items()}["v"] == [3, 4]


def test_a_link_stays_a_link(session: Session, tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    (tmp_path / "link.npz").symlink_to(tmp_path / "below" / "real.npz")
    results, _ = run(session, "%save link.npz\nlet _ <= Put[v]([7, 8]) in return 1\n%load link.npz")
    assert not codes(results)
    assert (tmp_path / "link.npz").is_symlink()
    assert (tmp_path / "below" / "real.npz").is_file()


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="permissions of a user who is not allowed everything")
def test_a_file_that_is_write_protected_is_left_alone(session: Session, tmp_path: Path) -> None:
    target = tmp_path / "mine.npz"
    target.write_text("mine")
    target.chmod(0o444)
    assert codes(run(session, "%save mine.npz")[0]) == ["RH342"]
    assert target.read_text() == "mine"


def test_a_file_that_unfolds_to_more_than_the_memory_is_refused(tmp_path: Path) -> None:
    target = tmp_path / "bomb.npz"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("w.npy", bytes(10_000_000))
    assert target.stat().st_size < 20_000
    with pytest.raises(Stuck):
        storage.read(target, target, 1000, HERE)


def test_a_place_that_cannot_be_written_to_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(storage.os, "fsync", full)
    with pytest.raises(Rejected, match="cannot be written"):
        storage.write({"w": np.ones(2)}, tmp_path / "w.npz", HERE)
