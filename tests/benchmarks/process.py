"""Whole processes: how long they take, how much memory they have, and the environment that keeps them to so many threads."""

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from threading import Timer

PLACE = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Ended:
    """A process that has ended: seconds from start to end, and what it wrote"""

    seconds: float
    output: str


class Broken(Exception):
    """A process ended badly; its last words."""


def environment(threads: int) -> dict[str, str]:
    """The variables that every library reads before it makes its threads."""
    few = str(threads)
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")
    single = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    return {
        **os.environ,
        **dict.fromkeys(names, few),
        "XLA_FLAGS": single if threads == 1 else "",
        "JAX_PLATFORMS": "cpu",
        "PYTHONPATH": str(PLACE),
    }


def python(*arguments: str, threads: int = 1, folder: Path = PLACE, timeout: float = 600) -> Ended:
    """A Python process with those arguments; with one thread it is kept to one core. Raises ``Broken`` if it fails."""
    kept = os.sched_getaffinity(0)
    if threads == 1:
        os.sched_setaffinity(0, {max(kept)})
    with TemporaryFile("w+") as complaints:
        began = time.perf_counter()
        try:
            command = [sys.executable, *arguments]
            child = subprocess.Popen(
                command, cwd=folder, env=environment(threads), stdout=subprocess.PIPE, stderr=complaints, text=True
            )
        finally:
            os.sched_setaffinity(0, kept)
        ended = _ended(child, began, timeout)
        if child.returncode:
            complaints.seek(0)
            raise Broken(f"{' '.join(arguments)} ended with {child.returncode}:\n{complaints.read().strip()[-2000:]}")
        return ended


def megabytes(*arguments: str, folder: Path = PLACE) -> float:
    """The most memory that ``python -m`` with those arguments has at any time."""
    return float(python("-c", WATCHED, *arguments, folder=folder).output.split()[-1])


WATCHED = """
import runpy, sys
sys.argv = sys.argv[1:]
try:
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
except SystemExit as end:
    if end.code:
        raise
with open("/proc/self/status") as status:
    print(next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmHWM:")))
"""
"""A process that runs a module and tells its memory: what the system tells of a child begins with the memory of its parent."""


def _ended(child: "subprocess.Popen[str]", began: float, timeout: float) -> Ended:
    """The end of a process, or its death after ``timeout`` seconds."""
    late = Timer(timeout, child.kill)
    late.start()
    try:
        output, _ = child.communicate()
        return Ended(time.perf_counter() - began, output)
    finally:
        late.cancel()
        child.kill()
