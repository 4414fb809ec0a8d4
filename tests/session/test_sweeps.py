"""Sweeps: each run is the items by themselves, wherever and in whatever order it runs, and the session stays as it was."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.session.actions import Interrupted
from rh_kernel.session.results import ItemFailed, Shown, SweepDone
from rh_kernel.session.session import Session
from rh_kernel.session.settings import Evaluator
from rh_kernel.session.sweeps import action as action_module
from rh_kernel.session.sweeps import choice
from rh_kernel.session.sweeps.executors import Executor, Pending, WorkerLost
from rh_kernel.session.sweeps.in_process import InProcess
from rh_kernel.session.sweeps.jobs import Job, combinations, packed, unpacked
from rh_kernel.session.sweeps.processes import Processes
from rh_kernel.session.sweeps.runs import SweepProgress, SweepRun
from rh_kernel.source.span import Source
from rh_kernel.syntax.parsing.parser import parse
from rh_kernel.syntax.surface_items import SweepItem
from tests.session.cells import codes, run
from tests.session.sweeps import ITEMS, NET, by_hand, declared, job_of, swept
from tests.tiers import law

SWEEP = f"sweep a in [0.1, 0.5], h in [2, 3], seed in 0..1\n{ITEMS}"
PATIENCE = 60


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Session:
    return declared(tmp_path_factory.mktemp("sweeps"))


def reported(one: SweepRun) -> tuple[object, object, object]:
    """What two runs must have in common, to the bit; the texts of results are not there by hand."""
    return one.values, one.measures, tuple([value for _, value in one.results])


def in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    def executor(job: Job, _: int) -> Executor:
        return InProcess(job)

    monkeypatch.setattr(action_module, "executor_for", executor)


# -- laws ----------------------------------------------------------------------------------------------------------------------


def test_each_run_is_the_items_by_hand_to_the_bit(session: Session) -> None:
    done, _ = swept(session, SWEEP)
    assert done.count == len(done.runs) == 8
    assert [dict(each.values) for each in done.runs[:3]] == [
        {"a": 0.1, "h": 2, "seed": 0},
        {"a": 0.1, "h": 2, "seed": 1},
        {"a": 0.1, "h": 3, "seed": 0},
    ]
    for each in done.runs:
        assert reported(each) == reported(by_hand(session, ITEMS, each.values))
        assert not each.failed


@given(
    a=st.lists(st.floats(0.01, 2.0), min_size=1, max_size=2),
    h=st.lists(st.integers(1, 4), min_size=1, max_size=2),
    seed=st.integers(0, 9),
)
@law(20)
def test_any_combination_is_the_items_by_hand_in_this_process(
    session: Session, monkeypatch: pytest.MonkeyPatch, a: list[float], h: list[int], seed: int
) -> None:
    in_process(monkeypatch)
    text = f"sweep a in {[float(f'{x:.6f}') for x in a]}, h in {h}, seed in {seed}..{seed}\n{ITEMS}"
    done, _ = swept(session, text)
    assert [reported(each) for each in done.runs] == [reported(by_hand(session, ITEMS, each.values)) for each in done.runs]


@pytest.mark.parametrize("cores", [1, 3])
def test_neither_place_nor_number_of_processes_changes_a_number(
    session: Session, monkeypatch: pytest.MonkeyPatch, cores: int
) -> None:
    monkeypatch.setattr(choice, "cores", lambda: cores)
    there, _ = swept(session, SWEEP)
    assert there.place == ("1 process" if cores == 1 else f"{cores} processes")
    in_process(monkeypatch)
    here, _ = swept(session, SWEEP)
    assert here.place == "this process"
    assert [reported(each) for each in there.runs] == [reported(each) for each in here.runs]


def test_a_run_in_this_process_goes_on_without_waiting(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    in_process(monkeypatch)
    slept: list[float] = []
    monkeypatch.setattr(action_module.time, "sleep", slept.append)
    done, _ = swept(session, f"sweep seed in 0..1, h in [200], a in [0.1]\n{ITEMS}")
    assert len(done.runs) == 2
    assert not slept


def test_the_order_of_the_values_changes_no_run(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    in_process(monkeypatch)
    there, _ = swept(session, f"sweep seed in [1, 0], h in [3, 2], a in [0.5, 0.1]\n{ITEMS}")
    here, _ = swept(session, SWEEP)
    found = {frozenset(each.values): reported(each) for each in there.runs}
    assert [found[frozenset(each.values)][1:] for each in here.runs] == [reported(each)[1:] for each in here.runs]


def test_a_sweep_changes_nothing_but_the_last_sweep(session: Session) -> None:
    done, after = swept(session, SWEEP)
    assert after.heap is session.heap or dict(after.heap) == dict(session.heap)
    assert after.definitions.named.keys() == session.definitions.named.keys()
    assert after.settings == session.settings
    assert after.past == session.past
    assert after.sweep is done
    assert all(after.heap[location] is content for location, content in session.heap.items())


def test_each_run_begins_from_the_heap_as_it_was(session: Session) -> None:
    text = (
        "sweep i in 0..3\n  let b <= Get[bias]() in let _ <= Put[bias](b + 1) in return b\n  let b <= Get[bias]() in return b"
    )
    done, _ = swept(session, text)
    assert [[value for _, value in each.results] for each in done.runs] == [[0.25, 1.25]] * 4


def test_a_job_reads_back_as_it_was(session: Session) -> None:
    lets = "\n".join([f"  let x{i + 1} <= return swish(x{i}) in" for i in range(1500)])
    long = declared(session.folder, f"{NET}net deep(x0 : Real) : Real =\n{lets}\n  return x1500\n")
    job, _ = job_of(long, "sweep x in [0.5]\n  deep(x)")
    there = unpacked(packed(job))
    assert there.definitions.named.keys() == job.definitions.named.keys()
    assert there.settings == job.settings
    for location, content in job.heap.items():
        np.testing.assert_array_equal(there.heap[location], content)
        assert not there.heap[location].flags.writeable
    done, _ = swept(long, "sweep x in [0.5, 1]\n  deep(x)")
    assert [reported(each) for each in done.runs] == [reported(by_hand(long, "  deep(x)", each.values)) for each in done.runs]


# -- the numbers ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("items", "results"),
    [
        ("  n + 1", [1.0, 3.0]),
        ("  loc w : Real(n + 1, 2) = ones\n  let x <= Get[w]() in return sum(x)", [2.0, 6.0]),
        ("  sum(fill[n + 1](n))", [0.0, 6.0]),
        ("  net f[p : Dim, c : Real](x : Real(p)) : Real = return sum(x) + c\n  f[n + 1, n](n * fill[n + 1](1))", [0.0, 8.0]),
        (
            "  const k = n * n\n  loc w : Real(n + 2) = uniform(n, n, seed=n)\n  let x <= Get[w]() in return k + sum(x)",
            [0.0, 12.0],
        ),
        ("  check n == n\n  n", [0.0, 2.0]),
    ],
)
def test_a_number_is_a_term_and_where_it_is_whole_a_dimension(
    session: Session, monkeypatch: pytest.MonkeyPatch, items: str, results: list[float]
) -> None:
    in_process(monkeypatch)
    done, _ = swept(session, f"sweep n in [0, 2]\n{items}")
    assert [value for each in done.runs for _, value in each.results] == results


def test_minus_and_fractions_are_terms(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    in_process(monkeypatch)
    done, _ = swept(session, "sweep a in [-1.5, 1e-3], b in -1..1\n  a * b")
    assert [value for each in done.runs for _, value in each.results] == [1.5, 0.0, -1.5, -1e-3, 0.0, 1e-3]


def test_only_results_of_type_real_are_reported(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    in_process(monkeypatch)
    done, _ = swept(session, "sweep a in [1, 2]\n  (a, a)\n  return a")
    assert [each.results for each in done.runs] == [(("return a", 1.0),), (("return a", 2.0),)]


# -- failures ------------------------------------------------------------------------------------------------------------------


def test_a_failed_run_is_a_row_and_the_others_go_on(session: Session) -> None:
    done, _ = swept(session, "sweep n in [1, 0.5, 2]\n  loc w : Real(n) = ones\n  let x <= Get[w]() in return sum(x)")
    assert [[d.code for d in each.failed] for each in done.runs] == [[], ["RH118", "RH120"], []]
    assert [each.results for each in done.runs][1] == ()
    assert [value for each in done.runs for _, value in each.results] == [1.0, 2.0]


def test_the_first_run_may_fail(session: Session) -> None:
    done, _ = swept(session, "sweep n in [0.5, 2]\n  loc w : Real(n) = ones\n  let x <= Get[w]() in return sum(x)")
    assert [[d.code for d in each.failed] for each in done.runs] == [["RH118", "RH120"], []]


def test_errors_of_every_combination_refuse_the_sweep_and_name_the_first(session: Session) -> None:
    found, after = run(session, "sweep a in [0.5, 0.75]\n  loc w : Real(a) = ones\n  a + b")
    assert codes(found) == ["RH118", "RH101"]
    (failed,) = found
    assert isinstance(failed, ItemFailed)
    assert [note.text for d in failed.diagnostics for note in d.notes] == ["in the run with a = 0.5"] * 2
    assert after is session


def test_a_divergence_is_no_failure(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    in_process(monkeypatch)
    items = ITEMS.replace("epochs h", "epochs 60")
    done, _ = swept(session, f"sweep a in [1e6], h in [2], seed in [0]\n{items}")
    (one,) = done.runs
    assert not one.failed
    assert not np.isfinite(one.measures[0][1][-1])


def test_limits_hold_in_each_run(session: Session) -> None:
    _, limited = run(session, "%evaluator stepped\n%limit steps 40")
    text = "sweep n in [1, 300]\n  fun twice(x : Real) : Real = x + x\n  sum(fill[n](1))" + " + 1" * 5
    done, _ = swept(limited, text)
    assert [each.failed for each in done.runs] == [(), ()]
    long = "sweep n in [1, 2]\n  1" + " + 1" * 60
    done, _ = swept(limited, long)
    assert [[d.code for d in each.failed] for each in done.runs] == [["RH204"], ["RH204"]]
    _, small = run(session, "%limit bytes 1000000")
    done, _ = swept(small, "sweep n in [10, 1000]\n  loc w : Real(n, n) = ones\n  let x <= Get[w]() in return sum(x)")
    assert [[d.code for d in each.failed] for each in done.runs] == [[], ["RH241"]]


def test_a_run_may_take_as_long_as_a_cell(session: Session) -> None:
    _, limited = run(session, "%limit seconds 1")
    items = ITEMS.replace("epochs h", "epochs e").replace("batch 2", "batch 4")
    done, _ = swept(limited, f"sweep a in [0.1], h in [2], seed in [0], e in [1000000000]\n{items}")
    assert [[d.code for d in each.failed] for each in done.runs] == [["RH208"]]


# -- processes -----------------------------------------------------------------------------------------------------------------

ENDLESS = f"sweep a in [0.1, 0.2], h in [2], seed in [0]\n{ITEMS.replace('epochs h', 'epochs 1000000000')}"


def until(holds: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


def is_alive(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_a_killed_process_costs_one_run_and_its_place_goes_on(session: Session) -> None:
    job, _ = job_of(session, ENDLESS)
    executor = Processes(packed(job), 2)
    try:
        one, other = [executor.submit(values) for values in combinations_of(ENDLESS)]
        until(lambda: len(executor.pids) == 2)
        first, second = executor.pids
        os.kill(first, signal.SIGKILL)
        until(one.done)
        with pytest.raises(WorkerLost):
            one.result()
        assert not other.done()
        assert second in executor.pids
        again = executor.submit(combinations_of(ENDLESS)[0])
        until(lambda: len(executor.pids) == 2)
        assert not again.done()
    finally:
        began = time.monotonic()
        executor.stop()
        took = time.monotonic() - began
    assert took < PATIENCE
    assert not any(map(is_alive, (first, second)))
    assert executor.pids == ()


def combinations_of(text: str) -> tuple[tuple[tuple[str, float], ...], ...]:
    (item,) = parse(Source("cell", text))
    assert isinstance(item, SweepItem)
    return combinations(item.parameters)


class Killing:
    """Processes, of which that of a run is killed the first ``times`` times that it is submitted."""

    def __init__(self, data: bytes, places: int, victim: int, times: int) -> None:
        self._inner, self._victim, self._left, self._count = Processes(data, places), victim, times, 0
        self._values: tuple[tuple[str, float], ...] | None = None

    @property
    def places(self) -> int:
        return self._inner.places

    @property
    def notes(self) -> tuple[str, ...]:
        return ()

    @property
    def description(self) -> str:
        return self._inner.description

    def submit(self, values: tuple[tuple[str, float], ...]) -> Pending:
        before = set(self._inner.pids)
        number, self._count = self._count, self._count + 1
        pending = self._inner.submit(values)
        if number == self._victim:
            self._values = values
        if values == self._values and self._left:
            self._left -= 1
            mine = [pid for pid in self._inner.pids if pid not in before] or [*self._inner.pids]
            os.kill(mine[0], signal.SIGKILL)
        return pending

    def stop(self) -> None:
        self._inner.stop()


@pytest.mark.parametrize(("times", "failed"), [(1, []), (2, ["RH218"])])
def test_a_lost_run_is_begun_once_more(
    session: Session, monkeypatch: pytest.MonkeyPatch, times: int, failed: list[str]
) -> None:
    def executor(job: Job, _: int) -> Executor:
        return Killing(packed(job), 1, 0, times)

    monkeypatch.setattr(action_module, "executor_for", executor)
    done, _ = swept(session, SWEEP)
    assert [[d.code for d in each.failed] for each in done.runs] == [failed, *[[]] * 7]
    for each in done.runs:
        if not each.failed:
            assert reported(each) == reported(by_hand(session, ITEMS, each.values))


@pytest.mark.parametrize("has_processes", [True, False])
def test_a_run_tells_which_share_of_it_is_done(session: Session, *, has_processes: bool) -> None:
    text = f"sweep a in [0.1], h in [2], seed in [0], e in [3000]\n{ITEMS.replace('epochs h', 'epochs e')}"
    job, _ = job_of(session, text)
    executor: Executor = Processes(packed(job), 1) if has_processes else InProcess(job)
    try:
        pending = executor.submit((("a", 0.1), ("h", 2), ("seed", 0), ("e", 3000)))
        shares = [pending.share]
        while not pending.done():
            shares.append(pending.share)
        assert not pending.result().failed
        assert shares == sorted(shares)
        assert len({share for share in shares if 0 < share < 1}) > 3
        again = executor.submit((("a", 0.1), ("h", 2), ("seed", 0), ("e", 3)))
        assert again.share < 1
    finally:
        executor.stop()


def test_an_interrupt_keeps_what_is_finished_and_ends_the_processes(session: Session) -> None:
    items = ITEMS.replace("epochs h", "epochs e")
    text = f"sweep a in [0.1], h in [2], seed in [0], e in [1, 2, 1000000000, 3]\n{items}"
    _, action = job_of(session, text)
    before = set(psutil.Process().children(recursive=True))
    events = action.run(1, session.state)
    until(lambda: isinstance(event := next(events), SweepProgress) and sum(each is not None for each in event.runs) == 3)
    shown = events.throw(KeyboardInterrupt())
    assert isinstance(shown, Shown)
    assert isinstance(shown.result, SweepDone)
    assert shown.result.stopped
    assert shown.result.count == 4
    assert [dict(each.values)["e"] for each in shown.result.runs] == [1, 2, 3]
    with pytest.raises(Interrupted) as interrupted:
        next(events)
    assert interrupted.value.state.heap is session.heap
    assert interrupted.value.state.sweep is shown.result
    assert set(psutil.Process().children(recursive=True)) <= before


DYING = """
import sys
from pathlib import Path
from rh_kernel.session.session import Session, execute
from rh_kernel.source.span import Source
for event in execute(Session.start(Path(".")), Source("cell", sys.stdin.read())):
    print(event, flush=True)
"""


def test_processes_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    program = f"{NET}{ENDLESS}"
    with subprocess.Popen([sys.executable, "-c", DYING], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=tmp_path) as parent:
        assert parent.stdin is not None
        parent.stdin.write(program.encode())
        parent.stdin.close()
        found: list[psutil.Process] = []

        def started() -> bool:
            found[:] = psutil.Process(parent.pid).children(recursive=True)
            return len(found) >= 2 and sum(process.cpu_times().user for process in found) > 1

        # Read what it prints, which otherwise fills the pipe.
        assert parent.stdout is not None
        threading.Thread(target=parent.stdout.read, daemon=True).start()
        until(started)
        parent.kill()
        until(lambda: not any(is_alive(process.pid) for process in found))


def test_a_job_is_read_wherever_python_writes_enumerations_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As Python 3.11.0 to 3.11.3 does, by a call of ``getattr``."""

    def by_name(self: Evaluator, _: object) -> tuple[Callable[..., object], tuple[object, ...]]:
        return getattr, (type(self), self.name)

    monkeypatch.setattr(Evaluator, "__reduce_ex__", by_name)
    job, _ = job_of(declared(tmp_path), SWEEP)
    assert unpacked(packed(job)).settings.evaluator is job.settings.evaluator


class Call:
    """What a pickle can hold instead of data: a call."""

    def __init__(self, function: Callable[..., object], *arguments: object) -> None:
        self.made = function, arguments

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return self.made


@pytest.mark.parametrize(
    "call",
    [
        Call(os.mkdir, "made"),
        Call(eval, "1 + 1"),
        Call(getattr, 1, "real"),
        Call(Processes, b"", 2),
        Call(run),
        Call(subprocess.Popen, ["true"]),
        Call(np.load, "a.npy"),
    ],
    ids=lambda call: call.made[0].__name__,
)
def test_a_job_is_data_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Call) -> None:
    monkeypatch.chdir(tmp_path)
    job, _ = job_of(declared(tmp_path), SWEEP)
    for data in (pickle.dumps(call), pickle.dumps(replace(job, folder=call))):
        with pytest.raises(pickle.UnpicklingError, match="a job of a sweep contains no"):
            unpacked(data)
    with pytest.raises(pickle.UnpicklingError, match="this is no job of a sweep"):
        unpacked(pickle.dumps(frozenset([1])))
    assert not list(tmp_path.iterdir())
