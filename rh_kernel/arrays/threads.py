"""How many threads this process may use, and a run of machine code in it."""

import os
from math import inf
from pathlib import Path

VARIABLE = "RH_THREADS"

_limit: list[float] = [inf]


def thread_count() -> int:
    """Return the number of threads of a run: as many as there are cores, or fewer by ``RH_THREADS`` or a limit."""
    asked = os.environ.get(VARIABLE, "")
    wanted = int(asked) if asked.isascii() and asked.isdigit() else inf
    return max(1, int(min(wanted, cores(), _limit[0])))


def limit_threads(count: int) -> None:
    """Let runs in this process use at most so many threads, for ever: it is one of several workers on a machine."""
    _limit[0] = count


def cores_of_machine() -> int:
    """Return how many cores the machine has, whether or not this process may use all of them."""
    return os.cpu_count() or 1


def cores() -> int:
    """Return how many cores this process may use: by its affinity, and by the quota of its control group."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text(encoding="ascii").split()
        return max(1, min(count, -(-int(quota) // int(period))))
    except (OSError, ValueError):
        return max(1, count)
