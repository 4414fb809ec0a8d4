"""A Jupyter server for a class, the processes that belong to it, and what memory and processor time they take."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.error import URLError
from urllib.request import urlopen

import psutil

from rh_kernel.kernel.install import install

TOKEN = "for-this-measurement-alone"
PATIENCE = 60.0
"""Seconds within which a server answers."""


@dataclass(frozen=True, slots=True)
class Server:
    """A JupyterLab server: its address, and its process."""

    url: str
    process: psutil.Process

    def preloader(self) -> psutil.Process | None:
        """The process from which kernels are forked, if it has one."""
        found = [child for child in self.process.children() if _is_preloader(child)]
        return found[0] if found else None

    def kernels(self) -> list[psutil.Process]:
        """The processes of the kernels."""
        preloader = self.preloader()
        forked = [] if preloader is None else preloader.children()
        return [child for child in self.process.children() if child != preloader] + forked

    def processor(self) -> float:
        """Seconds of processor time of the server and of all that it has started and that still runs."""
        processes = [self.process, *self.process.children(recursive=True)]
        return sum(times.user + times.system for times in [process.cpu_times() for process in processes])


def _is_preloader(process: psutil.Process) -> bool:
    return any("rh_kernel.kernel.preloading" in word for word in process.cmdline())


def megabytes(process: psutil.Process) -> float:
    """The memory of a process in which a page that n processes share counts as 1/n (PSS), in MB. Linux."""
    for line in Path(f"/proc/{process.pid}/smaps_rollup").read_text(encoding="ascii").splitlines():
        name, _, amount = line.partition(":")
        if name == "Pss":
            return int(amount.split()[0]) * 1024 / 1e6
    raise AssertionError(f"the system tells nothing about the memory of {process}")


@contextmanager
def serving(*, preloaded: bool) -> Generator[Server]:
    """A server with an empty folder and nobody's settings; it ends with the context, and all kernels with it."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        install(prefix=str(folder / "prefix"), preloaded=preloaded)
        (folder / "work").mkdir()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        url = f"http://127.0.0.1:{port}"
        process = subprocess.Popen(
            [
                *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", f"--ServerApp.port={port}"),
                *(f"--IdentityProvider.token={TOKEN}", f"--ServerApp.root_dir={folder / 'work'}"),
                *("--ServerApp.port_retries=0", "--KernelSpecManager.ensure_native_kernel=False"),
            ],
            cwd=folder,
            env=_environment(folder),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            _wait_for(url, process)
            yield Server(url, psutil.Process(process.pid))
        finally:
            process.terminate()
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            shutil.rmtree(folder / "work", ignore_errors=True)


def _environment(folder: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("JUPYTER", "JPY", "COV"))}
    places = {
        **{f"JUPYTER_{kind}_DIR": str(folder / kind.lower()) for kind in ("CONFIG", "DATA", "RUNTIME")},
        "JUPYTER_PATH": str(folder / "prefix" / "share" / "jupyter"),
        "IPYTHONDIR": str(folder / "ipython"),
    }
    return {**kept, **places}


def _wait_for(url: str, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and process.poll() is None:
        try:
            with urlopen(f"{url}/api/status?token={TOKEN}", timeout=5) as answer:
                json.load(answer)
                return
        except (URLError, OSError):
            time.sleep(0.1)
    raise AssertionError("the Jupyter server did not start")
