"""Widgets: outputs of a trace, answers to questions of the page, and state after a reload."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from queue import Empty
from typing import Any

import pytest

from rh_kernel.workspace.widgets import MAX_OPEN
from tests.kernel.conftest import PATIENCE, Client, Start

MIME = "application/vnd.jupyter.widget-view+json"
NET = """\
loc w0 : Real(2, 2) = eye
op FC[l : Loc(m, n)] : Real(n) -> Real(m)
handler sgd(alpha : Real, t : Real(k)) : rev handler(Real(k)) = {
  return x -> return alpha * (x - t)
  FC[l](x) -> let w <= Get[l]() in return (w @ x, (w, x))
    | y, z -> let (w, x) <- z in let _ <= Put[l](w - outer(y, x)) in return w^T @ y
}"""
PASS = "rev handle ([1.0, 2.0]) <x>. FC[w0](x) with sgd(0.1, [0.0, 1.0])"
SLOW = "\n".join([f"net n{i}(x : Real) : Real = let y <= n{i - 1}(x) in n{i - 1}(y)" for i in range(1, 13)])
ENDLESS = 'train return x for x in data("xor") epochs 100000000'
numbers = count()

Message = dict[str, Any]


@dataclass
class Page:
    """A front end with widgets: sends and receives comm messages."""

    client: Client
    heard: list[dict[str, Any]] = field(default_factory=list)

    def tell(self, comm: str, data: dict[str, Any]) -> None:
        session = self.client.client.session
        self.client.client.shell_channel.send(session.msg("comm_msg", {"comm_id": comm, "data": data}))

    def hear(self, wanted: Callable[[Message], bool], patience: float = PATIENCE) -> dict[str, Any]:
        """Wait for the next message for which ``wanted`` holds."""
        end = time.monotonic() + patience
        while time.monotonic() < end:
            try:
                message = self.client.client.get_iopub_msg(timeout=0.05)
            except Empty:
                continue
            self.heard.append(message)
            if wanted(message):
                return message
        raise AssertionError("nothing of the kind was heard")

    def ask(self, comm: str, question: Any) -> dict[str, Any]:
        number = f"question {next(numbers)}"
        self.tell(comm, {"method": "custom", "content": {"id": number, "question": question}})

        def is_answer(message: dict[str, Any]) -> bool:
            content = message["content"].get("data", {}).get("content", {}) if message["msg_type"] == "comm_msg" else {}
            return content.get("id") == number

        return self.hear(is_answer)["content"]["data"]["content"]


@pytest.fixture(scope="module")
def page(start: Start) -> Page:
    client = start()
    client.run(NET)
    client.run(f"net n0(x : Real) : Real = return x + 1\n{SLOW}")
    return Page(client)


def shown(page: Page, code: str, **options: Any) -> tuple[str, list[dict[str, Any]]]:
    """Run a cell; return its widget and the data of its outputs. On a busy machine a status line may come first."""
    ran = page.client.run(code, **options)
    assert ran.reply["status"] == "ok"
    displayed = [content["data"] for content in ran.contents("display_data")]
    outputs = displayed[next(i for i, data in enumerate(displayed) if MIME in data) :]
    return outputs[0][MIME]["model_id"], outputs


@pytest.mark.parametrize("directive", ["trace", "gradient", "diagram", "derivation"])
def test_the_static_form_comes_behind_the_widget(page: Page, directive: str) -> None:
    _, (widget, static) = shown(page, f"%{directive} {PASS}")
    assert widget["text/html"] == ""
    assert "text/plain" not in widget
    assert MIME not in static
    assert len(static["text/plain"]) > 40
    assert 'class="rh-static"' in static["text/html"]


def test_a_silent_cell_makes_no_widget(page: Page) -> None:
    ran = page.client.run(f"%trace {PASS}", silent=True)
    assert ran.contents("comm_open") == []


def test_a_page_asks_for_steps(page: Page) -> None:
    comm, _ = shown(page, f"%trace {PASS}")
    answer = page.ask(comm, {"ask": "window", "from": 0, "count": 5})["answer"]
    assert answer["from"] == 0
    assert len(answer["details"]) == len(answer["edits"]) == 5
    assert any("rev handle" in line[0] for line in answer["first"])


@pytest.mark.parametrize(
    "question", [{}, {"ask": "window"}, {"ask": "window", "from": -1, "count": 1}, {"ask": "eval", "code": "1"}, {"ask": []}]
)
def test_a_question_without_sense_is_refused_in_words(page: Page, question: dict[str, Any]) -> None:
    comm, _ = shown(page, f"%trace {PASS}")
    said = page.ask(comm, question)
    assert "answer" not in said
    assert len(said["refused"]) > 10
    assert "Error" not in said["refused"]


@pytest.mark.parametrize("content", [None, [], "window", {"id": 1}, {"question": "window"}, {"id": {}, "question": 3}])
def test_what_is_no_question_is_passed_over(page: Page, content: Any) -> None:
    comm, _ = shown(page, f"%trace {PASS}")
    page.tell(comm, {"method": "custom", "content": content})
    assert page.ask(comm, {"ask": "legs"})["answer"]["legs"]


def states(page: Page) -> dict[str, Any]:
    """The states of all widgets, as requested by a reloaded page."""
    session = page.client.client.session
    control = f"control {next(numbers)}"
    opened = session.msg("comm_open", {"comm_id": control, "target_name": "jupyter.widget.control", "data": {}})
    opened["metadata"] = {"version": "1.0.0"}
    page.client.client.shell_channel.send(opened)
    page.tell(control, {"method": "request_states"})
    heard = page.hear(lambda m: m["msg_type"] == "comm_msg" and m["content"]["comm_id"] == control)
    return heard["content"]["data"]["states"]


def test_a_page_that_is_loaded_anew_finds_what_it_kept(page: Page) -> None:
    comm, _ = shown(page, f"%trace {PASS}")
    page.tell(comm, {"method": "update", "state": {"kept": {"step": 17}}, "buffer_paths": []})
    assert page.ask(comm, {"ask": "legs"})["answer"]["legs"]
    found = states(page)[comm]["state"]
    assert found["kept"] == {"step": 17}
    assert found["kind"] == "stepper"
    assert found["opening"]["steps"] > 5


def test_a_cell_that_is_run_again_closes_its_widgets(page: Page) -> None:
    first, _ = shown(page, f"%trace {PASS}")
    assert first in states(page)
    again: set[str] = set()
    for _ in range(3):
        message = page.client.client.session.msg(
            "execute_request", {"code": f"%trace {PASS}", "silent": False, "store_history": True, "user_expressions": {}}
        )
        message["metadata"] = {"cellId": "the cell"}
        page.client.client.shell_channel.send(message)
        ran = page.client.collect(message["header"]["msg_id"])
        again |= {content["data"][MIME]["model_id"] for content in ran.contents("display_data") if MIME in content["data"]}
    assert len(again) == 3
    assert len(again & set(states(page))) == 1
    assert first in states(page)


def comms(page: Page) -> set[str]:
    """The open comms, as requested by a page."""
    return set(page.client.ask("comm_info_request", target_name="jupyter.widget")["comms"])


def ran_in(page: Page, cell: str, code: str) -> list[str]:
    """Run a cell with an id; return the widgets that it shows."""
    message = page.client.client.session.msg("execute_request", {"code": code, "silent": False, "store_history": True})
    message["metadata"] = {"cellId": cell}
    page.client.client.shell_channel.send(message)
    ran = page.client.collect(message["header"]["msg_id"])
    assert ran.reply["status"] == "ok", ran.reply
    return [content["data"][MIME]["model_id"] for content in ran.contents("display_data") if MIME in content["data"]]


def test_a_long_session_leaves_few_comms_open(page: Page) -> None:
    """A widget has two comms: its own and its layout's."""
    views = "%trace 1 + 2\n%diagram n0\n%derivation 1 + 2\n%trace 2\n%trace 3"
    before = comms(page)
    for number in range(60):
        assert len(ran_in(page, f"cell {number % 6}", views)) == 5
    assert len(comms(page) - before) == 6 * 5 * 2
    for number in range(MAX_OPEN // 5 + 2):
        ran_in(page, f"once {number}", views)
    assert len(comms(page)) <= 2 * MAX_OPEN
    for number in range(MAX_OPEN // 5 + 2):
        ran_in(page, f"once {number}", "%%python\npass" if number % 2 else "# nothing")
    assert comms(page) <= before


def test_a_page_closes_a_widget(page: Page) -> None:
    before = comms(page)
    [made] = ran_in(page, "closed by the page", f"%trace {PASS}")
    assert len(comms(page) - before) == 2
    session = page.client.client.session
    page.client.client.shell_channel.send(session.msg("comm_close", {"comm_id": made, "data": {}}))
    assert comms(page) == before


def test_widgets_of_cleared_outputs_are_closed(page: Page) -> None:
    code = f"""%%python
from IPython.display import clear_output
import rh_kernel
for wait in (False, True):
    display(rh.run({f"%trace {PASS}"!r}))
    clear_output(wait=wait)
display(rh.run({f"%trace {PASS}"!r}))"""
    before = comms(page)
    made = ran_in(page, "cleared", code)
    assert len(made) == 3
    assert comms(page) & set(made) == {made[2]}
    assert len(comms(page) - before) == 2


def test_each_cell_ends_as_itself_whatever_widgets_say_meanwhile(page: Page) -> None:
    """Front ends consider a cell running until its own ``idle``; widgets wait for one per message."""
    requests = [page.client.client.execute(f"%{name} {PASS}") for name in ("trace", "gradient", "diagram", "derivation")]
    session, said, ended = page.client.client.session, [], []
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and not {*requests, *said} <= {*ended}:
        message = page.hear(lambda _: True)
        if message["msg_type"] == "comm_open" and "opening" in message["content"]["data"]["state"]:
            for question in ({"ask": "legs"}, {"ask": "window", "from": 0, "count": 9}):
                data = {"method": "custom", "content": {"id": 0, "question": question}}
                told = session.msg("comm_msg", {"comm_id": message["content"]["comm_id"], "data": data})
                page.client.client.shell_channel.send(told)
                said.append(told["header"]["msg_id"])
        if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
            ended.append(message["parent_header"].get("msg_id"))
    assert len(said) == 8
    assert sorted(e for e in ended if e in {*requests, *said}) == sorted([*requests, *said])
    for request in requests:
        assert page.client.reply(request)["status"] == "ok"


def test_questions_are_answered_while_a_cell_runs(page: Page) -> None:
    comm, _ = shown(page, f"%trace {PASS}")
    page.ask(comm, {"ask": "window", "from": 0, "count": 1})
    request = page.client.client.execute(ENDLESS)

    def is_of_the_cell(message: Message) -> bool:
        return message["parent_header"].get("msg_id") == request

    page.hear(lambda m: m["msg_type"] == "execute_input" and is_of_the_cell(m))
    page.heard.clear()
    for _ in range(5):
        assert page.ask(comm, {"ask": "window", "from": 3, "count": 5})["answer"]["from"] == 3
    during = [m for m in page.heard if is_of_the_cell(m)]
    ended = [m for m in during if m["msg_type"] == "error" or m["content"].get("execution_state") == "idle"]
    assert ended == [], "the cell had ended before its questions were answered"
    page.client.manager.interrupt_kernel()
    page.hear(lambda m: m["content"].get("execution_state") == "idle" and is_of_the_cell(m))
    page.client.reply(request)
