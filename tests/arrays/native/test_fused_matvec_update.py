"""A product with a transpose and the update of its matrix become one pass where nothing in between minds: with one result."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import Phase, given
from hypothesis import strategies as st

from rh_kernel.arrays.native import Native, available
from rh_kernel.arrays.native.fused_matvec_update import FusedUpdate, fuse_updates
from rh_kernel.loops import scalars
from rh_kernel.loops.ir import (
    Content,
    Contract,
    Input,
    Instruction,
    Map,
    Plan,
    Precision,
    Scratch,
    Step,
    Store,
    View,
)
from tests.arrays.commands import location
from tests.arrays.native.test_steps import CLOSE, compare
from tests.arrays.plans import interpret
from tests.tiers import law

needs_compiler = pytest.mark.skipif(not available(), reason="there is no C compiler")
GAP = 3
"""The matrix is part of a wider one."""


def add_to(target: View, source: View) -> Map:
    """``target ← target + source``"""
    return Map(target.shape, (target, source), (Instruction(scalars.ADD, (0, 1)),), (Store(target, 2),))


def backward(
    rows: int,
    columns: int,
    middle: str = "",
    *,
    precision: Precision = "float64",
    scales: Sequence[float] = (1.0, -0.5),
    swap: bool = False,
    accumulate: bool = False,
) -> Plan:
    """``x' = Wᵀ d``, a step named ``middle``, ``W ← W + s e xᵀ``, where d, e and x are copied from the input first."""
    wide = columns + GAP
    w = location("W", rows, wide)
    buffers = (Input(0, rows), Input(1, rows), Input(2, columns), Content(w, rows * wide))
    buffers = (
        *buffers,
        Scratch(0, rows),
        Scratch(rows, rows),
        Scratch(2 * rows, columns),
        Scratch(2 * rows + columns, columns),
    )
    axes = (columns, rows) if swap else (rows, columns)

    def view(buffer: int, by_row: int, by_column: int, offset: int = 0) -> View:
        return View(buffer, offset, axes, (by_column, by_row) if swap else (by_row, by_column))

    def line(buffer: int, size: int) -> View:
        return View(buffer, 0, (size,), (1,))

    copies = [Map((n,), (line(i, n),), (), (Store(line(i + 4, n), 0),)) for i, n in enumerate((rows, rows, columns))] + [
        Map((columns,), (line(2, columns),), (), (Store(line(7, columns), 0),))
    ]
    matrix, output = view(3, wide, 1, 1), view(7, 0, 1)
    product = Contract(axes, output, matrix, view(4, 1, 0), scales[0], accumulate)
    update = Contract(axes, matrix, view(5, 1, 0), view(6, 0, 1), scales[1], accumulate=True)
    first = View(3, 1, (columns,), (1,))
    between: dict[str, list[Step]] = {
        "": [],
        "writes d": [add_to(line(4, rows), line(0, rows))],
        "reads W": [add_to(line(7, columns), first)],
        "writes W": [Map((columns,), (line(2, columns),), (), (Store(first, 0),))],
        "writes e": [add_to(line(5, rows), line(0, rows))],
        "writes x": [add_to(line(6, columns), line(2, columns))],
    }
    steps = (*copies, product, *between[middle], update)
    shapes = ((rows,), (rows,), (columns,))
    return Plan(precision, None, shapes, buffers, 2 * rows + 2 * columns, steps, line(7, columns), (w,))


def sweeps(plan: Plan) -> int:
    return sum(isinstance(step, FusedUpdate) for step in fuse_updates(plan.steps, plan.buffers))


def agree(plan: Plan) -> None:
    rng = np.random.default_rng(0)
    (place,) = plan.writes
    start = rng.normal(size=plan.buffers[3].size)
    inputs = [rng.normal(size=shape).astype(plan.precision) for shape in plan.inputs]
    memory = Native().memory({place: start}, plan.precision)
    runner = Native().runner(plan, memory)
    runner.step(*inputs)
    result, contents = interpret(plan, {place: start}, inputs)
    compare(runner.result(), result, CLOSE[plan.precision])
    np.testing.assert_allclose(memory[place], contents[place], rtol=CLOSE[plan.precision], atol=CLOSE[plan.precision])


@needs_compiler
@law(12, phases=[Phase.explicit, Phase.generate])
@given(st.integers(30, 70), st.integers(35, 70), st.sampled_from(("float64", "float32")), st.booleans(), st.booleans())
def test_one_pass_computes_what_two_do(rows: int, columns: int, precision: Precision, swap: bool, accumulate: bool) -> None:
    plan = backward(rows, columns, precision=precision, scales=(0.5, -0.25), swap=swap, accumulate=accumulate)
    assert sweeps(plan) == 1
    agree(plan)


@needs_compiler
@pytest.mark.parametrize(
    ("middle", "count"), [("", 1), ("writes d", 1), ("reads W", 0), ("writes W", 0), ("writes e", 0), ("writes x", 0)]
)
def test_an_update_moves_up_only_past_what_does_not_mind(middle: str, count: int) -> None:
    plan = backward(40, 50, middle)
    assert sweeps(plan) == count
    agree(plan)


def test_small_matrices_stay_as_they_are() -> None:
    assert sweeps(backward(8, 8)) == 0


def test_a_product_goes_into_one_pass_only() -> None:
    plan = backward(40, 50)
    assert len(fuse_updates((*plan.steps, plan.steps[-1]), plan.buffers)) == len(plan.steps)
