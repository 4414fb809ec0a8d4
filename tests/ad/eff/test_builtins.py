"""The built-in functions follow IEEE 754, where those of Python do not, and have their declared types."""

import math
import operator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.ad.eff import types
from rh_kernel.ad.eff.machine import builtins
from rh_kernel.ad.eff.machine.builtins import BUILT_INS, OPERATORS
from rh_kernel.ad.eff.machine.values import FALSE, TRUE, Tag, Value, list_value, listed, text
from rh_kernel.primitives import floats
from rh_kernel.source.diagnostic import Stuck

FLOATS = st.floats()

ON_FLOATS = ["sin", "cos", "exp", "log", "sqrt", "tanh"]


@pytest.mark.parametrize("name", ON_FLOATS)
@given(x=FLOATS)
def test_functions_on_floats_are_those_of_numpy(name: str, x: float) -> None:
    with np.errstate(all="ignore"):
        expected = float(getattr(np, name)(x))
    assert BUILT_INS[name].function(x) == pytest.approx(expected, rel=1e-14, abs=5e-324, nan_ok=True)


@given(FLOATS, FLOATS)
def test_division_is_that_of_ieee_754(x: float, y: float) -> None:
    with np.errstate(all="ignore"):
        expected = float(np.float64(x) / np.float64(y))
    found = builtins.divide(x, y)
    assert math.isnan(found) if math.isnan(expected) else found == expected
    assert math.isnan(expected) or math.copysign(1, found) == math.copysign(1, expected)


@given(FLOATS)
def test_sigmoid_and_softplus_never_overflow(x: float) -> None:
    s, p = floats.sigmoid(x), floats.softplus(x)
    if math.isnan(x):
        assert math.isnan(s)
        assert math.isnan(p)
    else:
        assert 0 <= s <= 1
        assert p >= max(x, 0)
        assert floats.sigmoid(-x) == pytest.approx(1 - s, abs=1e-15)


@given(FLOATS, FLOATS)
def test_comparisons_are_those_of_floats(x: float, y: float) -> None:
    for name, compare in (("less", operator.lt), ("lesseq", operator.le), ("equal", operator.eq)):
        assert BUILT_INS[name].function(x, y) == (TRUE if compare(x, y) else FALSE)


@given(st.integers(), st.integers().filter(bool))
def test_quotient_and_remainder_agree(m: int, n: int) -> None:
    q, r = BUILT_INS["quotient"].function(m, n), BUILT_INS["remainder"].function(m, n)
    assert n * q + r == m
    assert 0 <= abs(r) < abs(n)
    assert r * n >= 0


@pytest.mark.parametrize("name", ["quotient", "remainder"])
def test_integers_are_not_divided_by_zero(name: str) -> None:
    with pytest.raises(Stuck) as caught:
        BUILT_INS[name].function(7, 0)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == "RH530"
    assert "7" in diagnostic.message
    assert diagnostic.hint


def test_fail_reports_its_reason() -> None:
    with pytest.raises(Stuck) as caught:
        BUILT_INS["fail"].function(f"no\nsuch {'x' * 1000}")
    (diagnostic,) = caught.value.diagnostics
    assert (diagnostic.code, diagnostic.message[:10], len(diagnostic.message)) == ("RH531", "no such xx", 200)


def test_results_have_the_declared_types() -> None:
    examples: dict[types.ValueType, Value] = {types.FLOAT: 0.5, types.INT: 3, types.TEXT: "a", types.Variable("a"): 0.25}
    kinds: dict[types.ValueType, type] = {
        types.FLOAT: float,
        types.INT: int,
        types.TEXT: str,
        types.BOOL: tuple,
        types.Variable("a"): float,
    }
    for name, g in BUILT_INS.items():
        if not set(g.domain) <= examples.keys() or name == "fail":
            continue
        assert isinstance(g.function(*[examples[A] for A in g.domain]), kinds[g.codomain]), name
        assert set(g.numeric) <= set(g.variables)
        assert {A.name for A in g.domain if isinstance(A, types.Variable)} == set(g.variables)


def test_each_operator_is_a_function_of_two_arguments() -> None:
    assert all(len(BUILT_INS[g].domain) == 2 for g in OPERATORS.values())


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (2.0, "2.0"),
        (-3, "-3"),
        (math.inf, "inf"),
        ('say "a"', '"say \\"a\\""'),
        ((), "()"),
        (TRUE, "True"),
        ((1.0, (2, "b")), '(1.0, (2, "b"))'),
        ((Tag("Paired"), 1.0, (Tag("Just"), 2.0)), "Paired 1.0 (Just 2.0)"),
        (list_value([1, (Tag("Just"), list_value([]))]), "[1, Just []]"),
        ((Tag("Name#2"), 1), "Name 1"),
        ([1.0], "⟨…⟩"),
    ],
)
def test_show_prints_values_in_the_syntax_of_programs(value: Value, shown: str) -> None:
    assert text(value) == shown


def test_long_lists_are_shown_and_read() -> None:
    long = list_value(range(100_000))
    assert listed(long) == list(range(100_000))
    assert text(long).startswith("[0, 1, 2, ")
    deep: Value = ()
    for _ in range(100_000):
        deep = (Tag("Just"), deep)
    assert text(deep).endswith(")" * 10)
