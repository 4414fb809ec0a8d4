"""RH Def. 5.4: ``f(V) ⟶ Ev(f, V)`` for closed values, quietly and without writing to anything."""

import subprocess
import sys

import numpy as np
import pytest

from rh_kernel.primitives.evaluation import evaluate
from rh_kernel.primitives.schemes import instantiate
from rh_kernel.primitives.smoothness import require_smooth_at
from rh_kernel.primitives.table import SYMBOLS
from rh_kernel.primitives.values import materialise
from rh_kernel.source.diagnostic import Stuck
from rh_kernel.syntax.core import Const, Primitive, Term, Tuple, Zero
from rh_kernel.syntax.dimensions import dim
from rh_kernel.syntax.types import SCALAR, Product, real
from rh_kernel.syntax.values import constant
from tests.primitives.instances import INSTANCES, draw, label, shapes, smooth_point

each_instance = pytest.mark.parametrize("f", INSTANCES, ids=label)


def at(name: str, n: int = 1) -> Primitive:
    return instantiate(name, SYMBOLS[name].schemes[0], ((dim(n),),))


@each_instance
def test_a_result_is_read_only(f: Primitive) -> None:
    result = evaluate(f, draw(np.random.default_rng(1), f.domain)).value
    assert not result.flags.writeable
    assert (result.shape,) == shapes(f.codomain)


@each_instance
def test_a_zero_is_the_array_of_zeros(f: Primitive) -> None:
    assert evaluate(f, Zero(f.domain)) == evaluate(f, materialise(Zero(f.domain)))


def is_smooth_at(f: Primitive, V: Term) -> bool:
    """Whether V lies in the open set on which ``f`` is smooth, as a morphism of PSmooth (RH Ex. 6.9)."""
    try:
        require_smooth_at(f, V, None)
    except Stuck:
        return False
    return True


def test_a_part_of_the_argument_may_be_a_zero() -> None:
    V = Tuple((constant([1, 2]), Zero(real(2))))
    assert evaluate(at("add", 2), V) == constant([1, 2])
    assert evaluate(at("scale", 2), Tuple((Zero(SCALAR), constant([1, 2])))) == constant([0, 0])


def test_a_zero_has_the_dtype_of_its_neighbour() -> None:
    x = Const(np.ones(2, dtype=np.float32))
    assert evaluate(at("add", 2), Tuple((x, Zero(real(2))))).value.dtype == np.float32


@pytest.mark.parametrize(
    ("name", "x", "y"),
    [
        ("log", 0, -np.inf),
        ("log", -1, np.nan),
        ("sqrt", -1, np.nan),
        ("recip", 0, np.inf),
        ("exp", 1000, np.inf),
        ("sigmoid", -1000, 0),
    ],
)
def test_undefined_points_give_ieee_values_without_a_warning(name: str, x: float, y: float) -> None:
    """Warnings are errors in the tests."""
    np.testing.assert_equal(evaluate(at(name), constant(x)).value, [y])


def test_zero_by_zero_is_nan_without_a_warning() -> None:
    np.testing.assert_equal(evaluate(at("div"), Zero(Product((SCALAR, SCALAR)))).value, [np.nan])


def test_the_mean_of_nothing_is_zero() -> None:
    """A linear symbol, it sends the only value of ``Real(0)``, which is 0, to 0."""
    np.testing.assert_equal(evaluate(at("mean", 0), Zero(real(0))).value, [0])


def test_infinity_is_no_kink_of_round() -> None:
    assert is_smooth_at(at("round"), constant(np.inf))


@each_instance
def test_smooth_points_are_smooth(f: Primitive) -> None:
    assert is_smooth_at(f, smooth_point(np.random.default_rng(2), f))


@pytest.mark.parametrize(
    ("name", "x"),
    [("relu", 0), ("abs", 0), ("sign", 0), ("step", 0), ("round", 1.5), ("round", -0.5), ("log", 0), ("sqrt", -1)],
)
def test_kinks_and_poles_are_not_smooth(name: str, x: float) -> None:
    assert not is_smooth_at(at(name), constant(x))


@pytest.mark.parametrize("name", ["maximum", "minimum", "div"])
def test_ties_and_poles_of_two_are_not_smooth(name: str) -> None:
    assert not is_smooth_at(at(name), Tuple((constant(0), constant(0))))


def test_a_tied_largest_entry_is_not_smooth() -> None:
    tied, apart = constant([1, 2, 2]), constant([1, 2, 3])
    assert not is_smooth_at(at("same_argmax", 3), Tuple((tied, apart)))
    assert not is_smooth_at(at("same_argmax", 3), Tuple((apart, tied)))


def test_the_table_needs_numpy_only() -> None:
    script = "import sys, rh_kernel.primitives.evaluation; print({'scipy', 'cupy', 'IPython'} & set(sys.modules))"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"
