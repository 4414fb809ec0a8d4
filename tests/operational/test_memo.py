"""What is known of a symbol is what would be found out again (RH Def. 5.4)."""

import numpy as np
import pytest

from rh_kernel.operational.limits import Limits
from rh_kernel.operational.memo import Memo
from rh_kernel.operational.symbols import added, applied
from rh_kernel.primitives.evaluation import evaluate
from rh_kernel.primitives.formulas import OF_ONE_SHAPE
from rh_kernel.primitives.schemes import instantiate
from rh_kernel.primitives.values import add_values, sum_values
from rh_kernel.source.diagnostic import Stuck
from rh_kernel.syntax.core import Const, Term, Tuple, Zero
from rh_kernel.syntax.types import SCALAR, Product, real
from rh_kernel.syntax.values import constant
from tests.operational.nets import entrywise, shape_of

ONE, TWO = constant([1.0, 2.0]), constant([0.5, -0.5])
SINGLE = Const(np.array([1.0, 3.0], dtype=np.float32))


def test_the_same_is_asked_once_and_never_mistaken_for_another() -> None:
    asked: list[list[int]] = []

    def first(of: list[int]) -> int:
        asked.append(of)
        return of[0]

    known, one = Memo(first, 4), [1]
    assert [known.of(one), known.of(one)] == [1, 1]
    assert asked == [[1]]
    # Of a list that is gone another one may get the place in memory.
    assert [known.of([i]) for i in range(100)] == list(range(100))


@pytest.mark.parametrize("V", [ONE, SINGLE, Zero(real(2))])
def test_a_symbol_of_one_argument_is_applied_as_it_is_evaluated(V: Term) -> None:
    f = entrywise("tanh", 2)
    for _ in range(2):
        assert applied(f, V, Limits(), None) == evaluate(f, V)
    assert not applied(f, V, Limits(), None).value.flags.writeable


@pytest.mark.parametrize(
    "V", [Tuple((ONE, TWO)), Tuple((ONE, SINGLE)), Tuple((Zero(real(2)), TWO)), Zero(Product((real(2),) * 2))]
)
def test_a_symbol_of_two_arguments_is_applied_as_it_is_evaluated(V: Term) -> None:
    f = instantiate("mul", OF_ONE_SHAPE, (shape_of(2),))
    found, expected = applied(f, V, Limits(), None), evaluate(f, V)
    assert found == expected
    assert found.value.dtype == expected.value.dtype


def test_a_smaller_limit_is_kept_for_a_symbol_that_is_known() -> None:
    f = entrywise("tanh", 2)
    applied(f, ONE, Limits(reals=2), None)
    with pytest.raises(Stuck):
        applied(f, ONE, Limits(reals=1), None)


@pytest.mark.parametrize(
    ("V", "W"), [(ONE, TWO), (ONE, Zero(real(2))), (Tuple((ONE, TWO)), Tuple((TWO, ONE))), (Zero(SCALAR), constant(1.0))]
)
def test_sums_are_those_of_the_monoid(V: Term, W: Term) -> None:
    assert added(V, W, of_cotangents=True) == add_values(V, W)
    assert added(V, W) == sum_values(V, W)
