"""Measure on this machine whether a matrix product is faster by a generated kernel or by the BLAS that NumPy carries.

A product is measured once, in a few milliseconds, and the times are kept in the cache folder, so the same kernel is chosen, and
the same digits are computed, from then on. Without a cache folder, generated kernels are used, since the digits would otherwise
depend on a clock. ``RH_GEMM=own`` and ``RH_GEMM=blas`` choose without measuring.
"""

import json
import os
import platform
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from functools import cache
from math import inf
from pathlib import Path

from rh_kernel.arrays.native.blas import Blas
from rh_kernel.arrays.native.compile_cache import digest, folder, most_bytes, write_atomically
from rh_kernel.arrays.native.toolchain import Toolchain
from rh_kernel.loops.ir import Contract, Precision
from rh_kernel.source.records import frozen

VARIABLE = "RH_GEMM"

MARGIN = 1.03
"""How many times as fast the BLAS has to be to be called."""

ROUNDS, FEWER = 5, 3
"""How often the two kernels are measured in turn, the second if a run is ``LONG``; the fastest time of each counts."""

ROUND, LONG, LONGEST = 3e-4, 3e-3, 2e-2
"""Seconds that a kernel is run in a round, at least once; and of a run from which on ``FEWER`` rounds, or one, have to do."""


@frozen
class Times:
    """The seconds of a run by the generated kernel and by the BLAS"""

    own: float
    blas: float

    @property
    def favour_blas(self) -> bool:
        """Whether the BLAS is faster by more than the margin."""
        return self.own > MARGIN * self.blas


def forced() -> bool | None:
    """Return whether ``RH_GEMM`` asks for the BLAS, or ``None`` if it leaves the choice to measurements."""
    return {"own": False, "blas": True}.get(os.environ.get(VARIABLE, ""))


class MeasuredTimes:
    """The times of products on one machine, kept in a file of the cache folder that several processes may share."""

    def __init__(self, machine: str) -> None:
        self._name = f"products-{machine[:32]}.json"
        self._known: dict[str, Times] = {}

    def of(self, step: Contract, precision: Precision, measure: Callable[[], Times]) -> Times | None:
        """Return the times of a step, which are measured if they are not known; ``None`` if they cannot be kept."""
        key = _key(step, precision)
        if key not in self._known:
            self._known |= self.read()
        if key in self._known:
            return self._known[key]
        if not most_bytes():
            return None
        measured = measure()
        try:
            with self._locked():
                # What another process has measured in the meantime counts.
                self._known |= {key: measured, **self.read()}
                content = {name: [times.own, times.blas] for name, times in sorted(self._known.items())}
                write_atomically(json.dumps(content, indent=1).encode(), folder() / self._name)
        except OSError:
            self._known.pop(key, None)
            return None
        return self._known[key]

    def read(self) -> dict[str, Times]:
        """Return what the file has, nothing if it cannot be read."""
        try:
            found = json.loads((folder() / self._name).read_text(encoding="utf-8"))
            times = {str(key): Times(float(own), float(blas)) for key, (own, blas) in found.items()}
        except (OSError, ValueError, TypeError, AttributeError, ArithmeticError, RecursionError):
            return {}
        return {key: found for key, found in times.items() if 0 < found.own < inf and 0 < found.blas < inf}

    @contextmanager
    def _locked(self) -> Generator[None]:
        try:
            import fcntl
        except ImportError as missing:
            raise OSError(str(missing)) from missing
        with (folder() / "products.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            try:
                yield
            finally:
                # A process that was forked in the meantime has the file open, too.
                fcntl.flock(lock, fcntl.LOCK_UN)


@cache
def measured_times(found: Toolchain, blas: Blas) -> MeasuredTimes:
    """Return the times on this machine: for its processor, the compiler with its flags, and the BLAS."""
    parts = (*found.command, *found.flags, found.macros, blas.name, _processor())
    return MeasuredTimes(digest(*[part.encode() for part in parts]))


def _processor() -> str:
    with suppress(OSError, UnicodeDecodeError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line
    return platform.processor()


def compared(own: Callable[[], None], blas: Callable[[], None]) -> Times:
    """Measure two ways to do the same."""
    once = [_timed(own), _timed(blas)]
    if max(once) < LONGEST:
        # The first run touches the arrays for the first time.
        once = [_timed(own), _timed(blas)]
    if max(once) >= LONGEST:
        return Times(*once)
    counts = [max(1, int(ROUND / max(seconds, 1e-7))) for seconds in once]
    rounds = [
        [_timed(run, count) for run, count in zip((own, blas), counts, strict=True)]
        for _ in range(FEWER if max(once) > LONG else ROUNDS)
    ]
    first, second = [min(seconds) for seconds in zip(*rounds, strict=True)]
    return Times(first, second)


def _timed(run: Callable[[], None], count: int = 1) -> float:
    start = time.perf_counter()
    for _ in range(count):
        run()
    return (time.perf_counter() - start) / count


def _key(step: Contract, precision: Precision) -> str:
    views = (step.output, step.left, step.right)
    strides = " ".join([",".join(map(str, view.strides)) for view in views])
    return f"{precision} {'x'.join(map(str, step.extents))} {strides} {'+=' if step.accumulate else '='}"
