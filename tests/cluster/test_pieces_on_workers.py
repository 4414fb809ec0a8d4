"""Pieces on real local workers: the same heap to the bit as in one process, whatever happens to the workers."""

import os
import signal
from collections.abc import Iterator

import numpy as np
import pytest

from rh_kernel.arrays.backends import by_name
from rh_kernel.arrays.options import CompileOptions
from rh_kernel.cluster.cluster import Cluster
from rh_kernel.source.diagnostic import Stuck
from rh_kernel.training.batches import Pool
from rh_kernel.training.events import Event, Progress
from rh_kernel.training.loop import train
from tests.cluster.runs import Heap, asked, calls, events, net, opened, remarks, result, same, signalled, wait_until, workers
from tests.training.programs import elaborated


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with opened() as found:
        yield found


@pytest.mark.slow
@pytest.mark.essential
@pytest.mark.parametrize("name", ["numpy_backend", "native"])
@pytest.mark.parametrize(
    ("size", "hidden", "batch", "pieces"), [(64, 8, 20, 1), (64, 8, 20, 3), (64, 8, 5, 7), (8000, 300, 3000, 2)]
)
def test_a_cluster_computes_the_same_digits(
    cluster: Cluster, name: str, size: int, hidden: int, batch: int, pieces: int
) -> None:
    """So do NumPy's matrix products, which depend on the number of threads."""
    try:
        backend = by_name(name)
    except LookupError:
        pytest.skip(f"{name} cannot be used on this machine")
    run = net(size, hidden, f"epochs 2 batch {batch} pieces {pieces} shuffle 0")
    found = [*events(run, cluster, backend=backend)]
    same(result(found), result([*events(run, backend=backend)]))
    assert not remarks(found)


@pytest.mark.slow
def test_single_precision_is_sent_as_it_is(cluster: Cluster) -> None:
    run = net(options="epochs 2 batch 20 pieces 3 shuffle 0")

    def after(pool: Pool | None) -> Heap:
        return result([*train(run.run, run.data, run.sets, run.weights(), precision="float32", pool=pool)])

    same(after(cluster.pool()), after(None))


@pytest.mark.slow
def test_a_failure_of_a_piece_is_the_one_that_this_process_has(cluster: Cluster) -> None:
    """The diagnostic of a point where a function is not smooth travels, with its span."""
    text = 'loc w : Real = zeros\ntrain let _ <= Put[w](relu(x)) in return x for x in data("mine") batch 2 pieces 2'
    run = elaborated(text, {"mine": {"x": np.array([[1.0], [0.0]])}})

    def failure(pool: Pool | None) -> Stuck:
        with pytest.raises(Stuck) as stuck:
            result([*train(run.run, run.data, run.sets, run.weights(), options=CompileOptions(strict=True), pool=pool)])
        return stuck.value

    assert failure(cluster.pool()).diagnostics == failure(None).diagnostics


@pytest.mark.slow
def test_a_worker_that_is_killed_in_the_middle_of_a_step(cluster: Cluster) -> None:
    wait_until(lambda: len(workers(cluster)) == 2, "two workers")
    run = net(24_000, 600, "epochs 2 batch 12000 pieces 2")
    with signalled(workers(cluster)[0], signal.SIGKILL, cluster):
        found = [*events(run, cluster)]
    same(result(found), result([*events(run)]))
    (said,) = remarks(found)
    assert "is gone" in said
    assert said.endswith("what it was doing is done again")


@pytest.mark.slow
def test_a_worker_that_is_killed_between_two_steps(cluster: Cluster) -> None:
    wait_until(lambda: len(workers(cluster)) == 2, "two workers")
    run = net(64, 8, "epochs 20 batch 16 pieces 2")
    found: list[Event] = []
    killed = False
    for event in events(run, cluster):
        found.append(event)
        if isinstance(event, Progress) and event.epoch >= 2 and not killed:
            killed = True
            os.kill(workers(cluster)[0], signal.SIGKILL)
    same(result(found), result([*events(run)]))
    assert killed
    wait_until(lambda: len(workers(cluster)) == 2, "the worker is replaced")


@pytest.mark.slow
def test_a_worker_that_hangs_is_replaced(cluster: Cluster) -> None:
    wait_until(lambda: len(workers(cluster)) == 2, "two workers")
    run = net(64, 8, "epochs 20 batch 16 pieces 2")
    found: list[Event] = []
    stopped = 0
    for event in events(run, cluster, limit=3):
        found.append(event)
        if isinstance(event, Progress) and event.epoch >= 2 and not stopped:
            stopped = workers(cluster)[0]
            os.kill(stopped, signal.SIGSTOP)
    same(result(found), result([*events(run)]))
    assert any("gave no answer for 3 s" in text for text in remarks(found))
    wait_until(lambda: stopped not in workers(cluster) and len(workers(cluster)) == 2, "the worker is replaced")


@pytest.mark.slow
def test_an_interrupt_leaves_nothing_running_on_the_workers(cluster: Cluster) -> None:
    wait_until(lambda: len(workers(cluster)) == 2, "two workers")
    run = net(200_000, 1200, "epochs 2 batch 100000 pieces 2")
    with signalled(os.getpid(), signal.SIGINT, cluster), pytest.raises(KeyboardInterrupt):
        for _ in events(run, cluster):
            pass
    wait_until(lambda: {*asked(cluster, calls).values()} == {0}, "nothing runs on the workers")
