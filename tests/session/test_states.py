"""State beside locations in a session: contents that appear when they are written, ``%heap``, ``%save``, names, undoing."""

from pathlib import Path
from typing import Any

import pytest

from rh_kernel.display.live.stepper_heap import HeapHistory
from rh_kernel.display.registry import records
from rh_kernel.session.results import GradientMade, HeapShown, TraceMade
from rh_kernel.session.session import Session
from rh_kernel.syntax.core import Array
from rh_kernel.training.reading.formats import saved_suffixes
from rh_kernel.workspace.workspace import Workspace
from tests.session.cells import codes, run

DECLARED = """
loc velocity[l : Loc(s…)] : Real(s…) = ones
loc rows[l : Loc(m, n)] : Real(n) = zeros
loc steps[l : Loc(s…)] : Real = 3
loc w : Real(2, 3) = zeros
loc ws[2] : Real(2) = zeros
"""


@pytest.fixture
def session(tmp_path: Path) -> Session:
    results, session = run(Session.start(tmp_path), DECLARED)
    assert not codes(results), codes(results)
    return session


def after(session: Session, text: str) -> Session:
    results, session = run(session, text)
    assert not codes(results), codes(results)
    return session


def contents(session: Session) -> dict[str, Any]:
    return {location.name: array.tolist() for location, array in session.heap.items()}


def value(session: Session, text: str) -> Any:
    results, _ = run(session, text)
    (record,) = records(1, results[-1])
    return record["value"]


def test_a_state_has_its_shape_and_its_first_content_from_its_declaration(session: Session) -> None:
    assert value(session, "Get[velocity[w]]()") == [[1, 1, 1], [1, 1, 1]]
    assert value(session, "Get[rows[w]]()") == [0, 0, 0]
    assert value(session, "Get[steps[ws[1]]]()") == [3]
    assert value(session, "Get[steps[velocity[w]]]()") == [3]
    assert [*contents(session)] == ["w", "ws[0]", "ws[1]"]


def test_a_state_is_in_the_heap_once_it_is_written(session: Session) -> None:
    after_put = after(session, "Put[velocity[ws[1]]]([5, 6])")
    assert contents(after_put) == {"w": [[0] * 3] * 2, "ws[0]": [0, 0], "ws[1]": [0, 0], "velocity[ws[1]]": [5, 6]}
    assert contents(after(after_put, "%reset"))["velocity[ws[1]]"] == [1, 1]
    assert contents(after(after_put, "%undo")) == contents(session)


def test_a_failing_cell_leaves_no_state(session: Session) -> None:
    results, left = run(session, "Put[steps[w]](7)\nGet[nothing]()")
    assert codes(results)
    assert contents(left) == contents(session)


def shown(session: Session, text: str) -> dict[str, Any]:
    results, _ = run(session, text)
    (made,) = [result for result in results if isinstance(result, HeapShown)]
    return {change.location.name: change.after.tolist() for change in made.contents}


def test_the_heap_is_shown_by_name_and_by_family(session: Session) -> None:
    session = after(session, "Put[velocity[w]]([[1, 2, 3], [4, 5, 6]])")
    assert shown(session, "%heap velocity[w]") == {"velocity[w]": [[1, 2, 3], [4, 5, 6]]}
    assert [*shown(session, "%heap velocity")] == ["velocity[w]", "velocity[ws[0]]", "velocity[ws[1]]"]
    assert shown(session, "%heap rows") == {"rows[w]": [0, 0, 0]}
    assert [*shown(session, "%heap")] == ["w", "ws[0]", "ws[1]", "velocity[w]"]


@pytest.mark.parametrize("suffix", saved_suffixes())
def test_states_are_saved_and_loaded_by_name(session: Session, suffix: str) -> None:
    saved = after(session, f"Put[velocity[ws[1]]]([5, 6])\nPut[steps[w]](4)\n%save all{suffix}")
    loaded = after(session, f"%load all{suffix}")
    assert contents(loaded) == contents(saved)
    assert value(loaded, "Get[velocity[ws[1]]]()") == [5, 6]


def test_a_new_location_has_a_new_state(session: Session) -> None:
    session = after(session, "Put[velocity[w]]([[1, 2, 3], [4, 5, 6]])\nPut[velocity[ws[0]]]([2, 2])")
    again = after(session, "loc w : Real(2, 3) = zeros")
    assert value(again, "Get[velocity[w]]()") == [[1, 1, 1], [1, 1, 1]]
    assert [*contents(again)] == ["ws[0]", "ws[1]", "velocity[ws[0]]", "w"]
    other = after(session, "loc velocity[l : Loc(s…)] : Real(s…) = zeros")
    assert value(other, "Get[velocity[w]]()") == [[0, 0, 0], [0, 0, 0]]
    assert [*contents(other)] == ["w", "ws[0]", "ws[1]"]


def test_a_handler_keeps_the_state_that_it_was_declared_with(session: Session) -> None:
    handler = """
op Count[l : Loc(s…)] : 1 -> 1
handler counting = { return x -> return x
  Count[l](u), k -> let n <= Get[steps[l]]() in let u <= Put[steps[l]](n + 1) in k(u) }
"""
    session = after(session, f"{handler}handle Count[w]() with counting")
    session = after(session, "loc steps[l : Loc(s…)] : Real = 10")
    session = after(session, "handle Count[w]() with counting")
    assert [array.tolist() for location, array in session.heap.items() if location.name == "steps[w]"] == [[5]]
    assert value(session, "Get[steps[w]]()") == [10]


def test_the_stepper_shows_a_state_that_it_writes_first(session: Session) -> None:
    results, _ = run(session, "%trace let n <= Get[steps[w]]() in Put[steps[w]](n + 1)")
    assert not codes(results), codes(results)
    (made,) = [result for result in results if isinstance(result, TraceMade)]
    history = HeapHistory(made)
    assert [record["location"] for record in history.opening()] == ["steps[w]"]
    first, last = (history.at(state)[0]["content"] for state in (0, len(made.steps)))
    assert isinstance(first, dict)
    assert isinstance(last, dict)
    assert (first["text"], last["text"]) == ("3.0", "4.0")


def test_the_player_shows_a_state_that_it_writes_first(session: Session) -> None:
    results, left = run(session, "%gradient let n <= Get[steps[w]]() in let u <= Put[steps[w]](n + 1) in return n")
    assert not codes(results), codes(results)
    (made,) = [result for result in results if isinstance(result, GradientMade)]
    (one,) = made.passes
    assert [(use.kind, use.location.name, use.after.tolist()) for use in one.recording.uses] == [
        ("Get", "steps[w]", [3]),
        ("Put", "steps[w]", [4]),
    ]
    assert contents(left)["steps[w]"] == [4]


def test_what_is_only_read_is_not_in_the_heap(session: Session) -> None:
    for text in ("Get[steps[w]]()", "%trace Get[steps[w]]()", "%gradient Get[steps[w]]()"):
        for evaluator in ("compiled", "stepped", "denoted"):
            left = after(session, f"%evaluator {evaluator}\n{text}")
            assert contents(left) == contents(session), (evaluator, text)


def test_python_sees_what_is_held(tmp_path: Path) -> None:
    space = Workspace(tmp_path)
    space.run(DECLARED)
    assert "steps[w]" not in space.heap
    space.run("Put[steps[w]](4)")
    found: Array = space.heap["steps[w]"]
    assert found.tolist() == [4]
