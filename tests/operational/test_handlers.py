"""Ordinary handlers (RH §2.2.1)."""

import numpy as np
import pytest
from hypothesis import given

from rh_kernel.display.traces.marking import head
from rh_kernel.operational.binders import bind, fixed, plus, returned
from rh_kernel.operational.substitution import handled
from rh_kernel.operational.trace import run, steps
from rh_kernel.paper import Rule
from rh_kernel.primitives.values import to_array
from rh_kernel.source.diagnostic import Stuck
from rh_kernel.syntax.binding import instantiate_clause
from rh_kernel.syntax.builtin import GET
from rh_kernel.syntax.clauses import ordinary_clause
from rh_kernel.syntax.core import Bind, Bound, Handle, OrdinaryClause, OrdinaryHandler, Perform, Return, Scope, Term
from rh_kernel.syntax.signature import Pattern
from rh_kernel.syntax.types import SCALAR, UNIT, real
from rh_kernel.syntax.values import UNIT_VALUE, constant
from tests.laws.readings import steps_of
from tests.operational.nets import FLIP, fc, flip, get, handle, infer, mlp, put, resume, scope, sigmoid, then, twice
from tests.operational.programs import COMMANDS, HEAP, W0, W1, V
from tests.strategies_of_commands import Program, programs
from tests.tiers import law


def number(M: Term) -> float:
    return float(to_array(M)[0])


def test_section_2_2_1_inference() -> None:
    s = HEAP[W0] @ V.value
    result = run(COMMANDS["inferred"], HEAP)
    np.testing.assert_allclose(to_array(result.value), HEAP[W1] @ (s * sigmoid(s)), atol=1e-12)
    assert result.heap is HEAP


def test_section_2_2_1_the_sequence() -> None:
    P = handle(bind(fc(W0, fixed(V)), "x1", lambda x: fc(W1, x)), infer(SCALAR))(0)
    assert [step.rule for step in steps(P, HEAP)] == [
        Rule.H_OP,
        Rule.GET,
        Rule.LET_COMMAND,
        Rule.EV,
        Rule.LET_COMMAND,
        Rule.LET_COMMAND,
        Rule.H_OP,
        Rule.GET,
        Rule.LET_COMMAND,
        Rule.EV,
        Rule.LET_COMMAND,
        Rule.H_RETURN,
    ]


def test_a_continuation_may_be_used_twice_and_handles_again() -> None:
    """``handle let a ⇐ Flip(1) in let b ⇐ Flip(a) in ⌊a + b⌋``: 1 + 1, 1 + 2, 2 + 2 and 2 + 4"""
    net = bind(flip(fixed(constant(1))), "a", lambda a: bind(flip(a), "b", lambda b: returned(plus(a, b))))
    assert number(run(handle(net, twice(SCALAR))(0), HEAP).value) == 2 + 3 + 4 + 6


def test_a_continuation_may_be_dropped() -> None:
    pattern = Pattern(FLIP, (), ())
    drop = OrdinaryClause(pattern, scope(("x", "k"), lambda x, k: returned(x)))
    H = OrdinaryHandler(UNIT, SCALAR, scope(("x",), lambda x: returned(fixed(constant(7)))), (drop,), "drop")
    net = bind(
        flip(fixed(constant(3))), "a", lambda a: then(put(W0, fixed(constant(np.ones((3, 2))))), returned(fixed(UNIT_VALUE)))
    )
    result = run(handle(net, H)(0), HEAP)
    assert number(result.value) == 3
    assert result.heap is HEAP


def test_an_operation_without_a_clause_passes_to_the_handler_outside() -> None:
    net = bind(flip(fixed(constant(1))), "a", lambda a: bind(mlp(W0, W1, fixed(V)), "y", lambda y: returned(plus(a, y))))
    y = number(run(COMMANDS["inferred"], HEAP).value)
    inside = run(handle(handle(net, infer(SCALAR)), twice(SCALAR))(0), HEAP)
    outside = run(handle(handle(net, twice(SCALAR)), infer(SCALAR))(0), HEAP)
    assert number(inside.value) == pytest.approx(3 + 2 * y)
    assert number(outside.value) == pytest.approx(3 + 2 * y)


def test_the_nearest_handler_with_a_clause_takes_the_operation() -> None:
    clause = OrdinaryClause(Pattern(FLIP, (), ()), scope(("x", "k"), lambda x, k: resume(k, fixed(constant(10)))))
    ten = OrdinaryHandler(SCALAR, SCALAR, scope(("x",), returned), (clause,), "ten")
    net = flip(fixed(constant(1)))
    assert number(run(handle(handle(net, ten), twice(SCALAR))(0), HEAP).value) == 10
    assert number(run(handle(handle(net, twice(SCALAR)), ten)(0), HEAP).value) == 1 + 2


def test_a_clause_is_outside_of_its_own_handler() -> None:
    """A handler whose clause performs its own operation passes it on, and here nothing takes it."""
    clause = OrdinaryClause(Pattern(FLIP, (), ()), scope(("x", "k"), lambda x, k: flip(x)))
    H = OrdinaryHandler(SCALAR, SCALAR, scope(("x",), returned), (clause,), "again")
    with pytest.raises(Stuck, match="RH201"):
        run(handle(flip(fixed(constant(1))), H)(0), HEAP)


def test_the_return_clause_applies_to_the_result() -> None:
    H = OrdinaryHandler(real(2), real(2), scope(("x",), lambda x: returned(plus(x, x))), (), "double")
    P = handle(handle(returned(fixed(V)), H), H)(0)
    assert run(P, HEAP).value == constant(4 * V.value)
    assert [step.rule for step in steps(P, HEAP)] == [Rule.H_RETURN, Rule.PLUS, Rule.H_RETURN, Rule.PLUS]


def test_a_handler_may_take_over_the_heap() -> None:
    clause = OrdinaryClause(
        Pattern(GET, (W0,), ("s",)), scope(("x", "k"), lambda x, k: resume(k, fixed(constant(np.ones((3, 2))))))
    )
    H = OrdinaryHandler(real(3, 2), real(3, 2), scope(("x",), returned), (clause,), "ones")
    assert run(handle(get(W0), H)(0), HEAP).value == constant(np.ones((3, 2)))


def test_an_operation_that_nothing_handles_is_stuck() -> None:
    with pytest.raises(Stuck, match=r"RH201.*FC"):
        run(mlp(W0, W1, fixed(V))(0), HEAP)


CONTINUATIONS = [Scope(("y",), Return(Bound(0))), Scope(("y",), Bind(Return(Bound(0)), Scope(("_",), Return(Bound(4)))))]


@law(60)
@given(programs())
def test_a_clause_is_put_in_place_as_the_syntax_has_it(p: Program) -> None:
    """``Q[V/x, k]``, for the operations that are met and for variables in their place, whatever k does."""
    taken = [*steps_of(COMMANDS["inferred"], HEAP, 40), *steps_of(p.command, p.heap, 40)]
    for step in [step for step in taken if step.rule is Rule.H_OP]:
        M, (_, met) = step.redex, head(step.redex)
        assert isinstance(M, Handle)
        assert isinstance(M.handler, OrdinaryHandler)
        assert isinstance(met, Perform)
        clause = ordinary_clause(M.handler, met.operation)
        if clause is not None:
            for W in (met.argument, Bound(3, "w")):
                for k in (
                    Scope(("y",), Return(Bound(0))),
                    Scope(("y",), Bind(Return(Bound(0)), Scope(("_",), Return(Bound(4))))),
                ):
                    assert handled(clause, W, k) == instantiate_clause(clause, (W,), k)
