"""Prebuilt kernels = the definition of a plan, for steps and programs, both precisions, and each level of the processor."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import Phase, given
from hypothesis import strategies as st

from rh_kernel.arrays.backend import Backend, Unsupported
from rh_kernel.arrays.native import NativeRunner, accelerated
from rh_kernel.arrays.numpy_backend.backend import NumPyRunner
from rh_kernel.arrays.prebuilt import Prebuilt, backend
from rh_kernel.arrays.prebuilt.backend import Accelerated
from rh_kernel.arrays.prebuilt.library import Library
from rh_kernel.loops import scalars
from rh_kernel.loops.ir import (
    Buffer,
    Call,
    Contract,
    Fold,
    GatherAt,
    Input,
    Instruction,
    Kept,
    Loop,
    Map,
    Number,
    Plan,
    Precision,
    Reduce,
    Row,
    Rows,
    ScatterAdd,
    Step,
    Store,
    View,
)
from rh_kernel.loops.scalars import ScalarOp
from rh_kernel.syntax.core import Array, Command, Primitive
from rh_kernel.syntax.dimensions import dim
from tests.arrays import plans as small
from tests.arrays.commands import V, commands
from tests.arrays.native import plans as large
from tests.arrays.native.test_programs import a_command_runs_as_its_plan_says, a_training_step_is_that_of_the_formulas
from tests.arrays.native.test_runner import subnormal_numbers_count_as_0_in_a_long_run_and_nowhere_else
from tests.arrays.native.test_steps import CLOSE, compare
from tests.arrays.plans import interpret
from tests.benchmarks.problems import TINY, TINY_NETS, Problem
from tests.tiers import law

pytestmark = pytest.mark.slow
WHOLE = [Phase.explicit, Phase.reuse, Phase.generate]
"""A plan is drawn by one number, so there is nothing to make smaller."""
KINDS = (large.entrywise, large.between, large.fold, large.product, large.selection, large.neighbours)
each_precision = pytest.mark.parametrize("precision", ["float64", "float32"])


def agree(by: Backend, plan: Plan, *inputs: Array) -> None:
    """One run by either gives the same."""
    run = by.runner(plan, {})
    assert isinstance(run, NativeRunner)
    run.step(*inputs)
    expected, _ = interpret(plan, {}, inputs)
    compare(run.result(), expected, CLOSE[plan.precision])


def agree_with_float64(by: Backend, plan: Plan) -> None:
    """One run gives what the definition gives in float64; in float32, its sums of thousands of terms are less exact."""
    buffers = [Kept(b.array.astype(plan.precision).astype(float)) for b in plan.buffers if isinstance(b, Kept)]
    exact, _ = interpret(replace(plan, precision="float64", buffers=tuple(buffers)), {}, ())
    run = by.runner(plan, {})
    run.step()
    compare(run.result(), tuple([array.astype(plan.precision) for array in exact]), CLOSE[plan.precision])


def of_buffers(precision: Precision, buffers: list[Buffer], *steps: Step) -> Plan:
    """A plan whose result is all that the buffers hold, but for rows."""
    whole = [View(k, 0, (b.size,), (1,)) for k, b in enumerate(buffers) if isinstance(b, Kept)]
    return Plan(precision, None, (), tuple(buffers), 0, steps, tuple(whole), ())


@each_precision
@pytest.mark.parametrize("kind", KINDS)
def test_steps_do_what_their_definition_says(
    prebuilt: Prebuilt, kind: Callable[[large.Drawing], None], precision: Precision
) -> None:
    @law(12, phases=WHOLE)
    @given(st.data())
    def holds(data: st.DataObject) -> None:
        plan, x = data.draw(large.plans(kind, precision))
        agree(prebuilt, plan, x)

    holds()


@pytest.mark.parametrize("kind", small.STEPS)
def test_steps_on_any_strides_do_what_their_definition_says(prebuilt: Prebuilt, kind: str) -> None:
    @law(60)
    @given(small.plans(kind))
    def holds(plan: Plan) -> None:
        if kind == "contraction":
            agree_with_float64(prebuilt, plan)
        else:
            agree(prebuilt, plan)

    holds()


@each_precision
@pytest.mark.parametrize("problem", [*TINY, *TINY_NETS], ids=lambda problem: problem.key)
def test_a_training_step_is_that_of_the_formulas(prebuilt: Prebuilt, problem: Problem, precision: Precision) -> None:
    a_training_step_is_that_of_the_formulas(problem, precision, lambda: prebuilt)


def test_a_command_runs_as_its_plan_says(prebuilt: Prebuilt) -> None:
    @law(60, phases=[Phase.explicit, Phase.generate])
    @given(commands((V, V), 3, act=False))
    def holds(P: Command) -> None:
        a_command_runs_as_its_plan_says(P, prebuilt)

    holds()


@each_precision
def test_rows_are_taken_and_added_by_computed_numbers(prebuilt: Prebuilt, precision: Precision) -> None:
    @law(40)
    @given(st.integers(1, 6), st.integers(1, 9), st.integers(1, 5), st.booleans(), st.integers(0, 2**16))
    def holds(rows: int, n: int, d: int, shared: bool, seed: int) -> None:
        rng = np.random.default_rng(seed)
        index = rng.integers(-2, rows + 2, n).astype(float)
        index[rng.random(n) < 0.2] = np.nan
        buffers: list[Buffer] = [Kept(rng.normal(size=size)) for size in (n * d, n * d * rows, n * d, n * d * rows)]
        buffers.append(Kept(index))
        out, numbers = View(0, 0, (n, d), (d, 1)), View(4, 0, (n, d), (1, 0))
        taken = View(1, 0, (n, d, rows), (0 if shared else d * rows, 1, d))
        added = View(3, 0, (n, d, rows), (0 if shared else d * rows, 1, d))
        steps = GatherAt(out, taken, numbers), ScatterAdd(added, View(2, 0, (n, d), (d, 1)), numbers)
        agree(prebuilt, of_buffers(precision, buffers, *steps))

    holds()


@each_precision
def test_a_loop_goes_from_row_to_row(prebuilt: Prebuilt, precision: Precision) -> None:
    """In each round of the outer loop, a product with the state; in each of the inner one, a part of it is added up."""
    rng = np.random.default_rng(5)
    buffers: list[Buffer] = [Kept(rng.normal(size=size)) for size in (7 * 12, 12 * 12, 12, 7 * 12)]
    buffers += [Row(12), Row(12), Row(4), Kept(np.zeros(4))]
    product = Contract((12, 12), View(5, 0, (12, 12), (1, 0)), View(1, 0, (12, 12), (12, 1)), View(4, 0, (12, 12), (0, 1)), 0.1)
    body = (Number(0.5), Instruction(scalars.MUL, (0, 2)), Instruction(scalars.ADD, (3, 1)))
    state = View(2, 0, (12,), (1,))
    carried = Map((12,), (state, View(5, 0, (12,), (1,))), body, (Store(state, 4), Store(View(5, 0, (12,), (1,)), 4)))
    total, part = View(7, 0, (4,), (1,)), View(6, 0, (4,), (1,))
    inner = Loop(3, (Rows(6, View(2, 0, (4,), (1,)), 4),), (Map((4,), (part,), (), (Store(total, 0, accumulate=True),)),))
    rows = (Rows(4, View(0, 72, (12,), (1,)), -12), Rows(5, View(3, 0, (12,), (1,)), 12))
    agree(prebuilt, of_buffers(precision, buffers, Loop(7, rows, (product, carried, inner))))


@pytest.mark.parametrize("fold", Fold)
def test_a_fold_of_nothing(prebuilt: Prebuilt, fold: Fold) -> None:
    buffers: list[Buffer] = [Kept(np.ones(3)), Kept(np.ones(6))]
    plan = of_buffers("float64", buffers, Reduce(fold, View(0, 0, (3,), (1,)), View(1, 0, (3, 0, 2), (2, 2, 1))))
    run = prebuilt.runner(plan, {})
    run.step()
    expected = {Fold.SUM: 0.0, Fold.MAX: -np.inf, Fold.ARGMAX: -1.0}[fold]
    compare(run.result(), (np.full(3, expected), np.ones(6)), 0)


CALL = Call(Primitive("exp", ((dim(2),),), V, V), View(0, 0, (2,), (1,)), (View(0, 0, (2,), (1,)),))
UNKNOWN = ScalarOp(name="half", function=lambda xp: lambda x: xp.multiply(x, 0.5), c="{0} / 2")


@pytest.mark.parametrize(
    "step",
    [CALL, Map((2,), (View(0, 0, (2,), (1,)),), (Instruction(UNKNOWN, (0,)),), (Store(View(0, 0, (2,), (1,)), 1),))],
    ids=["a call", "an operation of another distribution"],
)
def test_numpy_runs_what_has_no_kernel(built: Library, step: Step) -> None:
    plan = of_buffers("float64", [Kept(np.array([0.0, 1.0]))], step)
    with pytest.raises(Unsupported):
        Prebuilt(built).runner(plan, {})
    run = Accelerated(built).runner(plan, {})
    assert isinstance(run, NumPyRunner)
    run.step()
    compare(run.result(), (np.array([1.0, np.e]) if step is CALL else np.array([0.0, 0.5]),), 1e-12)


def test_what_cannot_be_compiled_is_run_by_prebuilt_kernels(built: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "true")
    monkeypatch.setattr(backend, "library", lambda: built)
    y = View(0, 0, (3,), (1,))
    plan = of_buffers("float64", [Kept(np.arange(3.0))], Map((3,), (y,), (Instruction(scalars.NEG, (0,)),), (Store(y, 1),)))
    run = accelerated.Accelerated().runner(plan, {})
    assert isinstance(run, NativeRunner)
    run.step()
    compare(run.result(), (-np.arange(3.0),), 0)


def test_an_input_is_read_where_it_is(prebuilt: Prebuilt) -> None:
    view = View(0, 0, (5,), (1,))
    plan = Plan(
        "float64",
        None,
        ((5,),),
        (Input(0, 5), Kept(np.zeros(5))),
        0,
        (Map((5,), (view,), (), (Store(View(1, 0, (5,), (1,)), 0),)),),
        View(1, 0, (5,), (1,)),
        (),
    )
    agree(prebuilt, plan, np.arange(5.0))


@pytest.mark.parametrize(("precision", "tiny"), [("float64", 2.0**-525), ("float32", 2.0**-70)])
def test_subnormal_numbers(precision: Precision, tiny: float, prebuilt: Prebuilt) -> None:
    subnormal_numbers_count_as_0_in_a_long_run_and_nowhere_else(prebuilt, precision, tiny)
