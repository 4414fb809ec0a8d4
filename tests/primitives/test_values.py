"""RH §5.1: the values of each type are a commutative monoid under ``+`` and ``0``."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.primitives.values import add_values, materialise, to_array
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.syntax.core import Bound, Const, Term, Tuple, Zero
from rh_kernel.syntax.types import Product, Real, Type, concrete_shape, real
from rh_kernel.syntax.values import constant
from tests.primitives.instances import arrays, value_type

types = st.recursive(
    st.lists(st.integers(0, 3), min_size=1, max_size=3).map(lambda dims: real(*dims)),
    lambda inner: st.lists(inner, min_size=2, max_size=3).map(lambda factors: Product(tuple(factors))),
    max_leaves=4,
)


def values_of(A: Type) -> st.SearchStrategy[Term]:
    """Values of type A in which some parts are zeros; the entries are whole, so that their sums are exact."""
    match A:
        case Product(factors):
            full: st.SearchStrategy[Term] = st.tuples(*(values_of(B) for B in factors)).map(Tuple)
        case other:
            assert isinstance(other, Real)
            shape = concrete_shape(other) or ()
            full = st.integers(0, 2**20).map(
                lambda seed: Const(np.random.default_rng(seed).integers(-9, 10, shape).astype(np.float64))
            )
    return st.one_of(full, st.just(Zero(A)))


three = types.flatmap(lambda A: st.tuples(st.just(A), values_of(A), values_of(A), values_of(A)))


def same(V: Term, W: Term) -> bool:
    return materialise(V) == materialise(W)


@given(three)
def test_values_are_a_commutative_monoid(drawn: tuple[Type, Term, Term, Term]) -> None:
    A, U, V, W = drawn
    assert same(add_values(U, V), add_values(V, U))
    assert same(add_values(add_values(U, V), W), add_values(U, add_values(V, W)))
    assert add_values(Zero(A), V) is V
    assert add_values(V, Zero(A)) == V


@given(three)
def test_a_sum_has_the_type_of_its_parts(drawn: tuple[Type, Term, Term, Term]) -> None:
    A, V, W, _ = drawn
    assert value_type(V) == value_type(add_values(V, W)) == value_type(materialise(V)) == A


@given(three)
def test_a_sum_is_entry_by_entry(drawn: tuple[Type, Term, Term, Term]) -> None:
    _, V, W, _ = drawn
    for x, y, z in zip(arrays(V), arrays(W), arrays(add_values(V, W)), strict=True):
        np.testing.assert_array_equal(x + y, z)


def test_nobody_writes_to_a_value() -> None:
    for V in (add_values(constant(1), constant(2)), Zero(real(2))):
        with pytest.raises(ValueError, match="read-only"):
            to_array(V)[0] = 5


def test_a_zero_is_written_out_in_the_dtype_asked_for() -> None:
    assert to_array(Zero(real(2, 3)), np.dtype(np.float32)).dtype == np.float32
    assert to_array(Zero(real(2, 3))).shape == (2, 3)


def test_what_is_no_closed_value_is_a_bug() -> None:
    for ask in (to_array, materialise):
        with pytest.raises(KernelBug, match="a Bound stands where"):
            ask(Bound(0))
    with pytest.raises(KernelBug):
        to_array(Tuple((constant(1), constant(2))))
    with pytest.raises(KernelBug):
        add_values(constant(1), constant([1, 2]))
