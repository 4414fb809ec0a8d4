"""A program and its plan do the same, and the plan does no more than it must (LANGUAGE §6; `arrays.planning.making`)."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.arrays.batch import batched
from rh_kernel.arrays.compile import compile_command
from rh_kernel.arrays.execution import Machine, machine
from rh_kernel.arrays.numpy_backend.backend import NumPy
from rh_kernel.arrays.optimise import optimise
from rh_kernel.arrays.planning.dependence import reads, writes
from rh_kernel.arrays.planning.planner import planned
from rh_kernel.loops import scalars
from rh_kernel.loops.builder import Loops
from rh_kernel.loops.ir import Call, Content, Contract, Instruction, Map, Plan, Scratch
from rh_kernel.loops.scalars import ScalarOp
from rh_kernel.loops.trees import leaves
from rh_kernel.primitives.table import kernel
from rh_kernel.syntax.core import Command, Primitive
from rh_kernel.syntax.types import real
from tests.arrays.commands import W0, W1, V, commands
from tests.arrays.plans import ByDefinition
from tests.arrays.written import Written, applied, close, drawn, layers
from tests.primitives.instances import INSTANCES, arrays, label, member, smooth_point
from tests.tiers import law


@pytest.mark.parametrize("f", INSTANCES, ids=label)
@pytest.mark.parametrize("matrices", [False, True])
def test_the_loops_of_a_symbol_compute_what_its_kernel_does(f: Primitive, matrices: bool) -> None:
    """Batching holds for every symbol: each sample has what it would have alone."""
    rng = np.random.default_rng(5)
    points = [arrays(smooth_point(rng, f)) for _ in range(3)]
    inputs = [np.stack(parts) for parts in zip(*points, strict=True)]
    plan = planned(applied(f), 3, matrices=matrices)
    runner, by_definition = NumPy().runner(plan, {}), ByDefinition(plan, {})
    runner.step(*inputs)
    by_definition.step(*inputs)
    with np.errstate(all="ignore"):
        expected = np.stack([kernel(f, np)(*point) for point in points])
    (found,) = leaves(runner.result())
    close(found, expected)
    close(by_definition.result(), expected)


@pytest.mark.parametrize("matrices", [False, True])
@pytest.mark.parametrize(
    ("name", "sizes", "step"),
    [
        ("first_max1d", (2, 3, 12), 1),
        ("first_max1d", (3, 2, 6), 1),
        ("first_max1d", (2, 3, 13), 2),
        ("first_max2d", (2, 3, 4, 6), 1),
    ],
)
def test_the_marks_of_whole_blocks_lie_place_by_place(name: str, sizes: tuple[int, ...], step: int, *, matrices: bool) -> None:
    """So what is written, and read where the cotangent is spread, is one stretch for each place in a block."""
    f = member(name, sizes)
    x = np.random.default_rng(3).normal(size=(4, *sizes[1:]))
    plan = planned(applied(f), 4, matrices=matrices)
    (marks, *_) = plan.steps
    assert isinstance(marks, Map)
    assert [store.view.strides[-1] for store in marks.stores] == [step] * sizes[0] ** (len(sizes) - 2)
    runner = NumPy().runner(plan, {})
    runner.step(x)
    (found,) = leaves(runner.result())
    close(found, np.stack([kernel(f, np)(sample) for sample in x]))


def test_only_blocks_of_many_entries_are_called_as_they_are() -> None:
    called = {f.name for f in INSTANCES if any(isinstance(step, Call) for step in planned(applied(f), 2).steps)}
    assert called <= {"first_max1d", "first_max2d"}


@pytest.mark.parametrize("f", [f for f in INSTANCES if f.name in ("permute", "transpose")], ids=label)
def test_another_order_of_the_axes_costs_nothing(f: Primitive) -> None:
    assert planned(applied(f), 2).steps == ()


@law(60)
@given(commands((V, V), 3, act=False), st.integers(1, 3), st.booleans())
def test_a_plan_does_what_its_words_say_and_no_live_buffers_overlap(P: Command, b: int, matrices: bool) -> None:
    program = batched(compile_command(P, (V, V)), (True, True))
    plan = planned(program, b, matrices=matrices)
    contents = {W0: np.array([0.5, -1.0]), W1: np.array([2.0, 0.25])}
    memory, copies = NumPy().memory(contents, "float64"), {at: array.copy() for at, array in contents.items()}
    runner, by_definition = NumPy().runner(plan, memory), ByDefinition(plan, copies)
    for seed in range(2):
        inputs = drawn(seed, b, 2), drawn(seed + 7, b, 2)
        runner.step(*inputs)
        by_definition.step(*inputs)
    for found, expected in zip(leaves(runner.result()), leaves(by_definition.result()), strict=True):
        close(found, expected, 1e-9)
    for at, array in copies.items():
        close(memory[at], array, 1e-9)
    assert_apart(plan)


def assert_apart(plan: Plan) -> None:
    """What is needed later is not overwritten: scratch buffers that are in use at the same time lie apart."""
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    for i, step in enumerate(plan.steps):
        for view in (*reads(step), *writes(step)):
            first.setdefault(view.buffer, i)
            last[view.buffer] = i
    used = [(k, plan.buffers[k]) for k in first]
    for k, x in used:
        for l, y in used:
            if k < l and isinstance(x, Scratch) and isinstance(y, Scratch) and first[k] <= last[l] and first[l] <= last[k]:
                assert x.start + x.size <= y.start or y.start + y.size <= x.start
            if isinstance(x, Scratch):
                assert x.start + x.size <= plan.scratch


STEP = "rev handle (x) <u>. deep(u) with sgd(0.1, t)"


def trained(depth: int, width: int, b: int, *, matrices: bool = True) -> Plan:
    world = Written(layers(depth, width))
    program = optimise(replace(world.program(STEP, x=real(width), t=real(width)), result=()))
    return planned(batched(program, (True, True)), b, matrices=matrices)


def lines(plan: Plan) -> Counter[ScalarOp]:
    return Counter(
        line.function for step in plan.steps if isinstance(step, Map) for line in step.body if isinstance(line, Instruction)
    )


@pytest.mark.parametrize("b", [1, 4])
def test_each_weight_is_updated_where_it_is_by_one_product(b: int) -> None:
    plan = trained(3, 32, b)
    updates = [step for step in plan.steps if isinstance(step, Contract) and step.accumulate]
    assert len(updates) == 3
    assert all(isinstance(plan.buffers[step.output.buffer], Content) for step in updates)
    assert plan.scratch < 32 * 32
    assert sum(isinstance(step, Contract) for step in plan.steps) == 3 + 2 + 3


def test_a_layer_and_its_slope_take_one_exponential() -> None:
    assert lines(trained(4, 3, 1))[scalars.SIGMOID] == 3


def test_every_further_layer_adds_as_many_steps() -> None:
    counts = [len(trained(depth, 3, 2).steps) for depth in (2, 3, 4, 12)]
    assert counts[1] - counts[0] == counts[2] - counts[1]
    assert counts[3] - counts[2] == 8 * (counts[1] - counts[0])


@pytest.mark.parametrize("matrices", [False, True])
def test_an_update_stands_right_behind_what_it_needs(matrices: bool) -> None:
    """The step before an update reads its matrix or writes a factor of it; what the forward pass left is then free again."""
    plan = trained(6, 4, 3, matrices=matrices)
    for before, update in pairwise(plan.steps):
        if isinstance(update, Contract) and update.accumulate:
            factors = {update.left.buffer, update.right.buffer}
            assert update.output.buffer in [v.buffer for v in reads(before)] or factors & {v.buffer for v in writes(before)}


def test_the_loops_of_an_operator_are_worked_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A deeper net has more steps, but no more loops to find."""
    made: Counter[int] = Counter()

    def worked_out(depth: int, find: Callable[..., object]) -> None:
        def counted(*arguments: Any, **options: Any) -> object:
            made[depth] += 1
            return find(*arguments, **options)

        with monkeypatch.context() as patch:
            patch.setattr(Loops, find.__name__, counted)
            trained(depth, 3, 2)

    for depth in (6, 60):
        worked_out(depth, Loops.map)
        worked_out(depth, Loops.contract)
    assert made[60] == made[6] > 0


def test_scratch_is_used_again() -> None:
    """A deep net remembers what the backward pass needs: two vectors a layer, and a few more altogether."""
    shallow, deep = trained(10, 16, 1), trained(20, 16, 1)
    assert deep.scratch - shallow.scratch <= 10 * 2 * 16


LOCATIONS = "loc a : Real(2) = zeros\nloc b : Real(2) = zeros\n"


@pytest.mark.parametrize(
    ("command", "a", "b", "result"),
    [
        (
            "let x <= Get[a]() in let y <= Get[b]() in let _ <= Put[a](y) in let _ <= Put[b](x) in return x",
            [3, 4],
            [1, 2],
            [1, 2],
        ),
        ("let x <= Get[a]() in let _ <= Put[b](x) in let _ <= Put[a](2 * x) in return 3 * x", [2, 4], [1, 2], [3, 6]),
        (
            "let x <= Get[a]() in let _ <= Put[a](x + x) in let y <= Get[a]() in let _ <= Put[b](y) in return y",
            [2, 4],
            [2, 4],
            [2, 4],
        ),
        (
            "let x <= Get[a]() in let y <= Get[b]() in let _ <= Put[a](x + y) in let _ <= Put[b](x - y) in return y",
            [4, 6],
            [-2, -2],
            [3, 4],
        ),
        (
            "let x <= Get[a]() in let z <= return [[0, 1], [1, 0]] @ x in let _ <= Put[a](z + x) in return z",
            [3, 3],
            [3, 4],
            [2, 1],
        ),
    ],
)
def test_what_is_read_is_what_was_there(command: str, a: list[float], b: list[float], result: list[float]) -> None:
    world = Written(LOCATIONS)
    found, after = world.run(world.program(command, u=real(1)), np.zeros(1), a=np.array([1.0, 2.0]), b=np.array([3.0, 4.0]))
    close(found, result)
    close(after.get("a", np.array([1.0, 2.0])), a)
    close(after.get("b", np.array([3.0, 4.0])), b)


@pytest.mark.parametrize("b", [1, 3])
def test_a_product_that_is_kept_and_also_subtracted_is_there_for_both(b: int) -> None:
    """A location that remembers the last slope holds it after the run, wherever else it goes."""
    world = Written("loc w : Real(2, 2) = zeros\nloc g : Real(2, 2) = zeros\n")
    P = "let w <= Get[w]() in let _ <= Put[g](outer(y, x)) in Put[w](w - outer(y, x))"
    program = batched(world.program(P, y=real(2), x=real(2)), (True, True))
    y, x, w = drawn(0, b, 2), drawn(1, b, 2), drawn(2, 2, 2)
    _, after = world.run(program, y, x, w=w, g=np.zeros((2, 2)))
    close(after["g"], y.T @ x / b)
    close(after["w"], w - y.T @ x / b)


@pytest.mark.parametrize("new", ["[[1, 2], [3, 4]] @ sin(x)", "[[1, 2], [3, 4]] @ u"])
def test_a_loop_that_writes_on_two_locations_stands_where_both_may_be_written(new: str) -> None:
    """The loop gives what is written to a and c, and what the product needs or the content that it writes on."""
    world = Written("loc a : Real(2) = zeros\nloc b : Real(2) = zeros\nloc c : Real(2) = zeros\n")
    gets = "let x <= Get[a]() in let y <= Get[b]() in let z <= Get[c]() in"
    puts = f"let _ <= Put[a](x - y) in let _ <= Put[b]({new}) in Put[c](z * (x - y))"
    u, x, y, z = [drawn(seed, 2) for seed in range(4)]
    _, after = world.run(world.program(f"{gets} {puts}", u=real(2)), u, a=x, b=y, c=z)
    close(after["a"], x - y)
    close(after["b"], np.array([[1.0, 2.0], [3.0, 4.0]]) @ (u if new.endswith("u") else np.sin(x)))
    close(after["c"], z * (x - y))


def test_the_runners_of_a_machine_share_its_memory() -> None:
    world = Written("loc w : Real(2) = zeros\n")
    program = batched(world.program("let w <= Get[w]() in Put[w](w + x)", x=real(2)), (True,))
    made: Machine = machine(program, world.heap(w=np.zeros(2)))
    made.runner(1).step(np.ones((1, 2)))
    made.runner(3).step(np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))
    made.runner(1).steps([np.array([[1.0, 0.0], [0.0, 1.0], [10.0, 10.0]])], np.array([[2], [0]]))
    assert made.written()[world.location("w")].tolist() == [15.0, 15.0]


@pytest.mark.parametrize("given", [np.ones((1, 3)), np.ones((2, 2)), np.ones((1, 2), np.float32), np.ones(2)])
def test_other_inputs_are_refused(given: np.ndarray) -> None:
    world = Written("loc w : Real(2) = zeros\n")
    program = batched(world.program("let w <= Get[w]() in Put[w](w + x)", x=real(2)), (True,))
    made = machine(program, world.heap(w=np.zeros(2)))
    with pytest.raises(ValueError, match="an input is"):
        made.runner(1).step(given)
    assert made.written()[world.location("w")].tolist() == [0.0, 0.0]
