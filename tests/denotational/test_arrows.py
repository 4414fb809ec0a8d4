"""𝒜_Σ is a strong promonad (RH Lemma 7.6): the axioms of Fig. 10 hold for normal forms, and operations keep their order."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.denotational.arrows import Arrow, Effect, normal_form, perform, unit
from rh_kernel.denotational.smooth import Smooth
from rh_kernel.denotational.terms import interpret_term
from rh_kernel.denotational.wiring import beside, rewire, then
from rh_kernel.syntax.builtin import GET
from rh_kernel.syntax.core import Operation, Scope
from rh_kernel.syntax.signature import Location
from rh_kernel.syntax.types import UNIT, Real, Type, leaves
from tests.denotational.arrows import arrows, behave_alike
from tests.strategies import LOCATIONS, terms, types
from tests.tiers import law


def identity(X: Sequence[Type]) -> Arrow:
    """``arr(id)``"""
    return rewire(X, range(len(X)))


def pure(data: st.DataObject, A: Type, B: Type) -> Smooth:
    """A random map of 𝕏."""
    return interpret_term((A,), Scope(("x",), data.draw(terms((A,), B, 4))))


def same(a: Arrow, b: Arrow) -> None:
    """``a ~ b``"""
    assert normal_form(a) == normal_form(b)


def get(l: Location) -> Arrow:
    """``Get^ℓ``"""
    return perform(Operation(GET, (l,), (l.shape,), UNIT, Real(l.shape)))


@law(40)
@given(st.data())
def test_composition_is_associative_and_has_units(data: st.DataObject) -> None:
    A, B, C, D = (data.draw(types()) for _ in range(4))
    a, b, c = data.draw(arrows(A, B)), data.draw(arrows(B, C)), data.draw(arrows(C, D))
    assert then(then(a, b), c) == then(a, then(b, c))
    assert then(identity(a.domain), a) == a == then(a, identity(a.results))


@law(40)
@given(st.data())
def test_arr_is_a_functor(data: st.DataObject) -> None:
    A, B, C = (data.draw(types()) for _ in range(3))
    f, g = pure(data, A, B), pure(data, B, C)
    same(then(unit(f), unit(g)), unit(then(f, g)))
    same(unit(rewire(leaves(A), range(len(leaves(A))))), identity(leaves(A)))


@law(40)
@given(st.data())
def test_first_preserves_composition_and_arr(data: st.DataObject) -> None:
    A, B, C, Z = (data.draw(types()) for _ in range(4))
    a, b, f = data.draw(arrows(A, B)), data.draw(arrows(B, C)), pure(data, A, B)
    assert beside(then(a, b), leaves(Z)) == then(beside(a, leaves(Z)), beside(b, leaves(Z)))
    same(beside(unit(f), leaves(Z)), unit(beside(f, leaves(Z))))


@law(40)
@given(st.data())
def test_first_then_projection_is_the_arrow(data: st.DataObject) -> None:
    A, B, Z = (data.draw(types()) for _ in range(3))
    a, aside = data.draw(arrows(A, B)), leaves(Z)
    n, m = len(a.domain), len(a.codomain)
    left = then(beside(a, aside), rewire((*a.results, *aside), range(m)))
    assert left == then(rewire((*a.domain, *aside), range(n)), a)


@law(40)
@given(st.data())
def test_first_commutes_with_a_pure_map_beside_it(data: st.DataObject) -> None:
    A, B, Z, W = (data.draw(types()) for _ in range(4))
    a, f = data.draw(arrows(A, B)), pure(data, Z, W)
    same(
        then(beside(a, f.domain), unit(below(a.results, f))),
        then(unit(below(a.domain, f)), beside(a, f.results)),
    )


@law(40)
@given(st.data())
def test_first_of_first_is_first(data: st.DataObject) -> None:
    A, B, Z, W = (data.draw(types()) for _ in range(4))
    a = data.draw(arrows(A, B))
    assert beside(beside(a, leaves(Z)), leaves(W)) == beside(a, (*leaves(Z), *leaves(W)))


@law(60)
@given(st.data())
def test_congruent_arrows_behave_alike(data: st.DataObject) -> None:
    A, B, Z, W = (data.draw(types()) for _ in range(4))
    a, f = data.draw(arrows(A, B)), pure(data, Z, W)
    one = then(beside(a, f.domain), unit(below(a.results, f)))
    other = then(unit(below(a.domain, f)), beside(a, f.results))
    behave_alike(one, other, data.draw(st.integers(0, 99)))


def below(X: Sequence[Type], f: Smooth) -> Smooth:
    """``id_X × f``"""
    n, m = len(X), len(f.domain)
    swapped = rewire((*X, *f.domain), (*range(n, n + m), *range(n)))
    back = rewire((*f.results, *X), (*range(len(f.results), len(f.results) + n), *range(len(f.results))))
    return then(then(swapped, beside(f, X)), back)


def test_two_operations_do_not_change_places() -> None:
    one, other, *_ = LOCATIONS
    a, b = get(one), get(other)
    in_this_order = then(beside(a, (UNIT,)), swap_and(b, a.results))
    assert [box.content for box in normal_form(in_this_order).boxes if isinstance(box.content, Operation)] == operations(a, b)
    assert normal_form(in_this_order) != normal_form(then(swap_and(b, (UNIT,), first=True), beside(a, b.results)))


def swap_and(b: Arrow, X: Sequence[Type], *, first: bool = False) -> Arrow:
    """``id_X × b``, or with ``first`` the same on ``X × 1``"""
    n, m = len(X), len(b.domain)
    k = len(b.results)
    swapped: Arrow = rewire((*X, *b.domain), (*range(n, n + m), *range(n)))
    back: Arrow = rewire((*b.results, *X), (*range(k, k + n), *range(k)))
    return then(then(swapped, beside(b, X)), back)


def operations(*arrows: Arrow) -> list[Operation]:
    """The operations of composed arrows."""
    return [box.content.operation for a in arrows for box in a.boxes if isinstance(box.content, Effect)]
