"""A custom derivative need not be linear, so it is called even if the cotangent is 0 (Fig. 6, 7)."""

from typing import Any

import pytest

from tests.typing.cells import value

G = "fun g(x : Real(2)) : Real(2) = x with rd(w, x) = w + [1, 10]\n"
IDENTITY = "handler h = { return x -> return x }\n"

PROGRAMS = (
    # R-Let: the cotangent of y is 0, and that of x is [1, 0] + g's own answer to 0.
    ("[1, 0].rd(x. let y <- g(x) in x)([1, 2])", [2, 10]),
    ("[1, 0].rd(x. (x, g(x)).1)([1, 2])", [2, 10]),
    ("[1, 0].rd(x. let y <- x + g(x) in x)([1, 2])", [2, 10]),
    # g of what is no function of x is not asked.
    ("[1, 0].rd(x. let y <- g([3, 4]) in x)([1, 2])", [1, 0]),
    # Fig. 7, the equation for terms: g gives [1, 10] to the cotangent 0 of y.
    ("rev handle ([1, 2]) <x>. let y <- g(x) in return x with h", [2, 12]),
    ("rev handle ([1, 2]) <x>. let y <- g(g(x)) in return x with h", [3, 22]),
    ("rev handle ([1, 2]) <x>. let y <- g(x) in let z <- g(x + y) in return y with h", [4, 32]),
)


@pytest.mark.parametrize("evaluator", ["stepped", "compiled", "denoted"])
@pytest.mark.parametrize(("program", "expected"), PROGRAMS)
def test_a_derivative_that_is_not_linear_is_asked_at_the_cotangent_0(evaluator: str, program: str, expected: Any) -> None:
    assert value(f"{G}{IDENTITY}%evaluator {evaluator}\n{program}") == ("Real(2)", expected)
