"""Whole processes: how long they take, how much memory they have, and the environment that keeps them to so many threads."""

import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from threading import Timer
from types import MappingProxyType
from typing import Any, TextIO

from rh_kernel.source.records import frozen

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


RESTRICTED: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "avx2": {
            "RH_ISA": "avx2",
            "OPENBLAS_CORETYPE": "Haswell",
            "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512F AVX512CD AVX512_SKX AVX512_ICL AVX512_SPR",
            "ATEN_CPU_CAPABILITY": "avx2",
            "ONEDNN_MAX_CPU_ISA": "AVX2",
            "MKL_ENABLE_INSTRUCTIONS": "AVX2",
        }
    }
)
"""The variables that keep this package, OpenBLAS, NumPy, PyTorch, oneDNN and MKL to a narrower instruction set.

MKL heeds its variable on Intel's processors alone. NumPy ignores features that it does not know.
"""
XLA_RESTRICTED: Mapping[str, str] = MappingProxyType({"avx2": "--xla_cpu_max_isa=AVX2"})


def environment(threads: int, instructions: str | None = None) -> dict[str, str]:
    """The variables that every library reads before it makes its threads, and before it chooses its instruction set.

    Without ``instructions`` each of them uses what the processor has.
    """
    few = str(threads)
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS", "RH_THREADS")
    flags = ["--xla_cpu_multi_thread_eigen=false", "intra_op_parallelism_threads=1"] if threads == 1 else []
    restricted = {} if instructions is None else RESTRICTED[instructions]
    flags += [] if instructions is None else [XLA_RESTRICTED[instructions]]
    return {
        **os.environ,
        **dict.fromkeys(names, few),
        **restricted,
        "XLA_FLAGS": " ".join(flags),
        "JAX_PLATFORMS": "cpu",
        "PYTHONPATH": str(PLACE),
    }


def python(
    *arguments: str,
    threads: int = 1,
    instructions: str | None = None,
    folder: Path = PLACE,
    timeout: float = 600,
    variables: Mapping[str, str] = EMPTY,
) -> Ended:
    """A Python process with those arguments; with one thread it is kept to one core. Raises ``Broken`` if it fails."""
    with TemporaryFile("w+") as diagnostics:
        began = time.perf_counter()
        process = _started(arguments, threads, instructions, diagnostics, folder, variables)
        ended = _ended(process, began, timeout)
        if process.returncode:
            raise Broken(_last_words(arguments, process.returncode, diagnostics))
        return ended


def _started(
    arguments: Sequence[str],
    threads: int,
    instructions: str | None,
    diagnostics: TextIO,
    folder: Path = PLACE,
    variables: Mapping[str, str] = EMPTY,
) -> "subprocess.Popen[str]":
    """A Python process that has begun; with one thread it is kept to one core."""
    kept = os.sched_getaffinity(0)
    if threads == 1:
        os.sched_setaffinity(0, {max(kept)})
    try:
        return subprocess.Popen(
            [sys.executable, *arguments],
            cwd=folder,
            env={**environment(threads, instructions), **variables},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=diagnostics,
            text=True,
        )
    finally:
        os.sched_setaffinity(0, kept)


def _last_words(arguments: Sequence[str], code: int, diagnostics: TextIO) -> str:
    diagnostics.seek(0)
    return f"{' '.join(arguments)} ended with {code}:\n{diagnostics.read().strip()[-2000:]}"


@frozen
class Alone:
    """A peer in a process of its own: what the process said first, and what takes one more sample, in seconds a step."""

    row: Mapping[str, Any]
    sample: Callable[[], float]


@contextmanager
def alone(*arguments: str, threads: int, instructions: str | None = None) -> Generator[Alone]:
    """A peer's process, which is stopped while others have their turns, so that its threads cannot spin.

    It ends with the context. Raises ``Broken`` if it ends before.
    """
    words = ("-m", "tests.benchmarks.child", "alone", *arguments)
    with TemporaryFile("w+") as diagnostics:
        process = _started(words, threads, instructions, diagnostics)
        late = Timer(900, process.kill)
        late.start()
        assert process.stdin is not None
        assert process.stdout is not None
        asked, told = process.stdin, process.stdout

        def line() -> str:
            found = told.readline()
            if not found:
                raise Broken(_last_words(words, process.wait(), diagnostics))
            process.send_signal(signal.SIGSTOP)
            return found

        def sample() -> float:
            process.send_signal(signal.SIGCONT)
            asked.write("\n")
            asked.flush()
            return float(line())

        try:
            yield Alone(json.loads(line()), sample)
        finally:
            late.cancel()
            process.kill()
            process.communicate()


def child(*arguments: str, threads: int = 1, instructions: str | None = None, variables: Mapping[str, str] = EMPTY) -> Any:
    """What a process of ``tests.benchmarks.child`` says. Raises ``Broken``."""
    words = ("-m", "tests.benchmarks.child", *arguments)
    ended = python(*words, threads=threads, instructions=instructions, timeout=900, variables=variables)
    return json.loads(ended.output.splitlines()[-1])


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
