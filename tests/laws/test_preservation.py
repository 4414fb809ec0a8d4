"""Types are kept: Prop. 5.12 for commands, and for terms (RH Def. 5.4, with Lemmas 5.3 and 5.9 for what is not yet unfolded).

The type is derived again after each step, from nothing but the tree.
"""

from collections.abc import Iterator, Mapping
from typing import cast

from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.operational.contexts import Subject
from rh_kernel.operational.step import Step
from rh_kernel.syntax.core import Array, Command, Term
from rh_kernel.syntax.signature import Location
from rh_kernel.typing.derivation.derivations import OrdinaryHandlerType, ReverseHandlerType
from rh_kernel.typing.derivation.derive import derive_command, derive_handler, derive_term
from tests.laws.readings import steps_of
from tests.strategies import contexts, terms, types
from tests.strategies_of_commands import Program, commands, ordinary_handlers, programs, reverse_handlers
from tests.tiers import law

CLOSELY, STEPS = 80, 400


def after_steps(subject: Subject, heap: Mapping[Location, Array]) -> Iterator[Step]:
    """Each of the first steps, and a sample of those that follow."""
    for count, taken in enumerate(steps_of(subject, heap, STEPS)):
        if count < CLOSELY or count % 16 == 0:
            yield taken


@law(50)
@given(programs())
def test_a_step_of_a_command_keeps_its_type(p: Program) -> None:
    assert derive_command((), (), p.command).type == p.type
    for taken in after_steps(p.command, p.heap):
        assert derive_command((), (), cast(Command, taken.after)).type == p.type, taken.rule


@law(100)
@given(st.data())
def test_a_step_of_a_term_keeps_its_type(data: st.DataObject) -> None:
    A = data.draw(types())
    M = data.draw(terms((), A, 6))
    assert derive_term((), M).type == A
    for taken in after_steps(M, {}):
        assert derive_term((), cast(Term, taken.after)).type == A, taken.rule


@law(60)
@given(st.data())
def test_an_open_command_has_the_type_it_was_drawn_at(data: st.DataObject) -> None:
    gamma, delta, A = data.draw(contexts()), data.draw(contexts()), data.draw(types())
    P = data.draw(commands(gamma, delta, A))
    assert derive_command(gamma, delta, P).type == A


@law(60)
@given(st.data())
def test_a_handler_has_the_type_it_was_drawn_at(data: st.DataObject) -> None:
    gamma, C, D = data.draw(contexts()), data.draw(types()), data.draw(types())
    assert derive_handler(gamma, data.draw(reverse_handlers(gamma, C))).type == ReverseHandlerType(C)
    assert derive_handler(gamma, data.draw(ordinary_handlers(gamma, C, D))).type == OrdinaryHandlerType(C, D)
