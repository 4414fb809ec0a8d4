"""``%save-view``: the last result with a view becomes a file, when the cell succeeds."""

from __future__ import annotations

from pathlib import Path

import pytest

from rh_kernel.session.results import ItemFailed, Notice, Result, TraceMade
from rh_kernel.session.session import Session
from rh_kernel.session.view_files import NoSuchPicture
from tests.session.cells import codes, run


def written(result: Result, suffix: str, *, title: str, animated: bool) -> str:
    if title.endswith("0"):
        raise NoSuchPicture("0 is no picture")
    return f"{type(result).__name__}{suffix} {title} {animated}"


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session.start(tmp_path, encode_view=written)


def test_the_last_view_is_saved_and_no_message(session: Session, tmp_path: Path) -> None:
    results, _ = run(session, 'loc w : Real = 2\n1 + 2\n%heap\ncheck 1 == 1\n%save-view "a b.html"\n%save-view a.svg animated')
    assert (tmp_path / "a b.html").read_text() == "HeapShown.html %heap False"
    assert (tmp_path / "a.svg").read_text() == "HeapShown.svg %heap True"
    assert isinstance(results[-1], Notice)
    assert "a.svg" in results[-1].text


def test_it_may_be_of_an_earlier_cell_that_was_undone(session: Session, tmp_path: Path) -> None:
    _, session = run(session, "loc w : Real = 2\n1 + 2")
    _, session = run(session, "%undo")
    run(session, "%save-view x.svg")
    assert (tmp_path / "x.svg").read_text().startswith("ValueFound")


def test_a_cell_that_fails_writes_nothing(session: Session, tmp_path: Path) -> None:
    results, session = run(session, "1 + 2\n%save-view x.html\ncheck 1 == 2")
    assert isinstance(results[-1], ItemFailed)
    assert [*tmp_path.iterdir()] == []
    assert session.shown is None


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("%save-view", "RH042"),
        ("%save-view x.png", "RH042"),
        ("%save-view x.html animated", "RH042"),
        ("%save-view x.svg animate", "RH042"),
        ("%save-view x.svg", "RH342"),
        ("0\n%save-view x.svg", "RH342"),
    ],
)
def test_what_cannot_be_saved_is_an_error(session: Session, tmp_path: Path, text: str, code: str) -> None:
    results, _ = run(session, text)
    assert codes(results) == [code]
    assert [*tmp_path.iterdir()] == []


def test_where_nothing_renders_it_says_so(tmp_path: Path) -> None:
    results, _ = run(Session.start(tmp_path), "1\n%save-view x.svg")
    assert codes(results) == ["RH342"]


def test_the_past_holds_no_results(session: Session) -> None:
    _, session = run(session, "loc w : Real = 2\n1 + 2")
    _, session = run(session, "loc v : Real = 2")
    assert session.shown is not None
    assert all(past.shown is None for past in session.past)


def test_only_this_name_has_a_hyphen(session: Session) -> None:
    results, _ = run(session, "%trace-1")
    assert isinstance(results[-1], TraceMade)
    results, _ = run(session, "%save-views x.svg")
    assert codes(results) == ["RH042"]
