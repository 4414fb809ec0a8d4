"""``⟨M1, …, Mn⟩[ρ]``: a tuple is a value where its components are, and then ρ goes into each of them."""

from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.operational.environments import Environment, extended, value_at
from rh_kernel.operational.substitution import value
from rh_kernel.syntax.core import Bound, Plus, Proj, Term, Tuple
from rh_kernel.syntax.values import constant

COUNT = 5
VALUES = st.lists(st.floats(-9, 9).map(constant), min_size=COUNT, max_size=COUNT)
LEAVES = st.integers(0, COUNT - 1).map(lambda i: Bound(i, "x")) | st.floats(-9, 9).map(constant)


def tuples(leaves: st.SearchStrategy[Term]) -> st.SearchStrategy[Tuple]:
    parts = st.recursive(leaves, lambda inner: st.lists(inner, min_size=2, max_size=4).map(lambda items: Tuple(tuple(items))))
    return st.lists(parts, min_size=2, max_size=4).map(lambda items: Tuple(tuple(items)))


def image(M: Term, rho: Environment) -> Term:
    """``M[ρ]``, as it is defined."""
    if isinstance(M, Tuple):
        return Tuple(tuple([image(N, rho) for N in M.items]))
    return value_at(rho, M.index) if isinstance(M, Bound) else M


def environment(values: list[Term]) -> Environment:
    rho: Environment = None
    for V in values:
        rho = extended(rho, V)
    return rho


@given(tuples(LEAVES), VALUES)
def test_each_component_is_replaced(M: Tuple, values: list[Term]) -> None:
    rho = environment(values)
    V = value(M, rho)
    assert V is not None
    assert image(M, rho) == V
    assert not V.loose


@given(tuples(LEAVES), VALUES)
def test_a_tuple_with_a_sum_in_it_is_no_value(M: Tuple, values: list[Term]) -> None:
    for N in (Plus(Bound(0, "x"), Bound(0, "x")), Proj(1, 2, Bound(0, "x"))):
        assert value(Tuple((M, N)), environment(values)) is None


def test_what_has_no_variables_is_shared() -> None:
    M = Tuple((constant(1.0), constant(2.0)))
    assert value(M, environment([constant(3.0)])) is M
