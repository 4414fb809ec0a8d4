"""Only visible parts are instantiated; if the whole state is visible, the result is the state."""

import numpy as np
import pytest

from rh_kernel.display.live.stepper import Stepper
from rh_kernel.display.traces.instantiation import Instantiator
from rh_kernel.operational.contexts import Closure, Subject, outline
from rh_kernel.operational.heap import Heap
from rh_kernel.operational.trace import steps
from rh_kernel.session.results import TraceMade
from rh_kernel.syntax.core import Bound, Const, Let, Plus, Scope, Term, Tuple
from rh_kernel.syntax.types import SCALAR
from tests.counting import calls
from tests.operational.programs import PROGRAMS, Program

ONE = Const(np.array([1.0]))


def shared(count: int) -> Term:
    """``let x ← 1 in let y ← x + x in let y ← y + x in …``"""
    M: Term = Bound(0, "y")
    for k in reversed(range(count)):
        M = Let(Plus(Bound(0, "y"), Bound(k, "x")), Scope(("y",), M))
    return Let(ONE, Scope(("x",), M))


def paired(count: int) -> Term:
    """``let x ← ⟨1, 1⟩ in let y ← ⟨x, x⟩ in ⟨y, x, ⟨y, x, …⟩⟩``"""
    M: Term = ONE
    for _ in range(count):
        M = Tuple((Bound(0, "y"), Bound(1, "x"), M))
    return Let(Tuple((ONE, Plus(ONE, ONE))), Scope(("x",), Let(Tuple((Bound(0, "x"), Bound(0, "x"))), Scope(("y",), M))))


def whole(writing: Instantiator, closure: Closure) -> Subject:
    return writing.of(closure, None, outline(closure))


LARGER = {"shared": Program(shared(60), Heap({})), "paired": Program(paired(60), Heap({}))}


@pytest.mark.parametrize("program", [*PROGRAMS.values(), *LARGER.values()], ids=[*PROGRAMS, *LARGER])
def test_what_is_written_is_the_state(program: Program) -> None:
    forwards, backwards = Instantiator(), Instantiator()
    taken = [*steps(program.subject, program.heap)][:400]
    for step in taken:
        assert whole(forwards, step.found) == step.before
        assert whole(forwards, step.left) == step.after
    for step in reversed(taken):
        assert whole(backwards, step.left) == step.after
        assert whole(backwards, step.found) == step.before


def test_a_part_without_the_variable_that_was_bound_is_not_written_again() -> None:
    """In ``let y ← … in let y ← y + 1 in N``, N stays the same object when y gets its value."""
    writing = Instantiator()
    after = [whole(writing, step.left) for step in steps(shared(30), Heap({}))][1:20]
    sums = [M for M in after if isinstance(M, Let) and isinstance(M.bound, Const)]
    lets = [M for M in after if isinstance(M, Let) and isinstance(M.bound, Plus)]
    assert len(sums) == len(lets) + 1 == 10
    for before, now in zip(sums, lets, strict=False):
        assert isinstance(before.scope.body, Let)
        assert before.scope.body.scope.body is now.scope.body


def test_a_window_costs_the_same_however_long_the_rest_is() -> None:
    def window(count: int) -> int:
        taken = tuple(steps(shared(count), Heap({})))
        stepper = Stepper(TraceMade(shared(count), SCALAR, taken, None, (), {}))
        return calls(lambda: stepper.answer({"ask": "window", "from": count, "count": 20}))

    assert window(4_000) <= 1.2 * window(1_000)
