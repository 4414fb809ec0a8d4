"""Steps in pieces by several threads: the digits do not depend on how many there are."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.arrays import threads
from rh_kernel.arrays.native import Native, available, parallel, strip_mining
from rh_kernel.arrays.native import machine as machines
from rh_kernel.arrays.native.compiled import NativeRunner
from rh_kernel.arrays.native.ctypes_machine import CtypesMachine
from rh_kernel.arrays.native.parallel import chunks, intervals, pieces
from rh_kernel.loops.ir import Precision
from tests.arrays.native import plans
from tests.arrays.native.test_gemm import product
from tests.arrays.native.test_steps import CLOSE, WHOLE, compare
from tests.arrays.native.test_strip_mining import planned, strips_of
from tests.arrays.plans import interpret
from tests.benchmarks import reference
from tests.benchmarks.peers.ours import StepByStep
from tests.benchmarks.problems import TINY, TINY_NETS, Problem, problem
from tests.tiers import law

pytestmark = pytest.mark.skipif(not available(), reason="there is no C compiler")
COUNTS = (1, 2, 3)


@pytest.fixture(autouse=True)
def many_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any number of threads may be asked for, on however few cores."""
    monkeypatch.setattr(threads, "cores", lambda: 8)
    monkeypatch.setattr(parallel, "cores_of_machine", lambda: 8)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps are split however small they are, and run in strips of one sample."""
    monkeypatch.setattr(parallel, "PIECE", 1)
    monkeypatch.setattr(parallel, "COPYING", 0)
    monkeypatch.setattr(parallel, "UNIT", 4)
    monkeypatch.setattr(strip_mining, "WORKING_SET", 0)
    monkeypatch.setattr(strip_mining, "LEAST", 1)
    monkeypatch.setattr(strip_mining, "TERMS", 1)


def test_intervals_are_those_of_all_indices() -> None:
    for extent in range(1, 200):
        for number in range(1, 9):
            found = list(intervals(extent, number))
            assert len(found) <= number
            assert [i for start, length in found for i in range(start, start + length)] == list(range(extent))


@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize("kind", [plans.entrywise, plans.between, plans.fold, plans.product])
@pytest.mark.usefixtures("small")
def test_steps_in_pieces_do_what_their_definition_says(
    kind: Callable[[plans.Drawing], None], precision: Precision, monkeypatch: pytest.MonkeyPatch
) -> None:
    most = 0

    @law(6, phases=WHOLE)
    @given(st.data())
    def holds(data: st.DataObject) -> None:
        nonlocal most
        plan, x = data.draw(plans.plans(kind, precision))
        most = max([most, *[len(pieces(step)) for step in plan.steps]])
        expected, _ = interpret(plan, {}, [x])
        found: list[bytes] = []
        for count in COUNTS:
            monkeypatch.setenv("RH_THREADS", str(count))
            runner = Native().runner(plan, {})
            runner.step(x)
            compare(runner.result(), expected, CLOSE[precision])
            found.append(b"".join([array.tobytes() for array in _arrays(runner.result())]))
        assert found == found[:1] * len(COUNTS)

    holds()
    assert most > 1


def _arrays(result: object) -> list[np.ndarray]:
    return [found for part in result for found in _arrays(part)] if isinstance(result, tuple) else [np.asarray(result)]


@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize("net", [p for p in (*TINY, *TINY_NETS) if p.batch > 1], ids=lambda p: p.key)
@pytest.mark.usefixtures("small")
def test_a_training_step_in_pieces_is_that_of_the_formulas(
    net: Problem, precision: Precision, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrays = net.arrays()
    found: list[list[bytes]] = []
    for count in COUNTS:
        monkeypatch.setenv("RH_THREADS", str(count))
        trainer = StepByStep(net, arrays, precision, Native)
        trainer.run(reference.STEPS)
        weights = trainer.weights()
        assert reference.error(arrays, reference.trained(net, arrays), weights) <= reference.TOLERANCE[precision]
        found.append([W.tobytes() for W in weights])
    assert found == found[:1] * len(COUNTS)


@pytest.mark.parametrize("cores", [1, 2, 3, 64])
@pytest.mark.usefixtures("small")
def test_a_step_has_no_more_pieces_than_the_machine_has_cores(cores: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "cores_of_machine", lambda: cores)
    net = problem("mlp-784-128-10/b32")
    divided = {len(pieces(step)) for step in planned(net).steps}
    divided |= {len(chunks(strips)) for tiny in TINY for strips in strips_of(planned(tiny))}
    assert max(divided) == min(cores, parallel.MOST)


@pytest.mark.usefixtures("small")
def test_there_are_strips_in_those_steps_that_add_to_copies_of_a_sum() -> None:
    divided = [chunks(strips) for net in TINY if net.batch > 1 for strips in strips_of(planned(net)) if strips.sums]
    assert max(map(len, divided)) > 1


@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize(
    "key",
    [
        "mlp-784-128-10/b32",
        "cnn-128/b32",
        pytest.param("unet-134/b32", marks=pytest.mark.slow),
        pytest.param("lenet-28/b32", marks=pytest.mark.slow),
    ],
)
def test_a_heap_is_the_same_to_the_bit_by_one_and_by_two_threads(
    key: str, precision: Precision, monkeypatch: pytest.MonkeyPatch
) -> None:
    net = problem(key)
    arrays = net.arrays()
    found: set[bytes] = set()
    for turn in range(20):
        monkeypatch.setenv("RH_THREADS", str(1 + turn % 2))
        trainer = StepByStep(net, arrays, precision, Native)
        trainer.run(3)
        found.add(b"".join([W.tobytes() for W in trainer.weights()]))
    assert len(found) == 1


def test_without_the_driver_the_pieces_run_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    plan, _ = product(256, 256, 256)
    alone = Native().runner(plan, {})
    alone.step()
    monkeypatch.setattr(machines, "maker", lambda: CtypesMachine)
    slow = Native().runner(plan, {})
    slow.step()
    assert _arrays(slow.result())[0].tobytes() == _arrays(alone.result())[0].tobytes()


def test_runs_at_the_same_time_do_not_disturb_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """One of them has the threads, the others run alone."""
    monkeypatch.setenv("RH_THREADS", "3")
    plan, _ = product(200, 208, 216)
    expected, _ = interpret(plan, {}, [])
    runners = [Native().runner(plan, {}) for _ in range(4)]

    def run(runner: NativeRunner) -> None:
        for _ in range(50):
            runner.step()

    workers = [threading.Thread(target=run, args=(runner,)) for runner in runners]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    for runner in runners:
        compare(runner.result(), expected, 1e-9)


FORKING = """
import os
import numpy as np
from rh_kernel.arrays import threads
from rh_kernel.arrays.native import Native
from tests.arrays.native.test_gemm import product

threads.cores = lambda: 8
plan, _ = product(200, 208, 216)
runner = Native().runner(plan, {})
runner.step()
before = runner.result()
child = os.fork()
if child == 0:
    for _ in range(20):
        runner.step()
    os._exit(0 if np.array_equal(before, runner.result()) else 1)
_, status = os.waitpid(child, 0)
runner.step()
assert np.array_equal(before, runner.result())
raise SystemExit(os.waitstatus_to_exitcode(status))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_forked_process_has_threads_of_its_own() -> None:
    environment = {**os.environ, "RH_THREADS": "3"}
    done = subprocess.run([sys.executable, "-c", FORKING], env=environment, capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def test_the_number_of_threads_is_the_least_of_what_is_asked_for_and_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RH_THREADS", raising=False)
    assert threads.thread_count() == 8
    for asked, count in (("3", 3), ("100", 8), ("0", 1), ("many", 8), ("", 8)):
        monkeypatch.setenv("RH_THREADS", asked)
        assert threads.thread_count() == count
    monkeypatch.setattr(threads, "_limit", [float("inf")])
    threads.limit_threads(2)
    assert threads.thread_count() == 2
