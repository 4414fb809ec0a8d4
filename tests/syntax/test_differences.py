"""Differences of syntax: none between equal pieces, the smallest nodes otherwise, and lets without a partner."""

from __future__ import annotations

from hypothesis import given

from rh_kernel.source.span import Source
from rh_kernel.syntax.differences import differences
from rh_kernel.syntax.parsing.parser import parse
from rh_kernel.syntax.surface import Expr
from rh_kernel.syntax.surface_items import Evaluation
from tests.syntax.surface_programs import expressions
from tests.tiers import law


@law(200)
@given(expressions, expressions)
def test_only_equal_pieces_have_no_differences(a: Expr, b: Expr) -> None:
    left, right = differences(a, b)
    assert (left == right == ()) == (a == b)
    assert differences(a, a) == ((), ())


def marked(a: str, b: str) -> tuple[list[str], list[str]]:
    (one,), (other,) = parse(Source("a", a)), parse(Source("b", b))
    assert isinstance(one, Evaluation)
    assert isinstance(other, Evaluation)
    left, right = differences(one.expression, other.expression)
    return [span.text for span in left], [span.text for span in right]


def test_the_smallest_nodes_that_differ_are_marked() -> None:
    assert marked("f(x + 2 * y, z)", "f(x  +  3 * y,\n  z)") == (["2"], ["3"])
    assert marked("f(x)", "g(x)") == (["f"], ["g"])
    assert marked("f(x, y)", "f(x, z, y)") == ([], ["z"])
    assert marked("a + b", "a - b") == (["a + b"], ["a - b"])


def test_lets_without_a_partner_are_marked_and_the_others_are_compared() -> None:
    a = "let w <= Get[l]() in let d <= Put[l](w - a * g) in k(d)"
    b = "let v <= Get[m]() in let v <- 2 * v in let w <= Get[l]() in let d <= Put[l](w - a * v) in k(d)"
    assert marked(a, b) == (["g"], ["let v <= Get[m]()", "let v <- 2 * v", "v"])
    assert marked(b, a) == (["let v <= Get[m]()", "let v <- 2 * v", "v"], ["g"])
