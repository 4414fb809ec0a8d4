"""The compiled reading agrees with the stepper (RH Cor. 8.4: both compute what the denotation says)."""

from collections.abc import Mapping

import numpy as np
from hypothesis import given, reject

from rh_kernel.arrays.compile import compile_command, compile_term
from rh_kernel.arrays.execution import run
from rh_kernel.arrays.program import Program
from rh_kernel.loops.trees import leaves
from rh_kernel.operational.errors import OutOfFuel
from rh_kernel.operational.heap import Heap
from rh_kernel.operational.limits import Limits
from rh_kernel.operational.trace import Result
from rh_kernel.operational.trace import run as reduce
from rh_kernel.primitives.values import materialise, to_array
from rh_kernel.source.diagnostic import Stuck
from rh_kernel.syntax.binding import instantiate_command, instantiate_term
from rh_kernel.syntax.core import Array, Command, Scope, Term, Tuple
from rh_kernel.syntax.signature import Location
from rh_kernel.syntax.values import constant
from tests.arrays.commands import PAIR, W0, W1, V, commands, terms
from tests.arrays.validation import validate
from tests.tiers import law

HEAP: Mapping[Location, Array] = {W0: np.array([0.5, -1.0]), W1: np.array([2.0, 0.25])}
POINT = (np.array([0.75, -0.5]), np.array([1.25, 0.5]))
no_hurry = law(60)


def arrays(value: Term) -> list[Array]:
    return [array for M in value.items for array in arrays(M)] if isinstance(value, Tuple) else [to_array(value)]


def reduced(subject: "Term | Command") -> Result:
    """What the stepper reaches; a program is passed over if the literal equations take it too many steps."""
    try:
        return reduce(subject, Heap(HEAP), Limits(fuel=3_000))
    except Stuck as failure:
        if isinstance(failure.diagnostics[0], OutOfFuel):
            reject()
        raise


def agree(program: Program, closed: "Term | Command") -> None:
    found, changes = run(program, POINT, HEAP)
    reached = reduced(closed)
    for x, y in zip(leaves(found), arrays(materialise(reached.value)), strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-9, atol=1e-9)
    for location in HEAP:
        np.testing.assert_allclose(changes.get(location, HEAP[location]), reached.heap[location], rtol=1e-9, atol=1e-9)


@no_hurry
@given(terms((V, V), PAIR, 3))
def test_a_term_computes_what_it_reduces_to(M: Term) -> None:
    program = validate(compile_term(M, (V, V)))
    closed = instantiate_term(Scope(("x", "y"), M), *(constant(p) for p in POINT))
    found, _ = run(program, POINT, HEAP)
    for x, y in zip(leaves(found), arrays(materialise(reduced(closed).value)), strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-9, atol=1e-9)


@no_hurry
@given(commands((V, V), 3, act=False))
def test_a_command_computes_what_it_reduces_to(P: Command) -> None:
    closed = instantiate_command(Scope(("x", "y"), P), *(constant(p) for p in POINT))
    agree(validate(compile_command(P, (V, V))), closed)
