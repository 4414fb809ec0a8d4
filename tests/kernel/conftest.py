"""Kernels for tests: in a process of their own, or without a process and a connection."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty
from typing import Any, Protocol, TypeAlias

import psutil
import pytest
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager
from jupyter_client.provisioning.local_provisioner import LocalProvisioner

from rh_kernel.kernel.install import install

PATIENCE = 60
STOPPED = 10.0
"""Seconds within which an interrupted cell ends even on a busy machine."""


@dataclass
class Ran:
    """What a cell sent: the types and contents of its messages on iopub, and its reply.

    Of a cell that was interrupted also how long it took to become idle: in seconds by the clock, which depend on what else the
    machine does, and in seconds of work of the kernel's processor, which do not.
    """

    messages: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    reply: dict[str, Any] = field(default_factory=dict)
    idle_after_interrupt: float = 0.0
    work_after_interrupt: float = 0.0

    def add(self, kind: str, content: dict[str, Any]) -> None:
        """Add a message; adjacent pieces of a stream are joined, since ipykernel splits it by time."""
        before, earlier = self.messages[-1] if self.messages else ("", {})
        if kind == before == "stream" and content["name"] == earlier["name"]:
            self.messages[-1] = (kind, {**content, "text": earlier["text"] + content["text"]})
        else:
            self.messages.append((kind, content))

    def types(self) -> list[str]:
        return [name for name, _ in self.messages]

    def contents(self, name: str) -> list[dict[str, Any]]:
        return [content for kind, content in self.messages if kind == name]

    @property
    def texts(self) -> list[str]:
        shown = [c for kind, c in self.messages if kind in {"display_data", "execute_result", "update_display_data"}]
        return [c["data"]["text/plain"] for c in shown if "text/plain" in c["data"]]


Once: TypeAlias = Callable[[Ran], object]


def was_busy(ran: Ran) -> bool:
    """Whether the kernel has started the cell."""
    return ("status", {"execution_state": "busy"}) in ran.messages


def has_shown(count: int) -> Once:
    """Whether a cell has shown at least that many outputs: progress, or that nothing has been shown for a while."""
    return lambda ran: len(ran.contents("display_data")) + len(ran.contents("update_display_data")) >= count


def has_trained(ran: Ran) -> bool:
    """Whether a cell has shown the speed of a training run, thus has finished a batch."""
    return re.search(r"[1-9][0-9,]* samples/s", " ".join(ran.texts)) is not None


class Client:
    """A front end."""

    def __init__(self, manager: KernelManager, client: BlockingKernelClient) -> None:
        self.manager = manager
        self.client = client

    def run(self, code: str, *, interrupt_after: float | None = None, once: Once = was_busy, **options: Any) -> Ran:
        """Run a cell until idle; interrupt it ``interrupt_after`` seconds after ``once`` holds of its messages."""
        return self.collect(self.client.execute(code, **options), interrupt_after=interrupt_after, once=once)

    def collect(self, request: str, *, interrupt_after: float | None = None, once: Once = was_busy) -> Ran:
        ran = Ran()
        begun = interrupted = None
        worked = 0.0
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            now = time.monotonic()
            if begun is None and once(ran):
                begun = now
            if interrupt_after is not None and interrupted is None and begun is not None and now - begun >= interrupt_after:
                worked, interrupted = self.worked(), time.monotonic()
                self.manager.interrupt_kernel()
            try:
                message = self.client.get_iopub_msg(timeout=0.01)
            except Empty:
                continue
            if message["parent_header"].get("msg_id") != request:
                continue
            ran.add(message["msg_type"], message["content"])
            if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
                if interrupted is not None:
                    ran.idle_after_interrupt = time.monotonic() - interrupted
                    ran.work_after_interrupt = self.worked() - worked
                ran.reply = self.reply(request)
                return ran
        raise AssertionError(f"no idle after {PATIENCE} s: {ran.messages}")

    def worked(self) -> float:
        """CPU seconds used by the kernel in all its threads."""
        assert isinstance(self.manager.provisioner, LocalProvisioner)
        times = psutil.Process(self.manager.provisioner.pid).cpu_times()
        return times.user + times.system

    def reply(self, request: str) -> dict[str, Any]:
        """The reply on the shell channel."""
        while True:
            message = self.client.get_shell_msg(timeout=PATIENCE)
            if message["parent_header"].get("msg_id") == request:
                return message["content"]

    def ask(self, name: str, **content: Any) -> dict[str, Any]:
        """Send a request other than ``execute`` and return the reply."""
        message = self.client.session.msg(name, content)
        self.client.shell_channel.send(message)
        return self.reply(message["header"]["msg_id"])


class Start(Protocol):
    """Starts a kernel and waits until it answers; ``measured`` selects whether it is measured for coverage."""

    def __call__(self, *, measured: bool = True) -> Client: ...


def unmeasured() -> dict[str, str]:
    """The environment of a process that is interrupted: an exception from a signal may strike while coverage holds a lock."""
    return {name: value for name, value in os.environ.items() if not name.startswith("COV")}


@pytest.fixture(scope="session")
def jupyter_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Jupyter path in which the kernel is installed."""
    prefix = tmp_path_factory.mktemp("prefix")
    install(prefix=str(prefix))
    return prefix / "share" / "jupyter"


@pytest.fixture(scope="session")
def start(jupyter_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Start]:
    """Starts kernels, and stops those that are still running at the end."""
    started: list[Client] = []
    folder = tmp_path_factory.mktemp("notebooks")

    def start(*, measured: bool = True) -> Client:
        environment = dict(os.environ) if measured else unmeasured()
        specs = KernelSpecManager(kernel_dirs=[str(jupyter_path / "kernels")])
        manager = KernelManager(kernel_name="rh", kernel_spec_manager=specs)
        manager.start_kernel(cwd=str(folder), env={**environment, "IPYTHONDIR": str(folder / ".ipython")})
        client = manager.client()
        # Not the heartbeat: if another process took its port, its thread never ends, and neither does `stop_channels`.
        client.start_channels(hb=False)
        started.append(Client(manager, client))
        client.wait_for_ready(timeout=PATIENCE)
        return started[-1]

    yield start
    for client in started:
        client.client.stop_channels()
        if client.manager.has_kernel:
            client.manager.shutdown_kernel(now=True)
        client.manager.cleanup_resources()


@pytest.fixture(scope="session")
def running(start: Start) -> Client:
    """The kernel shared by most tests; they use names of their own."""
    return start()
