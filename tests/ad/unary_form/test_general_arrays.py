"""Arrays of tuples and accumulators that are tuples (§A.5), and the affine monoid of O25."""

from math import cos, sin

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.ad.language.values import Value
from rh_kernel.ad.system import System
from rh_kernel.ad.unary_form.optimisation.gradients import gradient
from rh_kernel.ad.unary_form.systems import SYSTEMS
from rh_kernel.ad.unary_form.terms.evaluation import run
from rh_kernel.ad.unary_form.terms.terms import ONE, ZERO, Const, Fold, Let, Map, Map2, Pack, Proj, Term, Var
from rh_kernel.ad.unary_form.terms.types import Context, R, VectorType, times
from rh_kernel.ad.unary_form.terms.typing import Language, check
from tests.ad.programs import finite_differences, flat, program
from tests.ad.unary_form.terms import add, asked, has_functions, mul, op
from tests.tiers import law

PAIR = times(R, R)
a, b, A = Var("a"), Var("b"), Var("A")
z = (0.3, 1.7)
O25 = ((0.125730, -0.132105), (0.640423, 0.104900), (-0.535669, 0.361595), (1.304, 0.947081))
O25_GRADIENT = ((-0.114529, 1.7), (-0.057495, 0.213741), (0.161141, 0.136885), (-0.01294, -0.073325))


def affine(form: str) -> Fold:
    """``(a, b)·(c, d) = (ac, ad + b)``, unit (1, 0), over an array of pairs"""
    product = Pack((mul(Proj(1, a), Proj(1, b)), add(mul(Proj(1, a), Proj(2, b)), Proj(2, a))))
    return Fold(form, "a", "b", product, Pack((ONE, ZERO)), A)


def weighted(M: Term) -> Term:
    """``z · e`` for a pair e"""
    return Let(("r",), M, add(mul(Const(z[0]), Proj(1, Var("r"))), mul(Const(z[1]), Proj(2, Var("r")))))


def _near(found: Value, wanted: tuple[float, ...], tolerance: float) -> bool:
    return flat(found) == pytest.approx(wanted, abs=tolerance)


@pytest.mark.parametrize("way", range(2), ids=["unary", "direct"])
@pytest.mark.parametrize("form", ["reduce", "foldl"])
def test_o25_the_affine_monoid(way: int, form: str) -> None:
    """A vector goes through the array from the right, ``t ← (∇_a)ᵀ t``: no matrices, and so no order to mistake."""
    context: Context = (("A", VectorType(PAIR, 4)),)
    M = weighted(affine(form))
    assert check(context, M, Language.SOURCE) == R
    point: dict[str, Value] = {"A": O25}
    assert _near(run(affine(form), point), (-0.05624459, -0.13064977), 2e-6)
    assert _near(run(M, point), (-0.23897799,), 2e-6)
    found = gradient(asked(context, M, way)).body
    assert not has_functions(found)
    assert _near(run(found, point), tuple(x for pair in O25_GRADIENT for x in pair), 5e-6)


@law(60)
@given(st.lists(st.tuples(st.floats(-1.5, 1.5), st.floats(-1.5, 1.5)), min_size=0, max_size=5), st.floats(-1.5, 1.5))
def test_maps_over_arrays_of_pairs(pairs: list[tuple[float, float]], x: float) -> None:
    """``Σ sin(p.1 * x) * p.2`` and a ``map2`` that makes pairs of pairs, by the derivative written by hand."""
    n = len(pairs)
    context: Context = (("A", VectorType(PAIR, n)), ("x", R))
    made = Map("p", Pack((op("sin", mul(Proj(1, Var("p")), Var("x"))), Proj(2, Var("p")))), A)
    both = Map2("q", "r", mul(Proj(1, Var("q")), Proj(2, Var("r"))), made, A)
    M = Fold("reduce", "u", "v", add(Var("u"), Var("v")), ZERO, both)
    point: dict[str, Value] = {"A": tuple(pairs), "x": x}
    wanted = tuple(g for c, d in pairs for g in (cos(c * x) * x * d, sin(c * x)))
    for way in range(2):
        found = run(gradient(asked(context, M, way)).body, point)
        assert flat(found) == pytest.approx((*wanted, sum(cos(c * x) * c * d for c, d in pairs)), abs=1e-9)


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda s: s.name)
@pytest.mark.parametrize(
    "text",
    [
        "fun f(A : Real(4), x : Real) : Real = let p <- foldl(s c. (s.2 * x, s.1 + c), (x, x * x), A) in p.1 * p.2",
        "fun f(A : Real(4), x : Real) : Real = sum(foldl(s c. map(e. sin(e * c) + x, s), [x, 2 * x, 1], A))",
        "fun f(A : Real(4), x : Real) : Real = "
        "let p <- foldl(s c. (s.1 * c, (s.2.2, s.2.1 * x)), (x, (1, x)), A) in p.1 + p.2.1",
    ],
)
def test_folds_with_accumulators_of_any_ground_type(system: System, text: str) -> None:
    f = program(text)
    point = ((0.5, -1.0, 2.0, 0.25), 0.7)
    assert system.reverse is not None
    assert flat(system.reverse(f, point, 1.0).gradient) == pytest.approx(finite_differences(f, point, 1.0), rel=1e-5, abs=1e-6)
