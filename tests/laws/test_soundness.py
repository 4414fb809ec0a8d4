"""Soundness and adequacy of the denotation (RH Thm. 8.1, Cor. 8.4).

``⟦P⟧`` is a function of its inputs and of the heap, and so is what ``P`` steps to: they are compared on the heap at hand and,
where a step leaves the heap alone, on another one.
"""

from collections.abc import Mapping
from typing import cast

from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.denotational.commands import interpret
from rh_kernel.denotational.evaluate import Outcome, run
from rh_kernel.denotational.smooth import apply
from rh_kernel.denotational.terms import interpret_term
from rh_kernel.paper import Rule
from rh_kernel.syntax.core import Array, Command, Scope, Term
from rh_kernel.syntax.signature import Location
from tests.laws.readings import arrays, assert_close, assert_same_heap, reached, steps_of
from tests.strategies import heaps, terms, types
from tests.strategies_of_commands import Program, programs
from tests.tiers import law

CLOSELY = 60


def denoted(P: Command, heap: Mapping[Location, Array]) -> Outcome:
    """What ``⟦◇ ; ◇ ⊢ P : A⟧`` does to a heap."""
    return run(interpret((), Scope((), P)), (), heap)


def value_of(M: Term) -> list[Array]:
    """``⟦◇ ⊢ M : A⟧``"""
    return apply(interpret_term((), Scope((), M)), ())


@law(100)
@given(st.data())
def test_a_term_reduces_to_what_it_denotes(data: st.DataObject) -> None:
    M = data.draw(terms((), data.draw(types()), 6))
    assert_close(value_of(M), arrays(reached(M, {}).value))


@law(25)
@given(programs(), heaps())
def test_a_step_of_a_command_keeps_what_it_denotes(p: Program, other: dict[Location, Array]) -> None:
    heap = p.heap
    for count, taken in enumerate(steps_of(p.command, p.heap, 300)):
        after = heap if taken.change is None else {**heap, taken.change.location: taken.change.content}
        if count < CLOSELY or count % 16 == 0:
            P, Q = cast(Command, taken.before), cast(Command, taken.after)
            agree(denoted(P, heap), denoted(Q, after))
            if taken.rule not in (Rule.GET, Rule.PUT, Rule.DRAW):
                agree(denoted(P, other), denoted(Q, other))
        heap = after


def agree(before: Outcome, after: Outcome) -> None:
    """The same values and the same heap."""
    assert_close(after.values, before.values)
    assert_same_heap(after.heap, before.heap)


@law(60)
@given(st.data())
def test_a_step_of_a_term_keeps_what_it_denotes(data: st.DataObject) -> None:
    M = data.draw(terms((), data.draw(types()), 6))
    value = value_of(M)
    for count, taken in enumerate(steps_of(M, {}, 300)):
        if count < CLOSELY or count % 16 == 0:
            assert_close(value_of(cast(Term, taken.after)), value)
