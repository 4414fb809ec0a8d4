"""Sweeps on real local workers: the same numbers as in processes, also if a worker is killed; an interrupt leaves no call."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from rh_kernel.cluster.cluster import Address, Cluster
from rh_kernel.session.actions import Interrupted
from rh_kernel.session.results import ItemFailed, Notice, Shown, SweepDone
from rh_kernel.session.session import Session
from rh_kernel.session.sweeps.runs import SweepProgress
from tests.cluster.runs import asked, calls, opened, wait_until, workers
from tests.session.cells import codes, run
from tests.session.sweeps import ITEMS, by_hand, declared, job_of

pytestmark = pytest.mark.slow

SWEEP = f"sweep a in [0.1, 0.5], h in [2, 3], seed in 0..1\n{ITEMS}"


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with opened() as found:
        yield found


@pytest.fixture(scope="module")
def session(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Session:
    alone = declared(tmp_path_factory.mktemp("sweeps"))
    return replace(alone, settings=replace(alone.settings, cluster=cluster))


def test_a_cluster_gives_the_numbers_of_the_items_by_hand(session: Session) -> None:
    (done,), _ = run(session, SWEEP)
    assert isinstance(done, SweepDone)
    assert done.place == "2 workers of the cluster local 2"
    assert len(done.runs) == 8
    for each in done.runs:
        hand = by_hand(session, ITEMS, each.values)
        assert (each.measures, [value for _, value in each.results]) == (hand.measures, [value for _, value in hand.results])


def test_a_run_with_an_error_is_a_row_there_too(session: Session) -> None:
    (done,), _ = run(session, "sweep n in [1, 0.5]\n  loc w : Real(n) = ones\n  let x <= Get[w]() in return sum(x)")
    assert isinstance(done, SweepDone)
    assert [[d.code for d in each.failed][:1] for each in done.runs] == [[], ["RH118"]]


def test_a_killed_worker_loses_no_run(session: Session, cluster: Cluster) -> None:
    wait_until(lambda: len(workers(cluster)) == 2, "two workers")
    items = ITEMS.replace("epochs h", "epochs 4000")
    text = f"sweep a in [0.1], h in [2, 3], seed in 0..2\n{items}"
    _, action = job_of(session, text)
    results: list[object] = []
    killed = False
    for event in action.run(1, session.state):
        if isinstance(event, SweepProgress) and not killed and any(event.runs):
            os.kill(workers(cluster)[0], signal.SIGKILL)
            killed = True
        if isinstance(event, Shown):
            results.append(event.result)
    done, *notes = results
    assert isinstance(done, SweepDone)
    assert killed
    assert [dict(each.values)["seed"] for each in done.runs] == [0, 1, 2, 0, 1, 2]
    assert not any(each.failed for each in done.runs)
    assert all(isinstance(note, Notice) for note in notes)
    for each in done.runs[:2]:
        assert each.measures == by_hand(session, items, each.values).measures


def test_an_interrupt_takes_the_calls_back(session: Session, cluster: Cluster) -> None:
    wait_until(lambda: len(workers(cluster)) == 2, "two workers")
    items = ITEMS.replace("epochs h", "epochs e")
    _, action = job_of(session, f"sweep a in [0.1], h in [2], seed in [0], e in [1, 1000000000, 2]\n{items}")
    events = action.run(1, session.state)
    for event in events:
        if isinstance(event, SweepProgress) and sum(each is not None for each in event.runs) == 2:
            break
    shown = events.throw(KeyboardInterrupt())
    assert isinstance(shown, Shown)
    assert isinstance(shown.result, SweepDone)
    assert [dict(each.values)["e"] for each in shown.result.runs] == [1, 2]
    with pytest.raises(Interrupted):
        next(events)
    wait_until(lambda: set(asked(cluster, calls).values()) == {0}, "no call is running")
    wait_until(lambda: len(workers(cluster)) == 2, "the workers are there again")


def test_a_cluster_that_cannot_be_reached_is_an_error_of_the_sweep(tmp_path: Path) -> None:
    alone = declared(tmp_path)
    lost = replace(alone, settings=replace(alone.settings, cluster=Cluster(Address("tcp://127.0.0.1:9"))))
    found, after = run(lost, "sweep a in [1], b in [2]\n  a")
    assert after is lost
    (failed,) = found
    assert isinstance(failed, ItemFailed)
    assert codes(found) == ["RH352"]
    span = failed.diagnostics[0].span
    assert span is not None
    assert span.text == "a in [1], b in [2]"
