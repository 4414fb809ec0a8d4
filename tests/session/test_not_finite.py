"""The warning about results that are inf or nan: what it points at, and that finite and given infinite numbers give none."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.session import not_finite
from rh_kernel.session.results import Result, ValueFound, Warned, results
from rh_kernel.session.session import Session, execute
from rh_kernel.source.diagnostic import Diagnostic
from rh_kernel.source.span import Source
from rh_kernel.syntax.runtime_errors import NumberNotFinite
from tests.tiers import law

EVALUATORS = ("compiled", "stepped", "denoted")


def shown(text: str) -> list[Result]:
    return results(execute(Session.start(Path()), Source("cell", text), keep_going=True))


def warned(text: str) -> list[Diagnostic]:
    return [d for result in shown(text) if isinstance(result, Warned) for d in result.diagnostics]


@pytest.mark.parametrize("evaluator", EVALUATORS)
@pytest.mark.parametrize(
    ("program", "part", "message"),
    [
        ("1 / 0", "1 / 0", "`1.0 / 0` is inf"),
        ("let x <- [0.5, 0] in 2 * log(x)", "log(x)", "`log([0.5, 0.0])` has the entry -inf"),
        ("let x <= return 0 - 1 in return (x, sqrt(x))", "sqrt(x)", "`sqrt(-1.0)` is nan"),
        ("1.rd(x. log(x))(0)", "log(x)", "`rd[log](1.0, 0)` is inf"),
        ("1e308 + 1e308", "1e308 + 1e308", "`1e+308 + 1e+308` is inf"),
        ("loc w : Real = [800]\nlet a <= Get[w]() in Put[w](exp(a))", "exp(a)", "`exp(800.0)` is inf"),
    ],
)
def test_the_warning_points_at_the_place_where_it_begins(evaluator: str, program: str, part: str, message: str) -> None:
    (d,) = warned(f"%evaluator {evaluator}\n{program}")
    assert isinstance(d, NumberNotFinite)
    assert d.span is not None
    assert (d.span.text, d.message) == (part, message)


def test_a_function_is_looked_into() -> None:
    (d,) = warned("fun g(x : Real) : Real = 1 / x\nfun f(x : Real) : Real = g(x - 1)\nf(1)")
    assert d.span is not None
    assert d.span.text == "1 / x"
    assert [note.span.text for note in d.notes] == ["g(x - 1)", "f(1)"]


def test_the_value_and_the_heap_are_those_without_a_warning() -> None:
    declared, value, warning, again = shown(
        "loc w : Real = [0]\nlet a <= Get[w]() in let _ <= Put[w](1 / a) in return a\nGet[w]()"
    )
    assert isinstance(value, ValueFound)
    assert value.changes[0].after == np.inf
    assert isinstance(warning, Warned)
    assert isinstance(again, ValueFound), "what was given is not warned about again"
    assert declared


def test_nothing_is_said_where_an_infinite_number_does_not_reach_the_result() -> None:
    assert warned("let x <- 1 / 0 in 3\nrecip(1 / 0)\n1 / 2") == []


def test_a_search_that_is_too_long_names_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(not_finite, "MOST_STEPS", 1)
    (d,) = warned("let x <- 2 - 2 in let y <- x in 1 / y")
    assert d.message == "a result of this is inf"
    assert d.span is not None
    assert d.span.text.startswith("let x")


def test_what_is_too_large_for_float32_alone_is_told() -> None:
    (d,) = warned("loc w : Real = [1e30]\n%dtype float32\nlet x <= Get[w]() in return x * x")
    assert d.message == "a result of this is inf"


@law(60)
@given(
    st.lists(st.sampled_from(["log(x)", "sqrt(x)", "1 / x", "x * x", "x - 1", "exp(x)"]), min_size=1, max_size=5),
    st.floats(-3, 3),
)
def test_there_is_a_warning_exactly_if_a_finite_start_ends_in_no_number(bodies: list[str], start: float) -> None:
    program = " in ".join(f"let x <- {body}" for body in bodies)
    found = shown(f"let x <- ({start!r}) in {program} in x")
    (value,) = [each for each in found if isinstance(each, ValueFound)]
    is_finite = bool(np.isfinite(getattr(value.value, "value", 0.0)).all())
    assert any(isinstance(each, Warned) for each in found) is not is_finite
