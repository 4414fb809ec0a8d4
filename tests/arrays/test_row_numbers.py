"""Places by number: what the back ends compute for ``take``, ``put_rows`` and ``one_hot``, and their errors."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.arrays import prebuilt
from rh_kernel.arrays.backend import Backend
from rh_kernel.arrays.batch import batched
from rh_kernel.arrays.native import Native, available
from rh_kernel.arrays.numpy_backend.backend import NumPy
from rh_kernel.arrays.planning.planner import planned
from rh_kernel.arrays.prebuilt import Prebuilt
from rh_kernel.arrays.program import Program
from rh_kernel.loops.ir import Call, IndexCheck, Plan, ScatterAdd, simple_steps
from rh_kernel.loops.trees import leaves
from rh_kernel.source.diagnostic import Stuck
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.types import SCALAR, Type, real
from tests.arrays.written import Written, close
from tests.tiers import law

BACKENDS = [
    pytest.param(NumPy, id="numpy"),
    pytest.param(Native, id="native", marks=pytest.mark.skipif(not available(), reason="there is no C compiler")),
    pytest.param(Prebuilt, id="prebuilt", marks=pytest.mark.skipif(not prebuilt.available(), reason="it is not built")),
]
each_backend = pytest.mark.parametrize("backend", BACKENDS)
BATCH = 5
Make = Callable[[], Backend]


def program(text: str, **inputs: Type) -> Program:
    return Written("").program(f"return {text}", **inputs)


def planned_for_batch(p: Program) -> Plan:
    return planned(batched(p, [True] * len(p.inputs)), BATCH)


def ran(backend: Backend, p: Program, *inputs: Array) -> Array:
    runner = backend.runner(planned_for_batch(p), {})
    runner.step(*inputs)
    (found,) = leaves(runner.result())
    return found


@each_backend
@law(8)
@given(st.integers(1, 5), st.integers(1, 4), st.integers(1, 3), st.integers(0, 2**16))
def test_each_sample_takes_its_own_rows(backend: Make, n: int, k: int, d: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    w, y = rng.normal(size=(BATCH, n, d)), rng.normal(size=(BATCH, k, d))
    i = rng.integers(0, n, (BATCH, k)).astype(np.float64)
    taken = ran(backend(), program("take(w, i)", w=real(n, d), i=real(k)), w, i)
    expected = np.stack([w[z, i[z].astype(int)] for z in range(BATCH)])
    close(taken, expected if k > 1 else expected[:, 0])
    if k > 1:
        put = ran(backend(), program(f"put_rows[{n}, {d}](y, i)", y=real(k, d), i=real(k)), y, i)
        close(put, np.stack([np.eye(n)[:, i[z].astype(int)] @ y[z] for z in range(BATCH)]))
        # The reverse of taking rows: ⟨y, take(w, i)⟩ = ⟨put_rows(y, i), w⟩
        close((y * taken).sum(), (put * w).sum(), 1e-9)
        hot = ran(backend(), program(f"one_hot[{n}](i)", i=real(k)), i)
        close(hot, np.eye(n)[i.astype(int)])


@each_backend
def test_samples_share_a_table_that_does_not_vary(backend: Make) -> None:
    table = "[[1, 2], [3, 4], [5, 6]]"
    i = np.array([[2.0, 0], [1, 1], [0, 2], [2, 2], [0, 0]])
    close(ran(backend(), program(f"take({table}, i)", i=real(2)), i), np.array([[1.0, 2], [3, 4], [5, 6]])[i.astype(int)])


@each_backend
@pytest.mark.parametrize("wrong", [3.0, -1.0, 0.5, np.nan, np.inf])
def test_a_wrong_number_of_one_sample_is_named_and_the_runner_can_go_on(backend: Make, wrong: float) -> None:
    runner = backend().runner(planned_for_batch(program("take([10, 20, 30], i)", i=SCALAR)), {})
    i = np.array([[0.0], [1], [2], [1], [0]])
    bad = i.copy()
    bad[3] = wrong
    with pytest.raises(Stuck, match=f"RH212: there is no row {wrong:.15g}"):
        runner.step(bad)
    with pytest.raises(Stuck, match="RH212"):
        runner.steps([np.concatenate([i, bad])], np.arange(10).reshape(2, 5))
    runner.step(i)
    runner.steps([np.concatenate([i, i])], np.arange(10).reshape(2, 5))
    (found,) = leaves(runner.result())
    close(found, 10 * (i + 1))


@each_backend
def test_in_a_branch_that_a_sample_does_not_take_its_number_does_not_matter(backend: Make) -> None:
    p = program("if i < 3 then take([10, 20, 30], i) else 7", i=SCALAR)
    i = np.array([[0.0], [5], [2], [-1], [3]])
    with pytest.raises(Stuck, match="there is no row -1"):
        ran(backend(), p, i)
    i[3] = 1
    close(ran(backend(), p, i), [[10], [7], [30], [20], [7]])
    derivative = program("1.rd(x. if i < 3 then take(x, i) * take(x, i) else 7)([10, 20, 30])", i=SCALAR)
    close(ran(backend(), derivative, i), [[20, 0, 0], [0, 0, 0], [0, 0, 60], [0, 40, 0], [0, 0, 0]])


def test_the_checks_of_one_array_of_numbers_are_one() -> None:
    """Also that of the derivative, which is evaluated at the same point."""
    p = program("[1, 1].rd(w. take(w, i))(x)", x=real(3, 2), i=SCALAR)
    assert p.checks == 1


def test_no_kernel_is_called() -> None:
    p = program("[[1, 1], [2, 2]].rd((w, j). take(w, j))((x, i))", x=real(3, 2), i=real(2))
    plan = planned_for_batch(p)
    assert {type(step) for step in simple_steps(plan.steps)} >= {IndexCheck, ScatterAdd}
    assert not any(isinstance(step, Call) for step in simple_steps(plan.steps))


@each_backend
@pytest.mark.parametrize(
    "loop",
    [
        "repeat j < 12 from s = 0 do return sum(take(x, i))",
        "repeat j < 12 from s = 0 do let u <= repeat k < 12 from r = s do return r + take(x, i) in return s + u",
        "scan (z in x) from s = 0 do let u <= repeat k < 12 from r = z do return r + take(x, i) in return (s, z)",
        "return map (z in x) do z * take(x, i)",
    ],
)
def test_a_loop_whose_result_is_not_used_checks_its_numbers(backend: Make, loop: str) -> None:
    p = Written("").program(f"let u <= {loop} in return 1", x=real(3), i=SCALAR)
    assert p.can_fail
    x, i = np.ones((BATCH, 3)), np.array([[0.0], [2], [1], [2], [3]])
    with pytest.raises(Stuck, match="RH212: there is no row 3"):
        ran(backend(), p, x, i)
    i[4] = 0
    close(ran(backend(), p, x, i), np.ones(()))
