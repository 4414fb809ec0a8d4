"""The kernel provisioner ``rh-preloaded``: kernels are forked from a process that has imported everything.

A kernelspec asks for it by ``"metadata": {"kernel_provisioner": {"provisioner_name": "rh-preloaded"}}``, which ``rh install
--preloaded`` writes. Only the kernels of one Jupyter server are forked from the same process.
"""

import asyncio
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from subprocess import DEVNULL
from typing import Any

from jupyter_client.connect import KernelConnectionInfo
from jupyter_client.provisioning.local_provisioner import LocalProvisioner

from rh_kernel.kernel.preloading.connection import SERVERS, ForkedProcess

KERNEL = ("-m", "rh_kernel.kernel")
KNOWN = frozenset({"cwd", "env", "extra_arguments", "kernel_id", "stderr", "stdin", "stdout"})
"""The options of a launch that a forked process can have."""


class PreloadingProvisioner(LocalProvisioner):
    """Forks kernels on Linux. Where that is not possible, or options ask for more, it starts a process as usual."""

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> KernelConnectionInfo:
        """Start the kernel and return how to connect to it."""
        forked = await asyncio.to_thread(_forked, cmd, kwargs)
        if forked is None:
            self.log.info("This kernel is not forked, but started as usual.")
            return await super().launch_kernel(cmd, **kwargs)
        self.process: Any = forked
        self.pid = self.pgid = forked.pid
        self.cwd = kwargs.get("cwd", Path.cwd())
        return self.connection_info


def _forked(command: Sequence[str], options: dict[str, Any]) -> ForkedProcess | None:
    """Return the process, or None if it cannot be forked."""
    given = {name: value for name, value in options.items() if value not in (None, False)}
    if sys.platform != "linux" or tuple(command[1:3]) != KERNEL or not given.keys() <= KNOWN:
        return None
    environment = given.get("env", os.environ)
    folder = str(Path(given.get("cwd", "")).absolute())
    with Path(os.devnull).open("r+b", buffering=0) as nowhere:
        streams = list[int]()
        for number, name in enumerate(("stdin", "stdout", "stderr")):
            stream = _descriptor(given.get(name), number, nowhere.fileno())
            if stream is None:
                return None
            streams.append(stream)
        return SERVERS.fork(command[0], command[3:], environment, folder, streams)


def _descriptor(stream: Any, number: int, nowhere: int) -> int | None:
    """Return the file descriptor that an option of ``subprocess.Popen`` means; None for a pipe."""
    match stream:
        case None:
            return number or nowhere
        case int() if stream == DEVNULL:
            return nowhere
        case int():
            return stream if stream >= 0 else None
        case _:
            return stream.fileno()
