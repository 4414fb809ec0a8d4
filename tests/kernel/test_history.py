"""The three kinds of history requests, within a session and across sessions, with files of all kinds."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sqlite3
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.kernel import history as module
from rh_kernel.kernel.history import SETTING, Cell, History, history_file

TEXTS = ["dim n = 2", "1 + n", "%heap", "1 + n"]


def filled(history: History, texts: Sequence[str] = TEXTS) -> History:
    for number, text in enumerate(texts, start=1):
        history.add(Cell(number, text, "3" if text == "1 + n" else None))
    return history


@pytest.fixture
def history() -> History:
    return filled(History())


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "history.sqlite"


def test_the_tail_is_the_last_cells(history: History) -> None:
    assert history.tail(2, output=False) == [(1, 3, "%heap"), (1, 4, "1 + n")]
    assert len(history.tail(10, output=False)) == 4
    assert history.tail(0, output=False) == []
    assert history.tail(-1, output=False) == []


def test_a_range_has_its_start_and_not_its_stop(history: History) -> None:
    assert history.between(0, 2, 4, output=True) == [(1, 2, ("1 + n", "3")), (1, 3, ("%heap", None))]
    assert len(history.between(0, 2, None, output=False)) == 3


def test_a_search_knows_wildcards(history: History) -> None:
    assert [number for _, number, _ in history.search("1 + *", None, output=False, unique=False)] == [2, 4]
    assert [number for _, number, _ in history.search("1 + *", 1, output=False, unique=False)] == [4]
    assert [number for _, number, _ in history.search("*", None, output=False, unique=True)] == [1, 3, 4]
    assert [number for _, number, _ in history.search("*", 1, output=False, unique=True)] == [4]
    assert history.search("?", None, output=False, unique=False) == []


LETTERS = st.text(st.sampled_from("ab[]*?-^!\n"), max_size=6)


@given(st.lists(LETTERS, max_size=5), LETTERS)
def test_brackets_in_a_pattern_stand_for_themselves(texts: list[str], pattern: str) -> None:
    found = filled(History(), texts).search(pattern, None, output=False, unique=False)
    assert [text for _, _, text in found] == [text for text in texts if fnmatchcase(text, pattern.replace("[", "[[]"))]


@given(st.lists(st.text(st.characters(codec=None), max_size=5), max_size=5), st.integers(), st.integers())
def test_every_text_can_be_kept_and_every_number_asked_for(texts: list[str], n: int, session: int) -> None:
    history = filled(History(), texts)
    kept = [text.encode(errors="replace").decode() for text in texts]
    assert [text for _, _, text in history.between(0, 0, None, output=False)] == kept
    assert len(history.tail(n, output=False)) == min(max(n, 0), len(texts))
    history.between(session, n, n, output=True)


def test_earlier_sessions_are_remembered(file: Path) -> None:
    filled(History(file), ["1", "2"])
    filled(History(file), ["3"])
    running = filled(History(file), ["4", "5"])
    assert [text for _, _, text in running.tail(4, output=False)] == ["2", "3", "4", "5"]
    assert running.between(0, 0, None, output=False) == [(3, 1, "4"), (3, 2, "5")]
    assert running.between(-1, 0, None, output=False) == [(2, 1, "3")]
    assert running.between(-2, 2, 3, output=False) == [(1, 2, "2")]
    assert running.between(1, 0, None, output=False) == [(1, 1, "1"), (1, 2, "2")]
    assert running.between(-3, 0, None, output=False) == []
    assert running.between(4, 0, None, output=False) == []


def test_nothing_is_opened_before_it_is_asked_for(file: Path) -> None:
    history = History(file)
    assert not file.parent.exists()
    assert history.tail(1, output=False) == []
    assert file.exists()


def test_two_kernels_write_to_one_file(file: Path) -> None:
    one, other = History(file), History(file)
    for number in range(1, 6):
        one.add(Cell(number, f"one {number}", None))
        other.add(Cell(number, f"other {number}", None))
    assert [entry[:2] for entry in one.tail(4, output=False)] == [(1, 4), (2, 4), (1, 5), (2, 5)]
    assert other.between(-1, 5, None, output=False) == [(1, 5, "one 5")]


def _enter_and_die(file: Path) -> None:
    filled(History(file))
    os.kill(os.getpid(), signal.SIGKILL)


def test_what_was_entered_outlasts_a_kernel_that_is_killed(file: Path) -> None:
    process = multiprocessing.get_context("spawn").Process(target=_enter_and_die, args=(file,))
    process.start()
    process.join(30)
    assert process.exitcode == -signal.SIGKILL
    assert [text for _, _, text in History(file).tail(9, output=False)] == TEXTS


def _not_a_database(file: Path) -> None:
    file.write_bytes(b"this is no database, however long one looks at it" * 100)


def _another_database(file: Path) -> None:
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE cells (something)")
    connection.close()


@pytest.mark.parametrize("spoil", [_not_a_database, _another_database, Path.mkdir])
def test_a_file_that_is_something_else_stays_as_it_is(tmp_path: Path, spoil: object) -> None:
    assert callable(spoil)
    file = tmp_path / "history.sqlite"
    spoil(file)
    before = file.read_bytes() if file.is_file() else b""
    history = filled(History(file))
    assert [text for _, _, text in history.tail(9, output=False)] == TEXTS
    assert (file.read_bytes() if file.is_file() else b"") == before or spoil is _another_database


@pytest.mark.parametrize("name", ["file/history.sqlite", "\0", "/proc/nowhere/history.sqlite", "x" * 5000])
def test_a_place_that_cannot_be_written_to_is_not_missed(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()
    assert len(filled(History(tmp_path / name)).tail(9, output=False)) == len(TEXTS)


def test_a_file_that_breaks_later_takes_nothing_of_the_session_along(file: Path) -> None:
    history = filled(History(file))
    with sqlite3.connect(file) as connection:
        connection.execute("DROP TABLE cells")
    connection.close()
    history.add(Cell(5, "2", None))
    assert [text for _, _, text in history.tail(9, output=False)] == [*TEXTS, "2"]
    assert [text for _, _, text in history.between(0, 0, None, output=False)] == [*TEXTS, "2"]


def test_a_file_that_is_broken_when_it_is_asked_is_not_missed(file: Path) -> None:
    history = filled(History(file))
    with sqlite3.connect(file) as connection:
        connection.execute("DROP TABLE cells")
    connection.close()
    assert [text for _, _, text in history.search("*n*", None, output=False, unique=True)] == ["dim n = 2", "1 + n"]


def test_a_file_that_another_holds_is_waited_for_and_then_left(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_TIMEOUT", 0.1)
    filled(History(file), ["kept"])
    connection = sqlite3.connect(file)
    connection.execute("BEGIN EXCLUSIVE")
    history = filled(History(file), ["held"])
    assert [text for _, _, text in history.tail(9, output=False)] == ["held"]
    connection.close()
    assert [text for _, _, text in History(file).tail(9, output=False)] == ["kept"]


def test_the_newest_cells_stay(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_CELLS", 3)
    filled(History(file), ["1", "2", "3", "4", "5"])
    running = History(file)
    assert [text for _, _, text in running.tail(9, output=False)] == ["3", "4", "5"]
    assert running.between(-1, 0, None, output=False)[0] == (1, 3, "3")


def test_the_environment_says_where(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path))
    monkeypatch.delenv(SETTING, raising=False)
    assert history_file() == tmp_path / "rh" / "history.sqlite"
    monkeypatch.setenv(SETTING, "OFF")
    assert history_file() is None
    monkeypatch.setenv(SETTING, str(tmp_path / "mine"))
    assert history_file() == tmp_path / "mine"
