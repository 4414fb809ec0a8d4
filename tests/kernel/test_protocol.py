"""The protocol, message by message: in what order they come, what is said to a request that is none, and who is not answered."""

from __future__ import annotations

import json
import os
import stat
import time
from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path
from queue import Empty
from typing import Any

import pytest
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager
from jupyter_client.provisioning.local_provisioner import LocalProvisioner
from jupyter_client.session import json_default

from tests.kernel.conftest import PATIENCE, Client, Start, unmeasured

numbers = count()

NET = """loc pw : Real(10, 64) = zeros
op PFC[l : Loc(m, n)] : Real(n) -> Real(m)
net pdigits(x : Real(64)) : Real(10) = PFC[pw](x)
handler pdescent(alpha : Real, t : Real(k)) : rev handler(Real(k)) = {
  return x -> return alpha * (x - t)
  PFC[l](x) -> let w <= Get[l]() in return (w @ x, (w, x))
    | y, z -> let (w, x) <- z in let _ <= Put[l](w - outer(y, x)) in return w^T @ y
}
op PStuck : Real -> Real
"""
TRAINING = 'train rev handle (x) <u>. pdigits(u) with pdescent(0.01, t)\n  for (x, t) in data("digits") epochs {} batch 16'
FOREVER = TRAINING.format(10_000_000)
DELIMITER = b"<IDS|MSG>"


@pytest.fixture(scope="module")
def kernel(start: Start) -> Client:
    """A kernel in which something can be trained."""
    client = start(measured=False)
    assert client.run(NET).reply["status"] == "ok"
    return client


def sent(client: Client, name: str, content: Mapping[str, Any], channel: str = "shell", **header: Any) -> str:
    """Send a request, also one that no client would send; its name, by which answers are known."""
    message = client.client.session.msg(name, dict(content))
    message["header"].update(header)
    getattr(client.client, f"{channel}_channel").send(message)
    return message["header"]["msg_id"]


def answer(client: Client, request: str, channel: str = "shell", seconds: float = PATIENCE) -> dict[str, Any] | None:
    """The reply to a request with all its parts, or ``None`` if there is none in that time."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        try:
            message = getattr(client.client, f"get_{channel}_msg")(timeout=left)
        except Empty:
            return None
        if message["parent_header"].get("msg_id") == request:
            return message
    return None


def heard(client: Client, request: str) -> list[dict[str, Any]]:
    """Everything that is said on iopub about a request, up to its idle."""
    found: list[dict[str, Any]] = []
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            message = client.client.get_iopub_msg(timeout=0.1)
        except Empty:
            continue
        if message["parent_header"].get("msg_id") == request:
            found.append(message)
            if message["content"].get("execution_state") == "idle":
                return found
    raise AssertionError(f"no idle after {PATIENCE} s: {found}")


def busy(client: Client, code: str) -> str:
    """Start a cell that goes on for long, and wait until something is heard of it."""
    request = client.client.execute(code)
    while True:
        message = client.client.get_iopub_msg(timeout=PATIENCE)
        if message["parent_header"].get("msg_id") == request and message["msg_type"] == "display_data":
            return request


def is_well(client: Client) -> bool:
    """Whether the kernel still answers as it did on the first day."""
    ran = client.run("1 + 2")
    return ran.reply["status"] == "ok" and ran.texts == ["3.0 : Real(1)"]


# -- the order of messages -----------------------------------------------------------------------------------------------------

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


# -- the control channel -------------------------------------------------------------------------------------------------------


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


# -- what a kernel says of itself ----------------------------------------------------------------------------------------------


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


def test_the_kernel_spec_says_how_it_is_interrupted(kernel: Client) -> None:
    spec = kernel.manager.kernel_spec
    assert spec is not None
    assert spec.interrupt_mode == "signal"
    assert spec.language == "rh"
    assert "curve" in spec.metadata["supported_encryption"]


# -- requests that are none ----------------------------------------------------------------------------------------------------

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
    """Or else whoever sent it waits for ever."""
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
    ids=lambda content: json.dumps(content)[:60],
)
@pytest.mark.parametrize("output", [False, True])
def test_every_form_of_history_is_answered(kernel: Client, content: dict[str, Any], output: bool) -> None:
    found = kernel.ask("history_request", raw=True, output=output, **content)
    assert found["status"] == "ok"
    for session, line, text in found["history"]:
        assert isinstance(session, int)
        assert isinstance(line, int)
        assert isinstance(text[0] if output else text, str)


# -- odd cells -----------------------------------------------------------------------------------------------------------------


def run_raw(client: Client, code: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Run a cell that is sent as a browser sends it: half a surrogate pair is ``\\ud800`` in JSON."""
    session = client.client.session
    before = session.pack
    session.pack = lambda content: json.dumps(content, default=json_default).encode()
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
        ("(" * 500_000 + ")" * 500_000, "error"),
        ("1" + " + 1" * 250_000, "error"),
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


# -- who is not answered -------------------------------------------------------------------------------------------------------


def frames(client: Client, code: str) -> list[bytes]:
    """A cell as it goes over the wire: delimiter, signature, header, parent, metadata, content."""
    session = client.client.session
    return session.serialize(session.msg("execute_request", {"code": code, "silent": False, "store_history": True}))


def test_forged_messages_are_refused(kernel: Client) -> None:
    name = f"forged_{next(numbers)}"
    socket = kernel.client.shell_channel.socket
    good = frames(kernel, f"const {name} = 1")
    assert good[0] == DELIMITER
    other = frames(kernel, f"const {name} = 2")
    for signature in (b"", b"0" * 64, good[1][:-1], good[1].upper(), other[1]):
        socket.send_multipart([good[0], signature, *good[2:]])
    socket.send_multipart([*good[:5], other[5]])
    socket.send_multipart([*good[:2], other[2], *good[3:]])
    assert kernel.run(name).reply["ename"] == "RH101 Unknown name"
    assert is_well(kernel)


def test_a_message_that_was_heard_before_is_refused(kernel: Client) -> None:
    name = f"once_{next(numbers)}"
    kernel.run(f"loc {name} : Real = [0]")
    put = frames(kernel, f"let x <= Get[{name}]() in Put[{name}](x + 1)")
    for _ in range(3):
        kernel.client.shell_channel.socket.send_multipart(put)
    assert kernel.run(f"Get[{name}]()").texts == ["1.0 : Real(1)"]


def test_pieces_of_messages_are_refused(kernel: Client) -> None:
    name = f"piece_{next(numbers)}"
    whole = frames(kernel, f"const {name} = 1")
    pieces = [whole[:n] for n in range(1, len(whole))]
    pieces += [whole[1:], [DELIMITER], [b""], [b"\x00" * 1000], [DELIMITER] * 8, [b"a"] * 50]
    for channel in (kernel.client.shell_channel, kernel.client.control_channel):
        for piece in pieces:
            channel.socket.send_multipart(piece)
    assert kernel.run(name).reply["ename"] == "RH101 Unknown name"
    assert answer(kernel, sent(kernel, "kernel_info_request", {}, "control"), "control") is not None
    assert is_well(kernel)


def test_another_key_opens_nothing(kernel: Client) -> None:
    info = json.loads(Path(kernel.manager.connection_file).read_text(encoding="utf-8"))
    stranger = BlockingKernelClient()
    stranger.load_connection_info({**info, "key": "0" * len(info["key"])})
    stranger.start_channels()
    try:
        stranger.execute("const stranger = 1")
        with pytest.raises(Empty):
            stranger.get_shell_msg(timeout=0.5)
    finally:
        stranger.stop_channels()
    assert kernel.run("stranger").reply["status"] == "error"


@pytest.mark.skipif(os.name != "posix", reason="files have no such modes here")
def test_only_its_owner_reads_the_connection_file(kernel: Client) -> None:
    assert stat.S_IMODE(Path(kernel.manager.connection_file).stat().st_mode) == 0o600


@pytest.mark.skipif(not hasattr(KernelManager, "transport_encryption"), reason="this jupyter_client cannot encrypt")
def test_what_goes_over_the_wire_can_be_encrypted(jupyter_path: Path, tmp_path: Path) -> None:
    specs = KernelSpecManager(kernel_dirs=[str(jupyter_path / "kernels")])
    manager = KernelManager(kernel_name="rh", kernel_spec_manager=specs, transport_encryption="required")
    manager.start_kernel(cwd=str(tmp_path), env={**unmeasured(), "IPYTHONDIR": str(tmp_path / ".ipython")})
    client, plain = manager.client(), BlockingKernelClient()
    try:
        client.start_channels()
        client.wait_for_ready(timeout=PATIENCE)
        assert is_well(Client(manager, client))
        info = json.loads(Path(manager.connection_file).read_text(encoding="utf-8"))
        assert {"curve_publickey", "curve_secretkey"} <= info.keys()
        plain.load_connection_info({key: value for key, value in info.items() if "curve" not in key})
        plain.start_channels()
        plain.execute("1")
        with pytest.raises(Empty):
            plain.get_shell_msg(timeout=0.5)
    finally:
        client.stop_channels()
        plain.stop_channels()
        manager.shutdown_kernel(now=True)
        manager.cleanup_resources()


# -- subshells -----------------------------------------------------------------------------------------------------------------


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
    began = time.monotonic()
    for name, content in (
        ("execute_request", {"code": "1 + 2", "silent": False}),
        ("complete_request", {"code": "swi", "cursor_pos": 3}),
        ("inspect_request", {"code": "swish", "cursor_pos": 3, "detail_level": 0}),
        ("is_complete_request", {"code": "1 +"}),
    ):
        reply = answer(kernel, sent(kernel, name, content, subshell_id=subshell))
        assert reply is not None
        assert reply["content"]["status"] in {"ok", "incomplete"}
    assert time.monotonic() - began < 5
    sent(kernel, "interrupt_request", {}, "control")
    assert kernel.reply(request)["ename"] == "Interrupted"
    sent(kernel, "delete_subshell_request", {"subshell_id": subshell}, "control")
    assert is_well(kernel)


def test_the_process_is_the_one_that_was_started(kernel: Client) -> None:
    """None of the above was survived by starting again."""
    provisioner = kernel.manager.provisioner
    assert isinstance(provisioner, LocalProvisioner)
    assert provisioner.process is not None
    assert provisioner.process.poll() is None
    usage = answer(kernel, sent(kernel, "usage_request", {}, "control"), "control")
    assert usage is not None
    assert usage["content"]["pid"] == provisioner.process.pid
