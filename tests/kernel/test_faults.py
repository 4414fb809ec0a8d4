"""A kernel without a process: its replies after internal errors."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from jupyter_client.session import Session as Messages

from rh_kernel.kernel import kernel as module
from rh_kernel.kernel.kernel import RHKernel
from rh_kernel.session.session import Session
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.source.span import Source


class Quiet(RHKernel):
    """Records what it would send."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.sent: list[tuple[str, dict[str, Any]]] = []

    def send_response(self, stream: Any, msg_or_type: Any, content: Any = None, *_: Any, **__: Any) -> None:
        self.sent.append((msg_or_type, content))


@pytest.fixture
def kernel() -> Quiet:
    return Quiet()


def run(kernel: Quiet, code: str, **options: Any) -> dict[str, Any]:
    return asyncio.run(kernel.do_execute(code, silent=False, **options))


def break_it(monkeypatch: pytest.MonkeyPatch, exception: BaseException) -> None:
    def broken(session: Session, source: Source, **_: str) -> Iterator[Any]:
        yield from ()
        raise exception

    monkeypatch.setattr(module, "execute", broken)


def test_a_fault_is_told_in_a_few_lines_without_a_traceback(kernel: Quiet, monkeypatch: pytest.MonkeyPatch) -> None:
    break_it(monkeypatch, KernelBug("a Let stands\nwhere a value was expected"))
    before = kernel.rh
    reply = run(kernel, "1 + 2")
    assert reply["status"] == "error"
    assert reply["ename"] == "Fault in rh_kernel"
    assert reply["evalue"] == "KernelBug: a Let stands where a value was expected"
    assert [name for name, _ in kernel.sent] == ["error"]
    text = "\n".join(reply["traceback"])
    assert "Traceback" not in text
    assert "report" in text
    assert len(reply["traceback"]) < 12
    assert kernel.rh is before


def test_the_kernel_goes_on_after_a_fault(kernel: Quiet, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as broken:
        break_it(broken, ValueError("inside"))
        run(kernel, "1 + 2")
    assert run(kernel, "1 + 2")["status"] == "ok"


def test_running_out_of_memory_is_no_fault_of_ours(kernel: Quiet, monkeypatch: pytest.MonkeyPatch) -> None:
    break_it(monkeypatch, MemoryError())
    assert run(kernel, "1 + 2")["ename"] == "Out of memory"


def test_an_interrupted_cell_is_an_error_of_its_own_kind(kernel: Quiet, monkeypatch: pytest.MonkeyPatch) -> None:
    break_it(monkeypatch, KeyboardInterrupt())
    reply = run(kernel, "1 + 2")
    assert reply["ename"] == "Interrupted"
    assert "Nothing of this cell took effect" in reply["evalue"]


@pytest.mark.parametrize("exception", [KeyboardInterrupt(), ValueError("inside")])
def test_a_fault_in_an_expression_of_the_client_leaves_the_cell_alone(
    kernel: Quiet, monkeypatch: pytest.MonkeyPatch, exception: BaseException
) -> None:
    real = module.execute

    def sometimes(session: Session, source: Source, **options: str) -> Any:
        if source.name == "wrong":
            raise exception
        return real(session, source)

    monkeypatch.setattr(module, "execute", sometimes)
    reply = run(kernel, "1.5", user_expressions={"wrong": "2.5", "right": "3.5", "empty": ""})
    assert reply["status"] == "ok"
    assert reply["user_expressions"]["wrong"]["status"] == "error"
    assert "3.5" in reply["user_expressions"]["right"]["data"]["text/plain"]
    assert reply["user_expressions"]["empty"]["data"] == {}


def test_all_requests_are_answered_without_a_connection(kernel: Quiet) -> None:
    run(kernel, "const t : Real = 0.5\nt")
    assert "t" in asyncio.run(kernel.do_complete("", 0))["matches"]
    assert asyncio.run(kernel.do_inspect("t", 0))["found"]
    assert asyncio.run(kernel.do_is_complete("sq(")) == {"status": "incomplete", "indent": "  "}
    assert asyncio.run(kernel.do_is_complete("sq(1)")) == {"status": "complete"}
    for kind in ("tail", "range", "search"):
        history = asyncio.run(kernel.do_history(kind, output=False, raw=True, n=5))["history"]
        assert history == [(1, 0, "const t : Real = 0.5\nt")]


class Kept(Messages):
    """Records what it would send on a socket."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.replies: list[tuple[str, dict[str, Any]]] = []

    def send(self, stream: Any, msg_or_type: Any, content: Any = None, *_: Any, **__: Any) -> None:
        self.replies.append((msg_or_type, content))


def test_a_request_that_its_handler_fails_at_is_answered(kernel: Quiet, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise the front end would wait for the reply forever."""

    def broken(*_: Any) -> Any:
        raise ValueError("inside")

    monkeypatch.setattr(module, "completions", broken)
    kernel.session = messages = Kept()
    request = messages.msg("complete_request", {"code": "sw", "cursor_pos": 2})
    asyncio.run(kernel.shell_handlers["complete_request"](None, [], request))
    [(name, content)] = messages.replies
    assert (name, content["status"], content["evalue"]) == ("complete_reply", "error", "ValueError: inside")
