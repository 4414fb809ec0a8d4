"""A million operations (§6.1): every one is handled, and what waits meanwhile is what the mode says, not the machine's.

Deep recursion of the interpreter is not to be had here: so few calls are allowed that a machine which called itself for what
waits would stop at once.
"""

import sys
from collections.abc import Iterator

import pytest

from rh_kernel.ad.eff import core
from rh_kernel.ad.eff.machine.counting import Counts
from rh_kernel.ad.eff.machine.running import run
from tests.ad.handlers.programs import computation, library

CALLS = 200
"""The number of nested calls allowed beyond those at the start of a test."""


@pytest.fixture(autouse=True)
def shallow() -> Iterator[None]:
    before = sys.getrecursionlimit()
    depth = 0
    frame = sys._getframe()
    while frame.f_back is not None:
        depth, frame = depth + 1, frame.f_back
    sys.setrecursionlimit(depth + CALLS)
    yield
    sys.setrecursionlimit(before)


def counted(text: str) -> tuple[float, Counts]:
    found = run(computation(text), library(), counting=True)
    assert isinstance(found.value, core.Literal)
    assert isinstance(found.value.value, float)
    assert found.counts is not None
    return found.value.value, found.counts


@pytest.mark.slow
def test_evaluated() -> None:
    """Nothing waits, and nothing is kept."""
    value, counts = counted("handle taylor 200000 0.5 with evaluate")
    assert value == pytest.approx(2.0)
    assert counts.handled_by("evaluate") == 1_000_002
    assert counts.cells == 0
    assert counts.frames < 10


@pytest.mark.slow
def test_forward() -> None:
    """``22 n + 5`` operations; nothing waits, and nothing is kept."""
    n = 45_500
    value, counts = counted(f"handle d {{x -> taylor {n} x}} 0.5 with evaluate")
    assert value == pytest.approx(-4.0)
    assert counts.handled_by("evaluate") == 22 * n + 5 > 1_000_000
    assert counts.handled_by("diff") == 5 * n + 2
    assert counts.cells == 0
    assert counts.frames < 10


@pytest.mark.slow
def test_stateful() -> None:
    """``30 n + 6`` operations; cells for the ``5 n + 2`` of the program and its input, a frame for each but constants."""
    n = 33_400
    value, counts = counted(f"handle grad {{x -> taylor {n} x}} 0.5 with evaluate")
    assert value == pytest.approx(-4.0)
    assert counts.handled_by("evaluate") == 30 * n + 6 > 1_000_000
    assert counts.cells == counts.cells_alive == 5 * n + 3
    assert 4 * n <= counts.frames < 4 * n + 10
