"""Native = NumPy by hand, on the plans of whole programs: training steps of the networks of the paper."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import Phase, given

from rh_kernel.arrays.backend import Backend, Unsupported
from rh_kernel.arrays.batch import batched
from rh_kernel.arrays.compile import compile_command
from rh_kernel.arrays.execution import machine
from rh_kernel.arrays.native import Native, available
from rh_kernel.arrays.planning.planner import planned
from rh_kernel.loops.ir import Plan, Precision
from rh_kernel.syntax.core import Command
from tests.arrays.commands import W0, W1, V, commands
from tests.arrays.native.test_steps import compare
from tests.arrays.plans import interpret
from tests.benchmarks import reference
from tests.benchmarks.peers.ours import Opened
from tests.benchmarks.problems import TINY, Problem
from tests.tiers import law

pytestmark = pytest.mark.skipif(not available(), reason="there is no C compiler")
HEAP = {W0: np.array([0.5, -1.0]), W1: np.array([2.0, 0.25])}
POINT = (np.array([0.75, -0.5]), np.array([1.25, 0.5]))


@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize("problem", TINY, ids=lambda problem: problem.key)
@pytest.mark.usefixtures("walk")
def test_a_training_step_is_that_of_the_formulas(problem: Problem, precision: Precision) -> None:
    a_training_step_is_that_of_the_formulas(problem, precision)


def a_training_step_is_that_of_the_formulas(
    problem: Problem, precision: Precision, make: Callable[[], Backend] = Native
) -> None:
    """Some steps on the machine, and the weights that the formulas have then."""
    arrays = problem.arrays()
    opened = Opened(problem, arrays, "float64")
    run = opened.elaborated()
    given = {"x": arrays.x, "t": arrays.t}
    program = batched(compile_command(run.command, tuple([A for _, A in run.sample])), [True, True])
    made = machine(program, opened.session.heap, precision, make())
    for _ in range(reference.STEPS):
        made.runner(problem.batch).step(*[np.ascontiguousarray(given[name], precision) for name, _ in run.sample])
    found = opened.contents({location.name: content for location, content in made.written().items()})
    error = reference.error(arrays, reference.trained(problem, arrays), found)
    assert error <= reference.TOLERANCE[precision]


@law(25, phases=[Phase.explicit, Phase.generate])
@given(commands((V, V), 3, act=False))
def test_a_command_runs_as_its_plan_says(P: Command) -> None:
    a_command_runs_as_its_plan_says(P, Native())


def a_command_runs_as_its_plan_says(P: Command, backend: Backend) -> None:
    """One run, and the result and the heap that the definition gives."""
    program = compile_command(P, (V, V))
    plan: Plan = planned(program, None)
    memory = backend.memory(HEAP, "float64")
    try:
        runner = backend.runner(plan, memory)
    except Unsupported:
        return
    runner.step(*POINT)
    result, contents = interpret(plan, HEAP, POINT)
    compare(runner.result(), result, 1e-9)
    for location, content in memory.fetch().items():
        np.testing.assert_allclose(content, contents[location], rtol=1e-9, atol=1e-9)
