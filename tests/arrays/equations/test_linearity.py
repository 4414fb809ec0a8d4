"""In which arguments a function symbol is linear is said once, in a table; here it is tried on numbers."""

from collections.abc import Sequence

import numpy as np
import pytest

from rh_kernel.arrays.equations.algebra import IDENTITIES
from rh_kernel.arrays.equations.linearity import JOINTLY, SEPARATELY
from rh_kernel.primitives.schemes import arguments
from rh_kernel.primitives.table import ROWS, kernel
from rh_kernel.syntax.core import Array, Primitive
from tests.primitives.instances import INSTANCES, label, shapes

LINEAR = [f for f in INSTANCES if f.name in JOINTLY | SEPARATELY.keys()]


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
    if f.name in JOINTLY:
        assert is_additive(f, range(len(arguments(f))))
    for i in SEPARATELY.get(f.name, ()):
        assert is_additive(f, [i])


def test_every_linear_symbol_is_said_to_be() -> None:
    for name in ROWS:
        members = [f for f in INSTANCES if f.name == name]
        n = len(arguments(members[0]))
        if all(is_additive(f, range(n)) for f in members):
            assert name in JOINTLY
        elif n > 1:
            found = {i for i in range(n) if all(is_additive(f, [i]) for f in members)}
            assert found == SEPARATELY.get(name, frozenset()), name


def test_the_names_are_names_of_rows() -> None:
    assert {*JOINTLY, *SEPARATELY, *IDENTITIES} <= set(ROWS)


def test_a_member_that_is_said_to_be_the_identity_is() -> None:
    members = [f for f in INSTANCES if f.name in IDENTITIES and f.domain == f.codomain]
    assert {f.name for f in members} == IDENTITIES
    for f in members:
        (x,) = points(f, 3)
        assert np.array_equal(kernel(f, np)(x), x), f
