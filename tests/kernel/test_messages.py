"""The protocol, with a kernel in a process of its own."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from jupyter_client.provisioning.local_provisioner import LocalProvisioner

from tests.kernel.conftest import Client, Start

numbers = count()

WRONG = "sq([1.0, "


def fresh(letter: str) -> str:
    return f"{letter}_{next(numbers)}"


def test_a_value_is_the_result_of_its_cell(running: Client) -> None:
    ran = running.run("1 + 2")
    assert ran.types() == ["status", "execute_input", "execute_result", "status"]
    (result,) = ran.contents("execute_result")
    assert result["execution_count"] == ran.reply["execution_count"]
    assert "3" in result["data"]["text/plain"]
    assert {"text/plain", "text/html"} <= set(result["data"])
    assert ran.reply["status"] == "ok"


def test_a_derivation_is_shown_in_three_formats_and_its_view_is_kept(running: Client) -> None:
    ran = running.run("%derivation 1 + 2")
    *_, display = ran.contents("display_data")
    assert {"text/plain", "text/html", "text/latex", "application/vnd.rh.view+json"} == set(display["data"])
    assert "T-PLUS" in display["data"]["text/plain"]


def test_a_setting_lasts_from_cell_to_cell(running: Client) -> None:
    running.run("%strict on")
    assert running.run("relu(0)").reply["ename"] == running.run("%trace relu(0)").reply["ename"]
    assert running.run("%strict on\n1 + [1, 2]").reply["status"] == "error"
    running.run("%strict off")
    assert running.run("relu(0)").reply["status"] == "ok"


def test_only_the_last_value_is_the_result(running: Client) -> None:
    ran = running.run("1.5\n2.5\n3.5")
    assert ran.types()[2:-1] == ["display_data", "display_data", "execute_result"]
    assert ["1.5" in ran.texts[0], "2.5" in ran.texts[1], "3.5" in ran.texts[2]] == [True] * 3


def test_declarations_in_a_row_are_one_output(running: Client) -> None:
    n, t = fresh("n"), fresh("t")
    ran = running.run(f"dim {n} = 2\nconst {t} : Real({n}) = [1, 2]")
    assert ran.types()[2:-1] == ["display_data"]
    assert n in ran.texts[0]
    assert t in ran.texts[0]


def test_the_output_of_a_cell_comes_before_its_idle(running: Client) -> None:
    for _ in range(20):
        ran = running.run("1.5\n2.5")
        assert ran.types()[-1] == "status"
        assert ran.types()[-2] == "execute_result"


def test_an_error_is_one_message_with_code_and_place(running: Client) -> None:
    ran = running.run("dim n = 2\n1 + nowhere")
    assert [kind for kind in ran.types() if kind not in {"status", "execute_input"}] == ["error"]
    (error,) = ran.contents("error")
    assert error["ename"].startswith("RH")
    assert "nowhere" in error["evalue"]
    shown = "\n".join(error["traceback"])
    assert "nowhere" in shown
    assert "line 2" in shown
    assert f"cell {ran.reply['execution_count']}" in shown
    assert "Traceback" not in shown
    assert {key: ran.reply[key] for key in ("status", "ename", "evalue")} == {
        "status": "error",
        "ename": error["ename"],
        "evalue": error["evalue"],
    }


def test_all_errors_of_a_cell_are_shown_at_once(running: Client) -> None:
    (error,) = running.run("1 + here\n2 + there\n3 + (").contents("error")
    assert [not line for line in error["traceback"]] == [False, True, False, True, False]


def test_a_failing_cell_changes_nothing(running: Client) -> None:
    t, w = fresh("t"), fresh("w")
    running.run(f"const {t} : Real = 1.0\nloc {w} : Real(2) = [1, 2]")
    failing = running.run(f"const {t} : Real = 2.0\nPut[{w}]([3, 4])\nlog({t}) + [1, 2, 3]")
    assert failing.reply["status"] == "error"
    assert "1.0" in running.run(t).texts[0]
    assert "[1.0, 2.0]" in running.run(f"Get[{w}]()").texts[0]


def test_a_cell_that_gets_stuck_halfway_changes_nothing(running: Client) -> None:
    op, w = fresh("Op"), fresh("w")
    running.run(f"loc {w} : Real(2) = [1, 2]\nop {op} : Real -> Real")
    failing = running.run(f"Put[{w}]([3, 4])\n{op}(1.0)")
    assert failing.reply["status"] == "error"
    assert "undone" in failing.reply["traceback"][-1]
    assert "[1.0, 2.0]" in running.run(f"Get[{w}]()").texts[0]


def test_cells_that_are_sent_together_run_one_after_the_other(running: Client) -> None:
    n = fresh("n")
    requests = [running.client.execute(code) for code in (f"dim {n} = 2", f"loc w_{n} : Real({n}) = zeros", f"Get[w_{n}]()")]
    assert [running.reply(request)["status"] for request in requests] == ["ok"] * 3


def test_cells_after_a_failing_one_are_not_run(running: Client) -> None:
    requests = [running.client.execute(code) for code in ("1 + nowhere", "2.0", "3.0")]
    replies = [running.reply(request)["status"] for request in requests]
    assert replies[0] == "error"
    assert set(replies[1:]) <= {"aborted", "ok"}
    running.run("1.0", stop_on_error=False)


def test_a_silent_cell_says_nothing_and_does_not_count(running: Client) -> None:
    t = fresh("t")
    before = running.run("1.0").reply["execution_count"]
    silent = running.run(f"const {t} : Real = 2.0\n{t}", silent=True)
    assert silent.types() == ["status", "status"]
    assert silent.reply["status"] == "ok"
    wrong = running.run("nowhere", silent=True)
    assert wrong.types() == ["status", "status"]
    assert wrong.reply["status"] == "error"
    after = running.run(t)
    assert "2.0" in after.texts[0]
    assert after.reply["execution_count"] == before + 1


def test_a_cell_that_is_not_kept_does_not_count(running: Client) -> None:
    before = running.run("1.0").reply["execution_count"]
    assert running.run("2.0", store_history=False).texts
    assert running.run("3.0").reply["execution_count"] == before + 1
    history = running.ask("history_request", hist_access_type="tail", output=False, raw=True, n=2)["history"]
    assert [text for _, _, text in history] == ["1.0", "3.0"]


def test_expressions_of_the_client_are_evaluated_beside_the_cell(running: Client) -> None:
    w = fresh("w")
    running.run(f"loc {w} : Real(2) = [1, 2]")
    asked = {"value": "1.0 + 2.0", "error": "nowhere", "effect": f"Put[{w}]([3, 4])"}
    found = running.run("0.5", user_expressions=asked).reply["user_expressions"]
    assert "3.0" in found["value"]["data"]["text/plain"]
    assert found["error"]["status"] == "error"
    assert found["error"]["ename"].startswith("RH")
    assert found["effect"]["status"] == "ok"
    assert "[1.0, 2.0]" in running.run(f"Get[{w}]()").texts[0]


def test_training_is_one_output_that_ends_in_its_result(running: Client) -> None:
    w, op, h = fresh("w"), fresh("Op"), fresh("h")
    running.run(
        f"""loc {w} : Real(1, 2) = zeros
op {op}[l : Loc(m, n)] : Real(n) -> Real(m)
handler {h}(t : Real(k)) : rev handler(Real(k)) = {{
  return x -> return 0.1 * (x - t)
  {op}[l](x) -> let w <= Get[l]() in return (w @ x, (w, x))
    | y, z -> let (w, x) <- z in
              let _ <= Put[l](w - outer(y, x)) in
              return w^T @ y
}}"""
    )
    ran = running.run(f'train rev handle (x) <u>. {op}[{w}](u) with {h}(t) for (x, t) in data("xor") epochs 40 batch 2')
    assert ran.reply["status"] == "ok"
    shown = [c for kind, c in ran.messages if kind in {"display_data", "update_display_data"}]
    assert len([c for kind, c in ran.messages if kind == "display_data"]) == 1
    assert len({c["transient"].get("display_id") for c in shown}) == 1
    assert "40" in shown[-1]["data"]["text/plain"]


def test_what_it_says_about_itself(running: Client) -> None:
    info = running.ask("kernel_info_request")
    language = info["language_info"]
    assert info["implementation"] == "rh_kernel"
    assert language["name"] == "rh"
    assert language["file_extension"] == ".rh"
    assert language["mimetype"] == "text/x-rh"
    assert language["codemirror_mode"]
    assert info["help_links"]
    assert info["supported_features"] == []


def test_completion_knows_declared_names_and_their_types(running: Client) -> None:
    net = fresh("network")
    running.run(f"net {net}(x : Real(2)) : Real(2) = return swish(x)")
    text = f"let y <= {net[:4]}"
    reply = running.ask("complete_request", code=text, cursor_pos=len(text))
    assert net in reply["matches"]
    assert text[reply["cursor_start"] : reply["cursor_end"]] == net[:4]
    types = {entry["text"]: entry for entry in reply["metadata"]["_jupyter_types_experimental"]}
    assert "Real(2) ~> Real(2)" in types[net]["signature"]


def test_inspection_shows_type_and_documentation(running: Client) -> None:
    reply = running.ask("inspect_request", code="1 + swish(x)", cursor_pos=6, detail_level=0)
    assert reply["found"]
    assert "swish" in reply["data"]["text/plain"]
    assert not running.ask("inspect_request", code="nowhere", cursor_pos=2, detail_level=0)["found"]


@pytest.mark.parametrize(
    ("code", "status"),
    [("1 + 2", "complete"), ("let x <- 1.0 in", "incomplete"), ("sq(1,", "incomplete"), ("1 + )", "invalid"), ("", "complete")],
)
def test_whether_enter_runs_the_cell(running: Client, code: str, status: str) -> None:
    reply = running.ask("is_complete_request", code=code)
    assert reply["status"] == status
    assert ("indent" in reply) == (status == "incomplete")


def test_history_is_searched(running: Client) -> None:
    t = fresh("t")
    running.run(f"const {t} : Real = 0.125")
    running.run(t)
    found = running.ask("history_request", hist_access_type="search", output=True, raw=True, pattern=f"*{t}*", n=5)["history"]
    assert [entry[2][0] for entry in found] == [f"const {t} : Real = 0.125", t]
    assert "0.125" in found[-1][2][1]


def comm_messages(running: Client, name: str, **content: object) -> list[dict[str, Any]]:
    """The iopub messages of the kernel after a comm message, without status messages."""
    message = running.client.session.msg(name, {"comm_id": "c1", "data": {}, **content})
    running.client.shell_channel.send(message)
    heard: list[dict[str, Any]] = []
    while True:
        answer = running.client.get_iopub_msg(timeout=10)
        if answer["parent_header"].get("msg_id") != message["header"]["msg_id"]:
            continue
        if answer["msg_type"] == "status" and answer["content"]["execution_state"] == "idle":
            return heard
        if answer["msg_type"] != "status":
            heard.append(answer)


@pytest.fixture(scope="module")
def quiet(start: Start) -> Client:
    """A kernel that has shown no widget."""
    return start()


def test_an_unknown_comm_is_closed(quiet: Client) -> None:
    assert quiet.ask("comm_info_request") == {"comms": {}, "status": "ok"}
    heard = comm_messages(quiet, "comm_open", target_name="nobody")
    assert [m["content"]["comm_id"] for m in heard if m["msg_type"] == "comm_close"] == ["c1"]
    assert quiet.ask("comm_info_request")["comms"] == {}


def test_a_page_is_told_that_there_are_no_widgets(quiet: Client) -> None:
    target = "jupyter.widget.control"
    assert comm_messages(quiet, "comm_open", target_name=target) == []
    assert quiet.ask("comm_info_request", target_name=target)["comms"] == {"c1": {"target_name": target}}
    (answer,) = comm_messages(quiet, "comm_msg", data={"method": "request_states"})
    assert answer["content"]["data"]["states"] == {}
    comm_messages(quiet, "comm_close")
    assert quiet.ask("comm_info_request")["comms"] == {}


def test_paths_start_from_the_folder_of_the_notebook(running: Client) -> None:
    failing = running.run('loc nothing : Real(2) = load("nowhere.npy")')
    assert failing.reply["ename"].startswith("RH3")


def test_a_kernel_answers_and_its_shutdown_leaves_nothing(
    start: Start, record_testsuite_property: Callable[[str, object], None]
) -> None:
    began = time.monotonic()
    client = start()
    assert "3.0" in client.run("1 + 2").texts[0]
    waited = time.monotonic() - began
    record_testsuite_property("seconds to the first answer", round(waited, 2))
    provisioner = client.manager.provisioner
    assert isinstance(provisioner, LocalProvisioner)
    process = provisioner.process
    assert process is not None
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    assert not children.exists() or not children.read_text().split()
    client.manager.shutdown_kernel()
    assert process.poll() is not None
    assert not client.manager.is_alive()


def test_completion_tells_what_fits_first_and_its_type(running: Client) -> None:
    w, v = fresh("w"), fresh("v")
    running.run(f"loc {v} : Real(3) = zeros\nloc {w} : Real(3, 2) = zeros\nop FC[l : Loc(m, n)] : Real(n) -> Real(m)")
    text = '"🎉"\nFC['
    reply = running.ask("complete_request", code=text + "](x)", cursor_pos=len(text))
    assert reply["cursor_start"] == reply["cursor_end"] == len(text)
    assert reply["matches"].index(w) < reply["matches"].index(v)
    types = {found["text"]: found for found in reply["metadata"]["_jupyter_types_experimental"]}
    assert (types[w]["type"], types[w]["signature"]) == ("location", f"{w} : Loc(3, 2)")


def test_inspection_shows_source_and_rule_as_text_and_as_html(running: Client) -> None:
    f = fresh("f")
    lines = [f"# The number of {f}.", f"fun {f}(x : Real) : Real =", *["  let x = x in".replace("=", "<-")] * 20, "  x"]
    number = running.run("\n".join(lines)).reply["execution_count"]
    short = running.ask("inspect_request", code=f, cursor_pos=1, detail_level=0)["data"]
    assert f"The number of {f}." in short["text/plain"]
    assert f"declared in cell {number}, line 2" in short["text/plain"]
    assert "T-FUNC" in short["text/html"]
    assert "more lines" in short["text/plain"]
    assert "more lines" not in running.ask("inspect_request", code=f, cursor_pos=1, detail_level=1)["data"]["text/plain"]


def tail(client: Client, n: int) -> list[tuple[int, int, str]]:
    found = client.ask("history_request", hist_access_type="tail", output=False, raw=True, n=n)["history"]
    return [(session, number, text) for session, number, text in found]


def test_history_outlasts_a_kernel_that_is_killed(start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RH_HISTORY", str(tmp_path / "history.sqlite"))
    first, second = start(measured=False), start()
    first.run("1.0 + 0.5")
    second.run("dim n = 2")
    first.run("2.0")
    provisioner = first.manager.provisioner
    assert isinstance(provisioner, LocalProvisioner)
    assert provisioner.process is not None
    provisioner.process.kill()
    assert tail(second, 9) == [(1, 1, "1.0 + 0.5"), (2, 1, "dim n = 2"), (1, 2, "2.0")]
    asked = {"output": True, "raw": True, "session": -1, "start": 1, "stop": 2}
    assert second.ask("history_request", hist_access_type="range", **asked)["history"] == [
        [1, 1, ["1.0 + 0.5", "1.5 : Real(1)"]]
    ]


def test_a_history_that_cannot_be_kept_is_not_missed(start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("RH_HISTORY", str(tmp_path / "file" / "history.sqlite"))
    client = start()
    assert client.run("1.0").types() == ["status", "execute_input", "execute_result", "status"]
    assert tail(client, 9) == [(1, 1, "1.0")]
