"""The sign of a zero is what IEEE 754 makes it, on every back end; a sum over entries begins with 0.0."""

import numpy as np
import pytest

from rh_kernel.arrays.backend import Runner
from rh_kernel.arrays.native import Native, available
from rh_kernel.arrays.numpy_backend.backend import NumPy
from rh_kernel.arrays.numpy_backend.interpreter import Interpreter
from rh_kernel.arrays.planning.planner import planned
from rh_kernel.arrays.program import Equation, Extent, Program, extent_of
from rh_kernel.loops.ir import Number
from rh_kernel.loops.trees import leaves
from rh_kernel.primitives.table import kernel
from rh_kernel.syntax.core import Array, Primitive
from tests.arrays.validation import validate
from tests.primitives.instances import INSTANCES, shapes

FEW = {f.name: [g for g in INSTANCES if g.name == f.name] for f in INSTANCES}
"""The members of each family."""

UNSPECIFIED = frozenset({"maximum", "minimum", "maxpool1d", "maxpool2d"})
"""Of two zeros either is the larger one."""


def all_of(functions: list[Primitive]) -> Program:
    """A program that applies each function to inputs of its own."""
    inputs = [shape for f in functions for shape in shapes(f.domain)]
    sizes: list[Extent] = [*inputs, *map(extent_of, functions)]
    equations: list[Equation] = []
    first = 0
    for i, f in enumerate(functions):
        after = first + len(shapes(f.domain))
        equations.append(Equation(len(inputs) + i, f, tuple(range(first, after))))
        first = after
    names, registers = tuple([f"x{i}" for i in range(len(inputs))]), tuple(range(len(inputs)))
    results = tuple([e.result for e in equations])
    return validate(Program(names, registers, (), (), tuple(equations), results, (), tuple(sizes), (False,) * len(sizes)))


def signs(x: Array) -> Array:
    """What two results have to agree on: where they are zero, and the sign there."""
    return np.where(x == 0, np.copysign(1.0, x), 0.0)


def check(functions: list[Primitive], program: Program, runner: Runner) -> None:
    rng = np.random.default_rng(0)
    for values in ([0.0, -0.0], [-0.0], [0.0, -0.0, 1.0, -1.0], [0.0, -0.0, 1.0, -1.0], [0.0, -0.0, -2.0]):
        inputs = [rng.choice(values, size=program.shapes[r]) for r in range(len(program.names))]
        runner.step(*inputs)
        for f, equation, found in zip(functions, program.equations, leaves(runner.result()), strict=True):
            with np.errstate(all="ignore"):
                expected = kernel(f, np)(*[inputs[r] for r in equation.arguments])
            np.testing.assert_array_equal(signs(found), signs(expected), err_msg=str(f))


@pytest.mark.parametrize("name", FEW)
def test_numpy_gives_zeros_the_sign_that_the_kernels_do(name: str) -> None:
    program = all_of(FEW[name])
    memory = NumPy().memory({}, "float64")
    runners: list[Runner] = [Interpreter(program, memory, "float64", None)]
    if name not in UNSPECIFIED:
        runners += [NumPy().runner(planned(program, None, matrices=matrices), memory) for matrices in (False, True)]
    for runner in runners:
        check(FEW[name], program, runner)


@pytest.mark.skipif(not available(), reason="there is no C compiler")
def test_machine_code_gives_zeros_the_sign_that_the_kernels_do() -> None:
    functions = [f for name, several in FEW.items() if name not in UNSPECIFIED for f in several[:6]]
    program = all_of(functions)
    check(functions, program, Native().runner(planned(program, None), Native().memory({}, "float64")))


def test_two_zeros_are_two_literals() -> None:
    assert Number(0.0) != Number(-0.0)
    assert Number(0.0) == Number(0.0)
    assert len({Number(0.0), Number(-0.0), Number(1.0), Number(1)}) == 3


@pytest.mark.parametrize("name", ["sum", "mean", "sum_rows", "dot", "outer", "matmul", "conv1d", "sumpool1d", "downsum1d"])
def test_a_sum_over_entries_begins_with_zero(name: str) -> None:
    for f in FEW[name]:
        found = kernel(f, np)(*[np.full(shape, -0.0) if i == 0 else np.ones(shape) for i, shape in enumerate(shapes(f.domain))])
        assert not np.signbit(found).any()
