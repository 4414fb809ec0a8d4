"""The same texts, as cells of one kernel: it answers each of them, and is the one that was started in the end."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from queue import Empty
from typing import Any

import pytest
from hypothesis import assume
from hypothesis import strategies as st
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager

from rh_kernel.kernel.install import install
from tests.fuzz.checking import OURS
from tests.fuzz.profile import tried
from tests.fuzz.programs import anything, mutated, soup, stays_here
from tests.kernel.conftest import PATIENCE, Client, unmeasured

LONG = 1.0
"""Seconds after which a cell is interrupted."""

QUIET = ("%limit bytes 8M", "%limit steps 20000", "%limit equations 20000", "%limit output 1M")


@pytest.fixture
def kernel(tmp_path: Path) -> Iterator[Client]:
    """A kernel in a folder of its own, in which no cell may take much."""
    install(prefix=str(tmp_path / "prefix"))
    specs = KernelSpecManager(kernel_dirs=[str(tmp_path / "prefix" / "share" / "jupyter" / "kernels")])
    manager = KernelManager(kernel_name="rh", kernel_spec_manager=specs)
    environment = {**unmeasured(), "IPYTHONDIR": str(tmp_path / "ipython")}
    manager.start_kernel(cwd=str(tmp_path), env=environment, stderr=subprocess.DEVNULL)
    client = manager.client()
    client.start_channels(hb=False)
    try:
        client.wait_for_ready(timeout=PATIENCE)
        yield Client(manager, client)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def answered(kernel: Client, text: str, cell: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The reply to a cell and what was said of it; it is interrupted after a while."""
    content = {"code": text, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False}
    message = kernel.client.session.msg("execute_request", content, metadata={"cellId": cell})
    kernel.client.shell_channel.send(message)
    request, heard = message["header"]["msg_id"], list[dict[str, Any]]()
    began, interrupts = time.monotonic(), 0
    while time.monotonic() - began < PATIENCE:
        if time.monotonic() - began > LONG * (1 + 5 * interrupts):
            kernel.manager.interrupt_kernel()
            interrupts += 1
        try:
            said = kernel.client.get_iopub_msg(timeout=0.1)
        except Empty:
            continue
        if said["parent_header"].get("msg_id") == request:
            heard.append(said)
            if said["content"].get("execution_state") == "idle":
                return kernel.reply(request), heard
    raise AssertionError(f"no idle after {PATIENCE} s")


def test_a_kernel_answers_every_cell(kernel: Client) -> None:
    for text in QUIET:
        assert kernel.run(text).reply["status"] == "ok"
    count = 0

    def check(text: str) -> None:
        nonlocal count
        assume(stays_here(text) and not text.startswith("%%python"))
        count += 1
        reply, heard = answered(kernel, text.encode(errors="replace").decode(), f"cell {count % 7}")
        assert reply["status"] in {"ok", "error"}
        assert (reply["status"] == "error") == any(message["msg_type"] == "error" for message in heard)
        if reply["status"] == "error":
            assert reply["ename"] == "Interrupted" or reply["ename"].startswith("RH")
        said = json.dumps([m["content"] for m in heard if m["msg_type"] != "execute_input"], ensure_ascii=False)
        assert OURS.search(text) or not OURS.search(said)

    assert tried(st.one_of(mutated(), soup, anything), check, 3)
    assert kernel.run("1 + 2").texts == ["3.0 : Real(1)"]
    assert kernel.manager.is_alive()
