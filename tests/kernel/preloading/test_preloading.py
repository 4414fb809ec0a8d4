"""Preloaded kernels: forked from one process, they are like kernels that were started by themselves."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import psutil
import pytest
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager
from jupyter_client.provisioning.factory import KernelProvisionerFactory
from jupyter_client.provisioning.local_provisioner import LocalProvisioner

from rh_kernel.kernel.install import PRELOADED, install
from rh_kernel.kernel.preloading import connection, provisioner
from rh_kernel.kernel.preloading.connection import ForkedProcess, ForkServers
from rh_kernel.kernel.preloading.provisioner import PreloadingProvisioner
from tests.kernel.conftest import PATIENCE, STOPPED, Client, has_trained, unmeasured

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="kernels are forked on Linux only")

TRAINING = """loc w : Real = 1
train let v <= Get[w]() in Put[w](v * 1.0000001) for x in data("xor") epochs 100000000"""


@pytest.fixture(scope="module")
def servers() -> Iterator[ForkServers]:
    """Fork servers that end with the module."""
    with pytest.MonkeyPatch.context() as patch:
        made = ForkServers()
        patch.setattr(provisioner, "SERVERS", made)
        group, path = "jupyter_client.kernel_provisioners", f"{provisioner.__name__}:{PreloadingProvisioner.__name__}"
        name = PRELOADED["provisioner_name"]
        # As after an installation, whose entry points those of the checkout may not be.
        patch.setitem(KernelProvisionerFactory.instance().provisioners, name, EntryPoint(name, path, group))
        yield made
        made.close()


Launch = Callable[..., Client]


@pytest.fixture(scope="module")
def launch(servers: ForkServers, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Launch]:
    """Starts preloaded kernels, in folders and with variables of their own; those that are left are ended."""
    prefix = tmp_path_factory.mktemp("prefix")
    install(prefix=str(prefix), preloaded=True)
    specs = KernelSpecManager(kernel_dirs=[str(prefix / "share" / "jupyter" / "kernels")])
    started = list[Client]()

    def launch(folder: Path | None = None, **variables: str) -> Client:
        manager = KernelManager(kernel_name="rh", kernel_spec_manager=specs)
        environment = {**unmeasured(), "IPYTHONDIR": str(prefix / ".ipython"), **variables}
        manager.start_kernel(cwd=str(folder or prefix), env=environment)
        started.append(connected(manager))
        return started[-1]

    yield launch
    for one in started:
        one.client.stop_channels()
        if one.manager.has_kernel:
            one.manager.shutdown_kernel(now=True)
        one.manager.cleanup_resources()


def connected(manager: KernelManager) -> Client:
    client = manager.client()
    client.start_channels(hb=False)
    client.wait_for_ready(timeout=PATIENCE)
    return Client(manager, client)


@pytest.fixture(scope="module")
def kernel(launch: Launch) -> Client:
    """The kernel that most tests share."""
    return launch()


def told(kernel: Client, expression: str) -> Any:
    """The value of an expression in Python."""
    ran = kernel.run(f"%%python\nimport json, os, random, signal, sys\nimport numpy\nprint(json.dumps({expression}))")
    return json.loads("".join([content["text"] for content in ran.contents("stream")]))


def process(kernel: Client) -> psutil.Process:
    found = kernel.manager.provisioner
    assert isinstance(found, PreloadingProvisioner)
    assert isinstance(found.process, ForkedProcess)
    return psutil.Process(found.process.pid)


def gone(one: psutil.Process) -> bool:
    """Whether a process ends within some seconds, and is reaped."""
    end = time.monotonic() + STOPPED
    while time.monotonic() < end:
        if not one.is_running():
            return True
        time.sleep(0.05)
    return False


def test_kernels_are_forked_from_one_process_and_answer(kernel: Client, launch: Launch) -> None:
    other = launch()
    assert process(kernel).parent() == process(other).parent() != psutil.Process()
    assert kernel.run("1 + 2").texts == other.run("1 + 2").texts == ["3.0 : Real(1)"]
    kernel.run("const a = 5")
    assert "RH101" in str(other.run("a").contents("error"))


def test_a_kernel_has_a_folder_an_environment_and_arguments_of_its_own(launch: Launch, tmp_path: Path) -> None:
    (tmp_path / "beside.py").write_text("answer = 42\n", encoding="utf-8")
    one = launch(tmp_path, STUDENT="ada")
    assert told(one, "[os.getcwd(), os.environ.get('STUDENT'), sys.path[0], __import__('beside').answer]") == [
        *(str(tmp_path), "ada", str(tmp_path), 42)
    ]
    assert Path(told(one, "sys.argv[0]")).parts[-3:] == ("rh_kernel", "kernel", "__main__.py")
    two = launch(STUDENT="ben")
    assert told(two, "[os.environ.get('STUDENT'), os.environ.get('RH_ONCE')]") == ["ben", None]


def test_what_is_read_at_the_start_of_python_is_that_of_the_kernel(kernel: Client, launch: Launch, tmp_path: Path) -> None:
    (tmp_path / "found_by_path.py").touch()
    other = launch(PYTHONPATH=f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}:{Path(provisioner.__file__).parents[3]}")
    assert told(other, "str(__import__('found_by_path').__file__)") == str(tmp_path / "found_by_path.py")
    assert process(other).parent() != process(kernel).parent()


def test_random_numbers_and_process_groups_are_not_shared(kernel: Client, launch: Launch) -> None:
    other = launch()
    asked = "[random.random(), numpy.random.rand(), os.getpgid(0), os.getsid(0)]"
    first, second = told(kernel, asked), told(other, asked)
    assert all(a != b for a, b in zip(first, second, strict=True))
    assert first[2:] == [process(kernel).pid] * 2


def test_a_kernel_keeps_no_descriptor_of_another_one(kernel: Client, launch: Launch) -> None:
    names = (
        "[os.readlink(f'/proc/self/fd/{fd}') for fd in os.listdir('/proc/self/fd') if os.path.exists(f'/proc/self/fd/{fd}')]"
    )
    counts = [len([name for name in told(one, names) if "pidfd" in name or "memfd" in name]) for one in (kernel, launch())]
    assert counts == [0, 0]


def test_an_interrupt_ends_the_cell_and_nothing_else(kernel: Client) -> None:
    ran = kernel.run(TRAINING, interrupt_after=0.2, once=has_trained)
    assert ran.idle_after_interrupt < STOPPED
    assert kernel.run("1 + 2").texts == ["3.0 : Real(1)"]
    ran = kernel.run("%%python\nimport time\ntime.sleep(100)", interrupt_after=0.5)
    assert ran.reply["ename"] == "KeyboardInterrupt"


def test_a_restarted_kernel_is_another_process_and_knows_nothing(launch: Launch) -> None:
    one = launch()
    one.run("const a = 5")
    before = process(one)
    one.manager.restart_kernel()
    one.client.wait_for_ready(timeout=PATIENCE)
    assert gone(before)
    assert process(one) != before
    assert "RH101" in str(one.run("a").contents("error"))


@pytest.mark.parametrize("now", [False, True])
def test_a_kernel_that_is_shut_down_leaves_nothing_behind(launch: Launch, now: bool) -> None:
    one = launch()
    ended = process(one)
    one.manager.shutdown_kernel(now=now)
    assert gone(ended)
    assert not one.manager.has_kernel


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV])
def test_the_death_of_a_kernel_is_noticed_and_touches_no_other(kernel: Client, launch: Launch, number: int) -> None:
    one = launch()
    process(one).send_signal(number)
    end = time.monotonic() + STOPPED
    while one.manager.is_alive() and time.monotonic() < end:
        time.sleep(0.05)
    assert not one.manager.is_alive()
    assert kernel.run("1 + 2").texts == ["3.0 : Real(1)"]
    parent = process(kernel).parent()
    assert parent is not None
    assert [child for child in parent.children() if child.status() == psutil.STATUS_ZOMBIE] == []


@pytest.mark.slow
def test_a_fork_server_that_was_killed_is_replaced(launch: Launch) -> None:
    one = launch(RH_OWN="killed")
    ended, parent = process(one), process(one).parent()
    assert parent is not None
    parent.kill()
    assert gone(ended), "a kernel without its parent ends"
    first = launch(RH_OWN="killed")
    assert first.run("1 + 2").texts == ["3.0 : Real(1)"], "it was started as usual"
    assert process(launch(RH_OWN="killed")).parent() != parent


def test_what_cannot_be_forked_is_started_as_usual(launch: Launch, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "FORKSERVER", "rh_kernel.no_such_module")
    one = launch(RH_OWN="nowhere")
    assert isinstance(one.manager.provisioner, LocalProvisioner)
    assert isinstance(one.manager.provisioner.process, subprocess.Popen)
    assert one.run("1 + 2").texts == ["3.0 : Real(1)"]


@pytest.mark.parametrize(
    ("command", "options"),
    [
        (["python", "-m", "ipykernel", "-f", "file"], {}),
        (["nice", "python", "-m", "rh_kernel.kernel", "-f", "file"], {}),
        (["python", "-m", "rh_kernel.kernel", "-f", "file"], {"independent": True}),
        (["python", "-m", "rh_kernel.kernel", "-f", "file"], {"stdout": subprocess.PIPE}),
        (["python", "-m", "rh_kernel.kernel", "-f", "file"], {"preexec_fn": print}),
    ],
)
def test_what_a_fork_cannot_give_is_not_forked(command: list[str], options: dict[str, Any]) -> None:
    assert provisioner._forked(command, options) is None


DIES = """
import os, sys
from importlib.metadata import EntryPoint
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager
from jupyter_client.provisioning.factory import KernelProvisionerFactory
place = "rh_kernel.kernel.preloading.provisioner:PreloadingProvisioner"
entry = EntryPoint("rh-preloaded", place, "jupyter_client.kernel_provisioners")
KernelProvisionerFactory.instance().provisioners["rh-preloaded"] = entry
manager = KernelManager(kernel_name="rh", kernel_spec_manager=KernelSpecManager(kernel_dirs=[sys.argv[1]]))
manager.start_kernel()
client = manager.client()
client.start_channels(hb=False)
client.wait_for_ready(timeout=60)
print(manager.provisioner.pid, flush=True)
sys.stdin.read()
"""


@pytest.mark.slow
def test_kernels_end_with_the_server_however_that_ends(tmp_path: Path) -> None:
    install(prefix=str(tmp_path), preloaded=True)
    command = [sys.executable, "-c", DIES, str(tmp_path / "share" / "jupyter" / "kernels")]
    with subprocess.Popen(command, env=unmeasured(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        kernel = psutil.Process(int(server.stdout.readline()))
        parent = kernel.parent()
        assert parent is not None
        server.kill()
    assert gone(parent)
    assert gone(kernel)


def test_the_kernelspec_asks_for_it_only_if_it_was_wanted(tmp_path: Path) -> None:
    for preloaded in (True, False):
        spec = json.loads((install(prefix=str(tmp_path), preloaded=preloaded) / "kernel.json").read_text(encoding="utf-8"))
        assert (spec["metadata"].get("kernel_provisioner") == PRELOADED) is preloaded
