"""The limit on printed text: its beginning is shown, and one line on what is left out."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.kernel.python_cells.streams import CELLS, Allowance


@given(st.lists(st.text(max_size=8)), st.integers(0, 30))
def test_the_beginning_is_shown_and_once_it_is_said_that_there_is_more(texts: list[str], most: int) -> None:
    allowance = Allowance(most)
    shown = "".join([allowance.spend("cell", text) for text in texts])
    whole = "".join(texts)
    if len(whole) <= most:
        assert shown == whole
    else:
        assert shown == f"{whole[:most]}\n[more than {most} characters: the rest is not shown]\n"


def test_each_request_has_its_own() -> None:
    allowance = Allowance(3)
    assert [allowance.spend(request, "abc") for request in ("first", "second", "first")][:2] == ["abc", "abc"]
    allowance.reset("first")
    assert allowance.spend("first", "abc") == "abc"


def test_a_silent_request_prints_nothing() -> None:
    allowance = Allowance(3)
    allowance.silent = "first"
    assert allowance.spend("first", "abc") == ""
    assert allowance.spend("second", "abc") == "abc"
    allowance.silent = None
    assert allowance.spend("first", "abc") == "abc"


def test_of_old_requests_nothing_is_kept() -> None:
    allowance = Allowance(1)
    for number in range(2 * CELLS):
        allowance.spend(str(number), "a")
    assert allowance.spend(str(2 * CELLS - 1), "b") == "\n[more than 1 characters: the rest is not shown]\n"
    assert allowance.spend("0", "b") == "b"
