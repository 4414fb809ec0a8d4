"""``M[ρ]``: a substitution that waits is the substitution that was put off (RH Def. 5.4)."""

from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.operational.environments import Environment, extended, value_at
from rh_kernel.operational.heap import Heap
from rh_kernel.operational.limits import Limits
from rh_kernel.operational.substitution import substituted, value
from rh_kernel.operational.trace import Result, State, advance
from rh_kernel.source.diagnostic import Stuck
from rh_kernel.syntax.binding import instantiate_command, instantiate_term
from rh_kernel.syntax.core import Scope, Term, is_value
from rh_kernel.syntax.printing.doc import plain
from rh_kernel.syntax.printing.printer import command_doc, term_doc
from rh_kernel.syntax.values import constant
from tests.strategies import contexts, terms, types, values
from tests.strategies_of_commands import Program, commands, programs
from tests.tiers import law


def environment(images: list[Term]) -> Environment:
    """The values of variables, the last one with index 0."""
    rho: Environment = None
    for V in images:
        rho = extended(rho, V)
    return rho


@law(30)
@given(st.integers(0, 300), st.integers(0, 20))
def test_an_environment_is_a_list_that_grows_at_its_end(count: int, more: int) -> None:
    images: list[Term] = [constant(float(i)) for i in range(count)]
    rho = environment(images)
    assert [value_at(rho, count - 1 - i) for i in range(count)] == images
    larger = rho
    for _ in range(more):
        larger = extended(larger, constant(-1.0))
    assert [value_at(larger, more + count - 1 - i) for i in range(count)] == images
    assert [value_at(rho, count - 1 - i) for i in range(count)] == images


@law(80)
@given(st.data())
def test_a_term_is_written_out_by_substitution(data: st.DataObject) -> None:
    gamma, A = data.draw(contexts(6)), data.draw(types())
    M, images = data.draw(terms(gamma, A, 6)), [data.draw(values(B)) for B in gamma]
    expected = instantiate_term(Scope(("x",) * len(gamma), M), *images)
    found = substituted(M, environment(images))
    assert found == expected
    assert plain(term_doc(found), 80) == plain(term_doc(expected), 80)
    assert value(M, environment(images)) == (expected if is_value(M) else None)


@law(50)
@given(st.data())
def test_a_command_is_written_out_by_substitution(data: st.DataObject) -> None:
    gamma, B = data.draw(contexts(6)), data.draw(types())
    P, images = data.draw(commands((), gamma, B)), [data.draw(values(A)) for A in gamma]
    expected = instantiate_command(Scope(("x",) * len(gamma), P), *images)
    found = substituted(P, environment(images))
    assert found == expected
    assert plain(command_doc(found), 80) == plain(command_doc(expected), 80)


@law(30)
@given(programs())
def test_what_waits_changes_no_step(p: Program) -> None:
    """From every state the reduction goes on as from the term or command that it stands for."""
    state, limits = State(p.command, None, Heap(p.heap), 0), Limits(fuel=80)
    try:
        while not isinstance(now := advance(state, limits), Result):
            step, after = now
            afresh = advance(State(step.before, None, state.heap, state.count), limits)
            assert not isinstance(afresh, Result)
            again, _ = afresh
            assert (again.rule, again.path) == (step.rule, step.path)
            assert state.heap.after(again.change) == after.heap
            assert (again.redex, again.contractum) == (step.redex, step.contractum)
            state = after
    except Stuck:
        pass
