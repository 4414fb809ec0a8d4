"""``if B then M else N`` is the branch that B chooses, for every evaluator; so are its derivative and what it puts."""

from collections.abc import Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.arrays.batch import batched
from rh_kernel.arrays.compile import compile_command, compile_term
from rh_kernel.arrays.execution import prepare, run
from rh_kernel.denotational.commands import interpret
from rh_kernel.denotational.evaluate import run as denote
from rh_kernel.loops.trees import leaves
from rh_kernel.syntax.binding import instantiate_term, shift
from rh_kernel.syntax.builtin import GET, PUT, UNNAMED
from rh_kernel.syntax.conditions import Compare, Condition, Negated, Relation
from rh_kernel.syntax.core import (
    Array,
    Bind,
    Bound,
    If,
    IfCommand,
    Let,
    Operation,
    Perform,
    Rd,
    Return,
    Scope,
    Term,
    Tuple,
)
from rh_kernel.syntax.types import SCALAR, UNIT, Real, Type
from rh_kernel.syntax.values import UNIT_VALUE, constant
from tests.laws.readings import arrays, assert_close, assert_same_heap, reached
from tests.strategies import LOCATIONS, World, dice_of, draw_condition, heaps, terms, types, values
from tests.strategies_of_commands import commands
from tests.tiers import law

HOLDS = Compare(Relation.LESS, 0), Tuple((constant(1.0), constant(2.0)))


def chosen(M: Term, N: Term, *, first: bool) -> Term:
    """A conditional that takes M, or else N; its condition is written in one of two ways."""
    condition, operands = HOLDS
    return If(condition, operands, M, N) if first else If(Negated(condition), operands, M, N)


def found(M: Term) -> list[list[Array]]:
    """The value of a closed term, stepped, denoted and compiled."""
    stepped = arrays(reached(M, {}).value)
    denoted = denote(interpret((), Scope((), Return(M))), (), {}).values
    compiled, _ = run(compile_term(M), (), {})
    return [stepped, [*denoted], [*leaves(compiled)]]


def same(one: Sequence[Sequence[Array]], other: Sequence[Sequence[Array]]) -> None:
    """All readings of both agree."""
    for reading in (*one, *other):
        assert_close(reading, one[0])


@law(60)
@given(st.data(), st.booleans())
def test_a_constant_condition_is_its_branch(data: st.DataObject, first: bool) -> None:
    A = data.draw(types())
    M, N = data.draw(terms((), A)), data.draw(terms((), A))
    same(found(chosen(M, N, first=first)), found(M if first else N))


@law(60)
@given(st.data())
def test_what_is_around_a_conditional_may_go_into_its_branches(data: st.DataObject) -> None:
    """``let x ← if B then M else N in L`` is ``if B then let x ← M in L else let x ← N in L``, and so are the derivatives."""
    A, B, C = data.draw(types()), data.draw(types()), data.draw(types())
    L, V, W = data.draw(terms((C, A), B, 3)), data.draw(values(C)), data.draw(values(B))
    M, N = data.draw(terms((C,), A, 3)), data.draw(terms((C,), A, 3))
    condition, operands = data.draw(conditions((C,)))
    outside = Let(If(condition, operands, M, N), Scope(("x",), L))
    inside = If(condition, operands, Let(M, Scope(("x",), L)), Let(N, Scope(("x",), L)))
    same(found(instantiate_term(Scope(("c",), outside), V)), found(instantiate_term(Scope(("c",), inside), V)))
    same(found(Rd(W, Scope(("c",), outside), V)), found(Rd(W, Scope(("c",), inside), V)))


@law(60)
@given(st.data())
def test_the_derivative_is_that_of_the_branch(data: st.DataObject) -> None:
    A, B = data.draw(types()), data.draw(types())
    V, W = data.draw(values(A)), data.draw(values(B))
    M, N = data.draw(terms((A,), B)), data.draw(terms((A,), B))
    condition, operands = data.draw(conditions((A,)))
    M_holds = reached(instantiate_term(Scope(("x",), If(condition, operands, constant(1.0), constant(0.0))), V), {}).value
    branch = M if arrays(M_holds)[0][0] else N
    same(found(Rd(W, Scope(("x",), If(condition, operands, M, N)), V)), found(Rd(W, Scope(("x",), branch), V)))


@law(40)
@given(st.data())
def test_each_sample_of_a_batch_takes_its_own_branch(data: st.DataObject) -> None:
    """The new contents are the means of those of the samples, each from the same heap, whatever a sample has put."""
    heap, xs = data.draw(heaps()), np.array(data.draw(st.lists(st.floats(-2, 2), min_size=1, max_size=4)))
    P = data.draw(commands((), (SCALAR,), SCALAR, 3))
    l = data.draw(st.sampled_from(LOCATIONS))
    content = Real(l.shape)
    get = Perform(Operation(GET, (l,), (l.shape,), UNIT, content), UNIT_VALUE)
    put = Perform(Operation(PUT, (l,), (l.shape,), content, UNIT), data.draw(terms((SCALAR,), content, 2)))
    writes = Bind(put, Scope(("_",), shift(P, 1)))
    reads = Bind(get, Scope(("_",), shift(P, 1)))
    Q = IfCommand(Compare(Relation.GREATER, 0), Tuple((Bound(0, "x"), constant(0.31371))), writes, reads)
    program = compile_command(Q, (SCALAR,), ("x",))
    single = [prepare(program)([np.array([x])], heap) for x in xs]
    together, changes = prepare(batched(program, [True]))([xs[:, None]], heap)
    assert_close([*leaves(together)], [np.stack([leaves(value)[0] for value, _ in single])])
    each = [{**heap, **changed} for _, changed in single]
    # A batch has no number of draws: each of its samples counts its own.
    declared = [l for l in heap if l not in UNNAMED]
    found = {**heap, **changes}
    assert_same_heap({l: found[l] for l in declared}, {l: np.mean([after[l] for after in each], axis=0) for l in declared})


@st.composite
def conditions(draw: st.DrawFn, gamma: Sequence[Type]) -> tuple[Condition, Tuple]:
    """A condition over the variables of Γ, and its operands."""
    return draw_condition(dice_of(draw), World().delta(*gamma), 2)
