"""A step costs what its rule does, however long or deep the program is: counted in calls, not in seconds."""

from collections.abc import Callable
from typing import Any

import pytest

from rh_kernel.operational import focus as focusing
from rh_kernel.operational import step as step_module
from rh_kernel.operational.binders import CommandAtDepth, TermAtDepth, bind, fixed, returned
from rh_kernel.operational.contexts import Subject
from rh_kernel.operational.heap import Heap
from rh_kernel.operational.limits import Limits
from rh_kernel.operational.step import Step
from rh_kernel.operational.substitution import substituted
from rh_kernel.operational.trace import Result, State, proceed, run, steps
from rh_kernel.syntax.core import (
    Bind,
    Bound,
    Call,
    Handle,
    Let,
    Node,
    OrdinaryHandler,
    Plus,
    Proj,
    Rd,
    Repeat,
    Return,
    Scope,
    Term,
    Tuple,
)
from rh_kernel.syntax.dimensions import dim
from rh_kernel.syntax.types import SCALAR, real
from rh_kernel.syntax.values import constant
from tests.counting import calls
from tests.operational.nets import entrywise, fc, infer, location, mlp, scope, sgd, swish, trained, weights

C = constant(0.5)
F = entrywise("tanh", 1)
NOTHING = OrdinaryHandler(SCALAR, SCALAR, scope(("x",), returned), (), "nothing")


def let_chain(n: int) -> Term:
    M: Term = Bound(0)
    for _ in range(n):
        M = Let(Call(F, Bound(0)), Scope(("x",), M))
    return Let(C, Scope(("x",), M))


def let_chain_that_looks_back(n: int) -> Term:
    """Each variable is the sum of the one before and of the first."""
    M: Term = Bound(0)
    for k in reversed(range(n)):
        M = Let(Plus(Bound(0), Bound(k)), Scope(("x",), M))
    return Let(C, Scope(("x",), M))


def lets_that_are_gathered(n: int) -> Term:
    """Every variable is used at the end, far from its let."""
    M: Term = C
    for k in range(n):
        M = Plus(Bound(k), M)
    for _ in range(n):
        M = Let(C, Scope(("x",), M))
    return M


def lets_to_the_left(n: int) -> Term:
    M: Term = C
    for _ in range(n):
        M = Let(M, Scope(("x",), Call(F, Bound(0))))
    return M


def calls_nested(n: int) -> Term:
    M: Term = C
    for _ in range(n):
        M = Call(F, M)
    return M


def sums_to_the_right(n: int) -> Term:
    M: Term = C
    for _ in range(n):
        M = Plus(C, M)
    return M


def sums_to_the_left(n: int) -> Term:
    M: Term = C
    for _ in range(n):
        M = Plus(M, C)
    return M


def wide_tuple(n: int) -> Term:
    return Proj(1, n, Tuple((Call(F, C),) * n))


def late_redex(n: int) -> Term:
    M: Term = Call(F, C)
    for _ in range(n):
        M = Tuple((C, M))
    return M


def deep_substitution(n: int) -> Term:
    M: Term = Bound(0)
    for _ in range(n):
        M = Call(F, M)
    return Let(C, Scope(("x",), M))


def tree_of_sums(n: int) -> Term:
    row: list[Term] = [C] * (n + 1)
    while len(row) > 1:
        row = [Plus(M, N) for M, N in zip(row[::2], row[1::2], strict=False)] + row[len(row) // 2 * 2 :]
    return row[0]


def bind_chain(n: int) -> Subject:
    P: Subject = Return(Bound(0))
    for _ in range(n):
        P = Bind(Return(Call(F, Bound(0))), Scope(("x",), P))
    return Bind(Return(C), Scope(("x",), P))


def binds_to_the_left(n: int) -> Subject:
    P = Return(C)
    for _ in range(n):
        P = Bind(P, Scope(("x",), Return(Call(F, Bound(0)))))
    return P


def handlers_nested(n: int) -> Subject:
    P = Return(Call(F, C))
    for _ in range(n):
        P = Handle(P, NOTHING)
    return P


SHAPES: tuple[Callable[[int], Subject], ...] = (
    let_chain,
    let_chain_that_looks_back,
    lets_that_are_gathered,
    lets_to_the_left,
    calls_nested,
    sums_to_the_right,
    sums_to_the_left,
    wide_tuple,
    late_redex,
    deep_substitution,
    tree_of_sums,
    bind_chain,
    binds_to_the_left,
    handlers_nested,
)


def kept(M: Subject) -> list[Step]:
    """All steps, as a session keeps them."""
    found: list[Step] = []
    state = State(M, None, Heap(), 0)
    while not isinstance(now := proceed(state, Limits(), 10, found), Result):
        state = now
    return found


each_shape = pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__)


@each_shape
def test_the_work_is_linear_in_the_size(shape: Callable[[int], Subject]) -> None:
    small, large = shape(60), shape(600)
    assert calls(lambda: run(large, Heap())) <= 10.5 * calls(lambda: run(small, Heap()))


@each_shape
def test_keeping_the_steps_costs_no_more_than_the_steps(shape: Callable[[int], Subject]) -> None:
    M = shape(600)
    assert calls(lambda: kept(M)) <= 2 * calls(lambda: run(M, Heap()))


@each_shape
def test_a_step_calls_few_functions(shape: Callable[[int], Subject]) -> None:
    """However many there are: 200,000 steps a second leave no room for more."""
    M = shape(2_000)
    assert calls(lambda: run(M, Heap())) <= 20 * max(run(M, Heap()).count, 2_000)


@each_shape
def test_a_kept_step_is_not_written_out_before_it_is_asked_for(
    shape: Callable[[int], Subject], monkeypatch: pytest.MonkeyPatch
) -> None:
    M, written = shape(100), 0

    def counted(node: Node, *others: Any) -> Node:
        nonlocal written
        written += 1
        return substituted(node, *others)

    monkeypatch.setattr(focusing, "substituted", counted)
    monkeypatch.setattr(step_module, "substituted", counted)
    found = kept(M)
    assert written == 0
    now = M
    for step in found:
        assert step.before == now
        now = step.after


@pytest.mark.parametrize("shape", [let_chain, calls_nested, late_redex, tree_of_sums, bind_chain, lets_to_the_left])
def test_no_recursion_up_to_a_hundred_thousand_nodes(shape: Callable[[int], Subject]) -> None:
    M = shape(50_000)
    assert run(M, Heap()).value.loose == 0
    assert len(kept(M)[0].path) <= 50_000


@each_shape
def test_no_size_meets_a_limit_of_python(shape: Callable[[int], Subject]) -> None:
    result = run(shape(5_000), Heap())
    assert result.value.loose == 0


def test_before_and_after_can_be_asked_for_at_any_depth() -> None:
    first, *_ = steps(calls_nested(10_000), Heap())
    assert first.path == (0,) * 9_999
    assert isinstance(first.before, Call)
    assert isinstance(first.after, Call)


def test_a_derivative_deep_inside_costs_no_more() -> None:
    def around_it(n: int) -> Term:
        M: Term = Rd(C, Scope(("x",), Call(F, Call(F, Bound(0, "x")))), C)
        for _ in range(n):
            M = Call(F, M)
        return M

    once = run(around_it(0), Heap()).count
    assert run(around_it(1_000), Heap()).count == once + 1_000
    assert calls(lambda: run(around_it(1_000), Heap())) <= 11 * calls(lambda: run(around_it(100), Heap()))


def test_training_again_and_again_costs_the_same_each_time() -> None:
    """The right sides of Fig. 7 are made at the first time, and then there are only values to be put in."""
    w0, w1 = location("w0", 4, 2), location("w1", 1, 4)
    heap = weights(1, w0, w1)
    one = trained(lambda x: mlp(w0, w1, x), constant([0.1, 0.2]), sgd(0.01, C, SCALAR))

    def trainings(n: int) -> Subject:
        P: Subject = Return(C)
        for _ in range(n):
            P = Bind(one, Scope(("_",), P))
        return P

    first, again = calls(lambda: run(one, heap)), calls(lambda: run(one, heap))
    assert again < 0.4 * first, (first, again)
    assert calls(lambda: run(trainings(20), heap)) <= 10.1 * calls(lambda: run(trainings(2), heap))
    assert run(trainings(20), heap).count == 20 * (run(one, heap).count + 1)


def test_a_round_that_trains_is_built_once() -> None:
    """The rounds of a ``repeat`` that does not mention its index are the same code with another state."""
    w0, w1 = location("w0", 5, 2), location("w1", 1, 5)
    one = trained(lambda x: mlp(w0, w1, x), constant([0.1, 0.2]), sgd(0.01, C, SCALAR))
    body = Scope(("s",), Bind(one, Scope(("_",), Return(Plus(Bound(1, "s"), C)))))

    def rounds(n: int) -> int:
        return calls(lambda: run(Repeat("i", 0, dim(n), C, body), weights(1, w0, w1)))

    first = rounds(1)
    assert rounds(21) - rounds(1) < 0.4 * 20 * first


def test_operations_in_the_same_context_are_handled_by_the_same_code() -> None:
    w0, w1 = location("w0", 6, 2), location("w1", 1, 6)
    P = Handle(mlp(w0, w1, fixed(constant([1.0, 2.0])))(0), infer(SCALAR))
    first, again = [calls(lambda: run(P, weights(1, w0, w1))) for _ in range(2)]
    assert again < 0.5 * first, (first, again)


def test_the_literal_fig_7_costs_context_times_steps() -> None:
    """What the compiled reading drops: every term adds a zero for every variable, so steps grow with the square."""
    ws = [location(f"w{i}", 2, 2) for i in range(12)]
    heap = weights(1, *ws)

    def counted(n: int) -> int:
        return run(trained(lambda x: layers(n, x), constant([0.1, 0.2]), sgd(0.01, constant([0.0, 0.0]), real(2))), heap).count

    def layers(n: int, x: TermAtDepth) -> CommandAtDepth:
        if n == 1:
            return fc(ws[0], x)
        return bind(fc(ws[n - 1], x), "z", lambda z: bind(returned(swish(2, z)), "h", lambda h: layers(n - 1, h)))

    second = [counted(n + 2) - 2 * counted(n + 1) + counted(n) for n in (2, 5, 9)]
    assert second == [second[0]] * 3
    assert second[0] > 0
