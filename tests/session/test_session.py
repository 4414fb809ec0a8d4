"""Cells take effect as a whole or not at all, files item by item (LANGUAGE §6, §7)."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rh_kernel.primitives.values import to_array
from rh_kernel.session.results import Event, HeapShown, ItemFailed, Result, Shown, ValueFound
from rh_kernel.session.session import Session, execute
from rh_kernel.source.span import Source

HERE = Path(__file__).parent
W = "loc w : Real(2) = [1, 2]\n"


def after(text: str, session: Session | None = None, *, keep_going: bool = False) -> tuple[list[tuple[int, Result]], Session]:
    """The results of a text with the numbers of their items, and the session after it."""
    events = execute(session or Session.start(HERE), Source("cell", text), keep_going=keep_going)
    found: list[tuple[int, Result]] = []
    while True:
        try:
            event: Event = next(events)
        except StopIteration as stop:
            return found, stop.value
        if isinstance(event, Shown):
            found.append((event.item, event.result))


def codes(results: list[tuple[int, Result]]) -> list[tuple[int, str]]:
    return [(item, d.code) for item, r in results if isinstance(r, ItemFailed) for d in r.diagnostics]


def contents(session: Session) -> Mapping[str, Any]:
    return {location.name: array.tolist() for location, array in session.heap.items()}


@pytest.mark.parametrize(
    "text",
    [
        "const a = 1\nlet x = 1 in x",
        "const a = 1\n[1, 2] + [1, 2, 3]",
        "let _ <= Put[w]([5, 6]) in return 1\n[1, 2] + [1, 2, 3]",
        "let _ <= Put[w]([5, 6]) in return 1\nop Op : 1 -> 1\nOp()",
        "loc w : Real(3) = ones\nloc v : Real(2) = load(\"nowhere.npy\")",
        "let _ <= Put[w]([5, 6]) in return 1\nloc v : Real(1000000, 1000000) = zeros",
        "%reset\n%nothing",
    ],
)  # fmt: skip
def test_a_cell_with_an_error_changes_nothing(text: str) -> None:
    _, session = after(W + "let _ <= Put[w]([3, 4]) in return 1")
    results, same = after(text, session)
    assert codes(results)
    assert same is session
    assert contents(same) == {"w": [3, 4]}


def test_an_old_session_is_not_written_on() -> None:
    _, session = after(W)
    array = next(iter(session.heap.values()))
    _, later = after("let _ <= Put[w]([3, 4]) in return 1", session)
    assert contents(session) == {"w": [1, 2]}
    assert contents(later) == {"w": [3, 4]}
    assert not array.flags.writeable


def test_all_errors_of_a_cell_are_told() -> None:
    results, _ = after("const a = b\nlet x = 1 in x\n[1] + [1, 2]\nconst c = 1")
    assert codes(results) == [(1, "RH101"), (2, "RH009"), (3, "RH103")]


def test_a_file_goes_on_after_an_error() -> None:
    results, session = after("const a = b\nconst c = 1\nc + 1\na + 1\n" + W, keep_going=True)
    assert codes(results) == [(1, "RH101"), (4, "RH120")]
    assert [item for item, r in results if isinstance(r, ValueFound)] == [3]
    assert contents(session) == {"w": [1, 2]}


@pytest.mark.parametrize("initial", ['load("nowhere.npy")', "2 * fill[2](recip(sum(fill[1000000000000](1))))"])
def test_a_location_without_content_is_not_declared(initial: str) -> None:
    """Its type is right, so the items after it can be told of the failure only once it has run."""
    results, session = after(f"loc w : Real(2) = {initial}\nGet[w]()\n1 + 1", keep_going=True)
    assert [item for item, _ in codes(results)] == [1, 2]
    assert codes(results)[1] == (2, "RH120")
    assert session.definitions.get("w") is None


def test_a_failed_redeclaration_hides_the_old_meaning() -> None:
    results, _ = after("const a = 1\nconst a = [1] + [1, 2]\na", keep_going=True)
    assert codes(results) == [(2, "RH103"), (3, "RH120")]


def test_the_next_cell_has_forgotten_what_failed() -> None:
    _, session = after("const a = 1\nconst a = [1] + [1, 2]", keep_going=True)
    results, _ = after("a", session)
    assert codes(results) == [(1, "RH101")]


def test_reset_puts_back_what_was_there_at_first() -> None:
    _, session = after(W)
    _, session = after("let _ <= Put[w]([3, 4]) in return 1", session)
    results, session = after("%reset\n%heap", session)
    assert contents(session) == {"w": [1, 2]}
    shown = results[1][1]
    assert isinstance(shown, HeapShown)
    assert [c.after.tolist() for c in shown.contents] == [[1, 2]]


def test_a_trace_that_gets_stuck_changes_nothing() -> None:
    _, session = after(W + "op Op : 1 -> 1")
    results, same = after("%trace let _ <= Put[w]([3, 4]) in Op()", session)
    assert codes(results) == [(1, "RH201")]
    assert same is session


def test_memory_that_runs_out_is_an_error_of_the_item(monkeypatch: pytest.MonkeyPatch) -> None:
    _, session = after(W)

    def none_left(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("rh_kernel.session.performing.prepare", none_left)
    results, same = after("1 + 1", session)
    assert codes(results) == [(1, "RH241")]
    assert same is session


def test_not_a_number_is_a_value_like_another() -> None:
    results, _ = after("log(-1)\nloc w = log([0.0, 1.0])\nlet v <= Get[w]() in return v - v")
    values = [to_array(r.value) for _, r in results if isinstance(r, ValueFound)]
    assert [np.isnan(array).tolist() for array in values] == [[True], [True, False]]
