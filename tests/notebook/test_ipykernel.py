"""``%%rh`` in Jupyter's Python kernel, in a separate process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from jupyter_client.manager import KernelManager
from nbclient import NotebookClient

from tests.kernel.conftest import STOPPED, Client, Ran, has_trained, unmeasured
from tests.kernel.test_widgets import Page
from tests.notebook.conftest import TRAIN

WIDGET = "application/vnd.jupyter.widget-view+json"


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """The Python kernel with the extension loaded."""
    folder = tmp_path_factory.mktemp("python")
    manager = KernelManager(kernel_name="python3")
    environment = {
        **unmeasured(),
        "IPYTHONDIR": str(folder),
        "PYTHONPATH": str(Path.cwd()),
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
    }
    manager.start_kernel(cwd=str(folder), env=environment)
    client = manager.client()
    client.start_channels(hb=False)
    client.wait_for_ready(timeout=60)
    started = Client(manager, client)
    assert started.run("%load_ext rh_kernel").reply["status"] == "ok"
    yield started
    client.stop_channels()
    manager.shutdown_kernel(now=True)
    manager.cleanup_resources()


def test_a_value_is_the_output_of_the_cell(python: Client) -> None:
    ran = python.run("%%rh\nreturn 1 + 2")
    (result,) = ran.contents("execute_result")
    assert result["data"]["text/plain"] == "3.0 : Real(1)"
    assert "text/html" in result["data"]


def test_a_trace_is_live_and_static(python: Client) -> None:
    ran = python.run("%%rh\n%trace return 1 + 2")
    live, static = ran.contents("display_data")
    assert WIDGET in live["data"]
    assert live["data"]["text/html"] == ""
    assert WIDGET not in static["data"]
    assert "3.0" in static["data"]["text/plain"]


def test_a_trace_from_python_is_live_too(python: Client) -> None:
    ran = python.run("import rh_kernel\nrh_kernel.trace('return 1 + 2')")
    live, static = ran.contents("display_data")
    assert WIDGET in live["data"]
    assert "3.0" in static["data"]["text/plain"]


def test_a_cell_that_is_run_again_closes_its_widgets(python: Client) -> None:
    closed: list[int] = []
    for _ in range(3):
        content = {"code": "%%rh\n%trace 1 + 2", "silent": False, "store_history": True, "user_expressions": {}}
        message = python.client.session.msg("execute_request", content)
        message["metadata"] = {"cellId": "the cell"}
        python.client.shell_channel.send(message)
        closed.append(len(python.collect(message["header"]["msg_id"]).contents("comm_close")))
    assert closed[0] == 0
    assert closed[1] == closed[2] > 0


def test_a_wrong_cell_is_an_error_of_the_notebook(python: Client) -> None:
    ran = python.run("%%rh\nreturn missing")
    assert ran.reply["status"] == "error"
    (error,) = ran.contents("error")
    assert error["ename"] == "CellFailed"
    assert "(line 2, column 8)" in "\n".join(error["traceback"])
    assert "Traceback" not in "\n".join(error["traceback"])


def test_a_wrong_program_of_a_function_is_told_in_full(python: Client) -> None:
    ran = python.run("rh.run('return missing')")
    (error,) = ran.contents("error")
    assert error["ename"] == "Wrong"
    assert "│        ^^^^^^^" in error["evalue"]


def completed(python: Client, cell: str) -> list[str]:
    reply = python.ask("complete_request", code=cell, cursor_pos=len(cell))
    return [cell[: reply["cursor_start"]] + found for found in reply["matches"]]


def test_the_tab_key_knows_the_session(python: Client) -> None:
    assert python.run("%%rh\nloc weights = [1, 2]").reply["status"] == "ok"
    assert completed(python, "%%rh\nreturn 1\nreturn weig") == ["%%rh\nreturn 1\nreturn weights"]
    assert "%%rh\n%trace" in completed(python, "%%rh\n%tr")
    assert "weights" not in str(completed(python, "weig"))
    assert "import" not in str(completed(python, "%%rh\nreturn i"))


def test_an_interrupted_run_leaves_what_was_done(python: Client) -> None:
    assert python.run("%%rh" + TRAIN).reply["status"] == "ok"
    assert python.run("rh.data('mine', x=[[0., 1.]] * 64, t=[[1.]] * 64)").reply["status"] == "ok"
    train = '%%rh\ntrain rev handle (x) <u>. line(u) with sgd(0.01, t)\n  for (x, t) in data("mine") epochs 1000000000 batch 4'
    ran = python.run(train, interrupt_after=0.2, once=has_trained)
    assert ran.reply["status"] == "error"
    assert ran.reply["ename"] == "CellStopped"
    assert "kept" in ran.reply["evalue"]
    assert ran.work_after_interrupt < 1.0
    assert ran.idle_after_interrupt < STOPPED
    assert python.run("%%rh\nGet[w]()").reply["status"] == "ok"


def test_a_notebook_runs_from_its_first_cell_to_its_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cells = ["%load_ext rh_kernel", "%%rh\nloc w = [1, 2]", "rh.heap['w'].sum()", "%rh %trace Get[w]()"]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    NotebookClient(notebook, kernel_name="python3", resources={"metadata": {"path": str(Path.cwd())}}).execute()
    assert "3.0" in notebook.cells[2].outputs[0].data["text/plain"]
    assert len(notebook.cells[3].outputs) == 2


def opened(ran: Ran) -> str:
    """The widget that a cell shows."""
    (comm, *_) = [content["data"][WIDGET]["model_id"] for content in ran.contents("display_data") if WIDGET in content["data"]]
    return comm


def states(answer: dict[str, Any]) -> list[tuple[str, str]]:
    return [(follower["label"].split(": ")[1][:9], follower["state"]) for follower in answer["answer"]["followers"]]


def texts(updates: list[dict[str, Any]]) -> dict[str, str]:
    """The latest text under each display id."""
    return {content["transient"]["display_id"]: content["data"]["text/plain"] for content in updates}


def test_outputs_follow_knobs(python: Client) -> None:
    page = Page(python)
    assert python.run("%%rh" + TRAIN + "const c = 0.5").reply["status"] == "ok"
    constant, parameter = [opened(python.run(f"%%rh\n%slider {name} 0.1 1 0.1")) for name in ("c", "sgd.alpha")]
    gradient = opened(python.run("%%rh\n%gradient rev handle (c * [1, 2]) <u>. line(u) with sgd(0.2, [1])"))
    ran = python.run("%%rh\n10 * c")
    assert ran.contents("execute_result") == []
    (display,) = [content["transient"]["display_id"] for content in ran.contents("display_data")]
    ran = python.run("kept = %rh 10 * c\nprint(kept.value, kept.type)")
    assert ran.contents("display_data") == []
    assert "".join([stream["text"] for stream in ran.contents("stream")]) == "[5.] Real(1)\n"

    answer = page.ask(parameter, {"ask": "turn", "at": 9})
    assert ("%gradient", "follows") in states(answer)
    moved = [
        m["content"]["data"]["state"]["opening"]
        for m in page.heard
        if "opening" in str(m) and m["content"].get("comm_id") == gradient
    ]
    assert "1.0" in str(moved[-1])
    answer = page.ask(constant, {"ask": "turn", "at": 9})
    assert ("10 * c", "follows") in states(answer)
    assert texts([m["content"] for m in page.heard if m["msg_type"] == "update_display_data"])[display] == "10.0 : Real(1)"

    sent = [content for content in python.run("rh.const('c', 0.3)").contents("comm_msg") if content["comm_id"] == constant]
    assert sent[-1]["data"]["state"]["opening"]["value"] == "0.3"
    assert ("10 * c", "behind") in states(page.ask(constant, {"ask": "settle"})), "it was made with the earlier constant"
    python.run("%load_ext rh_kernel\n%reload_ext rh_kernel")
    assert page.ask(constant, {"ask": "turn", "at": 0})["answer"]["value"] == "0.1"
    assert python.run("%rh 10 * c").contents("display_data")[0]["data"]["text/plain"] == "1.0 : Real(1)"
