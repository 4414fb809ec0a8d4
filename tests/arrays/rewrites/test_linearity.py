"""What the record of a function symbol says of linearity, sums and identities is tried on numbers."""

from collections.abc import Sequence

import numpy as np
import pytest

from rh_kernel.primitives.schemes import arguments
from rh_kernel.primitives.table import SYMBOLS, kernel
from rh_kernel.syntax.core import Array, Primitive
from tests.primitives.instances import INSTANCES, label, shapes

LINEAR = [f for f in INSTANCES if SYMBOLS[f.name].jointly_linear or SYMBOLS[f.name].linear_in]
IDENTITIES = {name for name, row in SYMBOLS.items() if row.is_identity_at_equal_types}


def points(f: Primitive, seed: int) -> list[Array]:
    rng = np.random.default_rng(seed)
    return [rng.normal(size=shape) for shape in shapes(f.domain)]


def is_additive(f: Primitive, moving: Sequence[int]) -> bool:
    """Whether ``f(x + y) = f(x) + f(y)`` and ``f(0) = 0`` in the arguments at ``moving``, with the others as they are."""
    g, x, y = kernel(f, np), points(f, 1), points(f, 2)
    other = [y[i] if i in moving else x[i] for i in range(len(x))]
    both = [x[i] + y[i] if i in moving else x[i] for i in range(len(x))]
    none = [0 * x[i] if i in moving else x[i] for i in range(len(x))]
    with np.errstate(all="ignore"):
        return np.allclose(g(*both), g(*x) + g(*other), rtol=1e-9) and not np.any(g(*none))


@pytest.mark.parametrize("f", LINEAR, ids=label)
def test_what_is_said_to_be_linear_is(f: Primitive) -> None:
    if SYMBOLS[f.name].jointly_linear:
        assert is_additive(f, range(len(arguments(f))))
    for i in SYMBOLS[f.name].linear_in:
        assert is_additive(f, [i])


def test_every_linear_symbol_is_said_to_be() -> None:
    for name in SYMBOLS.keys() - {"select"}:  # it is linear in one of two arrays, which a number chooses
        members = [f for f in INSTANCES if f.name == name]
        n = len(arguments(members[0]))
        if all(is_additive(f, range(n)) for f in members):
            assert SYMBOLS[name].jointly_linear, name
        elif n > 1:
            found = tuple(i for i in range(n) if all(is_additive(f, [i]) for f in members))
            assert found == SYMBOLS[name].linear_in, name


@pytest.mark.parametrize("f", [f for f in INSTANCES if SYMBOLS[f.name].sums_from_zero], ids=label)
def test_a_sum_from_zero_has_no_negative_zero(f: Primitive) -> None:
    zeros = [-0.0 * np.ones(shape) for shape in shapes(f.domain)]
    others = [zeros[0], *[np.ones_like(x) for x in zeros[1:]]]
    for x in (zeros, others):
        assert not np.signbit(kernel(f, np)(*x)).any()


def test_a_member_that_is_said_to_be_the_identity_is() -> None:
    members = [f for f in INSTANCES if f.name in IDENTITIES and f.domain == f.codomain]
    assert {f.name for f in members} == IDENTITIES
    for f in members:
        (x,) = points(f, 3)
        assert np.array_equal(kernel(f, np)(x), x), f
