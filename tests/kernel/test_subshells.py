"""Subshells: requests that are answered while a cell runs."""

from __future__ import annotations

import pytest

from tests.kernel.conftest import Client, Start
from tests.kernel.wire import FOREVER, NET, answer, busy, is_well, sent


@pytest.fixture(scope="module")
def kernel(start: Start) -> Client:
    """A kernel in which something can be trained."""
    client = start(measured=False)
    assert client.run(NET).reply["status"] == "ok"
    return client


@pytest.fixture
def subshell(kernel: Client) -> str:
    """A subshell of the kernel."""
    reply = answer(kernel, sent(kernel, "create_subshell_request", {}, "control"), "control")
    assert reply is not None
    return reply["content"]["subshell_id"]


def subshells(kernel: Client) -> list[str]:
    reply = answer(kernel, sent(kernel, "list_subshell_request", {}, "control"), "control")
    assert reply is not None
    return reply["content"]["subshell_id"]


def test_subshells_come_and_go(kernel: Client, subshell: str) -> None:
    assert subshell in subshells(kernel)
    reply = answer(kernel, sent(kernel, "delete_subshell_request", {"subshell_id": subshell}, "control"), "control")
    assert reply is not None
    assert reply["content"]["status"] == "ok"
    assert subshell not in subshells(kernel)
    again = answer(kernel, sent(kernel, "delete_subshell_request", {"subshell_id": subshell}, "control"), "control")
    assert again is not None
    assert again["content"]["status"] == "error"


def test_a_subshell_that_does_not_exist_is_an_error(kernel: Client) -> None:
    request = sent(kernel, "execute_request", {"code": "1", "silent": False}, subshell_id="nowhere")
    reply = answer(kernel, request)
    assert reply is not None
    assert reply["content"]["status"] == "error"
    assert is_well(kernel)


def test_a_subshell_answers_while_the_kernel_is_busy(kernel: Client, subshell: str) -> None:
    request = busy(kernel, FOREVER)
    for name, content in (
        ("execute_request", {"code": "1 + 2", "silent": False}),
        ("complete_request", {"code": "swi", "cursor_pos": 3}),
        ("inspect_request", {"code": "swish", "cursor_pos": 3, "detail_level": 0}),
        ("is_complete_request", {"code": "1 +"}),
    ):
        reply = answer(kernel, sent(kernel, name, content, subshell_id=subshell))
        assert reply is not None
        assert reply["content"]["status"] in {"ok", "incomplete"}
    sent(kernel, "interrupt_request", {}, "control")
    assert kernel.reply(request)["ename"] == "Interrupted"
    sent(kernel, "delete_subshell_request", {"subshell_id": subshell}, "control")
    assert is_well(kernel)


def test_a_subshell_may_look_at_the_session_but_not_change_it_while_a_cell_runs(kernel: Client, subshell: str) -> None:
    kernel.run("loc looked_at : Real(2) = [1, 2]")
    request = busy(kernel, FOREVER)
    looks = answer(kernel, sent(kernel, "execute_request", {"code": "Get[looked_at]()", "silent": False}, subshell_id=subshell))
    declares = answer(
        kernel, sent(kernel, "execute_request", {"code": "const late = 1", "silent": False}, subshell_id=subshell)
    )
    assert looks is not None
    assert looks["content"]["status"] == "ok"
    assert declares is not None
    assert declares["content"]["ename"] == "Busy"
    sent(kernel, "interrupt_request", {}, "control")
    assert kernel.reply(request)["ename"] == "Interrupted"
    assert is_well(kernel)
    assert kernel.run("late").reply["ename"].startswith("RH101")
    after = answer(kernel, sent(kernel, "execute_request", {"code": "const late = 1", "silent": False}, subshell_id=subshell))
    assert after is not None
    assert after["content"]["status"] == "ok"
    assert kernel.run("late").texts == ["1.0 : Real(1)"]
    sent(kernel, "delete_subshell_request", {"subshell_id": subshell}, "control")
