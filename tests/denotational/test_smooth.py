"""𝕏 is a reverse differential category: RD.1–RD.7 (RH Def. 6.8), for every function symbol and for random maps.

The axioms of the literature have the point first; here, as in RH Fig. 6, the cotangent comes first. RD.6 and RD.7 are stated by
the forward derivative ``D[f] : X × X → Y`` that R' gives: linear in its second argument, and symmetric in the second order.
They hold up to rounding, at points where everything is smooth.
"""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.denotational.smooth import Apply, Constant, Draft, Smooth, Sum, ZeroMap, apply
from rh_kernel.denotational.terms import interpret_term, reverse_derivative
from rh_kernel.denotational.wiring import Builder, rewire, then
from rh_kernel.primitives.schemes import extent
from rh_kernel.syntax.core import Array, Primitive, Scope
from rh_kernel.syntax.types import SCALAR, Type, leaves, real
from rh_kernel.syntax.values import constant
from tests.laws.readings import assert_close
from tests.primitives.instances import INSTANCES, arrays, label, smooth_point
from tests.strategies import JUMPING, ROUGH, WILD, World, contexts, terms, types
from tests.tiers import law

# `through` brings a derivative of its own that is not the derivative.
SMOOTH = World(without=JUMPING | ROUGH | WILD | {"through", "stopped"})
Point = list[Array]
Row = tuple[Type, ...]


def symbol(f: Primitive) -> Smooth:
    """``⟦f⟧``"""
    b: Draft = Builder(leaves(f.domain))
    return b.close(b.add(Apply(f), b.inputs, leaves(f.codomain)))


def plus(f: Smooth, g: Smooth) -> Smooth:
    """``f + g``"""
    b: Draft = Builder(f.domain)
    pairs = zip(b.graft(f, b.inputs), b.graft(g, b.inputs), f.results, strict=True)
    return b.close([b.add(Sum(A), (x, y), (A,))[0] for x, y, A in pairs])


def both(f: Smooth, g: Smooth) -> Smooth:
    """``⟨f, g⟩``"""
    b: Draft = Builder(f.domain)
    return b.close((*b.graft(f, b.inputs), *b.graft(g, b.inputs)))


def nothing(X: Row, Y: Row) -> Smooth:
    """``0 : X → Y``"""
    b: Draft = Builder(X)
    return b.close([b.add(ZeroMap(A), (), (A,))[0] for A in Y])


def forward(f: Smooth) -> Smooth:
    """``D[f] : X × X → Y``, point and direction: the component at the cotangent of ``R'[R'[f]]``, at any cotangent."""
    n, m = len(f.domain), len(f.results)
    twice = reverse_derivative(reverse_derivative(f), range(m))
    b: Draft = Builder((*f.domain, *f.domain))
    noughts = [b.add(ZeroMap(A), (), (A,))[0] for A in f.results]
    return b.close(b.graft(twice, (*b.inputs[n:], *noughts, *b.inputs[:n])))


def sampled(rng: np.random.Generator, X: Row) -> Point:
    """A point of X."""
    return [rng.uniform(-1, 1, extent(A)) for A in X]


def at_point(f: Primitive) -> Callable[[np.random.Generator], Point]:
    """Points where a symbol is smooth."""
    return lambda rng: list(arrays(smooth_point(rng, f)))


MAPS = [pytest.param(symbol(f), at_point(f), id=label(f)) for f in INSTANCES]


def check_axioms(f: Smooth, x: Point, rng: np.random.Generator) -> None:
    """RD.1–RD.7 for f at the point x."""
    X, Y = f.domain, f.results
    n, m = len(X), len(Y)
    v, w, w2 = (sampled(rng, Z) for Z in (X, Y, Y))
    R = reverse_derivative
    pulled = apply(R(f), [*w, *x])
    # RD.1: R[f + g] = R[f] + R[g], R[0] = 0
    assert_close(apply(R(plus(f, f)), [*w, *x]), [2 * a for a in pulled])
    assert_close(apply(R(nothing(X, Y)), [*w, *x]), [np.zeros_like(a) for a in x])
    # RD.2: additive in the cotangent
    together = apply(R(f), [*[a + b for a, b in zip(w, w2, strict=True)], *x])
    assert_close(together, [a + b for a, b in zip(pulled, apply(R(f), [*w2, *x]), strict=True)], 1e-7)
    assert_close(apply(R(f), [*[np.zeros_like(a) for a in w], *x]), [np.zeros_like(a) for a in x])
    # RD.3: R[id] = π, R[π_i] = the cotangent at i, 0 elsewhere
    assert_close(apply(R(rewire(X, range(n))), [*x, *x]), x)
    for i in range(n):
        alone = [a if j == i else np.zeros_like(a) for j, a in enumerate(x)]
        assert_close(apply(R(rewire(X, (i,))), [x[i], *x]), alone)
    # RD.4: R[⟨f, g⟩] is the sum of the two
    assert_close(
        apply(R(both(f, f)), [*w, *w2, *x]), [a + b for a, b in zip(pulled, apply(R(f), [*w2, *x]), strict=True)], 1e-7
    )
    # RD.5: the chain rule, with the linear map y ↦ y + y behind f
    double = plus(rewire(Y, range(m)), rewire(Y, range(m)))
    y = apply(f, x)
    back = apply(R(double), [*w, *y])
    assert_close(apply(R(then(f, double)), [*w, *x]), apply(R(f), [*back, *x]))
    # RD.6: D[f] is linear in its direction: D[D[f]] along ⟨0, v⟩ is D[f] along v
    D = forward(f)
    along = apply(D, [*x, *v])
    zeros = [np.zeros_like(a) for a in x]
    assert_close(apply(forward(D), [*x, *zeros, *zeros, *v]), along, 1e-7)
    # D and R' are adjoint, so that the two statements are about the same derivative: ⟨w, D[f](x, v)⟩ = ⟨R'[f](w, x), v⟩
    np.testing.assert_allclose(inner(w, along), inner(pulled, v), rtol=1e-8, atol=1e-8)
    # RD.7: symmetry, D[D[f]](⟨x, u⟩, ⟨v, 0⟩) = D[D[f]](⟨x, v⟩, ⟨u, 0⟩)
    u = sampled(rng, X)
    assert_close(apply(forward(D), [*x, *u, *v, *zeros]), apply(forward(D), [*x, *v, *u, *zeros]), 1e-7)


def inner(xs: Point, ys: Point) -> float:
    """``⟨x, y⟩``"""
    return sum(float(np.sum(x * y)) for x, y in zip(xs, ys, strict=True))


@pytest.mark.parametrize(("f", "point"), MAPS)
def test_axioms_rd_1_to_rd_7_for_a_function_symbol(f: Smooth, point: Callable[[np.random.Generator], Point]) -> None:
    rng = np.random.default_rng(0)
    check_axioms(f, point(rng), rng)


@law(40)
@given(st.data())
def test_axioms_rd_1_to_rd_7_for_a_map(data: st.DataObject) -> None:
    delta, A = data.draw(contexts()), data.draw(types())
    f = interpret_term(tuple(delta), Scope(("x",) * len(delta), data.draw(terms(delta, A, 3, SMOOTH))))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    check_axioms(f, sampled(rng, f.domain), rng)


@law(60)
@given(st.data())
def test_the_chain_rule_rd_5(data: st.DataObject) -> None:
    delta, A, B = data.draw(contexts()), data.draw(types()), data.draw(types())
    f = interpret_term(tuple(delta), Scope(("x",) * len(delta), data.draw(terms(delta, A, 4, SMOOTH))))
    g = interpret_term((A,), Scope(("y",), data.draw(terms((A,), B, 4, SMOOTH))))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    x, w = sampled(rng, f.domain), sampled(rng, g.results)
    back = apply(reverse_derivative(g), [*w, *apply(f, x)])
    assert_close(apply(reverse_derivative(then(f, g)), [*w, *x]), apply(reverse_derivative(f), [*back, *x]))


@law(60)
@given(st.data())
def test_reverse_derivative_is_the_transpose_of_the_differences(data: st.DataObject) -> None:
    delta, A = data.draw(contexts()), data.draw(types())
    f = interpret_term(tuple(delta), Scope(("x",) * len(delta), data.draw(terms(delta, A, 4, SMOOTH))))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    x, v, w = sampled(rng, f.domain), sampled(rng, f.domain), sampled(rng, f.results)
    h = 1e-6
    up, down = ([a + s * b for a, b in zip(x, v, strict=True)] for s in (h, -h))
    slopes = [(a - b) / (2 * h) for a, b in zip(apply(f, up), apply(f, down), strict=True)]
    np.testing.assert_allclose(inner(apply(reverse_derivative(f), [*w, *x]), v), inner(w, slopes), rtol=2e-4, atol=2e-4)


def test_a_constant_has_the_derivative_zero() -> None:
    b: Draft = Builder((SCALAR,))
    f = b.close(b.add(Constant(constant([2.0, 5.0])), (), (real(2),)))
    assert_close(apply(f, [np.ones(1)]), [np.array([2.0, 5.0])])
    assert_close(apply(reverse_derivative(f), [np.ones(2), np.ones(1)]), [np.zeros(1)])
