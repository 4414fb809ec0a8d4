"""RH Def. 3.2: ``rd[f] : B × A → A`` is the reverse derivative of ``f : A → B``, at every order."""

from typing import cast

import numpy as np
import pytest

from rh_kernel.primitives.derivative import derivative
from rh_kernel.primitives.formulas import ENTRYWISE
from rh_kernel.primitives.schemes import instantiate
from rh_kernel.primitives.table import SYMBOLS
from rh_kernel.primitives.values import add_values
from rh_kernel.syntax.binding import instantiate_term
from rh_kernel.syntax.core import Bound, Call, Const, Defined, Function, Primitive, RdOf, Scope, Term, Tuple, Zero
from rh_kernel.syntax.dimensions import dim
from rh_kernel.syntax.types import SCALAR, ShapeVar, product, real
from rh_kernel.syntax.values import constant
from tests.primitives.big_step import apply, synthesised, typed_zeros
from tests.primitives.instances import FAMILIES, INSTANCES, along, arrays, draw, inner, label, smooth_point, value_type

each_instance = pytest.mark.parametrize("f", INSTANCES, ids=label)
each_family = pytest.mark.parametrize("f", FAMILIES, ids=label)
H = 1e-5


def rd(f: Function, W: Term, V: Term) -> Term:
    return typed_zeros(apply(RdOf(f), Tuple((W, V))), f.domain)


def assert_pulls_back(f: Function, W: Term, V: Term, D: Term) -> None:
    """``⟨W, Df(V)·D⟩ = ⟨rd[f](W, V), D⟩``, with the left side from central differences."""
    ahead, behind = (inner(W, typed_zeros(apply(f, along(V, h, D)), f.codomain)) for h in (H, -H))
    expected, found = (ahead - behind) / (2 * H), inner(rd(f, W, V), D)
    assert found == pytest.approx(expected, rel=2e-6, abs=2e-7)


def assert_well_typed(f: Function) -> None:
    """``w : B, v : A ⊢ N : A`` for ``rd[f](w, v) = N``"""
    N = cast(Term, derivative(f).body)
    assert synthesised(N, (f.codomain, f.domain)) == f.domain


@each_instance
def test_rd_is_well_typed(f: Primitive) -> None:
    assert derivative(f).loose == 0
    assert_well_typed(f)


@each_family
def test_rd_is_well_typed_at_every_order(f: Primitive) -> None:
    g: Function = f
    for _ in range(3):
        assert_well_typed(g)
        g = RdOf(g)


@each_instance
def test_rd_agrees_with_finite_differences(f: Primitive) -> None:
    rng = np.random.default_rng(7)
    for _ in range(3):
        assert_pulls_back(f, draw(rng, f.codomain), smooth_point(rng, f), draw(rng, f.domain))


@each_instance
def test_rd_of_rd_agrees_with_finite_differences(f: Primitive) -> None:
    rng = np.random.default_rng(11)
    point = Tuple((draw(rng, f.codomain), smooth_point(rng, f)))
    assert_pulls_back(RdOf(f), draw(rng, f.domain), point, draw(rng, RdOf(f).domain))


@each_family
def test_rd_of_rd_of_rd_agrees_with_finite_differences(f: Primitive) -> None:
    rng = np.random.default_rng(13)
    second = RdOf(RdOf(f))
    point = Tuple((draw(rng, f.domain), Tuple((draw(rng, f.codomain), smooth_point(rng, f)))))
    assert_pulls_back(second, draw(rng, second.codomain), point, draw(rng, second.domain))


@each_instance
def test_rd_2_the_cotangent_is_taken_linearly(f: Primitive) -> None:
    """RD.2 of a CRDC: ``rd[f](U + W, v) = rd[f](U, v) + rd[f](W, v)`` and ``rd[f](0, v) = 0``."""
    rng = np.random.default_rng(17)
    U, W, V = draw(rng, f.codomain), draw(rng, f.codomain), smooth_point(rng, f)
    together = rd(f, add_values(U, W), V)
    for x, y in zip(arrays(together), arrays(add_values(rd(f, U, V), rd(f, W, V))), strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-12, atol=1e-12)
    assert all(not np.any(x) for x in arrays(rd(f, Zero(f.codomain), V)))


@each_instance
def test_subject_reduction_to_a_value_of_the_codomain(f: Primitive) -> None:
    rng = np.random.default_rng(19)
    V = smooth_point(rng, f)
    assert value_type(apply(f, V)) == f.codomain
    assert value_type(rd(f, draw(rng, f.codomain), V)) == f.domain


def at_zero(name: str) -> Primitive:
    return instantiate(name, SYMBOLS[name].schemes[0], ((dim(1),),))


@pytest.mark.parametrize("name", ["relu", "abs", "sign", "step", "round"])
def test_a_kink_has_slope_0(name: str) -> None:
    assert arrays(rd(at_zero(name), constant(1), constant(0))) == (np.array([0.0]),)


@pytest.mark.parametrize("name", ["maximum", "minimum"])
def test_a_tie_is_the_first_arguments(name: str) -> None:
    pulled = rd(at_zero(name), constant(5), Tuple((constant(2), constant(2))))
    assert arrays(pulled) == (np.array([5.0]), np.array([0.0]))


def test_swish_has_the_derivative_of_the_notes() -> None:
    v = np.linspace(-6, 6, 25)
    sigma = 1 / (1 + np.exp(-v))
    swish = instantiate("swish", ENTRYWISE, ((dim(25),),))
    (found,) = arrays(rd(swish, Const(np.ones(25)), Const(v)))
    np.testing.assert_allclose(found, sigma + v * sigma * (1 - sigma), rtol=1e-13)


def test_sigmoid_keeps_the_digits_of_a_small_slope() -> None:
    (found,) = arrays(rd(at_zero("sigmoid"), constant(1), constant(40)))
    np.testing.assert_allclose(found, [np.exp(-40)], rtol=1e-12)


def test_a_derivative_may_depend_on_shape_and_dimension_variables() -> None:
    for name, row in SYMBOLS.items():
        for scheme in row.schemes:
            at = tuple(v if isinstance(v, ShapeVar) else dim(v) for v in scheme.variables)
            f = instantiate(name, scheme, at)
            assert_well_typed(f)


CUBE = Defined(
    "cube",
    SCALAR,
    SCALAR,
    Scope(
        ("x",),
        Call(
            at_zero("mul"),
            Tuple((Bound(0, "x"), Call(at_zero("square"), Bound(0, "x")))),
        ),
    ),
    None,
)


def test_a_definition_has_the_derivative_of_its_body() -> None:
    assert arrays(rd(CUBE, constant(1), constant(2)))[0] == pytest.approx(12)
    (w, v) = arrays(rd(RdOf(CUBE), constant(1), Tuple((constant(1), constant(2)))))
    assert (float(w[0]), float(v[0])) == pytest.approx((12, 12))


def test_a_definition_may_bring_its_own_derivative() -> None:
    own = Scope(("w", "v"), Bound(1, "w"))
    straight_through = Defined("ste", SCALAR, SCALAR, Scope(("x",), Call(at_zero("round"), Bound(0, "x"))), own)
    assert derivative(straight_through) is own
    assert arrays(rd(straight_through, constant(3), constant(0.2))) == (np.array([3.0]),)


def test_the_derivative_of_a_derivative_takes_its_cotangent_apart() -> None:
    """``rd[rd[g]](w, v) = w.rd(p. N[p.1, p.2])(v)``"""
    scope = derivative(RdOf(at_zero("exp")))
    assert scope.arity == 2
    assert scope.loose == 0
    body = instantiate_term(scope, constant(1), Tuple((constant(2), constant(0))))
    assert synthesised(body, ()) == product((real(1), SCALAR))


def test_what_differs_is_noticed() -> None:
    """The check by finite differences can fail."""
    broken = Defined("broken", SCALAR, SCALAR, CUBE.body, Scope(("w", "v"), Bound(1, "w")))
    with pytest.raises(AssertionError):
        assert_pulls_back(broken, constant(1), constant(2), constant(1))
