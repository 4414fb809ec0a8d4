"""How many operations are evaluated (§6.1): exact, for the programs whose size is a number, and every mode."""

from collections.abc import Callable, Mapping

import pytest

from tests.ad.handlers.programs import evaluations

TAYLOR: Mapping[str, Callable[[int], int]] = {
    "d": lambda i: 22 * i + 5,
    "dc": lambda i: 6 * i * i + 17 * i + 4,
    "grad": lambda i: 30 * i + 6,
    "dt": lambda i: 26 * i - 1 if i else 4,
    "ddPrinted": lambda i: 86 * i + 10,
    "dd": lambda i: 93 * i + 10,
}
"""O31 and the table of §6.1. The right rule of the second derivative costs 13 for a negation where the printed one costs 6."""

SQUARINGS: Mapping[str, Callable[[int], int]] = {
    "d": lambda i: 4 * i + 1,
    "dc": lambda i: 3 * 2**i + i - 2,
    "grad": lambda i: 6 * i + 2,
}
"""O32: the continuation runs once for each path. Forward mode has one more operation, the seed."""


@pytest.mark.parametrize("i", range(65))
def test_o31_the_series_evaluated(i: int) -> None:
    """O31"""
    assert evaluations(f"handle taylor {i} 0.5 with evaluate") == 5 * i + 2


@pytest.mark.parametrize("mode", TAYLOR)
@pytest.mark.parametrize("i", range(65))
def test_o31_the_series_differentiated(mode: str, i: int) -> None:
    """O31"""
    assert evaluations(f"handle {mode} {{x -> taylor {i} x}} 0.5 with evaluate") == TAYLOR[mode](i)


@pytest.mark.parametrize("mode", SQUARINGS)
@pytest.mark.parametrize("i", [1, 2, 3, 4, 8, 12])
def test_o32_repeated_squaring(mode: str, i: int) -> None:
    """O32"""
    assert evaluations(f"handle {mode} {{x -> squarings {i} x}} 1 with evaluate") == SQUARINGS[mode](i)
