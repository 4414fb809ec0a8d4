"""What is run once is read and not planned (that it comes to the same is tested in ``test_random_programs``)."""

import numpy as np
import pytest

from rh_kernel.arrays.batch import batched
from rh_kernel.arrays.compile import compile_term
from rh_kernel.arrays.costs import MAX_INTERPRETED_REALS, MAX_INTERPRETED_RUNS, should_interpret
from rh_kernel.arrays.execution import machine
from rh_kernel.arrays.numpy_backend.backend import NumPy, NumPyRunner
from rh_kernel.arrays.numpy_backend.interpreter import Interpreter
from rh_kernel.arrays.options import CompileOptions
from rh_kernel.arrays.program import Program
from rh_kernel.source.diagnostic import Stuck
from rh_kernel.syntax.core import Term
from rh_kernel.syntax.types import real
from rh_kernel.syntax.values import constant
from rh_kernel.typing.definitions import FunDefinition
from tests.arrays.written import Written
from tests.declarations import declared

SWAP = "loc v : Real(2) = zeros\nloc w : Real(2) = zeros\n"


def swapping() -> tuple[Written, Program]:
    world = Written(SWAP)
    P = "let a <= Get[v]() in let b <= Get[w]() in let _ <= Put[v](b) in let _ <= Put[w](a + x) in return a"
    return world, world.program(P, x=real(2))


def test_contents_are_written_when_all_is_computed() -> None:
    world, program = swapping()
    memory = NumPy().memory(world.heap(v=np.array([1.0, 2.0]), w=np.array([3.0, 4.0])), "float64")
    reader = Interpreter(program, memory, "float64", None)
    reader.step(np.array([0.5, 0.25]))
    assert memory[world.location("v")].tolist() == [3, 4]
    assert memory[world.location("w")].tolist() == [1.5, 2.25]
    assert np.asarray(reader.result()).tolist() == [1, 2]
    reader.step(np.zeros(2))
    assert memory[world.location("v")].tolist() == [1.5, 2.25]
    assert memory[world.location("w")].tolist() == [3, 4]
    assert np.asarray(reader.result()).tolist() == [3, 4]


def test_a_row_of_samples_is_a_run() -> None:
    world = Written("loc w : Real(2) = zeros\n")
    program = batched(world.program("let a <= Get[w]() in let _ <= Put[w](a + x) in return (x, a)", x=real(2)), [True])
    memory = NumPy().memory(world.heap(w=np.zeros(2)), "float32")
    reader = Interpreter(program, memory, "float32", 2)
    reader.steps([np.array([[1, 2], [3, 4], [5, 6]], np.float32)], np.array([[0, 1], [1, 2]]))
    # Means of the first two and of the last two samples: (2, 3) and (4, 5).
    assert memory[world.location("w")].tolist() == [6, 8]
    x, a = reader.result()
    assert np.asarray(x).tolist() == [[3, 4], [5, 6]]
    # What all samples have in common is there for each.
    assert np.asarray(a).tolist() == [[2, 3], [2, 3]]
    assert {np.asarray(y).dtype for y in (x, a)} == {np.dtype("float32")}


@pytest.mark.parametrize("given", [[], [np.zeros(3)], [np.zeros(2, np.float32)], [np.zeros(2), np.zeros(2)]])
def test_inputs_have_to_fit(given: list[np.ndarray]) -> None:
    _, program = swapping()
    memory = {location: np.zeros(2) for _, location in program.reads}
    with pytest.raises(ValueError, match="float64"):
        Interpreter(program, memory, "float64", None).step(*given)


def test_a_point_that_is_not_smooth_leaves_the_heap_alone() -> None:
    definition = declared("fun f(x : Real(2)) = relu(x)").get("f")
    assert isinstance(definition, FunDefinition)
    body = definition.body.body
    assert isinstance(body, Term)
    reader = Interpreter(compile_term(body, (real(2),), options=CompileOptions(strict=True)), {}, "float64", None)
    reader.step(np.array([1.0, -1.0]))
    with pytest.raises(Stuck, match="relu"):
        reader.step(np.array([1.0, 0.0]))


def test_few_runs_of_little_are_read() -> None:
    small = compile_term(constant([3.0]))
    assert [should_interpret(small, 8, runs) for runs in (1, MAX_INTERPRETED_RUNS, MAX_INTERPRETED_RUNS + 1, None)] == [
        True,
        True,
        False,
        False,
    ]
    assert [should_interpret(small, reals, 1) for reals in (MAX_INTERPRETED_REALS, MAX_INTERPRETED_REALS + 1)] == [True, False]
    # Of each sample there are two entries, and the constant of one entry whatever their number.
    together = batched(Written("").program("return sin(3 * x)", x=real(2)), [True])
    assert together.sizes == (1, 4)
    assert isinstance(machine(together, {}, runs=1).runner(3), Interpreter)
    assert isinstance(machine(together, {}, runs=1).runner(MAX_INTERPRETED_REALS), NumPyRunner)


def test_what_must_hold_less_than_it_does_when_read_is_planned() -> None:
    world = Written("")
    # Eight arrays one after the other, each of which a plan writes on the one before.
    program = world.program("return sin(cos(sin(cos(sin(cos(sin(cos(x))))))))", x=real(10))
    ready = machine(program, {}, runs=1)
    assert ready.size() == 80
    assert isinstance(ready.runner(), Interpreter)
    ready = machine(program, {}, runs=1)
    assert ready.size(most=79) == ready.plan().size < 79
    assert isinstance(ready.runner(), NumPyRunner)
