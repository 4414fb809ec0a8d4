"""The Jupyter server's side of a fork server: starting it, asking it for kernels, and the processes that it has forked."""

import atexit
import json
import os
import select
import signal
import socket
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Lock

FORKSERVER = "rh_kernel.kernel.preloading.forkserver"
IMPORTED_WITH = (
    "GOTO",
    "HOME",
    "LANG",
    "LC_",
    "LD_",
    "MKL_",
    "NPY_",
    "OMP_",
    "OPENBLAS_",
    "PYTHON",
    "RH_",
    "TZ",
    "VIRTUAL_ENV",
)
"""How the names of variables begin that Python and libraries read when they start or are imported."""

PATIENCE, END = 60.0, 5.0
"""Seconds that a fork server may take for an answer, and those that it has to end by itself before it is killed."""


class ForkedProcess:
    """A process that somebody else has forked, with that part of ``subprocess.Popen`` that a provisioner uses.

    Its return code is 0 whatever its status was, which only its parent is told.
    """

    stdin = stdout = stderr = None

    def __init__(self, pid: int, descriptor: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._descriptor = descriptor

    def poll(self) -> int | None:
        """Return 0 if the process has ended, otherwise None."""
        return self.wait(0)

    def wait(self, timeout: float | None = None) -> int | None:
        """Wait for its end, at most ``timeout`` seconds; return 0 if it has ended."""
        if self.returncode is None:
            poll = select.poll()
            poll.register(self._descriptor, select.POLLIN)
            if poll.poll(None if timeout is None else 1000 * timeout):
                os.close(self._descriptor)
                self.returncode = 0
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send it a signal, unless it has ended."""
        if self.poll() is None:
            signal.pidfd_send_signal(self._descriptor, number)

    def terminate(self) -> None:
        """Send SIGTERM."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """Send SIGKILL."""
        self.send_signal(signal.SIGKILL)


class ForkServer:
    """A process in which the kernel has been imported, for one Python and one choice of the variables ``IMPORTED_WITH``."""

    def __init__(self, python: str, environment: Mapping[str, str]) -> None:
        self._lock = Lock()
        self._connection, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        self._connection.settimeout(PATIENCE)
        number = theirs.fileno()
        with theirs:
            # Without -P, Python would import from the current folder of the first client.
            command = [str(Path(python).expanduser()), "-P", "-m", FORKSERVER, str(number)]
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, env=environment, pass_fds=(number,), start_new_session=True
            )

    def fork(
        self, arguments: Sequence[str], environment: Mapping[str, str], folder: str, streams: Sequence[int]
    ) -> ForkedProcess:
        """Return a new kernel. Raises ``OSError`` if the fork server does not answer."""
        with self._lock, os.fdopen(os.memfd_create("request"), "w+", encoding="utf-8") as request:
            json.dump({"arguments": [*arguments], "environment": {**environment}, "folder": folder}, request)
            request.flush()
            request.seek(0)
            socket.send_fds(self._connection, [b"+"], [request.fileno(), *streams])
            told, descriptors, _, _ = socket.recv_fds(self._connection, 32, 1, socket.MSG_CMSG_CLOEXEC)
        if not descriptors:
            raise ConnectionResetError("the fork server has ended")
        return ForkedProcess(int(told), descriptors[0])

    def close(self) -> None:
        """End it; kernels that it has forked end too."""
        self._connection.close()
        try:
            self._process.wait(END)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


class ForkServers:
    """The fork servers of this process."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._servers = dict[tuple[str, ...], ForkServer]()

    def fork(
        self, python: str, arguments: Sequence[str], environment: Mapping[str, str], folder: str, streams: Sequence[int]
    ) -> ForkedProcess | None:
        """Return a new kernel, or None if it cannot be forked and has to be started by itself."""
        imported = [f"{name}={value}" for name, value in sorted(environment.items()) if name.startswith(IMPORTED_WITH)]
        key = (python, *imported)
        try:
            with self._lock:
                if key not in self._servers:
                    self._servers[key] = ForkServer(python, environment)
                server = self._servers[key]
            return server.fork(arguments, environment, folder, streams)
        except (OSError, ValueError):
            with self._lock:
                broken = self._servers.pop(key, None)
            if broken is not None:
                broken.close()
            return None

    def close(self) -> None:
        """End all of them, and their kernels."""
        with self._lock:
            for server in self._servers.values():
                server.close()
            self._servers.clear()


SERVERS = ForkServers()
atexit.register(SERVERS.close)
