"""Unification of types and dimensions (LANGUAGE §2): what it makes equal is equal, and what it cannot it leaves."""

from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.syntax.dimensions import Dim, DimMeta, dim
from rh_kernel.syntax.types import SCALAR, UNIT, Product, Real, ShapeVar, Type, TypeMeta, real
from rh_kernel.typing.unification.atoms import dimension_names, unknowns
from rh_kernel.typing.unification.solving import isolate, solvable
from rh_kernel.typing.unification.unify import Unifier

VARIABLES = [dim("n"), dim("m"), dim(1), dim(2), dim(3)]
known_dims = st.lists(st.tuples(st.sampled_from(VARIABLES), st.integers(-3, 3)), max_size=3).map(
    lambda terms: sum((v * dim(c) for v, c in terms), dim(0))
)
shapes = st.lists(known_dims, min_size=1, max_size=3).map(tuple)
types: st.SearchStrategy[Type] = st.recursive(
    shapes.map(Real), lambda inner: st.lists(inner, min_size=2, max_size=3).map(lambda many: Product(tuple(many))), max_leaves=5
)


@given(types)
def test_a_type_is_equal_to_itself(A: Type) -> None:
    assert Unifier().unify_types(A, A)


@given(types, types)
def test_types_without_unknowns_are_equal_when_they_are_the_same(A: Type, B: Type) -> None:
    assert Unifier().unify_types(A, B) == (A == B)


@given(types)
def test_an_unknown_becomes_what_it_is_made_equal_to(A: Type) -> None:
    unifier = Unifier()
    X = unifier.fresh_type()
    assert unifier.unify_types(X, A)
    assert unifier.type(X) == A
    assert unifier.type(Product((X, X))) == Product((A, A))


@given(known_dims, st.integers(-3, 3).filter(bool))
def test_a_linear_equation_is_solved(d: Dim, c: int) -> None:
    unifier = Unifier()
    x = unifier.fresh_dim()
    assert unifier.unify_dims(dim(c) * x + d, dim(0)) is not (not solvable(dim(c) * x + d))
    if unifier.unsolved_equation() is None and isolate(dim(c) * x + d) is not None:
        assert unifier.dim(dim(c) * x + d) == dim(0)


@given(known_dims)
def test_a_product_with_an_unknown_is_solved_where_the_rest_is_a_multiple(d: Dim) -> None:
    unifier = Unifier()
    x = unifier.fresh_dim()
    assert unifier.unify_dims(x * dim("k"), d * dim("k"))
    assert unifier.dim(x) == d


def test_an_equation_waits_until_it_can_be_solved() -> None:
    unifier = Unifier()
    m, n = unifier.fresh_dim("m"), unifier.fresh_dim("n")
    assert unifier.unify_dims(m * n, dim(6))
    assert unifier.unsolved_equation() is not None
    assert unifier.unify_dims(n, dim(3))
    assert unifier.unsolved_equation() is None
    assert unifier.dim(m) == dim(2)


def test_a_waiting_equation_can_turn_out_wrong() -> None:
    unifier = Unifier()
    m, n = unifier.fresh_dim("m"), unifier.fresh_dim("n")
    assert unifier.unify_dims(m * n, dim(6))
    assert not unifier.unify_dims(n, dim(4))


def test_what_no_integer_solves_is_refused_at_once() -> None:
    unifier = Unifier()
    n = unifier.fresh_dim()
    assert not unifier.unify_dims(dim(2) * n, dim(3))
    assert not unifier.unify_dims(dim(2) * n * n, dim(2) * dim("k") + dim(1))


def test_a_type_does_not_hold_itself() -> None:
    unifier = Unifier()
    X = unifier.fresh_type()
    assert not unifier.unify_types(X, Product((X, SCALAR)))


def test_an_unknown_shape_takes_any_number_of_axes() -> None:
    unifier = Unifier()
    s = unifier.fresh_shape()
    assert unifier.unify_types(Real(s), real(2, "n"))
    assert unifier.type(Real(s)) == real(2, "n")
    assert not unifier.unify_types(Real(s), real(2))
    assert not unifier.unify_shapes(ShapeVar("s"), (dim(1),))


@given(types, types)
def test_trying_changes_nothing(A: Type, B: Type) -> None:
    unifier = Unifier()
    X, d = unifier.fresh_type(), unifier.fresh_dim()
    unifier.is_unifiable(Product((X, A, real(d))), Product((B, B, real(3))))
    assert unifier.type(X) == X
    assert unifier.dim(d) == d


def test_going_back_forgets() -> None:
    unifier = Unifier()
    d = unifier.fresh_dim()
    mark = unifier.mark()
    assert unifier.unify_dims(d, dim(3))
    unifier.back(mark)
    assert unifier.unify_dims(d, dim(4))


def test_unknowns_are_shown_by_their_names() -> None:
    unifier = Unifier()
    m, n, other = unifier.fresh_dim("m"), unifier.fresh_dim("n"), unifier.fresh_dim("n")
    X, s = unifier.fresh_type("D"), unifier.fresh_shape()
    assert unifier.show(real(m, n), real(n, other)) == ("Real(m, n)", "Real(n, n')")
    assert unifier.show(Product((X, SCALAR)), Real(s)) == ("D × Real(1)", "Real(…)")
    assert unifier.show(real(n + dim("n"))) == ("Real(n + n')",)
    assert unknowns(Product((real(m), real("k", n)))) == {1, 2}
    assert dimension_names(Product((real(m), real("k", n)))) == {"k"}


def test_what_nobody_asks_for_is_a_scalar_and_a_dimension_is_undetermined() -> None:
    unifier = Unifier()
    X, s, d = unifier.fresh_type(), unifier.fresh_shape(), unifier.fresh_dim("rows")
    assert unifier.finish_type(Product((X, Real(s)))) == Product((SCALAR, SCALAR))
    assert not unifier.undetermined
    assert unifier.open_name(real(d)) == "rows"
    unifier.finish_type(real(d))
    assert unifier.undetermined


def test_what_is_kept_stays_open() -> None:
    unifier = Unifier()
    X, d = unifier.fresh_type(), unifier.fresh_dim()
    unifier.keep(X, real(d))
    assert unifier.finish_type(X) == X == TypeMeta(1)
    assert unifier.finish_type(real(d)) == real(dim(DimMeta(2)))
    assert unifier.open_name(real(d)) is None
    assert not unifier.undetermined


def test_the_unit_is_no_scalar() -> None:
    assert not Unifier().unify_types(UNIT, SCALAR)
