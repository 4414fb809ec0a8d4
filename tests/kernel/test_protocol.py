"""The protocol message by message: their order, and replies to malformed requests."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from typing import Any

import pytest
from jupyter_client.jsonutil import json_default
from jupyter_client.provisioning.local_provisioner import LocalProvisioner

from tests.kernel.conftest import Client, Start
from tests.kernel.wire import FOREVER, NET, TRAINING, answer, busy, heard, is_well, sent


@pytest.fixture(scope="module")
def kernel(start: Start) -> Client:
    """A kernel in which something can be trained."""
    client = start(measured=False)
    assert client.run(NET).reply["status"] == "ok"
    return client


# The order of messages.

CELLS = {
    "nothing": "",
    "a comment": "# nothing",
    "a value": "1 + 2",
    "values": "1\n2\n%type 3\n4",
    "a declaration": "const pt = 1",
    "a mistake": "1 + nowhere",
    "stuck halfway": "1\nPStuck(1)",
    "a trace": "%trace let x <- 1 in x + x",
    "training": TRAINING.format(3),
    "training and stuck": f"{TRAINING.format(3)}\nPStuck(1)",
}


@pytest.mark.parametrize("silent", [False, True], ids=["aloud", "silent"])
@pytest.mark.parametrize("code", CELLS.values(), ids=CELLS)
def test_busy_comes_first_and_idle_once_and_last(kernel: Client, code: str, silent: bool) -> None:
    request = kernel.client.execute(code, silent=silent)
    messages = heard(kernel, request)
    reply = answer(kernel, request)
    assert reply is not None
    names = [message["msg_type"] for message in messages]
    assert [names[0], names[-1]] == ["status", "status"]
    assert names.count("status") == 2
    assert messages[0]["content"] == {"execution_state": "busy"}
    if silent:
        assert names == ["status", "status"]
    else:
        assert names[1] == "execute_input"
        assert names.count("execute_input") == 1
        assert names.count("execute_result") <= 1
        assert names.count("error") == (reply["content"]["status"] == "error")
    for message in [*messages, reply]:
        assert message["parent_header"]["msg_id"] == request
        assert message["parent_header"]["session"] == kernel.client.session.session
        assert message["header"]["date"]


def test_training_updates_what_it_has_shown(kernel: Client) -> None:
    request = kernel.client.execute(TRAINING.format(400))
    shown = [m for m in heard(kernel, request) if m["msg_type"] in {"display_data", "update_display_data"}]
    assert [m["msg_type"] for m in shown[:2]] == ["display_data", "update_display_data"]
    assert {m["msg_type"] for m in shown[1:]} == {"update_display_data"}
    assert len({m["content"]["transient"]["display_id"] for m in shown}) == 1
    assert all({"text/plain", "text/html"} <= m["content"]["data"].keys() for m in shown)


def test_a_reply_belongs_to_its_request(kernel: Client) -> None:
    requests = {
        "kernel_info": {},
        "complete": {"code": "sw", "cursor_pos": 2},
        "inspect": {"code": "swish", "cursor_pos": 2, "detail_level": 0},
        "is_complete": {"code": "1"},
        "history": {"hist_access_type": "tail", "output": False, "raw": True, "n": 1},
        "comm_info": {},
        "connect": {},
        "execute": {"code": "1", "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False},
    }
    for name, content in requests.items():
        request = sent(kernel, f"{name}_request", content)
        reply = answer(kernel, request)
        assert reply is not None
        assert reply["msg_type"] == f"{name}_reply"
        assert reply["content"]["status"] in {"ok", "complete"}
        assert reply["parent_header"]["msg_type"] == f"{name}_request"


@pytest.mark.parametrize(("stops", "statuses"), [(True, ["aborted", "aborted"]), (False, ["ok", "ok"])])
def test_what_waits_behind_a_failing_cell(kernel: Client, stops: bool, statuses: list[str]) -> None:
    failing = kernel.client.execute(f"{TRAINING.format(300)}\nPStuck(1)", stop_on_error=stops)
    waiting = [kernel.client.execute(code) for code in ("1", "2")]
    assert kernel.reply(failing)["status"] == "error"
    assert [kernel.reply(request)["status"] for request in waiting] == statuses
    assert is_well(kernel)


def test_what_else_waits_behind_a_failing_cell_is_answered(kernel: Client) -> None:
    failing = kernel.client.execute(f"{TRAINING.format(300)}\nPStuck(1)")
    asked = sent(kernel, "complete_request", {"code": "swi", "cursor_pos": 3})
    assert kernel.reply(failing)["status"] == "error"
    assert kernel.reply(asked)["matches"] == ["swish"]


# The control channel.


def test_an_interrupt_can_be_a_message(kernel: Client) -> None:
    request = busy(kernel, FOREVER)
    interrupt = sent(kernel, "interrupt_request", {}, "control")
    reply = answer(kernel, interrupt, "control")
    assert reply is not None
    assert reply["content"] == {"status": "ok"}
    assert kernel.reply(request)["ename"] == "Interrupted"
    assert is_well(kernel)


@pytest.mark.parametrize("restart", [False, True])
@pytest.mark.parametrize("is_busy", [False, True], ids=["idle", "busy"])
def test_a_shutdown_is_answered_and_done(start: Start, restart: bool, is_busy: bool) -> None:
    client = start(measured=False)
    if is_busy:
        client.run(NET)
        busy(client, FOREVER)
    request = sent(client, "shutdown_request", {"restart": restart}, "control")
    reply = answer(client, request, "control")
    assert reply is not None
    assert reply["content"] == {"status": "ok", "restart": restart}
    end = time.monotonic() + 10
    while client.manager.is_alive() and time.monotonic() < end:
        time.sleep(0.02)
    assert not client.manager.is_alive()


def test_what_the_control_channel_does_not_know_is_left_alone(kernel: Client) -> None:
    for name in ("nonsense", "debug_request", "execute_reply"):
        heard(kernel, sent(kernel, name, {}, "control"))
    assert answer(kernel, sent(kernel, "kernel_info_request", {}, "control"), "control") is not None
    assert is_well(kernel)


# What a kernel says of itself.


def test_a_kernel_says_what_it_is(kernel: Client) -> None:
    info = kernel.ask("kernel_info_request")
    assert info["status"] == "ok"
    assert info["implementation"] == "rh_kernel"
    assert tuple(map(int, info["protocol_version"].split("."))) >= (5, 3)
    assert info["banner"]
    assert all(link["url"].startswith("https://") and link["text"] for link in info["help_links"])
    language = info["language_info"]
    assert {key: language[key] for key in ("name", "file_extension", "mimetype")} == {
        "name": "rh",
        "file_extension": ".rh",
        "mimetype": "text/x-rh",
    }
    assert {"version", "pygments_lexer", "codemirror_mode", "nbconvert_exporter"} <= language.keys()
    assert "debugger" not in info["supported_features"]


def test_a_kernel_without_a_debugger_does_not_load_one(kernel: Client) -> None:
    kernel.ask("kernel_info_request")
    ran = kernel.run("%%python\nimport sys\nprint({'numpy', 'debugpy', 'ipykernel.debugger'} & {*sys.modules})")
    assert [output["text"] for output in ran.contents("stream")] == ["{'numpy'}\n"]


def test_the_kernel_spec_says_how_it_is_interrupted(kernel: Client) -> None:
    spec = kernel.manager.kernel_spec
    assert spec is not None
    assert spec.interrupt_mode == "signal"
    assert spec.language == "rh"
    assert "curve" in spec.metadata["supported_encryption"]


# Requests that are none.

MALFORMED: Sequence[tuple[str, dict[str, Any]]] = (
    ("execute_request", {}),
    ("execute_request", {"code": 5}),
    ("execute_request", {"code": None}),
    ("execute_request", {"code": ["1"], "silent": False}),
    ("execute_request", {"code": "1", "user_expressions": 5}),
    ("execute_request", {"code": "1", "user_expressions": {"a": 5}}),
    ("complete_request", {}),
    ("complete_request", {"code": "sw"}),
    ("complete_request", {"code": "sw", "cursor_pos": "a"}),
    ("complete_request", {"code": 3, "cursor_pos": 1}),
    ("inspect_request", {}),
    ("inspect_request", {"code": {}, "cursor_pos": 0}),
    ("is_complete_request", {}),
    ("is_complete_request", {"code": 4}),
    ("history_request", {}),
    ("history_request", {"hist_access_type": "nonsense"}),
    ("history_request", {"hist_access_type": "tail", "output": False, "raw": True, "n": "x"}),
    ("comm_info_request", {"target_name": 5}),
)
OTHERS: Sequence[tuple[str, dict[str, Any]]] = (
    ("nonsense", {}),
    ("shutdown", {}),
    ("execute_reply", {"status": "ok"}),
    ("comm_open", {}),
    ("comm_open", {"comm_id": "a", "target_name": 3}),
    ("comm_msg", {}),
    ("comm_msg", {"comm_id": "gone", "data": {}}),
    ("comm_close", {}),
    ("input_reply", {"value": "x"}),
)


@pytest.mark.parametrize(("name", "content"), MALFORMED, ids=lambda part: json.dumps(part))
def test_a_malformed_request_is_answered(kernel: Client, name: str, content: dict[str, Any]) -> None:
    """Otherwise the sender would wait forever."""
    request = sent(kernel, name, content)
    heard(kernel, request)
    reply = answer(kernel, request, seconds=2)
    assert reply is not None
    assert reply["msg_type"] == name.replace("request", "reply")
    assert "ours" not in json.dumps(reply["content"])
    assert is_well(kernel)


@pytest.mark.parametrize(("name", "content"), OTHERS, ids=lambda part: json.dumps(part))
def test_a_message_that_means_nothing_is_over_soon(kernel: Client, name: str, content: dict[str, Any]) -> None:
    messages = heard(kernel, sent(kernel, name, content))
    assert not any("Traceback" in json.dumps(message["content"]) for message in messages)
    assert is_well(kernel)


REQUESTS = (
    "execute_request",
    "complete_request",
    "inspect_request",
    "is_complete_request",
    "history_request",
    "comm_info_request",
    "kernel_info_request",
    "connect_request",
    "shutdown_request",
    "interrupt_request",
    "debug_request",
    "usage_request",
    "delete_subshell_request",
)
NO_OBJECT = ("1 + 2", '"a JSON string"', "[1]", "3", "null", "", "{", "[" * 100_000, '{"code": "1')
"""Message contents as JSON text, which a client sends as it is."""


@pytest.mark.parametrize("channel", ["shell", "control"])
@pytest.mark.parametrize("name", REQUESTS)
def test_a_request_whose_content_is_no_object_is_refused(kernel: Client, name: str, channel: str) -> None:
    for content in NO_OBJECT:
        message = kernel.client.session.msg(name)
        message["content"] = content
        getattr(kernel.client, f"{channel}_channel").send(message)
        request = message["header"]["msg_id"]
        reply = answer(kernel, request, channel, seconds=5)
        assert reply is not None, content
        assert reply["msg_type"] == name.replace("request", "reply")
        assert reply["content"]["status"] == "error"
        assert reply["content"]["evalue"] == "the content is no JSON object"
        assert heard(kernel, request)[-1]["content"] == {"execution_state": "idle"}


@pytest.mark.parametrize("name", ["comm_open", "comm_msg", "comm_close", "nonsense"])
def test_another_message_whose_content_is_no_object_is_over_soon(kernel: Client, name: str) -> None:
    for content in NO_OBJECT:
        message = kernel.client.session.msg(name)
        message["content"] = content
        kernel.client.shell_channel.send(message)
        assert len(heard(kernel, message["header"]["msg_id"])) == 2
    assert is_well(kernel)


@pytest.mark.parametrize(
    ("name", "content", "channel", "told"),
    [
        ("nonsense_request", {}, "shell", "does not know"),
        ("shutdown_request", {}, "control", "`restart` is to be bool"),
        ("delete_subshell_request", {}, "control", "`subshell_id` is to be str"),
        ("comm_info_request", {"target_name": "x", "more": 1}, "shell", ""),
        ("history_request", {"hist_access_type": "tail", "n": 1, "more": 1}, "shell", ""),
        ("debug_request", {"type": "request", "command": "initialize"}, "control", "no debugger"),
    ],
)
def test_every_request_is_answered(kernel: Client, name: str, content: dict[str, Any], channel: str, told: str) -> None:
    reply = answer(kernel, sent(kernel, name, content, channel), channel, seconds=5)
    assert reply is not None
    assert told in json.dumps(reply["content"])
    assert told or reply["content"]["status"] == "ok"
    assert is_well(kernel)


@pytest.mark.parametrize("metadata", [{"cellId": ["a"]}, {"cellId": 3}, {"cellId": None}, "a text", None, []])
def test_a_cell_is_run_whatever_its_metadata_say(kernel: Client, metadata: Any) -> None:
    message = kernel.client.session.msg("execute_request", {"code": "1 + 2", "silent": False})
    message["metadata"] = metadata
    kernel.client.shell_channel.send(message)
    reply = answer(kernel, message["header"]["msg_id"], seconds=5)
    assert reply is not None
    assert reply["content"]["status"] == "ok"


PLACES = (-1000, -1, 0, 1, 2, 3, 5, 8, 1000, 10**12)
TEXTS = ("", "s", "swish", "𝔸 sw 𝔸 swi", "\r\n\r\nswi", "# swi", "%tr", "%%python\nprin", 'data("di', "a" * 10_000)


@pytest.mark.parametrize("place", PLACES)
def test_every_place_can_be_asked_about(kernel: Client, place: int) -> None:
    for text in TEXTS:
        found = kernel.ask("complete_request", code=text, cursor_pos=place)
        assert found["status"] == "ok"
        assert 0 <= found["cursor_start"] <= found["cursor_end"] <= len(text)
        assert kernel.ask("inspect_request", code=text, cursor_pos=place, detail_level=1)["status"] == "ok"


@pytest.mark.parametrize(
    "content",
    [
        {"hist_access_type": "tail", "n": 0},
        {"hist_access_type": "tail", "n": -3},
        {"hist_access_type": "tail", "n": 10**9},
        {"hist_access_type": "tail"},
        {"hist_access_type": "range", "session": 0, "start": 0, "stop": 10**9},
        {"hist_access_type": "range", "session": -1, "start": 1, "stop": None},
        {"hist_access_type": "range", "session": 10**9, "start": 5, "stop": 2},
        {"hist_access_type": "search", "pattern": "*", "n": 2},
        {"hist_access_type": "search", "pattern": "[", "n": 5},
        {"hist_access_type": "search", "pattern": "%_\\'\"", "n": None},
        {"hist_access_type": "search", "pattern": "*" * 1000 + "a", "n": 1, "unique": True},
        {"hist_access_type": "search"},
    ],
    ids=str,
)
@pytest.mark.parametrize("output", [False, True])
def test_every_form_of_history_is_answered(kernel: Client, content: dict[str, Any], output: bool) -> None:
    found = kernel.ask("history_request", raw=True, output=output, **content)
    assert found["status"] == "ok"
    for session, line, text in found["history"]:
        assert isinstance(session, int)
        assert isinstance(line, int)
        assert isinstance(text[0] if output else text, str)


# Odd cells.


def in_ascii(content: Any) -> bytes:
    """JSON as a browser writes it: a lone surrogate is ``\\ud800``."""
    return json.dumps(content, default=json_default).encode()


def run_raw(client: Client, code: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Run a cell sent as a browser sends it."""
    session = client.client.session
    before = session.pack
    session.pack = in_ascii
    try:
        request = client.client.execute(code)
    finally:
        session.pack = before
    messages = heard(client, request)
    reply = answer(client, request, seconds=2)
    assert reply is not None
    return reply["content"], messages


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("1 + 1\x00", "error"),
        ("\ufeff1 + 1", "error"),
        ("1 +\r\n  1\r\n2\r\n", "ok"),
        ("1 + \ud800", "error"),
        ("# \ud800\udfff\ud800\n1 + 1", "ok"),
        ("%help \udcff", "ok"),
        ("# \x1b[31m\u202e\n1 + 1", "ok"),
        ("1" + " " * 1_000_000, "ok"),
        ("# " + "x" * 1_000_000 + "\n1 + 1", "ok"),
        ("x" * 1_000_000, "error"),
        pytest.param("(" * 500_000 + ")" * 500_000, "error", marks=pytest.mark.slow),
        pytest.param("1" + " + 1" * 250_000, "ok", marks=pytest.mark.slow),
        ("\n" * 1_000_000, "ok"),
    ],
    ids=lambda part: repr(part[:12]),
)
def test_an_odd_cell_is_answered_like_another(kernel: Client, code: str, status: str) -> None:
    reply, messages = run_raw(kernel, code)
    assert reply["status"] == status
    text = json.dumps([message["content"] for message in messages if message["msg_type"] != "execute_input"])
    assert "Fault" not in text
    assert "Traceback" not in text
    assert is_well(kernel)


def test_the_process_is_the_one_that_was_started(kernel: Client) -> None:
    """The kernel has not been restarted by any of the above."""
    provisioner = kernel.manager.provisioner
    assert isinstance(provisioner, LocalProvisioner)
    assert provisioner.process is not None
    assert provisioner.process.poll() is None
    usage = answer(kernel, sent(kernel, "usage_request", {}, "control"), "control")
    assert usage is not None
    assert usage["content"]["pid"] == provisioner.process.pid
