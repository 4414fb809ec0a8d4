"""Cases with more than one thread: each peer has a process, which waits while it is not its turn."""

import pytest

from tests.benchmarks.cases import Case, measure
from tests.benchmarks.peers import everyone as e
from tests.benchmarks.process import Broken, alone
from tests.benchmarks.rounds import Pace

SMALL = "mlp-2-3-1/b1"


def test_peers_with_two_threads_take_turns_in_processes_of_their_own() -> None:
    (measured,) = measure([Case(SMALL, threads=2)], Pace(3), (e.OURS, e.LAYER))
    ours, layer = measured.rows
    assert (ours.peer, len(ours.samples)) == (e.OURS, 3)
    assert min(ours.samples) > 0
    assert layer.why
    assert not layer.samples


def test_a_process_that_ends_badly_says_why() -> None:
    with pytest.raises(Broken, match="not enough values to unpack"), alone(SMALL, "float64", "nobody", threads=2):
        pass
