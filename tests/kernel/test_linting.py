"""Live diagnostics of a cell: only certain ones, without side effects."""

from __future__ import annotations

import time
from itertools import count
from pathlib import Path
from queue import Empty
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.kernel.linting import LONGEST, TARGET, diagnose
from rh_kernel.session.results import ItemFailed, Shown, Warned
from rh_kernel.session.session import Session, execute
from rh_kernel.source.span import Source
from tests.kernel.conftest import PATIENCE, Client

PROGRAMS = sorted((Path(__file__).parents[1] / "programs").glob("*/*.rh"))
EMPTY = Session.start(Path())
NET = "net twice(x : Real) : Real = return 2 * x"


def after(*cells: str) -> Session:
    session = EMPTY
    for number, cell in enumerate(cells):
        events = execute(session, Source(f"cell {number}", cell), cell=f"id {number}")
        while True:
            try:
                next(events)
            except StopIteration as end:
                session = end.value
                break
    return session


def codes(session: Session, text: str, **options: str) -> list[str]:
    return [d.code for d in diagnose(session, text, **options)]


@pytest.mark.parametrize(
    "text",
    [
        "", "# nothing", "1 + 2", NET, "swish(x", "let x <- 1 in", "let x <-", "net f(x : Real) =", "%%python\nimport (",
        "const c = 1 + 1\nc", 'load("a.npy")' + " " * LONGEST, 'train P for x in data("nothing") epochs 1', "%diagram nothing",
    ],
)  # fmt: skip
def test_nothing_is_said_of_what_is_right_half_written_or_known_later(text: str) -> None:
    assert codes(EMPTY, text) == []


@pytest.mark.parametrize(
    ("text", "where"),
    [("1 + ()", "1 + ()"), ("1 2", "2"), ("swush(1)", "swush"), ("%tarce 1", "%tarce"), ("1\nlet x <- 1 in x +* 2\n", "*")],
)
def test_what_is_wrong_is_said_with_its_place(text: str, where: str) -> None:
    found = diagnose(EMPTY, text)
    assert [d.span.text for d in found if d.span is not None] == [where]


def test_a_lost_update_is_warned_of_before_it_is_run() -> None:
    program = PROGRAMS[0].parents[1] / "warned" / "lost_update_in_rounds.rh"
    (found,) = diagnose(EMPTY, program.read_text(encoding="utf-8"))
    assert found.is_warning
    assert found.span is not None
    assert found.span.source.name == "cell"
    assert found.fix is not None


def test_a_cell_knows_what_the_session_knows() -> None:
    session = after(NET)
    assert codes(session, "twice(3)") == []
    assert codes(EMPTY, "twice(3)") == ["RH101"]


def test_what_a_cell_above_will_declare_is_not_missed() -> None:
    assert codes(EMPTY, "twice(3)", above=NET) == []
    assert codes(EMPTY, "twice(3) 4", above=NET)[0].startswith("RH0")
    assert codes(after(NET), "twice(())", above=NET) != []


def test_included_names_are_known_and_errors_elsewhere_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "good.rh").write_text(NET, encoding="utf-8")
    (tmp_path / "bad.rh").write_text("const t : Real(2) = [1]", encoding="utf-8")
    session = Session.start(tmp_path)
    assert codes(session, 'include "good.rh"\ntwice(3)') == []
    assert codes(session, 'include "good.rh"\ntwice(())') != []
    assert codes(session, "twice(3)", above='include "good.rh"') == []
    assert codes(session, 'include "bad.rh"\ntwice(3)') == []
    assert codes(session, 'include "nowhere.rh"\ntwice(3)') == []
    assert codes(session, "include good") == ["RH004"]


def test_a_cell_that_is_run_again_forgets_what_it_declared() -> None:
    session = after(f"{NET}\ntwice(3)")
    assert codes(session, "twice(3)", cell="id 0") == ["RH101"]


def test_a_long_computation_is_not_begun() -> None:
    text = "const big : Real(4000, 4000) = broadcast_rows[4000](fill[4000](1))\nconst bigger = big @ big\nbigger + ()"
    began = time.process_time()
    assert codes(EMPTY, text) == []
    assert time.process_time() - began < 1


@pytest.mark.parametrize("program", [p for p in PROGRAMS if p.parent.name != "bad"], ids=lambda path: path.stem)
def test_of_a_good_program_nothing_is_said(program: Path) -> None:
    found = diagnose(Session.start(program.parent), program.read_text(encoding="utf-8"))
    assert [d.code for d in found if not d.is_warning] == []


@pytest.mark.parametrize("program", [p for p in PROGRAMS if p.parent.name == "bad"], ids=lambda path: path.stem)
def test_what_is_said_is_what_the_run_says(program: Path) -> None:
    text = program.read_text(encoding="utf-8")
    said = codes(Session.start(program.parent), text)
    if said:
        events = execute(Session.start(program.parent), Source("cell", text))
        results = [event.result for event in events if isinstance(event, Shown)]
        run = [d.code for result in results if isinstance(result, ItemFailed | Warned) for d in result.diagnostics]
        assert set(said) <= set(run)


@given(st.text())
def test_any_text_can_be_looked_at(text: str) -> None:
    diagnose(EMPTY, text)


numbers = count()


def answers(client: Client, *asked: Any) -> list[Any]:
    """The answers on a comm opened by the page."""
    session, channel = client.client.session, client.client.shell_channel
    comm = f"check {next(numbers)}"
    channel.send(session.msg("comm_open", {"comm_id": comm, "target_name": TARGET, "data": {}}))
    for data in asked:
        channel.send(session.msg("comm_msg", {"comm_id": comm, "data": data}))
    end, found = time.monotonic() + PATIENCE, list[Any]()
    while time.monotonic() < end and len(found) < len(asked):
        try:
            message = client.client.get_iopub_msg(timeout=1)
        except Empty:
            continue
        if message["msg_type"] == "comm_msg" and message["content"]["comm_id"] == comm:
            found.append(message["content"]["data"])
    return found


def test_a_page_asks(running: Client) -> None:
    running.run("const checked_here = 3")
    first, second, third = answers(
        running,
        {"number": 1, "text": "checked_here + 1", "cell": "a", "above": ""},
        {"number": 2, "text": "1\nchecked_here + ()", "cell": "a"},
        {"number": 3, "text": 7},
    )
    assert first == {"number": 1, "diagnostics": []}
    (diagnostic,) = second["diagnostics"]
    assert (diagnostic["line"], diagnostic["column"], diagnostic["end_line"]) == (2, 1, 2)
    assert {"code", "title", "message", "end_column"} <= diagnostic.keys()
    assert third == {"number": 3, "diagnostics": []}
    assert running.run("checked_here").reply["status"] == "ok"
