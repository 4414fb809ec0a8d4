"""Types are kept: Prop. 5.12 for commands, and for terms (RH Def. 5.4, with Lemmas 5.3 and 5.9 for what is not yet unfolded).

The type is derived anew after each step, from nothing but the tree.
"""

from collections.abc import Iterator
from typing import cast

from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from rh_kernel.operational.contexts import Subject
from rh_kernel.operational.step import Step
from rh_kernel.syntax.binding import instantiate_command
from rh_kernel.syntax.core import Command, RevHandle, Scope, Term
from rh_kernel.syntax.types import Product, Type
from rh_kernel.typing.derive import derive_command, derive_handler, derive_term
from rh_kernel.typing.derivations import ReverseHandlerType
from tests.laws.profile import law
from tests.laws.readings import steps_of
from tests.strategies import World, dice_of, draw_term, draw_type, terms, types
from tests.strategies_of_commands import Program, draw_command, draw_reverse_handler, programs

CLOSELY, STEPS = 80, 400


def after_steps(subject: Subject, p: Program) -> Iterator[Step]:
    """Each of the first steps, and a sample of those that follow."""
    for count, taken in enumerate(steps_of(subject, p.heap, STEPS)):
        if count < CLOSELY or count % 16 == 0:
            yield taken


@law(70)
@given(programs())
def test_a_step_of_a_command_keeps_its_type(p: Program) -> None:
    assert derive_command((), (), p.command).type == p.type
    for taken in after_steps(p.command, p):
        assert derive_command((), (), cast(Command, taken.after)).type == p.type, taken.rule


@law(100)
@given(st.data())
def test_a_step_of_a_term_keeps_its_type(data: st.DataObject) -> None:
    A = data.draw(types())
    M = data.draw(terms((), A, 6))
    assert derive_term((), M).type == A
    for taken in after_steps(M, Program(RETURNED, A, {})):
        assert derive_term((), cast(Term, taken.after)).type == A, taken.rule


@law(60)
@given(st.data())
def test_an_open_program_has_the_type_it_was_drawn_at(data: st.DataObject) -> None:
    gamma, delta = data.draw(contexts()), data.draw(contexts())
    A = data.draw(types())
    P = data.draw(st.composite(open_command)(gamma, delta, A))
    assert derive_command(gamma, delta, P).type == A


@law(60)
@given(st.data())
def test_a_handler_has_the_type_it_was_drawn_at(data: st.DataObject) -> None:
    C = data.draw(types())
    H = data.draw(st.composite(lambda draw: draw_reverse_handler(dice_of(draw), World(), C, 3)[0])())
    assert derive_handler((), H).type == ReverseHandlerType(C)
