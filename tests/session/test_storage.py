"""`%save` and `%load`: reading returns what was written, and a file is written completely or not at all."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import hypothesis.extra.numpy as arrays_of
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.session import storage
from rh_kernel.session.results import ItemFailed, Notice, Working
from rh_kernel.session.session import Session, execute
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.span import Source, Span
from rh_kernel.source.trampoline import exhaust
from rh_kernel.syntax.dimensions import dim
from rh_kernel.syntax.signature import Location
from rh_kernel.training.reading.formats import saved_suffixes
from rh_kernel.training.reading.reader import BLOCK, ByteLimit
from tests.session.cells import codes, run

HERE = Span(Source("text", "%save w"), 0, 7)
DECLARED = "loc w : Real(2, 3) = normal(1, seed=1)\nloc v : Real(2) = [1, 2]\n"
both = pytest.mark.parametrize("form", saved_suffixes())


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return run(Session.start(tmp_path), DECLARED)[1]


@pytest.fixture(autouse=True)
def nothing_is_left_over(tmp_path: Path) -> Iterator[None]:
    """No scratch file remains after any test."""
    yield
    assert not [p.name for p in tmp_path.rglob(".*")]


@given(
    st.dictionaries(
        st.sampled_from(["w", "file", "w'", "α", "allow_pickle"]),
        arrays_of.arrays(np.float64, arrays_of.array_shapes(min_dims=1, max_dims=4, min_side=0, max_side=3)),
        min_size=1,
    ),
    st.sampled_from(saved_suffixes()),
)
def test_what_is_read_is_what_was_written(contents: dict[str, np.ndarray], form: str) -> None:
    with TemporaryDirectory() as folder:
        target = Path(folder) / f"heap{form}"
        storage.write(contents, target, HERE).move(HERE)
        locations = {name: Location(name, tuple([dim(n) for n in array.shape])) for name, array in contents.items()}
        found = exhaust(storage.read(target, (), locations, ByteLimit(1 << 20), HERE))
        assert [*Path(folder).iterdir()] == [target]
    assert set(found.names) == found.changes.keys() == contents.keys()
    for name, array in contents.items():
        np.testing.assert_array_equal(found.changes[name], array)


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


def test_what_is_missing_on_either_side_is_reported(session: Session, tmp_path: Path) -> None:
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
        (f'loc v : Real = load("{"w" * 300}.npz")', "RH341"),
        ('loc v : Real(2) = load("w.npz")', "RH341"),
        ('loc v : Real(2) = load("w.safetensors")', "RH341"),
        ('loc v : Real(2) = load("folder.npz")', "RH341"),
        ('loc v : Real(2) = load("torn.npz")', "RH341"),
        ('loc v : Real(2) = load("torn.safetensors")', "RH341"),
        ('loc v : Real(2) = load("objects.npz")', "RH341"),
        ('loc v : Real(2) = load("words.npz")', "RH341"),
        ('loc v : Real(2) = load("other.npz")', "RH341"),
        ('loc v : Real(2) = load("none.npz")', "RH341"),
        ('loc v : Real(2) = load("single.npz")', "RH341"),
        ('loc v[2] : Real(3) = load("other.npz")', "RH341"),
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


@pytest.mark.parametrize("form", saved_suffixes())
def test_a_location_begins_with_the_array_of_its_name(session: Session, form: str) -> None:
    text = f"loc ws[2] : Real(2) = ones\nPut[ws[1]]([5, 6])\n%save a{form}"
    _, saved = run(session, text)
    again = f'loc v : Real(2) = load("a{form}")\nloc ws[2] : Real(2) = load("a{form}")\nPut[v](0)\n%reset'
    results, after = run(Session.start(saved.folder), again)
    assert not codes(results), results
    assert {loc.name: a.tolist() for loc, a in after.heap.items()} == {"v": [1, 2], "ws[0]": [1, 1], "ws[1]": [5, 6]}


def test_a_location_begins_with_what_the_cell_has_saved(session: Session) -> None:
    results, after = run(session, '%save w.npz\nloc v : Real(2) = load("w.npz")')
    assert not codes(results)
    assert {loc.name: a.tolist() for loc, a in after.heap.items()}["v"] == [1, 2]


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


@both
def test_what_does_not_fit_into_the_limit_is_refused_before_it_is_read(session: Session, tmp_path: Path, form: str) -> None:
    contents = {"v": np.zeros(1_000_000), "u": np.zeros(3)}
    storage.write(contents, tmp_path / f"large{form}", HERE).move(HERE)
    results, _ = run(session, f"%limit bytes 1M\n%load large{form}")
    assert codes(results) == ["RH241"]
    found = next(r for r in results if isinstance(r, ItemFailed)).diagnostics[0]
    assert found.message == f"what is in `large{form}` would need 8 MB of memory"
    assert found.expected == "at most 1 MB by `%limit bytes`"


@both
def test_what_is_large_and_for_no_location_is_not_read(session: Session, tmp_path: Path, form: str) -> None:
    contents = {"v": np.array([3.0, 4.0]), "u": np.zeros(1_000_000)}
    storage.write(contents, tmp_path / f"large{form}", HERE).move(HERE)
    results, after = run(session, f"%limit bytes 1M\n%load large{form}")
    assert not codes(results)
    assert {loc.name: a.tolist() for loc, a in after.heap.items()}["v"] == [3, 4]


@both
def test_loading_pauses_after_each_block(session: Session, tmp_path: Path, form: str) -> None:
    content = np.random.default_rng(0).normal(size=(3, 1 << 18))
    storage.write({"u": content}, tmp_path / f"large{form}", HERE).move(HERE)
    _, declared = run(session, "loc u : Real(3, 262144) = zeros")
    events = list(execute(declared, Source("cell", f"%load large{form}")))
    assert sum(isinstance(event, Working) for event in events) >= content.nbytes // BLOCK
    _, after = run(declared, f"%load large{form}")
    assert {loc.name: a for loc, a in after.heap.items()}["u"].tolist() == content.tolist()


@pytest.mark.parametrize("linked", [False, True])
def test_a_pipe_is_not_replaced(session: Session, tmp_path: Path, linked: bool) -> None:
    pipe = tmp_path / ("pipe" if linked else "w.npz")
    os.mkfifo(pipe)
    if linked:
        (tmp_path / "w.npz").symlink_to(pipe)
    results, _ = run(session, "%save w.npz")
    (failed,) = [r for r in results if isinstance(r, ItemFailed)]
    assert failed.diagnostics[0].code == "RH342"
    assert failed.diagnostics[0].message == f"`w.npz` is {'a link to ' if linked else ''}a pipe"
    assert pipe.is_fifo()
    assert (tmp_path / "w.npz").is_symlink() == linked


def test_a_link_that_goes_round_in_a_circle_is_not_replaced(session: Session, tmp_path: Path) -> None:
    (tmp_path / "w.npz").symlink_to(tmp_path / "w.npz")
    assert codes(run(session, "%save w.npz")[0]) == ["RH342"]
    assert (tmp_path / "w.npz").is_symlink()


def test_a_heap_without_locations_is_not_saved(tmp_path: Path) -> None:
    (tmp_path / "w.npz").write_text("mine")
    assert codes(run(Session.start(tmp_path), "%save w.npz")[0]) == ["RH342"]
    assert (tmp_path / "w.npz").read_text() == "mine"


KILLED = """
import os, sys
from pathlib import Path
import numpy as np
from rh_kernel.session import storage
from rh_kernel.training.reading.formats import saved_suffixes
from rh_kernel.source.span import Source, Span
storage.write({"w": np.ones(2)}, Path(sys.argv[1]) / "w.npz", Span(Source("text", "%save w"), 0, 7))
os._exit(9)
"""


@pytest.mark.parametrize("reaped", [True, False] if Path("/proc/self/stat").exists() else [True])
def test_what_a_killed_process_leaves_is_deleted_by_the_next_save(session: Session, tmp_path: Path, reaped: bool) -> None:
    with subprocess.Popen([sys.executable, "-c", KILLED, str(tmp_path)]) as killed:
        if reaped:
            killed.wait(60)
        else:
            os.waitid(os.P_PID, killed.pid, os.WEXITED | os.WNOWAIT)
        (left,) = tmp_path.glob(".rh-save-*")
        _, _, machine, process, rest = left.name.split("-")
        owned = tmp_path / f".rh-save-{machine}-{os.getpid()}-{rest}"
        elsewhere = tmp_path / f".rh-save-00000000-{process}-{rest}"
        old = tmp_path / f".rh-save-00000001-{process}-{rest}"
        link = tmp_path / f".rh-save-{machine}-{process}-{'0' * 16}.tmp"
        mine = [tmp_path / name for name in (".rh-notes", ".rh-save-mine.tmp", f"{left.name}.bak", left.name[1:])]
        link.symlink_to(mine[0])
        for file in (owned, elsewhere, old, *mine):
            file.write_text("content")
        os.utime(old, (0, 0))
        assert not codes(run(session, "%save w.npz")[0])
    assert not left.exists()
    assert not old.exists()
    kept = [owned, elsewhere, link, *mine]
    assert all(file.exists() for file in kept)
    for file in kept:
        file.unlink()


def test_a_place_that_cannot_be_written_to_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(storage.os, "fsync", full)
    with pytest.raises(Rejected, match="cannot be written"):
        storage.write({"w": np.ones(2)}, tmp_path / "w.npz", HERE)
