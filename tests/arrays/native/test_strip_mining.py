"""Steps that are run for some samples at a time compute what they do for all at once (strip mining)."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import Phase, given
from hypothesis import strategies as st

from rh_kernel.arrays.native import Native, available, strip_mining
from rh_kernel.arrays.native.fused_matvec_update import FusedUpdate
from rh_kernel.arrays.native.schedule import Machine
from rh_kernel.arrays.native.strip_mining import Strips, strip_mined
from rh_kernel.arrays.planning.dependence import with_views
from rh_kernel.loops import scalars
from rh_kernel.loops.ir import (
    Contract,
    Input,
    Instruction,
    Kept,
    Map,
    Plan,
    Precision,
    Scratch,
    Step,
    Store,
    View,
)
from tests.arrays.native.test_programs import a_training_step_is_that_of_the_formulas
from tests.arrays.native.test_steps import CLOSE, compare
from tests.arrays.plans import interpret
from tests.benchmarks.peers.ours import StepByStep
from tests.benchmarks.problems import TINY, Problem, problem
from tests.tiers import law

MACHINE = Machine(8, 32, masked=True)
needs_compiler = pytest.mark.skipif(not available(), reason="there is no C compiler")


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Strips wherever they may be: of one sample each."""
    monkeypatch.setattr(strip_mining, "WORKING_SET", 0)
    monkeypatch.setattr(strip_mining, "LEAST", 1)
    monkeypatch.setattr(strip_mining, "TERMS", 1)


def strips_of(plan: Plan, machine: Machine = MACHINE) -> list[Strips]:
    found = strip_mined(plan.steps, plan, replace(machine, item=np.dtype(plan.precision).itemsize), 1000)
    return [step for step in found if isinstance(step, Strips)]


# ------------------------------------------------------------------------------------- networks


@needs_compiler
@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize("net", [p for p in TINY if p.batch > 1], ids=lambda p: p.key)
@pytest.mark.usefixtures("small", "walk")
def test_a_training_step_in_strips_is_that_of_the_formulas(net: Problem, precision: Precision) -> None:
    a_training_step_is_that_of_the_formulas(net, precision)


@pytest.mark.parametrize(("key", "count"), [("cnn-10/b3", 2), ("unet-14/b3", 3)])
@pytest.mark.usefixtures("small")
def test_there_are_strips_in_those_steps(key: str, count: int) -> None:
    (net,) = [p for p in TINY if p.key == key]
    assert len(strips_of(planned(net))) >= count


def planned(net: Problem) -> Plan:
    """The plan of a step without matrices, as the native back end wants it."""
    return StepByStep(net, net.arrays(), "float64", Native).machine.plan(net.batch)


def test_what_is_left_for_the_next_step_alone_is_as_large_as_a_strip() -> None:
    """Of a convolution that is pooled, and of its swish, 8 × 126 numbers are there at a time; so in the backward pass."""
    forward, backward = strips_of(planned(problem("cnn-128/b32")))
    assert [len(forward.pieces), forward.count, forward.workspace] == [3, 32, 2 * 1008]
    assert [len(backward.pieces), backward.count, backward.workspace] == [3, 32, 2 * 1008]


def test_a_strip_has_as_many_samples_as_there_is_room_for() -> None:
    plan = doubled(rows=32, length=1024)
    (found,) = strips_of(plan)
    # Input, two arrays in between and the result, 8 bytes a number: 32 kB a sample; of 4 numbers in place of 8, 16 kB.
    assert found.count == 32
    (found,) = strips_of(replace(plan, precision="float32"))
    assert found.count == 16
    assert not strips_of(doubled(rows=32, length=64))
    assert not strips_of(replace(plan, samples=None))


def doubled(rows: int, length: int) -> Plan:
    """``t ← x + x; u ← t + t; y ← u + u``"""
    size = rows * length
    views = [View(i, 0, (size,), (1,)) for i in range(4)]
    buffers = (Input(0, size), Scratch(0, size), Scratch(size, size), Scratch(2 * size, size))
    steps = tuple([added(a, a, b) for a, b in pairwise(views)])
    return Plan("float64", rows, ((rows, length),), buffers, 3 * size, steps, View(3, 0, (rows, length), (length, 1)), ())


def added(a: View, b: View, c: View) -> Map:
    """``c ← a + b``"""
    return Map(c.shape, (a, b), (Instruction(scalars.ADD, (0, 1)),), (Store(c, 2),))


# ------------------------------------------------------------------------------------- orders


def along(buffer: int, rows: int, length: int, how: str) -> View:
    """All samples as they come, backwards, or the first or the last one for each."""
    match how:
        case "backwards":
            return View(buffer, (rows - 1) * length, (rows, length), (-length, 1))
        case "first" | "last":
            return View(buffer, 0 if how == "first" else (rows - 1) * length, (rows, length), (0, 1))
        case _:
            return View(buffer, 0, (rows, length), (length, 1))


@pytest.mark.parametrize(("how", "count"), [("in order", 1), ("first", 1), ("last", 0), ("backwards", 0)])
@pytest.mark.usefixtures("small")
def test_what_a_strip_needs_is_there_before(how: str, count: int) -> None:
    """``t ← x + x; y ← t + t``, with other samples of t: no strip may read what a later one writes."""
    plan = doubled(4, 8)
    t = along(1, 4, 8, how)
    steps = (plan.steps[0], added(t, t, along(2, 4, 8, "")))
    assert len(strips_of(replace(plan, steps=steps))) == count


@pytest.mark.usefixtures("small")
def test_a_place_that_two_arrays_share_is_written_when_the_first_is_not_needed_any_more() -> None:
    """``t ← x + x; u ← t + t; y ← x + x`` with y where t was, but from behind."""
    size, rows = 32, 4
    buffers = (Input(0, size), Kept(np.zeros(size)), Scratch(0, size))
    x, t, u = [along(i, rows, 8, "") for i in range(3)]
    y = along(1, rows, 8, "backwards")
    plan = Plan("float64", rows, ((rows, 8),), buffers, size, (added(x, x, t), added(t, t, u), added(x, x, y)), u, ())
    (found,) = strips_of(plan)
    assert [piece.whole for piece in found.pieces] == list(plan.steps[:2])


@pytest.mark.usefixtures("small")
def test_what_a_later_step_takes_from_a_strip_is_not_its_own() -> None:
    """``t ← x + x; b ← x + x; v ← t + b; u ← b + b; w ← u₁ + b`` with b from behind, and u where t was, but one further on.

    Until w is met, the strips could have u for their own. All of them read its first sample, so it stays where it is, and no
    strip may write it before the next ones have read t.
    """
    rows = 4
    x, t, b, v, u, w = [along(i, rows, 1, "") for i in range(6)]
    buffers = (Input(0, rows), *[Scratch(start, rows) for start in (0, rows + 1, 2 * rows + 1, 1, 3 * rows + 1)])
    steps = (
        added(x, x, t),
        added(x, x, along(b.buffer, rows, 1, "backwards")),
        added(t, b, v),
        added(b, b, u),
        added(along(u.buffer, rows, 1, "first"), b, w),
    )
    plan = Plan("float64", rows, ((rows, 1),), buffers, 4 * rows + 1, steps, (v, w), ())
    for found in strips_of(plan):
        assert not {steps[2], steps[3]} <= {piece.whole for piece in found.pieces}
    if available():
        agree(plan)


@pytest.mark.usefixtures("small")
def test_a_sum_over_samples_is_complete_before_it_is_read() -> None:
    """``t ← x + x; w ← w + Σ t; y ← t + w``: the last step is one of its own."""
    rows, n = 4, 8
    buffers = (Input(0, rows * n), Scratch(0, rows * n), Kept(np.zeros(n)), Kept(np.ones(1)), Scratch(rows * n, rows * n))
    x, t, y = [along(i, rows, n, "") for i in (0, 1, 4)]
    one = View(3, 0, (rows, n), (0, 0))
    total = Contract((rows, n), View(2, 0, (rows, n), (0, 1)), t, one, accumulate=True)
    plan = Plan(
        "float64",
        rows,
        ((rows, n),),
        buffers,
        2 * rows * n,
        (added(x, x, t), total, added(t, along(2, rows, n, "first"), y)),
        y,
        (),
    )
    (found,) = strips_of(plan)
    assert [piece.whole for piece in found.pieces] == list(plan.steps[:2])
    if available():
        agree(plan)


@pytest.mark.parametrize("strides", [(0, 1), (1, 1)])
@pytest.mark.usefixtures("small")
def test_no_piece_of_a_product_clears_what_another_has_written(strides: tuple[int, int]) -> None:
    """``t ← x + x; y[j] ← Σᵢ t[i, j]``, and ``y[i + j] ← t[i, j]``, summed where several have one place."""
    rows, n = 4, 8
    buffers = (Input(0, rows * n), Scratch(0, rows * n), Kept(np.zeros(rows + n)), Kept(np.ones(1)))
    x, t = [along(i, rows, n, "") for i in range(2)]
    total = Contract((rows, n), View(2, 0, (rows, n), strides), t, View(3, 0, (rows, n), (0, 0)))
    plan = Plan("float64", rows, ((rows, n),), buffers, rows * n, (added(x, x, t), total), View(2, 0, (rows + n,), (1,)), ())
    assert not strips_of(plan)
    (found,) = strips_of(replace(plan, steps=(plan.steps[0], replace(total, accumulate=True))))
    assert found.count == rows


def agree(plan: Plan) -> None:
    x = np.random.default_rng(0).normal(size=plan.inputs[0]).astype(plan.precision)
    runner = Native().runner(plan, {})
    runner.step(x)
    result, _ = interpret(plan, {}, [x])
    compare(runner.result(), result, CLOSE[plan.precision])


@st.composite
def chains(draw: st.DrawFn) -> Plan:
    """Sums of arrays of samples, each of two earlier ones in some order of the samples, wherever there is workspace."""
    rows, length = draw(st.integers(2, 5)), draw(st.integers(1, 6))
    size = rows * length
    steps: list[Step] = []
    used: list[list[int]] = [[0]]
    for i in range(1, draw(st.integers(3, 9))):
        pair = [draw(st.integers(max(0, i - 3), i - 1)) for _ in range(2)]
        orders = [draw(st.sampled_from(("", "", "", "backwards", "first", "last"))) for _ in range(2)]
        given = [along(j, rows, length, order) for j, order in zip(pair, orders, strict=True)]
        steps.append(added(given[0], given[1], along(i, rows, length, draw(st.sampled_from(("", "", "", "backwards"))))))
        used.append([i])
        for j in pair:
            used[j].append(i)
    last = len(steps)
    used[last].append(last + 1)
    starts: list[int] = [0]
    for i in range(1, last + 1):
        taken = [starts[j] for j in range(1, i) if max(used[j]) >= i]
        free = [s for s in range(0, 2 * size * last, 1) if all(abs(s - t) >= size for t in taken)]
        starts.append(draw(st.sampled_from(free[: 2 * size])))
    buffers = (Input(0, size), *[Scratch(start, size) for start in starts[1:]])
    shape = (rows, length)
    return Plan("float64", rows, (shape,), buffers, max(starts) + size, tuple(steps), along(last, rows, length, ""), ())


@law(500)
@given(chains())
@pytest.mark.usefixtures("small")
def test_strips_one_after_the_other_are_the_plan(plan: Plan) -> None:
    """The law of the order, without a compiler."""
    x = np.random.default_rng(0).normal(size=plan.inputs[0])
    compare(interpret(unrolled(plan), {}, [x])[0], interpret(plan, {}, [x])[0], 0.0)


def unrolled(plan: Plan) -> Plan:
    """The pieces of each strip as steps of their own, and behind all other buffers the one that strips have for their own."""
    found = strip_mined(plan.steps, plan, MACHINE, len(plan.buffers))
    workspace = max([step.workspace for step in found if isinstance(step, Strips)], default=0)
    steps: list[Step] = []
    for step in found:
        if isinstance(step, Strips):
            for strip, piece in product(range(step.count), step.pieces):
                moved = {view: replace(view, offset=view.offset + strip * by) for view, by in piece.moves.items()}
                steps.append(with_views(piece.step, lambda view, moved=moved: moved[view]))
        else:
            assert not isinstance(step, FusedUpdate)
            steps.append(step)
    buffers = (*plan.buffers, Scratch(plan.scratch, workspace))
    return replace(plan, steps=tuple(steps), buffers=buffers, scratch=plan.scratch + workspace)


@needs_compiler
@law(40, phases=[Phase.explicit, Phase.generate])
@given(st.lists(chains(), min_size=1, max_size=1))
@pytest.mark.usefixtures("small")
def test_strips_compute_what_the_steps_do(plans: Sequence[Plan]) -> None:
    for plan in plans:
        agree(plan)
