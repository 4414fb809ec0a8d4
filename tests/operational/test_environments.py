"""Environments are lists of values, the last one first: whatever is shared between them."""

from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.operational.environments import Environment, are_same, extended, length, value_at, without
from rh_kernel.syntax.core import Term
from rh_kernel.syntax.values import constant

counts = st.integers(0, 70)


def made(values: list[Term], rho: Environment = None) -> Environment:
    for V in values:
        rho = extended(rho, V)
    return rho


def numbers(count: int) -> list[Term]:
    return [constant(float(n)) for n in range(count)]


@given(counts, counts)
def test_without_the_last_values_it_is_as_it_was_before(first: int, more: int) -> None:
    values = numbers(first + more)
    before = made(values[:first])
    after = made(values[first:], before)
    assert length(after) == first + more
    assert [value_at(after, i) for i in range(first + more)] == values[::-1]
    assert length(without(after, more)) == first
    assert are_same(without(after, more), before)
    assert without(after, first + more) is None


@given(counts, counts)
def test_environments_of_other_values_are_not_the_same(one: int, other: int) -> None:
    values = numbers(max(one, other))
    rho = made(values[:one])
    assert are_same(rho, rho)
    if one != other:
        assert not are_same(rho, made(values[:other]))
    if one:
        assert not are_same(rho, made([*values[: one - 1], constant(-1.0)]))
