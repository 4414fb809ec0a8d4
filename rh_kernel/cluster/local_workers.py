"""A scheduler and workers on this machine, in processes that end with the kernel however it ends.

``LocalWorkers`` starts this module as a program, which starts the others, in a process group of its own: the interrupts of the
kernel do not reach it. It ends them all when its standard input is closed or the kernel is no longer its parent. So a kernel
that is killed leaves no process, not even a worker that is stopped.
"""

import asyncio
import contextlib
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
from typing import IO, Any
from weakref import finalize

LOOK = 0.2
"""Seconds between two looks at whether the kernel is there."""

ABSENT = 10
"""Looks in a row without a process of a worker after which its nanny is replaced; one that was killed is back at the second."""

_KEYS = ("tls_ca_file", "tls_client_cert", "tls_client_key")

GRACE = 2.0
"""Seconds that workers have to end by themselves."""


class LocalWorkers:
    """The processes. They end when this object is closed, dropped or its process ends."""

    def __init__(self, workers: int) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115
        command = [sys.executable, "-m", __spec__.name, f"{workers}"]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, start_new_session=True
        )
        self._end = finalize(self, _end, self._process, self._errors, os.getpid())

    @property
    def pid(self) -> int:
        """The process that started the others, and the number of their group."""
        return self._process.pid

    def scheduler(self, seconds: float) -> tuple[str, Any] | None:
        """Return the address of the scheduler, and the keys to it, if it is ready within so many seconds.

        Raises ``OSError`` if it cannot start.
        """
        out: Any = self._process.stdout
        ready, _, _ = select.select([out], [], [], seconds)
        if not ready:
            return None
        line = out.readline()
        if not line:
            self._errors.seek(0)
            errors = self._errors.read().decode(errors="replace").strip().splitlines()
            raise OSError(errors[-1] if errors else "it ended without a word")
        from distributed.security import Security

        said = json.loads(line)
        return said["scheduler"], Security(require_encryption=True, **said["security"])

    def close(self) -> None:
        """End the processes, and wait for it."""
        self._end()


def _end(process: "subprocess.Popen[bytes]", errors: IO[bytes], owner: int) -> None:
    if os.getpid() != owner:
        # A copy of the kernel by `fork` ends; the kernel itself goes on.
        return
    for pipe in (process.stdin, process.stdout, errors):
        if pipe is not None:
            pipe.close()
    try:
        process.wait(GRACE + 1)
    except subprocess.TimeoutExpired:
        pass
    finally:
        _kill_group(process.pid)
        process.wait()


def _kill_group(group: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


async def _main(workers: int) -> None:
    """Start a scheduler and workers, print where it is, and end when the kernel does."""
    from distributed import Scheduler
    from distributed.security import Security

    # Without it, any user of this machine could have the workers run their code.
    security = Security.temporary()
    parent = os.getppid()
    scratch = tempfile.mkdtemp(prefix="rh-cluster-")
    try:
        scheduler = await Scheduler(
            host="127.0.0.1", port=0, protocol="tls://", security=security, dashboard_address="127.0.0.1:0"
        )
        keepers = [asyncio.create_task(_keep(scheduler.address, name, workers, scratch, security)) for name in range(workers)]
        told = False
        while os.getppid() == parent:
            if not told and len(scheduler.workers) == workers:
                told = True
                keys = {name: getattr(security, name) for name in _KEYS}
                sys.stdout.write(json.dumps({"scheduler": scheduler.address, "security": keys}) + "\n")
                sys.stdout.flush()
            ready, _, _ = select.select([sys.stdin], [], [], 0)
            if ready and not os.read(sys.stdin.fileno(), 1):
                break
            await asyncio.sleep(LOOK)
        for keeper in keepers:
            keeper.cancel()
        await asyncio.wait(keepers, timeout=GRACE)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
        # This process is one of the group.
        _kill_group(os.getpgrp())


async def _keep(scheduler: str, name: int, workers: int, scratch: str, security: Any) -> None:
    """Have a worker of this name until cancelled: its nanny restarts it, and is replaced if that fails."""
    from distributed import Nanny
    from distributed.system import MEMORY_LIMIT

    while True:
        nanny = Nanny(
            scheduler,
            nthreads=1,
            name=name,
            host="127.0.0.1",
            memory_limit=f"{MEMORY_LIMIT // workers}B",
            local_directory=scratch,
            security=security,
        )
        try:
            await nanny
            absent = 0
            while absent < ABSENT and nanny.status.name not in {"closing", "closed", "failed"}:
                await asyncio.sleep(LOOK)
                absent = 0 if nanny.is_alive() else absent + 1
        except Exception:
            await asyncio.sleep(LOOK)
        finally:
            with contextlib.suppress(Exception):
                await nanny.close(timeout=GRACE / 2)


if __name__ == "__main__":
    asyncio.run(_main(int(sys.argv[1])))
