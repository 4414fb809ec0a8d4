"""The three ways in which a front end asks for what was entered."""

from __future__ import annotations

import pytest

from rh_kernel.kernel.history import Cell, History


@pytest.fixture
def history() -> History:
    history = History()
    for number, text in enumerate(["dim n = 2", "1 + n", "%heap", "1 + n"], start=1):
        history.add(Cell(number, text, "3" if text == "1 + n" else None))
    return history


def test_the_tail_is_the_last_cells(history: History) -> None:
    assert history.tail(2, output=False) == [(0, 3, "%heap"), (0, 4, "1 + n")]
    assert len(history.tail(10, output=False)) == 4
    assert history.tail(0, output=False) == []


def test_a_range_has_its_start_and_not_its_stop(history: History) -> None:
    assert history.between(0, 2, 4, output=True) == [(0, 2, ("1 + n", "3")), (0, 3, ("%heap", None))]
    assert len(history.between(0, 2, None, output=False)) == 3


@pytest.mark.parametrize("session", [-1, 1])
def test_other_sessions_are_not_remembered(history: History, session: int) -> None:
    assert history.between(session, 0, None, output=False) == []


def test_a_search_knows_wildcards(history: History) -> None:
    assert [number for _, number, _ in history.search("1 + *", None, output=False, unique=False)] == [2, 4]
    assert [number for _, number, _ in history.search("1 + *", 1, output=False, unique=False)] == [4]
    assert [number for _, number, _ in history.search("*", None, output=False, unique=True)] == [1, 3, 4]
    assert history.search("?", None, output=False, unique=False) == []
