"""P13 on values: sparse cotangents are a monoid, and their sums are those of the dense ones."""

from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.ad.chad.accumulation.sparse import Sparse, entries_of, entry, family, full, plus
from rh_kernel.ad.chad.values import Counters
from rh_kernel.ad.language.types import SCALAR, Product, Real
from rh_kernel.ad.language.values import Injection
from rh_kernel.ad.language.values import plus as sum_of
from rh_kernel.source.diagnostic import KernelBug
from tests.tiers import law

A = Product((SCALAR, Real(3), Product((SCALAR, SCALAR))))

NUMBERS = st.none() | st.integers(-8, 8).map(float)


def families(n: int, each: "st.SearchStrategy[Any]") -> "st.SearchStrategy[Any]":
    """Cotangents of an array: zero, all entries, or some of them."""
    some = st.dictionaries(st.integers(0, n - 1), each, min_size=1).map(Sparse)
    return st.none() | st.tuples(*[each] * n) | some


PARTS = st.tuples(NUMBERS, families(3, NUMBERS), families(2, NUMBERS))
COTANGENTS = st.none() | PARTS | PARTS.map(lambda parts: Sparse({0: parts[0], 1: parts[1], 2: parts[2]}))


def copy(V: Any) -> Any:
    """Return a copy of a cotangent, which addition may update."""
    match V:
        case Sparse(entries):
            return Sparse({i: copy(W) for i, W in entries.items()})
        case tuple():
            return tuple(copy(W) for W in cast(tuple[Any, ...], V))
        case _:
            return V


@law(100)
@given(COTANGENTS, COTANGENTS)
def test_adding_sparse_cotangents_is_adding_full_ones(V: Any, W: Any) -> None:
    """``full(V + W) = full(V) + full(W)``, in either order."""
    expected = sum_of(full(A, V), full(A, W))
    assert full(A, plus(copy(V), copy(W), Counters())) == expected
    assert full(A, plus(copy(W), copy(V), Counters())) == expected


def test_zero_takes_no_work() -> None:
    """``V + 0`` is V, and nothing is counted; arrays with disjoint entries need no addition."""
    counters = Counters()
    assert plus(None, 2.0, counters) == plus(2.0, None, counters) == 2.0
    assert counters.visits == counters.additions == 0
    assert plus(Sparse({0: 1.0}), Sparse({7: 2.0}), counters) == Sparse({0: 1.0, 7: 2.0})
    assert counters.additions == 0
    many = Sparse(dict.fromkeys(range(100), 1.0))
    assert plus(many, Sparse({3: 1.0}), counters).entries[3] == 2.0
    assert (counters.additions, counters.visits) == (1, 2)


def test_the_sides_of_a_sum() -> None:
    """P21: cotangents of the same side are added; of different sides they are an error."""
    left, right = Injection(1, 2.0), Injection(2, 3.0)
    assert plus(left, Injection(1, 0.5), Counters()) == Injection(1, 2.5)
    with pytest.raises(KernelBug):
        plus(left, right, Counters())


def test_entries() -> None:
    """An array of one entry is that entry; absent entries are zero."""
    assert family(1, {0: 2.0}) == 2.0
    assert family(1, {}) is family(3, {}) is None
    assert entry(Sparse({1: 2.0}), 1) == entry((0.0, 2.0), 1) == 2.0
    assert entry(Sparse({1: 2.0}), 0) is entry(None, 0) is None
    assert list(entries_of(1, 2.0)) == [(0, 2.0)]
    assert list(entries_of(3, None)) == []
