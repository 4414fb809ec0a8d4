"""Sweeps in a real kernel: progress while they run, an interrupt, a failing run, and what Python gets of them."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from jupyter_client.provisioning.local_provisioner import LocalProvisioner

from rh_kernel.kernel.completion.completing import completions
from rh_kernel.kernel.linting import diagnose
from rh_kernel.session.session import Session
from tests.kernel.conftest import PATIENCE, STOPPED, Client, Ran, Start
from tests.session.cells import codes, run
from tests.session.sweeps import ITEMS, NET, declared

SWEEP = f"sweep a in [0.1, 0.5], h in [2], seed in 0..1\n{ITEMS}"
ENDLESS = f"sweep a in [0.1], h in [2], seed in [0], e in [1, 2, 1000000000]\n{ITEMS.replace('epochs h', 'epochs e')}"


@pytest.fixture(scope="module")
def kernel(start: Start) -> Client:
    running = start(measured=False)
    assert running.run(NET).reply["status"] == "ok"
    return running


def pid_of(client: Client) -> int:
    assert isinstance(client.manager.provisioner, LocalProvisioner)
    pid = client.manager.provisioner.pid
    assert pid is not None
    return pid


def children(client: Client) -> list[psutil.Process]:
    return psutil.Process(pid_of(client)).children(recursive=True)


def updates(ran: Ran) -> Iterator[str]:
    """The text of each state of the sweep's output, in order."""
    for kind, content in ran.messages:
        if kind in {"display_data", "update_display_data"} and "runs" in content["data"].get("text/plain", ""):
            yield content["data"]["text/plain"]


def test_progress_arrives_while_it_runs_and_the_result_takes_its_place(kernel: Client) -> None:
    ran = kernel.run(SWEEP)
    assert ran.reply["status"] == "ok"
    first, *_, last = updates(ran)
    assert first.startswith("0/4 runs")
    assert last.startswith("a sweep of 4 runs")
    shown = [c["data"] for kind, c in ran.messages if kind in {"display_data", "update_display_data"}]
    assert any("application/vnd.jupyter.widget-view+json" in data for data in shown)
    assert "<table" in shown[-1]["text/html"]
    assert children(kernel) == []


def test_an_interrupt_keeps_the_finished_runs_and_leaves_no_process(kernel: Client) -> None:
    ran = kernel.run(ENDLESS, interrupt_after=0.2, once=lambda ran: any(text.startswith("2/3") for text in updates(ran)))
    assert ran.reply["ename"] == "Interrupted"
    assert ran.idle_after_interrupt < STOPPED
    assert ran.work_after_interrupt < 1.0
    assert "stopped after 2 of 3 runs" in [*updates(ran)][-1]
    assert children(kernel) == []
    python = kernel.run('%%python\nprint(rh.sweep.is_stopped, [run.values["e"] for run in rh.sweep.runs])')
    assert python.contents("stream")[0]["text"] == "True [1, 2]\n"
    assert kernel.run("%heap").reply["status"] == "ok"


def test_one_failing_run_does_not_stop_the_others(kernel: Client) -> None:
    ran = kernel.run("sweep n in [1, 0.5, 2]\n  loc v : Real(n) = ones\n  let x <= Get[v]() in return sum(x)")
    assert ran.reply["status"] == "ok"
    *_, last = updates(ran)
    assert "1 failed" in last
    assert "RH118: `n` is 0.5 in this run of the sweep" in last


def test_python_has_the_last_sweep(kernel: Client, tmp_path: Path) -> None:
    kernel.run("sweep n in [2, 0.5, 1]\n  loc v : Real(n) = ones\n  let x <= Get[v]() in return sum(x)")
    file = tmp_path / "runs.csv"
    program = f"""%%python
import json
runs = rh.sweep.runs
rh.sweep.to_csv({str(file)!r})
print(json.dumps([[dict(run.values), list(run.results.values()), run.error] for run in runs]))"""
    ran = kernel.run(program)
    assert json.loads(ran.contents("stream")[0]["text"]) == [
        [{"n": 2}, [2.0], None],
        [{"n": 0.5}, [], "RH118: `n` is 0.5 in this run of the sweep"],
        [{"n": 1}, [1.0], None],
    ]
    assert file.read_text().split("\n")[0] == "n,let x <= Get[v]() in return sum(x),seconds,error"
    trained = kernel.run(SWEEP)
    assert trained.reply["status"] == "ok"
    program = "%%python\nrun = rh.sweep.runs[0]\ncurves = run.curves.values()\n"
    program += "print([len(c) for c in curves], list(run.measures.values()) == [c[-1] for c in curves])"
    assert kernel.run(program).contents("stream")[0]["text"] == "[2] True\n"


def test_a_killed_kernel_leaves_no_process(start: Start) -> None:
    client = start(measured=False)
    client.run(NET)
    client.client.execute(ENDLESS)
    end = time.monotonic() + PATIENCE
    while len(children(client)) < 2 or sum(p.cpu_times().user for p in children(client)) < 1:
        assert time.monotonic() < end
        time.sleep(0.05)
    found = children(client)
    os.kill(pid_of(client), signal.SIGKILL)
    _, alive = psutil.wait_procs(found, timeout=PATIENCE)
    assert alive == []


# -- while one edits -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Session:
    return declared(tmp_path_factory.mktemp("editing"))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("sweep a in [0.1]", []),
        ("sweep a in [0.1]\n  a + 1", []),
        ("sweep a in [0.1]\n  a + b", ["RH101"]),
        ("sweep bias in [0.1]\n  bias", ["RH021"]),
        ("sweep a in []\n  a", ["RH021"]),
        ("sweep n in [2]\n  loc v : Real(n) = ones\n  let x <= Get[v]() in return x @ [1, 2]", ["RH103"]),
        ('sweep n in [2]\n  train return nonsense for x in data("nowhere.csv")', []),
        ('sweep n in [2]\n  train return x for x in data("nowhere.csv")\n  n + b', ["RH101"]),
    ],
)
def test_a_sweep_is_checked_while_it_is_written(session: Session, text: str, found: list[str]) -> None:
    assert [d.code for d in diagnose(session, text)] == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("swe", ["sweep"]),
        ("sweep a ", ["in"]),
        ("sweep alpha in [1], h in [2]\n  al", ["alpha"]),
        ("sweep alpha in [1]\n  loc new : Real(2) = ones\n  let x <= Get[ne", ["new"]),
        ("sweep height in [2]\n  loc new : Real(hei", ["height"]),
        ('sweep a in [1]\n  train return x for x in data("xor") ep', ["epochs"]),
    ],
)
def test_completion_knows_what_is_in_scope_below_a_sweep(session: Session, text: str, found: list[str]) -> None:
    assert [c.text for c in completions(session, text, len(text))[1]][: len(found) or None] == found


def test_a_sweep_has_help(session: Session) -> None:
    found, _ = run(session, "%help sweep")
    assert codes(found) == []
