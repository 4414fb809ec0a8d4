"""From what symbolic execution leaves to the plan that runs: each pass, counted; and what each step takes."""

from collections.abc import Generator
from typing import TypeVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.arrays.backend import ContentArrays
from rh_kernel.arrays.compile import compile_term, translate
from rh_kernel.arrays.execution import machine
from rh_kernel.arrays.numpy_backend.backend import NumPy, NumPyRunner
from rh_kernel.arrays.optimise import optimise
from rh_kernel.arrays.options import CompileOptions
from rh_kernel.arrays.passes import Pass, passes
from rh_kernel.arrays.planning.listing import steps_listing
from rh_kernel.arrays.planning.planner import planned
from rh_kernel.arrays.planning.profiling import Model, profile
from rh_kernel.arrays.program import Program
from rh_kernel.arrays.rewrites.decompositions import expanded
from rh_kernel.loops.ir import Plan
from rh_kernel.primitives.formulas import ENTRYWISE
from rh_kernel.primitives.schemes import instantiate
from rh_kernel.source.span import Source
from rh_kernel.syntax.core import Bound, Command
from rh_kernel.syntax.core import Call as Application
from rh_kernel.syntax.dimensions import dim
from rh_kernel.syntax.parsing.parser import parse
from rh_kernel.syntax.surface_items import Evaluation
from rh_kernel.syntax.types import real
from rh_kernel.typing.elaboration.items import ClosedCommand, elaborate_evaluation
from tests.arrays.written import FC, Written

T = TypeVar("T")

STEP = "rev handle ([1.0, 2.0]) <x>. FC[w](x) with sgd(0.5, [1.0, 2.0, 3.0])"
"""With y = α (W x − t): W − y xᵀ is written, and Wᵀ y is the result."""


def closed(text: str) -> Command:
    (item,) = parse(Source("test", text))
    assert isinstance(item, Evaluation)
    found = elaborate_evaluation(WORLD.known, item.expression)
    assert isinstance(found, ClosedCommand)
    return found.command


def translated(text: str, *, strict: bool = False) -> Program:
    return translate(closed(text), options=CompileOptions(strict=strict))


WORLD = Written(f"loc w : Real(3, 2) = zeros\n{FC}")


def ended(made: Generator[None, None, T]) -> T:
    while True:
        try:
            next(made)
        except StopIteration as end:
            return end.value


@given(st.booleans(), st.sampled_from(["float64", "float32"]))
def test_the_last_pass_leaves_the_plan_that_runs(matrices: bool, precision: str) -> None:
    dtype = "float32" if precision == "float32" else "float64"
    program = translated(STEP)
    found = passes(program, precision=dtype, matrices=matrices)
    assert [p.made_by for p in found] == [p for p in Pass if p is not Pass.BATCHED]
    last, plan = form(found[-1].form), planned(optimise(program), None, dtype, matrices=matrices)
    assert (last.steps, last.scratch, last.result) == (plan.steps, plan.scratch, plan.result)
    assert found[-1].bytes == (4 if dtype == "float32" else 8) * sum(
        step.moved for step in steps_listing(form(found[-1].form)).steps
    )


def form(made: object) -> Plan:
    assert isinstance(made, Plan)
    return made


def test_the_passes_of_a_step_of_training() -> None:
    """W x: 2 · 6 operations; y − t: three; α y: three; y xᵀ and W − y xᵀ: six each; Wᵀ y: 12."""
    found = {p.made_by: p for p in passes(translated(STEP), matrices=True)}
    assert found[Pass.SIMPLIFIED].operations == 12 + 3 + 3 + 6 + 6 + 12
    assert found[Pass.LOOPS].operations == found[Pass.PLACED].operations == found[Pass.SIMPLIFIED].operations
    shown = steps_listing(form(found[Pass.PLACED].form))
    assert [step.text for step in shown.steps] == [
        "t1[i] = Σⱼ w[i, j] · c1[j]",
        "t3 = 0.5 · (t1 - c2)",
        "t6[i] = Σⱼ w[j, i] · t3[j]",
        "w[i, j] -= t3[i] · c1[j]",
    ]
    assert [step.over for step in shown.steps] == ["i < 3, j < 2", "3 entries", "i < 2, j < 3", "i < 3, j < 2"]
    # What is read once is counted once, and what is added to is read and written.
    assert [step.moved for step in shown.steps] == [6 + 2 + 3, 3 + 3 + 3, 6 + 3 + 2, 6 + 6 + 3 + 2]
    assert shown.before[:2] == ("c1 = [1, 2]", "c2 = [1, 2, 3]")
    assert shown.after == ("return t6",)


def test_a_pass_in_place_moves_less() -> None:
    bytes_moved = {p.made_by: p.bytes for p in passes(translated(STEP))}
    assert bytes_moved[Pass.IN_PLACE] < bytes_moved[Pass.JOINED] <= bytes_moved[Pass.LOOPS]


def test_checks_are_counted_apart() -> None:
    (first, *_, last) = passes(translated("return relu(1.0)", strict=True))
    assert (first.count, last.count) == ("1 equation, 1 check", "0 steps, 1 check")


def test_a_profile_has_every_step_and_leaves_the_heap_alone() -> None:
    heap = WORLD.heap(w=np.ones((3, 2)))
    ready = machine(optimise(translated(STEP)), heap)
    found = ended(profile(ready))
    assert [step.line for step in found.steps] == [*steps_listing(ready.plan()).steps]
    assert all(step.seconds is not None and step.seconds > 0 and step.calls > 0 for step in found.steps)
    assert found.predicted == pytest.approx(sum(step.predicted for step in found.steps))
    assert found.whole > 0
    np.testing.assert_array_equal(heap[WORLD.location("w")], np.ones((3, 2)))


class Wrapped:
    """A runner of which nobody knows what is in it."""

    def __init__(self, runner: NumPyRunner) -> None:
        self.step = runner.step
        self.steps = runner.steps
        self.result = runner.result


class Other:
    """NumPy, as a back end that runs plans and nothing less."""

    prefers_gemm = False
    is_device = False

    def __init__(self) -> None:
        self.memory = NumPy().memory

    def runner(self, plan: Plan, memory: ContentArrays) -> Wrapped:
        return Wrapped(NumPy().runner(plan, memory))


def test_a_profile_of_a_back_end_without_pieces_runs_each_step_alone() -> None:
    ready = machine(optimise(translated(STEP)), WORLD.heap(w=np.ones((3, 2))), backend=Other())
    found = ended(profile(ready))
    assert [step.calls for step in found.steps] == [1] * len(ready.plan().steps)
    assert all(step.seconds is not None for step in found.steps)


def test_the_model_takes_the_longer_of_the_two() -> None:
    model = Model(call=1.0, bandwidth=2.0, rate=4.0)
    assert model.seconds(3, 8, 4) == 3 + 4
    assert model.seconds(3, 2, 40) == 3 + 10


@given(st.sampled_from(["tanh", "softplus", "swish", "sigmoid"]))
def test_what_has_nothing_to_expand_is_left_as_it_is(name: str) -> None:
    program = compile_term(Application(instantiate(name, ENTRYWISE, ((dim(3),),)), Bound(0)), (real(3),))
    assert (expanded(program) is program) == (name in {"tanh", "softplus"})
