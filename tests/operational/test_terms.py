"""``M → N`` (RH Def. 5.4): Ev of definitions, the sum at every type, and strictness."""

from functools import reduce

import numpy as np
import pytest

from rh_kernel.operational.binders import call, fixed, let, plus, tuple_from
from rh_kernel.operational.heap import Heap
from rh_kernel.operational.limits import Limits
from rh_kernel.operational.trace import run, steps
from rh_kernel.paper import Rule
from rh_kernel.primitives.values import to_array
from rh_kernel.source.diagnostic import Stuck
from rh_kernel.syntax.core import Defined, RdOf, Term, Tuple, Zero
from rh_kernel.syntax.types import real
from rh_kernel.syntax.values import constant
from tests.operational.nets import entrywise, scope
from tests.operational.programs import DOUBLED_TANH, STRAIGHT_THROUGH, V, function, proj


def rules(M: Term) -> list[Rule]:
    return [step.rule for step in steps(M, Heap())]


def applied(name: str, f: Defined, times: int) -> Defined:
    """``x ↦ f(… f(x))``"""
    return Defined(name, real(2), real(2), scope(("x",), lambda x: reduce(lambda M, _: call(f, M), range(times), x)), None)


def test_a_definition_is_evaluated_in_one_step() -> None:
    M = call(DOUBLED_TANH, fixed(V))(0)
    assert rules(M) == [Rule.EV]
    np.testing.assert_allclose(to_array(run(M, Heap()).value), 2 * np.tanh(V.value))


def test_the_derivative_of_a_definition_is_that_of_its_body() -> None:
    M = call(RdOf(DOUBLED_TANH), tuple_from(fixed(constant([1.0, 3.0])), fixed(V)))(0)
    assert rules(M) == [Rule.EV]
    np.testing.assert_allclose(to_array(run(M, Heap()).value), np.array([2.0, 6.0]) * (1 - np.tanh(V.value) ** 2))


def test_example_4_6_a_definition_may_bring_its_own_derivative() -> None:
    M = call(RdOf(STRAIGHT_THROUGH), tuple_from(fixed(constant([1.0, 3.0])), fixed(V)))(0)
    assert run(M, Heap()).value == constant([1.0, 3.0])


def test_definitions_nest_without_nesting_python() -> None:
    f = DOUBLED_TANH
    for i in range(2000):
        f = applied(f"f{i}", f, 1)
    assert run(call(f, fixed(V))(0), Heap()) == run(call(DOUBLED_TANH, fixed(V))(0), Heap())


def test_a_tuple_is_evaluated_from_left_to_right() -> None:
    two = call(function("tanh"), fixed(V))
    M = tuple_from(two, tuple_from(fixed(V), two), two)(0)
    assert [step.path for step in steps(M, Heap())] == [(0,), (1, 1), (2,)]


def test_a_sum_is_evaluated_from_left_to_right_and_then_added_at_any_type() -> None:
    two = call(function("neg"), fixed(constant([1.0, 2.0])))
    M = plus(tuple_from(two, fixed(V)), tuple_from(fixed(V), two))(0)
    assert [(s.rule, s.path) for s in steps(M, Heap())] == [(Rule.EV, (0, 0)), (Rule.EV, (1, 1)), (Rule.PLUS, ())]
    total = constant(V.value - np.array([1.0, 2.0]))
    assert run(M, Heap()).value == Tuple((total, total))


def test_the_zero_is_neutral_and_taken_apart_like_a_tuple() -> None:
    zero = fixed(Zero(real(2)))
    assert run(plus(zero, fixed(V))(0), Heap()).value == V
    pair = let(fixed(Zero(real(2))), "z", lambda z: tuple_from(z, fixed(V)))
    assert run(proj(1, 2, pair)(0), Heap()).value == Zero(real(2))


def test_strict_reduction_is_stuck_where_psmooth_is_undefined() -> None:
    relu = entrywise("relu", 2)
    M = call(relu, fixed(constant([1.0, 0.0])))(0)
    assert run(M, Heap()).value == constant([1.0, 0.0])
    with pytest.raises(Stuck, match=r"RH203: relu is not smooth at \[1\.0, 0\.0\]"):
        run(M, Heap(), Limits(strict=True))
    assert run(call(relu, fixed(constant([1.0, -1.0])))(0), Heap(), Limits(strict=True)).value == constant([1.0, 0.0])


def test_strict_reduction_names_the_function_whose_derivative_was_asked_for() -> None:
    M = call(RdOf(entrywise("abs", 2)), tuple_from(fixed(V), fixed(constant([0.0, 0.0]))))(0)
    with pytest.raises(Stuck, match="RH203: abs is not smooth"):
        run(M, Heap(), Limits(strict=True))


def test_fuel_also_bounds_what_happens_inside_ev() -> None:
    f = DOUBLED_TANH
    for i in range(30):
        f = applied(f"f{i}", f, 2)
    with pytest.raises(Stuck, match="RH204"):
        run(call(f, fixed(V))(0), Heap(), Limits(fuel=1000))
