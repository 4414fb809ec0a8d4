"""Derivatives of derivatives: what they come to, and in how many steps. Counts, not seconds."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rh_kernel.arrays.compile import compile_term
from rh_kernel.arrays.running import flat
from rh_kernel.arrays.running import run as run_compiled
from rh_kernel.denotational.smooth import apply
from rh_kernel.denotational.terms import interpret_term
from rh_kernel.operational.binders import Place, call, fixed, let, plus, rd, tuple_from
from rh_kernel.operational.heap import Heap
from rh_kernel.operational.trace import run, steps
from rh_kernel.paper import Rule
from rh_kernel.primitives import formulas as f
from rh_kernel.primitives.values import to_array
from rh_kernel.session.results import TraceMade
from rh_kernel.session.session import Session
from rh_kernel.syntax.core import R, Scope, Term
from rh_kernel.syntax.types import SCALAR
from rh_kernel.syntax.values import constant
from tests.operational.checking import check
from tests.operational.nets import entrywise, prim, shape_of
from tests.operational.programs import Body
from tests.session.cells import run as run_cell

POINT = 0.7


def nested(body: Body, order: int) -> Term:
    """``1.rd(a. 1.rd(b. … body)(a))(0.7)`` with so many ``rd``"""

    def derived(order: int) -> Body:
        return body if not order else lambda x: rd(fixed(constant(1.0)), "abcdef"[order], derived(order - 1), x)

    return derived(order)(fixed(constant(POINT)))(0)


def function(name: str) -> Body:
    return lambda x: call(entrywise(name, 1), x)


def times(M: Place, N: Place) -> Place:
    return prim("mul", f.OF_ONE_SHAPE, (shape_of(1),), M, N)


def stepped(M: Term) -> tuple[float, int]:
    """The value and the number of steps."""
    result = run(M, Heap())
    return float(to_array(result.value)[0]), result.count


def agreed(M: Term) -> float:
    """The value that the denoted and the compiled reading have alike."""
    (denoted,) = apply(interpret_term((), Scope((), M)), ())
    value, _ = run_compiled(compile_term(M, ()), (), {})
    (compiled,) = flat(value)
    np.testing.assert_allclose(compiled, denoted, rtol=1e-9, atol=1e-9)
    return float(denoted[0])


CUBE: Body = lambda c: times(times(c, c), c)
WAVE: Body = lambda b: times(times(function("sin")(b), b), function("exp")(b))
CHAIN = ("sin", "cos", "tanh", "exp", "sin", "cos", "sin", "tanh", "cos")


def chain(n: int) -> Body:
    """n functions, one of the other"""

    def body(x: Place) -> Place:
        for i in range(n):
            x = function(CHAIN[i % len(CHAIN)])(x)
        return x

    return body


def squares(n: int) -> Body:
    """``let y ← x * x in … let y ← y * y in y``, n lets"""
    return lambda x: let(times(x, x), "y", squares(n - 1)) if n else x


@pytest.mark.parametrize(
    ("body", "order", "most"),
    [(CUBE, 2, 100), (CUBE, 3, 250), (WAVE, 2, 200), (WAVE, 3, 500), (chain(9), 3, 1500), (squares(8), 2, 1000)],
    ids=["cube″", "cube‴", "wave″", "wave‴", "chain‴", "squares″"],
)
def test_a_nested_derivative_takes_few_steps(body: Body, order: int, most: int) -> None:
    M = nested(body, order)
    value, count = stepped(M)
    assert count <= most
    assert value == pytest.approx(agreed(M), rel=1e-9)


def test_the_derivatives_of_the_cube() -> None:
    assert [stepped(nested(CUBE, order))[0] for order in range(5)] == pytest.approx([0.343, 1.47, 4.2, 6.0, 0.0])


@pytest.mark.parametrize("order", [2, 3])
def test_steps_grow_with_the_lets_and_do_not_double(order: int) -> None:
    counts = [stepped(nested(squares(n), order))[1] for n in (2, 4, 6, 8)]
    added = [b - a for a, b in zip(counts, counts[1:], strict=False)]
    assert len({*added}) == 1, counts


def test_the_fourth_derivative_is_a_multiple_of_the_third() -> None:
    counts = [stepped(nested(WAVE, order))[1] for order in (2, 3, 4, 5)]
    assert all(b < 5 * a for a, b in zip(counts, counts[1:], strict=False)), counts


def test_one_derivative_is_unfolded_as_fig_6_prints_it() -> None:
    """R-Let has its body twice, and each of the two is unfolded by itself."""
    fired = [step for step in steps(nested(squares(3), 1), Heap()) if isinstance(step.redex, R)]
    assert all(step.redex.known is None for step in fired if isinstance(step.redex, R))
    assert sum(step.rule is Rule.R_LET for step in fired) == 7


def test_in_a_nested_derivative_every_equation_but_that_for_let_is_the_printed_one() -> None:
    rules = [step.rule.value for step in steps(nested(lambda b: times(b, b), 2), Heap())]
    start = "Rd R-Rd R-Let R-Let R-Fun R-Tuple R-Var R-Var R-Let R-Rd"
    assert " ".join(rules[:10]) == start


# -- random terms --------------------------------------------------------------------------------------------------------------


@st.composite
def bodies(draw: st.DrawFn, nodes: int = 10) -> Body:
    """``x : Real ⊢ N : Real`` of so many nodes: variables, functions, products, sums, and lets."""
    return draw(_bodies(nodes, 1))


def _bodies(nodes: int, bound: int) -> st.SearchStrategy[Body]:
    """As bodies of a tuple of variables, of which there are ``bound``."""
    build = _terms(nodes, bound)
    return build.map(lambda N: lambda x: N((x,)))


def _terms(nodes: int, bound: int) -> st.SearchStrategy:
    if nodes <= 1:
        return st.integers(0, bound - 1).map(lambda i: lambda xs: xs[i])
    one = st.tuples(st.sampled_from(["sin", "cos", "tanh", "exp", "sigmoid"]), _terms(nodes - 1, bound))
    unary = one.map(lambda p: lambda xs: function(p[0])(p[1](xs)))
    if nodes == 2:
        return unary
    two = st.integers(1, nodes - 2).flatmap(
        lambda k: st.tuples(st.sampled_from("*+l"), _terms(k, bound), _terms(nodes - 1 - k, bound + 1))
    )
    return unary | two.map(lambda p: lambda xs: _two(*p, xs))


def _two(kind: str, M, N, xs: tuple[Place, ...]) -> Place:
    if kind == "l":
        return let(M(xs), "y", lambda y: N((*xs, y)))
    L, K = M(xs), N((*xs, xs[0]))
    return times(L, K) if kind == "*" else plus(L, K)


@settings(max_examples=20, deadline=None)
@given(bodies())
def test_the_third_derivative_of_a_term_of_ten_nodes(body: Body) -> None:
    M = nested(body, 3)
    value, count = stepped(M)
    assert count <= 20_000
    assert value == pytest.approx(agreed(M), rel=1e-7, abs=1e-7)


@settings(max_examples=10, deadline=None)
@given(bodies(6))
def test_each_step_of_a_nested_derivative_keeps_its_type_and_its_meaning(body: Body) -> None:
    M = nested(body, 2)
    value = agreed(M)
    for count, step in enumerate(steps(M, Heap())):
        assert isinstance(step.after, Term)
        assert check(step.after) == SCALAR
        if count % 8 == 0:
            assert agreed(step.after) == pytest.approx(value, rel=1e-7, abs=1e-7)
