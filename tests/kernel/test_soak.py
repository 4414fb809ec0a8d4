"""Kernels that are started, interrupted and killed, whatever they are doing, and leave nothing behind.

``RH_SOAK`` is the number of rounds; without it there are a few.
"""

from __future__ import annotations

import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from queue import Empty

import psutil
import pytest
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager
from jupyter_client.provisioning.local_provisioner import LocalProvisioner

from tests.kernel.conftest import PATIENCE, unmeasured
from tests.kernel.wire import FOREVER, NET

pytestmark = [pytest.mark.slow, pytest.mark.skipif(os.name != "posix", reason="signals and /proc")]

ROUNDS = int(os.environ.get("RH_SOAK", "6"))
SEED = int(os.environ.get("RH_SOAK_SEED", "0"))
SOON = 20.0
"""Seconds until a process that was told to stop is gone; a tenth of one on an idle machine."""

DOUBLING = "\n".join(
    [
        "net d0(x : Real) : Real = return x + 1",
        *[f"net d{i}(x : Real) : Real = let y <= d{i - 1}(x) in d{i - 1}(y)" for i in range(1, 12)],
    ]
)
AGAIN = "d11(0)\n" * 60
STATES = {
    "starting": None,
    "idle": "",
    "stepping": "%evaluator stepped\n" + AGAIN,
    "compiling": AGAIN,
    "denoting": "%evaluator denoted\n" + AGAIN,
    "training": FOREVER,
    "drawing": "%trace d11(0)\n%diagram d11",
    "sleeping in Python": "%%python\nimport time\ntime.sleep(600)",
    "busy in Python": "%%python\nwhile True: pass",
}
WAYS = ("interrupt", "shutdown", "kill", "orphan")

PARENT = """
import sys, time
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager
manager = KernelManager(kernel_name="rh", kernel_spec_manager=KernelSpecManager(kernel_dirs=[sys.argv[1]]))
manager.start_kernel(cwd=sys.argv[2])
print(manager.provisioner.pid, manager.connection_file, flush=True)
time.sleep(600)
"""
"""A front end that will be killed."""


def until(is_so: Callable[[], bool], seconds: float = SOON) -> float:
    """Wait until a condition holds; return the seconds that it took."""
    began = time.monotonic()
    while not is_so():
        assert time.monotonic() - began < seconds
        time.sleep(0.01)
    return time.monotonic() - began


def is_gone(pid: int) -> bool:
    """Whether there is no such process, or a zombie only."""
    return not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


def children() -> set[psutil.Process]:
    """The child processes of this process, recursively."""
    return set(psutil.Process().children(recursive=True))


def is_free(port: int) -> bool:
    """Whether no process listens on the port."""
    with socket.socket() as listening:
        listening.settimeout(1)
        return listening.connect_ex(("127.0.0.1", port)) != 0


def brought(client: BlockingKernelClient, state: str, dice: random.Random) -> str:
    """Bring a kernel, maybe still starting, into a state; return the request that it is busy with, or an empty string."""
    code = STATES[state]
    if code is None:
        time.sleep(dice.random())
        return ""
    client.wait_for_ready(timeout=PATIENCE)
    if not code:
        return ""
    client.execute(f"{NET}{DOUBLING}", silent=True)
    client.execute("%%python\npass", silent=True)
    request = client.execute(code)
    began = time.monotonic()
    while time.monotonic() - began < PATIENCE:
        try:
            message = client.get_iopub_msg(timeout=0.2)
        except Empty:
            continue
        if message["parent_header"].get("msg_id") == request:
            time.sleep(dice.random() / 2)
            return request
    raise AssertionError(f"the kernel did not begin to work: {state}")


def answered(client: BlockingKernelClient, request: str) -> bool:
    """Whether a request has been answered."""
    try:
        return client.get_shell_msg(timeout=0.05)["parent_header"].get("msg_id") == request
    except Empty:
        return False


def ended(manager: KernelManager, client: BlockingKernelClient, request: str, way: str) -> float:
    """Stop a kernel; return the seconds until it has reacted."""
    assert isinstance(manager.provisioner, LocalProvisioner)
    pid = manager.provisioner.pid
    assert isinstance(pid, int)
    match way:
        case "interrupt":
            assert not request or not answered(client, request), "it was done before it was interrupted"
            manager.interrupt_kernel()
            seconds = until(lambda: answered(client, request)) if request else 0.0
            assert not request or manager.is_alive()
            manager.shutdown_kernel(now=True)
        case "shutdown":
            began = time.monotonic()
            manager.shutdown_kernel()
            seconds = time.monotonic() - began
        case _:
            os.kill(pid, signal.SIGKILL)
            seconds = until(lambda: not manager.is_alive())
            manager.shutdown_kernel(now=True)
    until(lambda: is_gone(pid))
    return seconds


def orphaned(kernels: Path, folder: Path, environment: dict[str, str], dice: random.Random) -> tuple[float, Path]:
    """Kill a front end with a kernel; return the seconds until the kernel has stopped too, and its connection file."""
    command = [sys.executable, "-c", PARENT, str(kernels), str(folder)]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as parent:
        assert parent.stdout is not None
        pid, file = parent.stdout.readline().split()
        time.sleep(2 * dice.random())
        parent.kill()
    return until(lambda: is_gone(int(pid)), 2 * SOON), Path(file)


def descriptors() -> int:
    """The number of open files and sockets of this process."""
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def left(folder: Path) -> list[str]:
    """The entries of a folder."""
    return [str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()]


def test_nothing_is_left_of_kernels_that_are_gone(
    jupyter_path: Path, tmp_path: Path, record_testsuite_property: Callable[[str, object], None]
) -> None:
    dice, kernels = random.Random(SEED), jupyter_path / "kernels"
    slowest, count = Counter[str](), Counter[str]()
    temporary, runtime = tmp_path / "temporary", tmp_path / "runtime"
    temporary.mkdir()
    folders = {"TMPDIR": str(temporary), "JUPYTER_RUNTIME_DIR": str(runtime), "IPYTHONDIR": str(tmp_path / "ipython")}
    environment = {**unmeasured(), **folders}
    rounds = [(list(STATES)[n % len(STATES)], WAYS[n % len(WAYS)]) for n in range(ROUNDS)]
    dice.shuffle(rounds)
    threads, files, before = threading.active_count(), 0, children()
    for n, (state, way) in enumerate(rounds):
        if way == "orphan":
            seconds, file = orphaned(kernels, tmp_path, environment, dice)
            file.unlink(missing_ok=True)  # it was its front end's, which had no time to remove it
        else:
            manager = KernelManager(kernel_name="rh", kernel_spec_manager=KernelSpecManager(kernel_dirs=[str(kernels)]))
            manager.start_kernel(cwd=str(tmp_path), env=environment, stderr=subprocess.DEVNULL)
            client = manager.client()
            client.start_channels(hb=False)
            file = Path(manager.connection_file)
            assert file.exists()
            try:
                seconds = ended(manager, client, brought(client, state, dice), way)
            except AssertionError as failure:
                failure.add_note(f"round {n}: {way}, {state}")
                raise
            finally:
                client.stop_channels()
                manager.shutdown_kernel(now=True)
                manager.cleanup_resources()
            assert not file.exists()
            assert all(is_free(port) for port in manager.ports)
        what = way if way == "orphan" else f"{way}, {state}"
        slowest[what] = max(slowest[what], round(1e3 * seconds))
        count[way] += 1
        files = descriptors() if n == 1 else files
    assert children() <= before
    assert threading.active_count() <= threads + 1
    assert descriptors() <= files + 10
    assert left(temporary) == []
    assert not runtime.exists() or left(runtime) == []
    for what, milliseconds in sorted(slowest.items()):
        record_testsuite_property(f"milliseconds until a kernel has understood, {what}", milliseconds)
    assert sum(count.values()) == ROUNDS
