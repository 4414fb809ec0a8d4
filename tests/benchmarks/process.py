"""Whole processes: how long they take, how much memory they have, and the environment that keeps them to so many threads."""

import os
import resource
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from threading import Timer
from types import MappingProxyType

PLACE = Path(__file__).parents[2]
EMPTY: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Ended:
    """A process that has ended: seconds from start to end by the clock, those of the processor, and what it wrote"""

    seconds: float
    busy: float
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


def python(
    *arguments: str, threads: int = 1, folder: Path = PLACE, timeout: float = 600, variables: Mapping[str, str] = EMPTY
) -> Ended:
    """A Python process with those arguments; with one thread it is kept to one core. Raises ``Broken`` if it fails."""
    kept = os.sched_getaffinity(0)
    if threads == 1:
        os.sched_setaffinity(0, {max(kept)})
    with TemporaryFile("w+") as diagnostics:
        began = time.perf_counter()
        try:
            command = [sys.executable, *arguments]
            child = subprocess.Popen(
                command,
                cwd=folder,
                env={**environment(threads), **variables},
                stdout=subprocess.PIPE,
                stderr=diagnostics,
                text=True,
            )
        finally:
            os.sched_setaffinity(0, kept)
        ended = _ended(child, began, timeout)
        if child.returncode:
            diagnostics.seek(0)
            raise Broken(f"{' '.join(arguments)} ended with {child.returncode}:\n{diagnostics.read().strip()[-2000:]}")
        return ended


def busy(whose: int) -> float:
    """Seconds of the processor, of this process or of those that it started and that have ended."""
    usage = resource.getrusage(whose)
    return usage.ru_utime + usage.ru_stime


def megabytes(*arguments: str, folder: Path = PLACE, variables: Mapping[str, str] = EMPTY) -> tuple[float, float]:
    """The most memory that ``python -m`` with those arguments has at any time, and what it has when all is done."""
    *_, most, end = python("-c", WATCHED, *arguments, folder=folder, variables=variables).output.split()
    return float(most), float(end)


WATCHED = """
import runpy, sys
sys.argv = sys.argv[1:]
try:
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
except SystemExit as end:
    if end.code:
        raise
with open("/proc/self/status") as status:
    told = dict(line.split(":") for line in status)
print(*[int(told[name].split()[0]) / 1024 for name in ("VmHWM", "VmRSS")])
"""
"""A process that runs a module and tells its memory: what the system tells of a child begins with the memory of its parent."""


def _ended(child: "subprocess.Popen[str]", began: float, timeout: float) -> Ended:
    """The end of a process, or its death after ``timeout`` seconds."""
    late = Timer(timeout, child.kill)
    late.start()
    before = busy(resource.RUSAGE_CHILDREN)
    try:
        output, _ = child.communicate()
        return Ended(time.perf_counter() - began, busy(resource.RUSAGE_CHILDREN) - before, output)
    finally:
        late.cancel()
        child.kill()
