"""The size of the cotangent by round: that of a derivative along the state, as finite differences and the steps give it."""

import base64
import json
import math
import re
from collections.abc import Sequence
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.display.gradients.passes import AnnotatedPass, annotated
from rh_kernel.display.gradients.sizes import Sizes, sizes
from rh_kernel.display.gradients.sizes_image import sizes_image, words
from rh_kernel.display.registry import bundle, records
from rh_kernel.display.text import visible
from rh_kernel.session.results import GradientMade
from rh_kernel.syntax.core import Array
from tests.tiers import law
from tests.typing.cells import last, value

NET = """
loc w : Real(3, 3) = normal({scale}, seed={seed})
loc u : Real(3, 2) = normal(0.5, seed=7)
op FC[l : Loc(m, n)] : Real(n) -> Real(m)
handler exact : rev handler(Real) = {{
  return y -> return 1
  FC[l](x) -> let w <= Get[l]() in return (w @ x, (w, x)) | y, (w, x) -> return w^T @ y
}}
const xs : Real(6, 2) = [[1, 0], [0.5, -1], [0, 0], [2, 1], [-1, 1], [0.25, 0.5]]
net rest(xs : Real(n, 2), s : Real(3)) = scan (x in xs) from s = s do
  let a <= FC[u](x) in let b <= FC[w](s) in let s <- tanh(a + b) in return (s, s)
net loss(xs : Real(n, 2), s : Real(3)) = let (hs, s) <= rest(xs, s) in return sum(hs * hs) + dot(s, [1, 2, 3])
"""
PASS = "%gradient rev handle (xs, [1, -1, 0.5]) <xs, s>. loss(xs, s) with exact"


def pass_of(text: str) -> AnnotatedPass:
    made = last(text)
    assert isinstance(made, GradientMade)
    return annotated(made.passes[0])


def states(p: AnnotatedPass, name: str) -> list[Array]:
    """The states before each round."""
    return [row.value for row in p.rows if row.rounds and row.label == name]


@law(6)
@given(st.sampled_from([0.1, 0.5, 2.0]), st.integers(0, 3))
def test_the_sizes_are_those_of_derivatives_by_finite_differences(scale: float, seed: int) -> None:
    """After k rounds the cotangent is the derivative of what the remaining rounds make of the state."""
    net = NET.format(scale=scale, seed=seed)
    p = pass_of(net + PASS)
    (found,) = sizes(p)
    assert found.rounds == 6
    before = states(p, "s")
    assert len(before) == 6

    infer = "handler infer = { return x -> return x\n  FC[l](x), k -> let w <= Get[l]() in k(w @ x) }\n"

    def rest(k: int, s: Array) -> float:
        _, found = value(f"{net}{infer}handle loss(slice[{k}, 6](xs), {vector(s)}) with infer")
        return float(np.ravel(found)[0])

    for k in (0, 3, 5):
        h = 1e-6
        slope = [(rest(k, before[k] + h * e) - rest(k, before[k] - h * e)) / (2 * h) for e in np.eye(3)]
        assert math.isclose(found.norms[k], float(np.linalg.norm(slope)), rel_tol=1e-5, abs_tol=1e-9)


def vector(x: Sequence[float] | Array) -> str:
    return "[" + ", ".join([repr(float(v)) for v in x]) + "]"


def test_the_first_size_is_that_of_the_cotangent_that_the_steps_give() -> None:
    net = NET.format(scale=0.5, seed=1)
    (found,) = sizes(pass_of(net + PASS))
    for evaluator in ("stepped", "denoted", "compiled"):
        _, data = value(f"{net}%evaluator {evaluator}\n{PASS.removeprefix('%gradient ')}")
        _, cotangent = data["tuple"]
        assert math.isclose(found.norms[0], float(np.linalg.norm(cotangent)), rel_tol=1e-9)


def linear(factor: str, rounds: int = 5) -> str:
    body = f"repeat i < {rounds} from s = x do return {factor} * s"
    return f"%gradient rev handle ([3, 4]) <x>. let y <= ({body}) in return sum(y) with {{ return y -> return 1 }}"


@pytest.mark.parametrize(("factor", "power"), [("0.1", -1), ("10", 1)])
def test_a_linear_loop_vanishes_or_explodes_by_its_factor(factor: str, power: int) -> None:
    (found,) = sizes(pass_of(linear(factor)))
    assert np.allclose(found.norms, [math.sqrt(2) * 10.0 ** (power * (5 - k)) for k in range(6)])
    assert f"a factor of {float(factor):.3g} in each round" in words(found)


def test_zeros_and_overflow_are_told_and_drawn() -> None:
    (zero,) = sizes(pass_of(linear("0", 3)))
    assert zero.norms[:3] == (0.0, 0.0, 0.0)
    assert "it is 0 after 3 rounds" in words(zero)
    (large,) = sizes(pass_of(linear("1e150", 5)))
    assert not all(map(math.isfinite, large.norms))
    assert "not finite" in words(large)
    for found in (zero, large, Sizes("repeat", 0, 1, (), (0.0,)), Sizes("repeat", 0, 1, (2,), (1e-300, 1e300))):
        assert sizes_image(found).startswith("<img")


def test_a_loop_in_a_loop_has_sizes_for_each_round_outside() -> None:
    inner = "repeat j < 2 from z = s do return 3 * z"
    text = f"rev handle (1) <x>. (repeat i < 3 from s = x do {inner}) with {{ return y -> return 1 }}"
    found = sizes(pass_of("%gradient " + text))
    by_around = {size.around: size.norms for size in found}
    assert [*map(round, by_around[()])] == [729, 81, 9, 1]
    assert [*map(round, by_around[2,])] == [81, 27, 9]


def test_the_records_and_the_page_have_the_sizes() -> None:
    made = last(linear("0.5"))
    (record,) = json.loads(json.dumps(records(1, made)))
    (curve,) = record["cotangents_by_round"]
    assert curve["rounds"] == 5
    assert len(curve["norms"]) == 6
    page = bundle(made)
    assert page["text/html"].count("the cotangent of the state has the size") == 1
    assert "a factor of 0.5 in each round" in page["text/plain"]


@given(st.text(max_size=12) | st.sampled_from(["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "]]>"]))
def test_the_title_is_text(title: str) -> None:
    image = sizes_image(Sizes(visible(title), 0, 1, (), (1.0, 0.0, math.inf, 0.5)))
    source = re.search('src="data:image/svg\\+xml;base64,([^"]*)"', image)
    assert source is not None
    drawing = ElementTree.fromstring(base64.b64decode(source[1], validate=True))
    assert {element.tag.split("}")[1] for element in drawing.iter()} <= {"svg", "g", "path", "text", "circle"}
    assert image.count("<") == 1
