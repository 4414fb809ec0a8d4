"""Runners: what they are given is looked at, steps in a row are steps one by one, and both machines are the same."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.arrays.backend import Backend, Unsupported
from rh_kernel.arrays.native import Native, NativeRunner, available
from rh_kernel.arrays.native import machine as machines
from rh_kernel.arrays.native.codegen import translate
from rh_kernel.arrays.native.ctypes_machine import CtypesMachine
from rh_kernel.arrays.native.launch_table import table
from rh_kernel.arrays.native.machine import maker
from rh_kernel.arrays.native.schedule import Machine
from rh_kernel.arrays.native.toolchain import library
from rh_kernel.loops import scalars
from rh_kernel.loops.ir import (
    Buffer,
    Call,
    Content,
    Contract,
    Input,
    Instruction,
    Kept,
    Map,
    Number,
    Plan,
    Precision,
    Scratch,
    Store,
    View,
)
from rh_kernel.syntax.core import Array, Primitive
from rh_kernel.syntax.dimensions import dim
from rh_kernel.syntax.signature import Location
from tests.arrays.commands import V, location
from tests.arrays.native.test_steps import compare
from tests.arrays.plans import interpret

pytestmark = pytest.mark.skipif(not available(), reason="there is no C compiler")
W = location("W", 3, 2)
START = np.arange(6.0).reshape(3, 2) / 8


@pytest.fixture(params=["driver", "addresses"], autouse=True)
def machine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Each test runs on either machine."""
    if request.param == "addresses":
        monkeypatch.setattr(machines, "maker", lambda: CtypesMachine)
    elif maker() is CtypesMachine:
        pytest.skip("this Python is built in another way")
    return request.param


def update(samples: int | None, precision: Precision = "float64") -> Plan:
    """``y = W x``, ``W ← W − ¼ Σ y xᵀ``, for each sample; the result is (y, x)."""
    b = samples or 1
    batch = () if samples is None else (samples,)
    y, x = View(2, 0, (b, 3, 2), (3, 1, 0)), View(0, 0, (b, 3, 2), (2, 0, 1))
    w = View(1, 0, (b, 3, 2), (0, 2, 1))
    steps = (Contract((b, 3, 2), y, w, x), Contract((b, 3, 2), w, y, x, -0.25, accumulate=True))
    rows = () if samples is None else (3,)
    result = (View(2, 0, (*batch, 3), (*rows, 1)), View(0, 0, (*batch, 2), (*rows, 1) if samples is None else (2, 1)))
    buffers: tuple[Buffer, ...] = (Input(0, 2 * b), Content(W, 6), Scratch(0, 3 * b))
    return Plan(precision, samples, ((*batch, 2),), buffers, 3 * b, steps, result, (W,))


def made(plan: Plan) -> tuple[NativeRunner, dict[Location, Array]]:
    memory = Native().memory({W: START}, plan.precision)
    runner = Native().runner(plan, memory)
    assert isinstance(runner, NativeRunner)
    return runner, dict(memory)


@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize("samples", [None, 1, 4])
def test_a_step_changes_the_memory_and_leaves_a_result(samples: int | None, precision: Precision) -> None:
    plan = update(samples, precision)
    runner, memory = made(plan)
    x = np.random.default_rng(0).normal(size=plan.inputs[0]).astype(precision)
    contents: dict[Location, Array] = {W: START}
    for _ in range(3):
        runner.step(x)
        result, contents = interpret(plan, contents, [x])
        compare(runner.result(), result, 1e-5)
        np.testing.assert_allclose(memory[W], contents[W], rtol=1e-5)


@given(st.lists(st.lists(st.integers(0, 6), min_size=4, max_size=4), max_size=5))
def test_steps_are_steps_one_by_one(rows: list[list[int]]) -> None:
    plan = update(4)
    data = np.random.default_rng(1).normal(size=(7, 2))
    table = np.array([*rows, [2, 3, 4, 5]], dtype=np.intp)
    together, memory = made(plan)
    together.steps([data], table)
    apart, other = made(plan)
    for row in table:
        apart.step(data[row])
    np.testing.assert_array_equal(memory[W], other[W])
    compare(together.result(), apart.result(), 0)


@pytest.mark.parametrize("of", [np.int64, np.int32, np.uint8, ">i8"])
def test_rows_of_any_integers_are_taken_also_where_they_were_pickled(of: str) -> None:
    """A type that was unpickled is equal to NumPy's own, and another object."""
    rows = np.array([[3, 1, 0, 2], [6, 5, 4, 3]]).astype(of)
    rows = np.ndarray(rows.shape, pickle.loads(pickle.dumps(rows.dtype)), rows.data)
    plan = update(4)
    data = np.random.default_rng(1).normal(size=(7, 2))
    one, memory = made(plan)
    one.steps([data], rows)
    other, expected = made(plan)
    other.steps([data], np.array(rows, np.intp))
    np.testing.assert_array_equal(memory[W], expected[W])


def test_steps_of_a_plan_that_is_not_batched_take_one_sample_each() -> None:
    plan = update(None)
    data = np.random.default_rng(1).normal(size=(7, 2))
    together, memory = made(plan)
    together.steps([data], np.array([[3], [0]]))
    apart, other = made(plan)
    apart.step(data[3])
    apart.step(data[0])
    np.testing.assert_array_equal(memory[W], other[W])


@pytest.mark.parametrize(
    "inputs",
    [
        (),
        (np.zeros((4, 2)), np.zeros(1)),
        (np.zeros((4, 2), np.float32),),
        (np.zeros((4, 2), ">f8"),),
        (np.zeros((4, 2), np.int64),),
        (np.zeros((4, 3)),),
        (np.zeros(8),),
        (np.zeros((2, 4)).T,),
        (np.zeros((4, 4))[:, ::2],),
    ],
    ids=["none", "two", "single", "other order of bytes", "integers", "wide", "flat", "transposed", "with gaps"],
)
def test_other_inputs_are_refused(inputs: tuple[Array, ...]) -> None:
    runner, memory = made(update(4))
    with pytest.raises(ValueError, match="input"):
        runner.step(*inputs)
    np.testing.assert_array_equal(memory[W], START)


class Labelled(np.ndarray[tuple[int, ...], np.dtype[np.float64]]):
    """An array that is one by inheritance."""


def test_what_is_as_good_as_an_array_is_taken() -> None:
    data = np.random.default_rng(3).normal(size=(7, 2))
    rows = np.array([[6, 0, 2, 1], [1, 2, 3, 4]])
    usual, memory = made(update(4))
    usual.step(data[1:5])
    usual.steps([data], rows)
    for like, numbers in ((data.view(Labelled), rows), (data, rows.astype(">i8")), (data, np.asfortranarray(rows))):
        runner, other = made(update(4))
        runner.step(like[1:5])
        runner.steps([like], numbers)
        np.testing.assert_array_equal(memory[W], other[W])


def test_inputs_have_no_names() -> None:
    runner, memory = made(update(4))
    with pytest.raises(TypeError):
        runner.step(x=np.zeros((4, 2)))
    np.testing.assert_array_equal(memory[W], START)


def test_a_kernel_that_is_not_there_is_not_called() -> None:
    path = library(translate(update(4), Machine(2, 16)).source)
    wrong = table([(1000, [])], [], [], None, np.dtype("float64"), [], release=False)
    with pytest.raises((ValueError, IndexError)):
        machines.maker()(str(path), wrong)


@pytest.mark.parametrize("rows", [[[0, 1, 2, 7]], [[0, 1, 2, -1]], [[0, 1, 2]], [0, 1, 2, 3]])
def test_samples_that_are_not_there_are_refused(rows: list[list[int]]) -> None:
    runner, memory = made(update(4))
    with pytest.raises(ValueError, match="row"):
        runner.steps([np.zeros((7, 2))], np.array(rows))
    np.testing.assert_array_equal(memory[W], START)


def test_data_of_another_kind_is_refused() -> None:
    runner, _ = made(update(4))
    for data in (np.zeros((7, 3)), np.zeros((7, 2), np.float32), np.zeros(7)):
        with pytest.raises(ValueError, match="input"):
            runner.steps([data], np.array([[0, 1, 2, 3]]))


def test_runners_share_a_memory() -> None:
    memory = Native().memory({W: START}, "float64")
    one, four = Native().runner(update(1), memory), Native().runner(update(4), memory)
    x = np.random.default_rng(2).normal(size=(4, 2))
    one.step(x[:1])
    four.step(x)
    _, contents = interpret(update(1), {W: START}, [x[:1]])
    _, contents = interpret(update(4), contents, [x])
    np.testing.assert_allclose(memory.fetch()[W], contents[W], rtol=1e-12)


def test_contents_are_copied_in_and_out() -> None:
    heap = {W: START.copy()}
    memory = Native().memory(heap, "float64")
    memory[W][...] = 7
    np.testing.assert_array_equal(heap[W], START)
    memory.fetch()[W][...] = 8
    assert (memory[W] == 7).all()
    memory.store(heap)
    np.testing.assert_array_equal(memory[W], START)


def test_what_is_kept_stays_from_run_to_run() -> None:
    count = View(0, 0, (), ())
    body = (Number(1.0), Instruction(scalars.ADD, (0, 1)))
    step = Map((), (count,), body, (Store(count, 2),))
    plan = Plan("float64", None, (), (Kept(np.array([40.0])),), 0, (step,), count, ())
    runner = Native().runner(plan, {})
    runner.step()
    runner.step()
    assert runner.result() == 42.0


def test_a_step_without_a_loop_is_refused() -> None:
    call = Call(Primitive("exp", ((dim(2),),), V, V), View(0, 0, (2,), (1,)), (View(0, 0, (2,), (1,)),))
    plan = Plan("float64", None, (), (Scratch(0, 2),), 2, (call,), (), ())
    with pytest.raises(Unsupported):
        Native().runner(plan, {})


@pytest.mark.parametrize(("precision", "tiny"), [("float64", 2.0**-525), ("float32", 2.0**-70)])
@pytest.mark.parametrize("threads", [1, 2])
def test_subnormal_numbers_count_as_0_in_a_long_run_and_nowhere_else(
    precision: Precision, tiny: float, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RH_THREADS", str(threads))
    subnormal_numbers_count_as_0_in_a_long_run_and_nowhere_else(Native(), precision, tiny)


def subnormal_numbers_count_as_0_in_a_long_run_and_nowhere_else(backend: Backend, precision: Precision, tiny: float) -> None:
    for side, expected in ((8, tiny * tiny), (1024, 0.0)):
        shape = (side, side)
        rows, columns = View(0, 0, shape, (1, 0)), View(0, 0, shape, (0, 1))
        output = View(1, 0, shape, (side, 1))
        product = Map(shape, (rows, columns), (Instruction(scalars.MUL, (0, 1)),), (Store(output, 2),))
        buffers = (Kept(np.full(side, tiny)), Scratch(0, side * side))
        runner = backend.runner(Plan(precision, None, (), buffers, side * side, (product,), output, ()), {})
        runner.step()
        found = np.asarray(runner.result())
        assert set(found.ravel().tolist()) == {expected}
    assert np.multiply(*np.full((2, 1), tiny, precision)).item() != 0
