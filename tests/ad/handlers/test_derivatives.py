"""The tables of derivatives of the smooth operations (listings 4.2, A.3): each against differences, and twice against once."""

import math
from collections.abc import Callable, Mapping

import pytest

from tests.ad.handlers.programs import of_list, value

UNARY: Mapping[str, Callable[[float], float]] = {
    "Negate": lambda x: -x,
    "Sin": math.sin,
    "Cos": math.cos,
    "Exp": math.exp,
    "Log": math.log,
    "Sqrt": math.sqrt,
    "Tanh": math.tanh,
    "Sigmoid": lambda x: 1 / (1 + math.exp(-x)),
    "Softplus": lambda x: math.log(1 + math.exp(x)),
}
NAMED = {u: f"{u.lower()}_" for u in UNARY} | {"Negate": "n"}
BINARY: Mapping[str, Callable[[float, float], float]] = {
    "Plus": lambda x, y: x + y,
    "Subtract": lambda x, y: x - y,
    "Times": lambda x, y: x * y,
    "Divide": lambda x, y: x / y,
}
H = 1e-5


@pytest.mark.parametrize("u", UNARY)
@pytest.mark.parametrize("x", [0.3, 1.7])
def test_unary_operations(u: str, x: float) -> None:
    """u, ∂u by a difference of u, and ∂²u by a difference of ∂u"""

    def slope(z: float) -> float:
        return value(f"handle der1 {u} {z} with evaluate")

    assert value(f"handle {NAMED[u]} {x} with evaluate") == pytest.approx(UNARY[u](x), rel=1e-14)
    assert slope(x) == pytest.approx((UNARY[u](x + H) - UNARY[u](x - H)) / (2 * H), rel=1e-8)
    bend = value(f"handle dder1 {u} {x} with evaluate")
    assert bend == pytest.approx((slope(x + H) - slope(x - H)) / (2 * H), rel=1e-8, abs=1e-9)


@pytest.mark.parametrize("b", BINARY)
@pytest.mark.parametrize("place", [0, 1])
def test_binary_operations(b: str, place: int) -> None:
    """Both partial derivatives of b, and those of these"""
    x, y = 1.3, -0.7

    def moved(f: Callable[[float, float], float], i: int) -> float:
        h = [0.0, 0.0]
        h[i] = H
        return (f(x + h[0], y + h[1]) - f(x - h[0], y - h[1])) / (2 * H)

    def slope(z: float, w: float) -> float:
        return value(f"handle der2 {'LR'[place]} {b} ({z}) ({w}) with evaluate")

    assert slope(x, y) == pytest.approx(moved(BINARY[b], place), rel=1e-8)
    for other in (0, 1):
        bend = value(f"handle dder2 False {'LR'[place]} {'LR'[other]} {b} ({x}) ({y}) with evaluate")
        assert bend == pytest.approx(moved(slope, other), rel=1e-8, abs=1e-9)


@pytest.mark.parametrize(("b", "bend"), [("Plus", 0), ("Subtract", 0), ("Times", 2), ("Divide", 0)])
def test_an_operation_on_one_variable_twice(b: str, bend: float) -> None:
    """(x + x)″, (x − x)″, (x·x)″ and (x/x)″"""
    for side in ("L", "R"):
        assert value(f"handle dder2 True {side} {side} {b} 1.3 1.3 with evaluate") == bend
    assert value(f"handle dd {{x -> ap2 {b} x x}} 1.3 with evaluate") == pytest.approx(bend, abs=1e-15)
    [[(_, found)]] = value(f"handle hessian {of_list('x', f'ap2 {b} x x')} [1.3] with evaluate")
    assert found == pytest.approx(bend, abs=1e-15)


@pytest.mark.parametrize("u", UNARY)
def test_modes_on_unary_operations(u: str) -> None:
    """Every mode takes the derivative from the table, and both second modes the second one"""
    slope, bend = (value(f"handle {f} {u} 1.3 with evaluate") for f in ("der1", "dder1"))
    for mode in ("d", "dc", "grad", "dt", "gradc", "gradh", "gradhc"):
        assert value(f"handle {mode} {{x -> ap1 {u} x}} 1.3 with evaluate") == slope
    for twice in (f"dd {{x -> ap1 {u} x}} 1.3", f"d {{x -> d {{y -> ap1 {u} y}} x}} 1.3"):
        assert value(f"handle {twice} with evaluate") == pytest.approx(bend, rel=1e-14)
    [[(_, found)]] = value(f"handle hessian {of_list('x', f'ap1 {u} x')} [1.3] with evaluate")
    assert found == pytest.approx(bend, rel=1e-14)
