"""``W.R_V(x. N)`` (RH Fig. 6) against finite differences, and the laws a reverse derivative has (RH §6.2)."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.operational.binders import TermAtDepth, call, fixed, let, plus, rd, tuple_from
from rh_kernel.operational.heap import Heap
from rh_kernel.operational.trace import run, steps
from rh_kernel.paper import Rule
from rh_kernel.primitives import formulas as f
from rh_kernel.primitives.values import add_values, to_array
from rh_kernel.syntax.core import Array, Call, RdOf, Term, Tuple, Zero
from rh_kernel.syntax.types import Product, Type, real
from rh_kernel.syntax.values import component, constant
from tests.operational.nets import let_pair, prim, shape_of
from tests.operational.programs import BODIES, DIFFERENTIATED, Body, derivative, function, proj
from tests.tiers import law

A = real(2)
PAIR = Product((A, A))
POINT = np.array([0.3, -0.7])


def value(M: Term) -> Term:
    return run(M, Heap()).value


def flat(V: Term) -> Array:
    """The reals of a closed value, in order."""
    match V:
        case Tuple(items):
            return np.concatenate([flat(W) for W in items])
        case Zero(Product(many)):
            return np.concatenate([flat(Zero(B)) for B in many])
        case _:
            return to_array(V).ravel()


def at(body: Body, point: Array) -> Array:
    return flat(value(let(fixed(constant(point)), "x", body)(0)))


def slope(body: Body, cotangent: Array, point: Array, h: float = 1e-5) -> Array:
    """``cotangentᵀ · J`` by central differences."""
    return np.array([cotangent @ (at(body, point + h * e) - at(body, point - h * e)) / (2 * h) for e in np.eye(point.size)])


def cotangent_like(body: Body, seed: int) -> Term:
    draw = np.random.default_rng(seed)

    def like(V: Term) -> Term:
        match V:
            case Tuple(items):
                return Tuple(tuple(map(like, items)))
            case _:
                return constant(draw.normal(size=to_array(V).shape))

    return like(value(let(fixed(constant(POINT)), "x", body)(0)))


@pytest.mark.parametrize("name", DIFFERENTIATED)
def test_each_equation_is_the_derivative(name: str) -> None:
    body = BODIES[name]
    W = cotangent_like(body, 3)
    np.testing.assert_allclose(flat(value(derivative(W, body, constant(POINT)))), slope(body, flat(W), POINT), atol=1e-7)


# -- random terms --------------------------------------------------------------------------------------------------------------


@st.composite
def bodies(draw: st.DrawFn, budget: int = 3) -> Body:
    """``x : Real(2) ⊢ N : Real(2)``"""
    build = draw(terms(A, (A,), budget))
    return lambda x: build((x,))


Build = Callable[[tuple[TermAtDepth, ...]], TermAtDepth]


def terms(B: Type, gamma: tuple[Type, ...], budget: int) -> st.SearchStrategy[Build]:
    """``Γ ⊢ N : B`` for B = Real(2) or Real(2) × Real(2), as functions of the variables."""
    leaves = [st.just(_variable(i)) for i, C in enumerate(gamma) if C == B]
    if isinstance(B, Product):
        parts = [terms(C, gamma, budget - 1) for C in B.factors]
        built = st.tuples(*parts).map(_tuple)
        return st.one_of(*leaves, built) if leaves else built
    leaves.append(st.lists(st.floats(-1, 1), min_size=2, max_size=2).map(_constant))
    if budget <= 0:
        return st.one_of(*leaves)
    one = terms(A, gamma, budget - 1)
    two = terms(PAIR, gamma, budget - 1)
    return st.one_of(
        *leaves,
        st.builds(_apply, st.sampled_from(["tanh", "sin", "swish"]), one),
        st.builds(_product, one, one),
        st.builds(_sum, one, one),
        st.builds(_projection, st.sampled_from([1, 2]), two),
        st.builds(_let, one, terms(A, (*gamma, A), budget - 1)),
        st.builds(_take_apart, two, terms(A, (*gamma, A, A), budget - 2)),
        st.builds(_rd, one, terms(A, (*gamma, A), 1), terms(A, gamma, budget - 2)) if budget > 2 else one,
    )


def _variable(i: int) -> Build:
    return lambda xs: xs[i]


def _tuple(parts: tuple[Build, ...]) -> Build:
    return lambda xs: tuple_from(*[M(xs) for M in parts])


def _constant(entries: list[float]) -> Build:
    return lambda xs: fixed(constant(entries))


def _apply(name: str, M: Build) -> Build:
    return lambda xs: call(function(name), M(xs))


def _product(M: Build, N: Build) -> Build:
    return lambda xs: prim("mul", f.OF_ONE_SHAPE, (shape_of(2),), M(xs), N(xs))


def _sum(M: Build, N: Build) -> Build:
    return lambda xs: plus(M(xs), N(xs))


def _projection(i: int, M: Build) -> Build:
    return lambda xs: proj(i, 2, M(xs))


def _let(M: Build, N: Build) -> Build:
    return lambda xs: let(M(xs), "y", lambda y: N((*xs, y)))


def _take_apart(M: Build, N: Build) -> Build:
    return lambda xs: let_pair(M(xs), ("a", "b"), lambda a, b: N((*xs, a, b)))


def _rd(W: Build, N: Build, L: Build) -> Build:
    return lambda xs: rd(W(xs), "y", lambda y: N((*xs, y)), L(xs))


entries = st.lists(st.floats(-1, 1), min_size=2, max_size=2).map(np.array)


@law(25)
@given(bodies(), entries, entries)
def test_the_reverse_derivative_is_the_transposed_jacobian(body: Body, w: Array, v: Array) -> None:
    found = flat(value(derivative(constant(w), body, constant(v))))
    np.testing.assert_allclose(found, slope(body, w, v), rtol=1e-5, atol=1e-6)


@law(15)
@given(bodies(2), entries, entries, entries)
def test_rd_2_it_is_additive_in_the_cotangent(body: Body, w: Array, w2: Array, v: Array) -> None:
    one, other = (value(derivative(constant(c), body, constant(v))) for c in (w, w2))
    both = value(derivative(constant(w + w2), body, constant(v)))
    np.testing.assert_allclose(flat(both), flat(add_values(one, other)), atol=1e-9)


@law(10)
@given(bodies(2), bodies(2), entries, entries)
def test_rd_5_the_chain_rule(g: Body, h: Body, w: Array, v: Array) -> None:
    between = value(let(fixed(constant(v)), "x", g)(0))
    whole = value(derivative(constant(w), lambda x: let(g(x), "y", h), constant(v)))
    parts = value(derivative(value(derivative(constant(w), h, between)), g, constant(v)))
    np.testing.assert_allclose(flat(whole), flat(parts), atol=1e-9)


# -- single equations ----------------------------------------------------------------------------------------------------------


def rules(M: Term) -> list[Rule]:
    return [step.rule for step in steps(M, Heap())]


def test_fig_6_r_fun_puts_the_cotangent_first() -> None:
    M = derivative(constant([5.0, 7.0]), lambda x: call(function("tanh"), x), constant(POINT))
    (only,) = [step.redex for step in steps(M, Heap()) if isinstance(step.redex, Call)]
    assert component(only.argument, 0, 2) == constant([5.0, 7.0])
    assert component(only.argument, 1, 2) == constant(POINT)
    assert rules(M) == [Rule.RD, Rule.R_FUN, Rule.LET, Rule.EV, Rule.LET, Rule.R_VAR]


def test_fig_6_r_rd_goes_on_as_two_lets() -> None:
    M = derivative(constant([5.0, 7.0]), BODIES["derivative at a term"], constant(POINT))
    assert rules(M)[:3] == [Rule.RD, Rule.R_RD, Rule.R_LET]


def test_the_variable_of_another_binder_has_the_zero_of_the_points_type() -> None:
    body = BODIES["derivative that mentions"]
    fired = [step for step in steps(derivative(constant([5.0, 7.0]), body, constant(POINT)), Heap()) if step.rule is Rule.R_VAR]
    assert any(isinstance(step.contractum, Zero) and step.contractum.type == A for step in fired)


@pytest.mark.parametrize("name", ["tanh", "sin", "exp"])
def test_a_derivative_symbol_has_a_derivative(name: str) -> None:
    g = function(name)
    w, u, v = np.array([0.5, -1.5]), np.array([1.0, 2.0]), POINT
    argument = Tuple((constant(u), Tuple((constant(w), constant(v)))))
    found = value(call(RdOf(RdOf(g)), fixed(argument))(0))

    def pulled(w: Array, v: Array) -> Array:
        return flat(value(call(RdOf(g), fixed(Tuple((constant(w), constant(v)))))(0)))

    h = 1e-5
    basis = np.eye(2)
    in_w = [u @ (pulled(w + h * e, v) - pulled(w - h * e, v)) / (2 * h) for e in basis]
    in_v = [u @ (pulled(w, v + h * e) - pulled(w, v - h * e)) / (2 * h) for e in basis]
    np.testing.assert_allclose(flat(found), [*in_w, *in_v], atol=1e-7)
    assert rules(call(RdOf(RdOf(g)), fixed(argument))(0)) == [Rule.EV]
