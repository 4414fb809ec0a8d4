"""For how long programs are made up, and from which seed.

``RH_FUZZ`` is the number of seconds for all of these tests together. The seed is another one at each run, and is told when a
test fails: ``RH_FUZZ_SEED`` tries it again. In CI it is always the same one.
"""

import math
import os
import signal
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import FrameType
from typing import TypeVar

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from tests.tiers import RUNS_SLOW_TESTS

IN_CI = bool(os.environ.get("CI"))
SECONDS = float(os.environ.get("RH_FUZZ", "40" if RUNS_SLOW_TESTS else "6"))
SHARES = 20
"""The tests divide the time into so many parts, and take one or more of them each."""
SEED = int(os.environ.get("RH_FUZZ_SEED", "0" if IN_CI else str(time.time_ns() // 1_000_000 % 1_000_000_000)))
ROUND = 20
"""Examples from one seed; the next seed is the next number."""
ROUNDS = (80 if RUNS_SLOW_TESTS else 8) if IN_CI and "RH_FUZZ" not in os.environ else math.inf
"""So that a fast machine tries in CI nothing that has not been tried before."""

PHASES = (Phase.generate, Phase.shrink)
"""Not ``explain``: it traces every line, and then ``within`` reports programs that are slow only because of that."""

UNWORRIED = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example, HealthCheck.filter_too_much)

Made = TypeVar("Made")


class Hung(Exception):
    """Something took longer than it may."""


def tried(made: st.SearchStrategy[Made], check: Callable[[Made], None], shares: int) -> int:
    """Give ``check`` what is made up until so many shares of the time are over; how many rounds that were."""
    end, rounds = time.monotonic() + SECONDS * shares / SHARES, 0
    while rounds == 0 or (rounds < ROUNDS and time.monotonic() < end):
        chosen = settings(max_examples=ROUND, phases=PHASES, database=None, deadline=None, suppress_health_check=UNWORRIED)
        try:
            seed(SEED + rounds)(chosen(given(made)(check)))()
        except Exception as failure:
            failure.add_note(f"Try it again with RH_FUZZ_SEED={SEED + rounds}")
            raise
        rounds += 1
    return rounds


@contextmanager
def within(seconds: float, what: str) -> Generator[None]:
    """Raises ``Hung`` inside once this process has computed for so long; time spent waiting for others is not counted."""

    def over(_signal: int, _frame: FrameType | None) -> None:
        raise Hung(f"{what} took more than {seconds} s")

    before = signal.signal(signal.SIGVTALRM, over)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
