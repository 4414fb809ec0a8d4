"""What the paper does not have, or only announces: conditionals and recursion, on primal values; and where they are wrong."""

from collections.abc import Callable

import pytest

from rh_kernel.ad.linear_negation import forward, reverse
from rh_kernel.ad.linear_negation.binding import names
from rh_kernel.ad.linear_negation.calculus import Arrow, Fix, Fun, If, Num, Plus, R, Term, Times, Var, mul
from rh_kernel.ad.linear_negation.denotation import Meaning, called, flat, meaning
from rh_kernel.ad.linear_negation.extraction import extract
from rh_kernel.ad.linear_negation.gradient import gradient
from rh_kernel.ad.linear_negation.names import NameSupply
from rh_kernel.source.diagnostic import KernelBug, Rejected
from tests.ad.linear_negation.examples import app, f, lam, let, lets, source, sub, x, y
from tests.ad.linear_negation.type_system import check

ZERO, ONE = Num(0.0), Num(1.0)


def derivative(t: Term, point: dict[str, float]) -> tuple[float, tuple[float, ...]]:
    """The value and the gradient, by the meaning of ``D(t)``: each input gets a tuple with one 1 for its backpropagator."""
    inputs = list(point)

    def injection(i: int) -> Callable[[Meaning], Meaning]:
        def into(V: Meaning) -> Meaning:
            (r,) = flat(V)
            parts: list[Meaning] = [r if j == i else 0.0 for j in range(len(inputs))]
            nested = parts.pop()
            while parts:
                nested = parts.pop(), nested
            return nested

        return into

    d = len(inputs)
    transformed = reverse.transform(t, NameSupply({*names(t), *inputs}), d)
    assert check(transformed, dict.fromkeys(inputs, reverse.reversed_type(R, d)))
    found = meaning(transformed, {name: (point[name], injection(i)) for i, name in enumerate(inputs)})
    assert isinstance(found, tuple)
    return flat(found[0])[0], flat(called(found[1], 1.0))


def power(n: int) -> Term:
    """``pow x n`` by recursion, where n is a number"""
    k, body = Var("k"), mul(x, app(Var("pow"), sub(Var("k"), ONE)))
    return app(Fix("pow", Arrow(R, R), lam("k", If(k, ZERO, ONE, body))), Num(float(n)))


def newton(n: int) -> Term:
    """n steps of Newton's method for the square root of x, from 1"""
    step = lam("s", mul(Num(0.5), Plus(Var("s"), Fun("div", (x, Var("s"))))))
    go = lam("k", If(Var("k"), ZERO, ONE, app(Var("step"), app(Var("go"), sub(Var("k"), ONE)))))
    return lets(app(Fix("go", Arrow(R, R), go), Num(float(n))), let("step", step, Arrow(R, R)))


def test_recursion_power():
    value, slope = derivative(power(5), {"x": 1.3})
    assert value == pytest.approx(3.71293)
    assert slope == pytest.approx((14.2805,))


def test_recursion_newton():
    value, slope = derivative(newton(8), {"x": 2.0})
    assert value == pytest.approx(1.41421, rel=6e-6)
    assert slope == pytest.approx((0.353553,), rel=6e-6)


def test_recursion_forward():
    t = power(5)
    found = meaning(forward.transform(t), {"x": (1.3, 1.0)})
    assert flat(found) == pytest.approx((3.71293, 14.2805))
    assert check(forward.transform(t), {"x": Times(R, R)}) == Times(R, R)


BRANCH = If(x, ZERO, sub(x, y), mul(x, y))


@pytest.mark.parametrize(("point", "expected"), [((2.0, 3.0), (3.0, 2.0)), ((-2.0, 3.0), (1.0, -1.0))])
def test_conditionals(point: tuple[float, float], expected: tuple[float, float]):
    _, by_meaning = derivative(BRANCH, {"x": point[0], "y": point[1]})
    assert by_meaning == expected
    assert gradient(source(BRANCH, "x", "y"), point).gradient == expected


def test_conditionals_are_wrong_where_branches_meet():
    """The identity as ``if x ≤ 0 then (if −x ≤ 0 then 0 else x) else x``: 0 at 0, where the slope is 1."""
    identity = If(x, ZERO, If(Fun("neg", (x,)), ZERO, ZERO, x), x)
    for r in (-1.0, 0.0, 2.0):
        assert gradient(source(identity, "x"), (r,)).value == (r,)
    assert gradient(source(identity, "x"), (0.0,)).gradient == (0.0,)
    assert gradient(source(identity, "x"), (1.0,)).gradient == (1.0,)


def test_the_graph_of_a_conditional_depends_on_the_point():
    program = source(BRANCH, "x", "y")
    with pytest.raises(Rejected, match="conditional"):
        extract(program)
    assert extract(program, (2.0, 3.0)).term == mul(x, y)
    assert extract(program, (-2.0, 3.0)).term == sub(x, y)


def test_relu_by_its_stipulated_derivative():
    for r, slope in ((-1.0, 0.0), (0.0, 1.0), (1.0, 1.0)):
        assert gradient(source(f("ReLU", x), "x"), (r,)).gradient == (slope,)
        assert gradient(source(f("Step", x), "x"), (r,)).gradient == (0.0,)


def test_meanings_are_of_the_right_kind():
    for t in (app(ONE, ONE), f("sin", lam("q", ONE)), lets(x, let("x", Plus(lam("q", ONE), ONE)))):
        with pytest.raises(KernelBug):
            meaning(t, {})
