"""Values of Target (Fig 15, with the errata): scans, shifts, empty arrays, functions; operations and moves."""

import pytest

from rh_kernel.ad.language.values import Value
from rh_kernel.ad.unary_form.terms.evaluation import OpCounter, run
from rh_kernel.ad.unary_form.terms.terms import (
    ONE,
    ZERO,
    App,
    Const,
    Fill,
    Fold,
    Fun,
    If,
    Let,
    Map2,
    Pack,
    Plus,
    Proj,
    Scale,
    Shift,
    Term,
    Use,
    Var,
)
from rh_kernel.ad.unary_form.terms.types import R
from rh_kernel.ad.unary_form.translation.primitives import array, constant, unit
from tests.ad.unary_form.primitives import dot, gather, scatter
from tests.ad.unary_form.terms import add, mul, op, reduce_of, sum_of

A, x = Var("A"), Var("x")
# f(a, b) = a*10 + b depends on the order of the entries and of the parameters.
TENS = add(mul(Var("a"), Const(10.0)), Var("b"))
POINT: dict[str, Value] = {"A": (1.0, 2.0, 3.0), "E": (), "x": 2.0}


@pytest.mark.parametrize(
    ("M", "wanted"),
    [
        (Fold("scanl", "a", "b", TENS, ZERO, A), (0, 1, 12, 123)),
        (Fold("scanr", "a", "b", TENS, ZERO, A), (321, 32, 3, 0)),
        (Fold("reduce", "a", "b", TENS, ZERO, A), 123),
        (Fold("foldl", "a", "b", TENS, x, A), 2123),
        (Fold("scanl", "a", "b", TENS, x, Var("E")), (2,)),
        (Fold("scanr", "a", "b", TENS, x, Var("E")), (2,)),
        (Fold("reduce", "a", "b", TENS, x, Var("E")), 2),
        (Shift("L", A), (2, 3)),
        (Shift("R", A), (1, 2)),
        (Shift("L", Var("E")), ()),
        (Shift("R", Var("E")), ()),
        (Map2("a", "b", op("sub", Var("a"), mul(Var("b"), x)), A, A), (-1, -2, -3)),
        (Map2("a", "b", Pack((Var("a"), Var("b"))), A, A), ((1, 1), (2, 2), (3, 3))),
        (Fill(2, mul(x, x)), (4, 4)),
        (Plus(Pack((x, A)), Pack((x, A))), (4, (2, 4, 6))),
        (Scale(Pack((x, A)), x), (4, (2, 4, 6))),
        (Proj(2, Pack((x, A))), (1, 2, 3)),
        (If(x, Const(2.0), ONE, ZERO), 1),
        (If(x, Const(1.9), ONE, ZERO), 0),
        (App(Fun((("u", R), ("v", R)), op("sub", Var("u"), Var("v"))), (x, ONE)), 1),
        (Let(("y", "Y"), Pack((x, Fun((("u", R),), mul(Var("u"), Var("x"))))), App(Var("Y"), (Var("y"),))), 4),
        (Use(array(), (x, ONE)), (2, 1)),
        (Use(constant((5.0, 6.0)), ()), (5, 6)),
        (Use(dot(), (A, A)), 14),
        (Use(gather((2, 0, 2)), (A,)), (3, 1, 3)),
        (Use(scatter((1, 0, 1), 3), (A,)), (2, 4, 0)),
        (Use(unit(1, 3), (x,)), (0, 2, 0)),
    ],
)
def test_values(M: Term, wanted: Value) -> None:
    assert run(M, POINT) == wanted


@pytest.mark.parametrize(
    ("M", "operations", "moves"),
    [
        (mul(x, x), 1, 5),
        (op("sin", x), 1, 3),
        (Let(("y",), mul(x, x), Var("y")), 1, 7),
        (sum_of(A), 3, 3 * (2 + 5) + 2),
        (Fold("scanl", "a", "b", mul(Var("a"), Var("b")), ONE, A), 3, 3 * (3 + 5) + 2),
        (Shift("L", A), 0, 4),
        (Plus(A, A), 3, 11),
        (Scale(A, x), 3, 11),
        (Use(dot(), (A, A)), 5, 2 + 15 + 2),
        (Fill(5, ONE), 0, 6),
    ],
)
def test_operations_and_moves_are_counted(M: Term, operations: int, moves: int) -> None:
    """Fig 11, as it happens."""
    meter = OpCounter()
    run(M, POINT, meter)
    assert (meter.operations, meter.moves) == (operations, moves)


def test_purity_independent_lets_may_be_evaluated_in_any_order() -> None:
    """§1: nothing is written on, so the order of two lets is no matter."""
    first = Let(("u",), reduce_of("mul", ONE, A), Let(("v",), mul(x, x), add(Var("u"), Var("v"))))
    second = Let(("v",), mul(x, x), Let(("u",), reduce_of("mul", ONE, A), add(Var("u"), Var("v"))))
    assert run(first, POINT) == run(second, POINT)
    assert POINT == {"A": (1.0, 2.0, 3.0), "E": (), "x": 2.0}
