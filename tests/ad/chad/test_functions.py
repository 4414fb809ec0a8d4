"""Derivatives at function types: oracles O19 and O20, and the laws P14–P16 of copowers and of the logical relation."""

import math
from collections.abc import Callable
from typing import Any

import pytest

from rh_kernel.ad.chad.context import Context
from rh_kernel.ad.chad.derivatives.forward import forward_derivative
from rh_kernel.ad.chad.derivatives.reverse import reverse_derivative
from rh_kernel.ad.chad.evaluation import evaluate
from rh_kernel.ad.chad.target.types import Mode
from rh_kernel.ad.chad.values import Bag, Counters
from rh_kernel.ad.language.core import Apply, Call, Lambda, Term, Variable, mul
from rh_kernel.ad.language.types import SCALAR, Function, Type

REALS = Function(SCALAR, SCALAR)
SINE = Lambda("y", SCALAR, Apply("sin", (mul(Variable("c"), Variable("y")),)))
CALLED = Lambda("y", SCALAR, mul(Variable("c"), Call(Variable("g"), Variable("y"))))
TWICE = Call(Variable("f"), Call(Variable("f"), Variable("x")))


def at(mode: Mode, gamma: dict[str, Type], M: Term, values: dict[str, Any]) -> tuple[Any, Callable[[Any], Any]]:
    """Evaluate ``D_Γ(M)`` in an environment for ``D(Γ)_1``; return the value and the linear function."""
    derive = forward_derivative if mode is Mode.FORWARD else reverse_derivative
    return evaluate(derive(Context.of(mode, gamma.items()), M).term, dict(values), Counters())


def square(y: float) -> tuple[float, Callable[[float], float]]:
    """``y²`` with its derivative, which is the same in both modes"""
    return y * y, lambda w: 2 * y * w


def zero(_: float) -> float:
    """The zero tangent of a function"""
    return 0.0


def bag(*items: tuple[float, float]) -> Bag:
    """``!V1⊗W1 + …``"""
    return Bag(items)


def test_o19_a_function_as_the_result() -> None:
    """``c ⊢ λy. sin(c * y)`` at c = .5: its value, and the derivatives with respect to its argument and to c."""
    function, captured = at(Mode.REVERSE, {"c": SCALAR}, SINE, {"c": 0.5})
    value, backward = function(2.0)
    assert value == pytest.approx(0.8414709848078965)
    assert backward(1.0) == pytest.approx(0.2701511529340699)
    assert captured(bag((2.0, 1.0))) == pytest.approx((1.0806046117362795,))
    assert captured(bag((2.0, 1.0), (3.0, -2.0))) == pytest.approx((0.6561814017300621,))


def test_o19_forward() -> None:
    """The tangent of the function, at two points."""
    _, tangent = at(Mode.FORWARD, {"c": SCALAR}, SINE, {"c": 0.5})
    assert tangent((1.0,))(2.0) == pytest.approx(1.0806046117362795)
    assert tangent((1.0,))(3.0) == pytest.approx(0.2122116050031087)


def test_p14_copowers_are_sums() -> None:
    """Reordering, merging summands with the same key and omitting zeros change nothing; the empty sum is zero."""
    _, captured = at(Mode.REVERSE, {"c": SCALAR}, SINE, {"c": 0.5})
    assert captured(bag()) == (0.0,)
    split, merged = captured(bag((2.0, 1.0), (2.0, -0.5))), captured(bag((2.0, 0.5)))
    assert split == pytest.approx(merged)
    assert merged == pytest.approx((0.5403023058681398,))
    assert captured(bag((3.0, -2.0), (2.0, 1.0))) == pytest.approx((0.6561814017300621,))
    assert captured(bag((3.0, 0.0), (2.0, 0.5), (7.0, 0.0))) == pytest.approx(merged)


def test_p14_with_a_function_in_the_context() -> None:
    """Γ = (c = .5, g = square), ``λy. c * g(y)``: the call sites of g with their cotangents, in any order."""
    gamma: dict[str, Type] = {"c": SCALAR, "g": REALS}
    _, captured = at(Mode.REVERSE, gamma, CALLED, {"c": 0.5, "g": square})
    items = (2.0, 1.0), (3.0, -2.0), (2.0, -0.5)
    for order in (items, items[::-1]):
        c, g = captured(bag(*order))
        assert c == pytest.approx(-16.0)
        assert sorted(g.items) == sorted([(2.0, 0.5), (3.0, -1.0), (2.0, -0.25)])
    c, g = captured(bag((2.0, 0.5), (3.0, -2.0)))
    assert c == pytest.approx(-16.0)
    assert sorted(g.items) == [(2.0, 0.25), (3.0, -1.0)]


def test_p15_the_logical_relation_at_functions() -> None:
    """``d/ds f_{c(s)}(y(s))`` is the sum of the two derivatives of the function, in both modes."""
    dc, dy, y = 1.0, 0.25, 2.0
    h = 1e-6
    expected = (math.sin((0.5 + h) * (y + dy * h)) - math.sin((0.5 - h) * (y - dy * h))) / (2 * h)
    function, tangent = at(Mode.FORWARD, {"c": SCALAR}, SINE, {"c": 0.5})
    forward = function(y)[1](dy) + tangent((dc,))(y)
    function, captured = at(Mode.REVERSE, {"c": SCALAR}, SINE, {"c": 0.5})
    reverse = dc * captured(bag((y, 1.0)))[0] + dy * function(y)[1](1.0)
    assert forward == pytest.approx(1.148142399969797, abs=1e-12)
    assert reverse == pytest.approx(forward, abs=1e-12)
    assert forward == pytest.approx(expected, abs=1e-8)


def test_o20_a_function_as_a_parameter_in_reverse_mode() -> None:
    """P16: the cotangent of f in ``f(f(x))`` has the arguments of its calls, each with the cotangent of the result."""
    gamma: dict[str, Type] = {"f": REALS, "x": SCALAR}
    value, backward = at(Mode.REVERSE, gamma, TWICE, {"f": square, "x": 0.5})
    f, x = backward(1.0)
    assert value == 0.0625
    assert sorted(f.items) == [(0.25, 1.0), (0.5, 0.5)]
    assert x == 0.5


@pytest.mark.parametrize(
    ("direction", "dx", "expected"),
    [(math.sin, 0.0, 0.48711672855662447), (zero, 1.0, 0.5), (math.sin, 1.0, 0.9871167285566245)],
    ids=["of the function", "of x", "of both"],
)
def test_o20_a_function_as_a_parameter_in_forward_mode(direction: Callable[[float], float], dx: float, expected: float) -> None:
    """P16: any function is a tangent of f."""
    gamma: dict[str, Type] = {"f": REALS, "x": SCALAR}
    _, forward = at(Mode.FORWARD, gamma, TWICE, {"f": square, "x": 0.5})
    assert forward((direction, dx)) == pytest.approx(expected, abs=1e-12)
