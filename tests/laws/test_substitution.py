"""Substitution keeps types: ``Γ, x : A ⊢ N : B`` and ``Γ ⊢ V : A`` give ``Γ ⊢ N[V/x] : B``; so do weakening and the like."""

from typing import cast

from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.syntax.binding import Static, instantiate_command, instantiate_term, shift, specialise
from rh_kernel.syntax.clauses import reverse_clause
from rh_kernel.syntax.core import Command, Scope
from rh_kernel.syntax.types import Product
from rh_kernel.typing.derivation.derive import derive_command, derive_term
from tests.strategies import contexts, terms, types
from tests.strategies_of_commands import USER, commands, operations, reverse_handlers
from tests.tiers import law


@law(80)
@given(st.data())
def test_a_term_keeps_its_type_when_terms_are_put_for_its_variables(data: st.DataObject) -> None:
    gamma, xs, B = data.draw(contexts()), data.draw(contexts()), data.draw(types())
    N = data.draw(terms((*gamma, *xs), B))
    images = [data.draw(terms(gamma, A, 2)) for A in xs]
    assert derive_term(gamma, instantiate_term(Scope(("x",) * len(xs), N), *images)).type == B


@law(50)
@given(st.data())
def test_a_command_keeps_its_type_when_terms_are_put_for_its_variables(data: st.DataObject) -> None:
    gamma, xs, B = data.draw(contexts()), data.draw(contexts()), data.draw(types())
    P = data.draw(commands(gamma, xs, B))
    images = [data.draw(terms(gamma, A, 2)) for A in xs]
    assert derive_command(gamma, (), instantiate_command(Scope(("x",) * len(xs), P), *images)).type == B


@law(50)
@given(st.data())
def test_a_term_keeps_its_type_in_a_larger_context(data: st.DataObject) -> None:
    gamma, more, inner, B = data.draw(contexts()), data.draw(contexts()), data.draw(contexts()), data.draw(types())
    N = data.draw(terms((*gamma, *inner), B))
    assert derive_term((*gamma, *more, *inner), shift(N, len(more), len(inner))).type == B


@law(50)
@given(st.data())
def test_substitution_in_two_steps_is_substitution_in_one(data: st.DataObject) -> None:
    A, B, C = data.draw(types()), data.draw(types()), data.draw(types())
    N = data.draw(terms((A, B), C))
    V, W = data.draw(terms((), A, 2)), data.draw(terms((A,), B, 2))
    both = instantiate_term(Scope(("x", "y"), N), V, instantiate_term(Scope(("x",), W), V))
    assert instantiate_term(Scope(("x",), instantiate_term(Scope(("y",), N), W)), V) == both


@law(60)
@given(st.data())
def test_a_clause_of_a_reverse_handler_fits_every_member_of_its_family(data: st.DataObject) -> None:
    C = data.draw(types())
    H, op = data.draw(reverse_handlers((), C)), data.draw(operations(data.draw(st.sampled_from(USER))))
    forward, backward = reverse_clause(H, op)
    B_and_D = derive_command((), (op.domain,), cast(Command, forward.body)).type
    assert isinstance(B_and_D, Product)
    assert B_and_D.factors[0] == op.codomain
    D = B_and_D.factors[1]
    assert derive_command((), (op.codomain, D), cast(Command, backward.body)).type == op.domain


@law(60)
@given(st.data())
def test_nothing_put_for_no_variables_changes_nothing(data: st.DataObject) -> None:
    gamma, B = data.draw(contexts()), data.draw(types())
    P, H = data.draw(commands(gamma, (), B)), data.draw(reverse_handlers((), B))
    assert specialise(P, Static({}, {}, {})) == P
    assert specialise(H, Static({}, {}, {})) == H
