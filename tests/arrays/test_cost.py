"""The backward pass costs a constant times the forward pass, in operations and in equations, however deep the net."""

from itertools import pairwise

import pytest

from rh_kernel.arrays.compile import translate
from rh_kernel.arrays.optimise import optimise
from rh_kernel.arrays.program import Program
from rh_kernel.syntax.types import real
from tests.arrays.written import Written, command, layers

WIDTH = 16
INFER = "{ return y -> return y\n  FC[l](x), k -> let w <= Get[l]() in k(w @ x) }"
TRAIN = "rev handle (x) <u>. deep(u) with sgd(0.1, t)"


def passes(n: int, *, residual: bool = False) -> tuple[Program, Program]:
    """The forward pass of a net of n layers, and one step of gradient descent."""
    world = Written(layers(n, WIDTH, residual=residual))
    forward = world.program(f"handle deep(x) with {INFER}", x=real(WIDTH))
    return forward, world.program(TRAIN, x=real(WIDTH), t=real(WIDTH))


@pytest.mark.parametrize("n", [2, 8, 32, 128])
def test_a_training_step_costs_at_most_four_forward_passes(n: int) -> None:
    forward, both = passes(n)
    assert forward.cost_of(1) >= n * 2 * WIDTH * WIDTH
    assert both.cost_of(1) <= 4 * forward.cost_of(1)


def test_equations_grow_by_the_same_number_for_each_layer() -> None:
    depths = (2, 8, 32, 128)
    counts = [len(passes(n)[1].equations) for n in depths]
    slopes = {(b - a) / (m - n) for (n, a), (m, b) in pairwise(zip(depths, counts, strict=True))}
    assert len(slopes) == 1


def test_shortcuts_do_not_multiply_the_cost() -> None:
    forward, both = passes(64, residual=True)
    assert both.cost_of(1) <= 4 * forward.cost_of(1)


def test_a_thousand_layers_compile_without_recursion() -> None:
    world = Written(layers(1, 2))
    P = command(world.known, TRAIN.replace("deep(u)", _chain(1000)), {"x": real(2), "t": real(2)})
    raw = translate(P, (real(2), real(2)))
    assert len(raw.equations) < 20_000
    assert len(optimise(raw).equations) < 14_000


def _chain(n: int) -> str:
    return "".join("let u <= FC[w0](u) in let u <- swish(u) in " for _ in range(n)) + "return u"
