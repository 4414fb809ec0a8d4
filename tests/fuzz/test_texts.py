"""No text takes a session down, whatever is in it."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import assume
from hypothesis import strategies as st

from rh_kernel.session.session import Session
from tests.fuzz.checking import check_agreement, check_session, check_text, fresh
from tests.fuzz.profile import tried
from tests.fuzz.programs import PROGRAMS, anything, cells, mutated, soup, stays_here


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Session:
    """A session in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(PROGRAMS / "bad" / "data", tmp_path / "data")
    monkeypatch.setattr("rh_kernel.session.limits.budget.available", lambda: 1 << 20)
    return fresh(tmp_path)


def law(session: Session, check: Callable[[Session, str], object]) -> Callable[[str], None]:
    """A check of a text in a session."""

    def checked(text: str) -> None:
        assume(stays_here(text))
        check(session, text)

    return checked


@pytest.mark.parametrize(("made", "shares"), [(anything, 2), (soup, 2), (mutated(), 5)], ids=["anything", "soup", "mutated"])
def test_every_text_is_answered(session: Session, made: st.SearchStrategy[str], shares: int) -> None:
    assert tried(made, law(session, check_text), shares)


def test_the_three_evaluators_agree_on_programs_with_mistakes(session: Session) -> None:
    assert tried(mutated(), law(session, check_agreement), 4)


def test_a_session_goes_on_whatever_is_done_to_it(session: Session) -> None:
    def checked(done: list[tuple[str, str]]) -> None:
        assume(all(stays_here(text) for _, text in done))
        check_session(session, done)

    assert tried(cells(), checked, 4)
