"""The oracles of the digest: every system of CHAD finds their values, gradients and tangents."""

import math
from collections.abc import Sequence

import pytest

from rh_kernel.ad.chad.systems import SYSTEMS
from rh_kernel.ad.language.evaluation import run
from rh_kernel.ad.language.types import Product
from rh_kernel.ad.language.values import basis
from rh_kernel.ad.system import System
from tests.ad.chad.oracles import ORACLES, Oracle
from tests.ad.programs import flat

REVERSE = tuple(s for s in SYSTEMS if s.reverse is not None)
FORWARD = tuple(s for s in SYSTEMS if s.forward is not None)


def close(found: Sequence[float], expected: Sequence[float], tolerance: float = 1e-12) -> bool:
    """Whether all numbers agree, relative to those above 1."""
    return len(found) == len(expected) and all(
        math.isclose(a, b, rel_tol=tolerance, abs_tol=tolerance) for a, b in zip(found, expected, strict=True)
    )


@pytest.mark.parametrize("oracle", ORACLES, ids=lambda o: o.name)
@pytest.mark.parametrize("system", REVERSE, ids=lambda s: s.name)
def test_reverse_mode_finds_value_and_gradient(system: System, oracle: Oracle) -> None:
    """The system finds ``f(V)`` and ``Dᵗf(V; W)``."""
    assert system.reverse is not None
    pulled = system.reverse(oracle.program, oracle.point, oracle.cotangent)
    assert close(flat(pulled.value), oracle.value)
    assert close(flat(pulled.gradient), oracle.gradient)
    assert close(flat(run(oracle.program, oracle.point)), oracle.value)


@pytest.mark.parametrize("oracle", [o for o in ORACLES if o.tangent is not None], ids=lambda o: o.name)
@pytest.mark.parametrize("system", FORWARD, ids=lambda s: s.name)
def test_forward_mode_finds_value_and_tangent(system: System, oracle: Oracle) -> None:
    """The system finds ``f(V)`` and ``Df(V; W)``."""
    assert system.forward is not None
    assert oracle.tangent is not None
    pushed = system.forward(oracle.program, oracle.point, oracle.tangent)
    assert close(flat(pushed.value), oracle.value)
    assert close(flat(pushed.tangent), oracle.pushed)


@pytest.mark.parametrize("oracle", ORACLES, ids=lambda o: o.name)
def test_forward_mode_gives_the_gradient_direction_by_direction(oracle: Oracle) -> None:
    """P6: ``⟨W, Df(V; eᵢ)⟩`` is entry i of the gradient."""
    (forward,) = [s.forward for s in SYSTEMS if s.name == "chad-forward"]
    assert forward is not None
    found: list[float] = []
    for direction in basis(Product(tuple(A for _, A in oracle.program.parameters))):
        assert isinstance(direction, tuple)
        pushed = forward(oracle.program, oracle.point, direction)
        found.append(sum(a * b for a, b in zip(flat(pushed.tangent), flat(oracle.cotangent), strict=True)))
    assert close(found, oracle.gradient)
