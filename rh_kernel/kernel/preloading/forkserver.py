"""``python -m rh_kernel.kernel.preloading.forkserver FD``: import the kernel once, and fork a process for each one wanted.

FD is the number of a socket to the Jupyter server. A request is a byte with four file descriptors: a file with the request as
JSON, and the standard streams of the kernel. The answer is the process id of the kernel, with a file descriptor of the process
(``pidfd_open(2)``), which is readable when the process has ended and cannot come to mean another one. When the Jupyter server
ends, so does the connection, then this process, and then its kernels, which look after their parent.
"""

import gc
import json
import os
import pkgutil
import select
import signal
import socket
import sys
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from rh_kernel.source.records import frozen

KERNEL = "rh_kernel.kernel.__main__"
PACKAGES = ("rh_kernel.denotational", "rh_kernel.operational", "rh_kernel.session", "rh_kernel.training", "rh_kernel.display")
"""All modules of these packages are imported. What the others have is imported with them, or is seldom used."""
MODULES = (
    *("rh_kernel.arrays.numpy_backend.backend", "rh_kernel.arrays.prebuilt.backend", "rh_kernel.arrays.native.accelerated"),
    *("anywidget.widget", "graphviz", "numpy.random", "IPython.core.completerlib", "IPython.core.debugger"),
)
PARENT = "JPY_PARENT_PID"
STREAMS = 3


@frozen
class Request:
    """A kernel that is wanted: the arguments after ``-m rh_kernel.kernel``, its whole environment, and its folder."""

    arguments: Sequence[str]
    environment: Mapping[str, str]
    folder: str


def main() -> None:
    """Serve until the connection ends; in the process of a kernel, be that kernel."""
    if not sys.warnoptions:
        warnings.simplefilter("ignore")
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # ipykernel reads this when it is imported: a kernel ends when this process has ended.
    os.environ[PARENT] = str(os.getpid())
    # What is garbage now would be copied into each kernel when its collector finds it.
    gc.disable()
    preload()
    gc.collect()
    gc.freeze()
    wanted = serve(socket.socket(fileno=int(sys.argv[1])))
    if wanted is not None:
        become(wanted)
        kernel: Any = sys.modules[KERNEL]
        sys.modules["__main__"] = kernel
        kernel.main()


def preload() -> None:
    """Import what a kernel needs for its start and for the cells of the lessons. Modules of missing libraries are left out."""
    import_module(KERNEL)
    for name in (*MODULES, *_modules_of_packages()):
        try:
            import_module(name)
        except ImportError:
            continue


def _modules_of_packages() -> Iterator[str]:
    for package in PACKAGES:
        for found in pkgutil.walk_packages(import_module(package).__path__, f"{package}."):
            yield found.name


def serve(connection: socket.socket) -> Request | None:
    """Fork a process for each request. Returns the request in the new process, and None here when the connection has ended."""
    kernels = dict[int, int]()
    poll = select.poll()
    poll.register(connection, select.POLLIN)
    while True:
        for ready, _ in poll.poll():
            if ready in kernels:
                poll.unregister(ready)
                os.close(ready)
                os.waitpid(kernels.pop(ready), 0)
                continue
            sent, descriptors, _, _ = socket.recv_fds(connection, 1, 1 + STREAMS, socket.MSG_CMSG_CLOEXEC)
            if not sent:
                return None
            request = _read(descriptors[0])
            pid = os.fork()
            if pid == 0:
                connection.close()
                for inherited in (*kernels, descriptors[0]):
                    os.close(inherited)
                for number, descriptor in enumerate(descriptors[1:]):
                    os.dup2(descriptor, number)
                    os.close(descriptor)
                return request
            for descriptor in descriptors:
                os.close(descriptor)
            # The process cannot have been reaped: only this one can do that.
            kernel = os.pidfd_open(pid)
            kernels[kernel] = pid
            poll.register(kernel, select.POLLIN)
            socket.send_fds(connection, [str(pid).encode()], [kernel])


def _read(descriptor: int) -> Request:
    with open(descriptor, encoding="utf-8", closefd=False) as file:
        return Request(**json.load(file))


def become(request: Request) -> None:
    """Give this process all that a process started by itself would have: session, signals, environment, folder, randomness."""
    os.setsid()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    gc.enable()
    os.environ.clear()
    os.environ.update(request.environment)
    os.environ[PARENT] = str(os.getppid())
    time.tzset()
    os.chdir(request.folder)
    if not os.environ.get("PYTHONSAFEPATH"):
        sys.path.insert(0, str(Path.cwd()))
    sys.argv = [str(sys.modules[KERNEL].__file__), *request.arguments]
    # Python's own generator is seeded at a fork, NumPy's is not: without this all kernels would draw the same numbers.
    import numpy as np

    np.random.seed()  # noqa: NPY002


if __name__ == "__main__":
    main()
