"""``%%lambda`` cells in a session: declarations, values, derivatives and errors."""

import math
from pathlib import Path

import pytest

from rh_kernel.ad.comparison import distance
from rh_kernel.ad.system import JvpResult, VjpResult
from rh_kernel.session.results import (
    Computed,
    DeclarationMade,
    Differentiated,
    FormsShown,
    ItemFailed,
    Result,
    RewritingShown,
    ValueFound,
)
from rh_kernel.session.session import Session
from tests.session import cells

SQUARE = "%%lambda\nfun f(x : Real, y : Real) : Real = x * x * y\n"


def run(text: str, session: Session | None = None, *, keep_going: bool = False) -> tuple[list[Result], Session]:
    """Return the results of a cell and the session after it."""
    return cells.run(session or Session.start(Path()), text, keep_going=keep_going)


def only(text: str) -> Result:
    """Return the result of the last item of a cell, after ``f`` is declared."""
    return run(SQUARE + text)[0][-1]


def code(text: str) -> str:
    """Return the code of the diagnostic of the last item."""
    failed = only(text)
    assert isinstance(failed, ItemFailed), failed
    return failed.diagnostics[0].code


def test_a_function_is_declared_and_called_in_later_cells() -> None:
    """Functions of ``%%lambda`` cells belong to the session, and are not names of the main language."""
    results, session = run(SQUARE)
    assert results == [DeclarationMade("f", "a function", "Real × Real -> Real")]
    (found,), session = run("%%lambda\nf(3, 2)", session)
    assert isinstance(found, Computed)
    assert found.value == 18
    (refused,), _ = run("f(3, 2)", session)
    assert isinstance(refused, ItemFailed)


def test_a_file_changes_between_the_languages() -> None:
    """``%%lambda`` up to the next line that begins with ``%%``; ``%%rh`` returns."""
    results, _ = run(
        "return 1\n%%lambda\n# a square\nfun f(x : Real) : Real = x *\n  x\nf(3)\n%%rh\nreturn 2\n", keep_going=True
    )
    assert [type(r) for r in results] == [ValueFound, DeclarationMade, Computed, ValueFound]


def test_a_cell_takes_effect_as_a_whole() -> None:
    """A function of a cell with an error is not declared; what was declared before stays."""
    _, session = run(SQUARE)
    results, after = run("%%lambda\nfun g(x : Real) : Real = x\nfun h(x : Real) : Real = y", session)
    assert [type(r) for r in results] == [ItemFailed]
    assert set(after.functions) == {"f"}


def test_undo_takes_a_function_back() -> None:
    """``%undo`` undoes what the last cell declared, in either language."""
    _, session = run(SQUARE)
    _, session = run("%undo", session)
    assert not session.functions


def test_a_gradient_is_found_with_its_work() -> None:
    """``∂(x²y) = (2xy, x²)`` at (3, 2), for the cotangents 1 and 10."""
    for text, factor in (("%ad reverse-handler f(3, 2)", 1), ("%ad reverse-handler f(3, 2) with 10", 10)):
        found = only(text)
        assert isinstance(found, Differentiated)
        (row,) = found.rows
        assert isinstance(row.outcome, VjpResult)
        assert row.outcome.gradient == (12 * factor, 9 * factor)
        assert row.outcome.primal == 2
        assert row.outcome.derivative >= 4


def test_a_tangent_is_pushed_forward() -> None:
    """``D f(3, 2)(1, −1) = 12 − 9``"""
    found = only("%ad chad-forward f(3, 2) along (1, -1)")
    assert isinstance(found, Differentiated)
    (row,) = found.rows
    assert isinstance(row.outcome, JvpResult)
    assert row.outcome.tangent == 3


def test_all_systems_are_compared() -> None:
    """Every system has a row, and all agree."""
    found = only("%ad all f(3, 2)")
    assert isinstance(found, Differentiated)
    gradients = {row.system.name: row.outcome.gradient for row in found.rows if isinstance(row.outcome, VjpResult)}
    assert len(gradients) == len(found.rows)
    assert all(gradient == pytest.approx((12, 9), rel=1e-6) for gradient in gradients.values())


def test_the_forms_of_a_program_are_shown() -> None:
    """``%ad SYSTEM f``: the source first, and at least one form after it."""
    found = only("%ad reverse-handler f")
    assert isinstance(found, FormsShown)
    assert len(found.stages) >= 2


def test_the_steps_of_a_system_are_shown() -> None:
    """``--trace``: the first state has no rule, and every other one has."""
    found = only("%ad reverse-derivative f(3, 2) --trace")
    assert isinstance(found, RewritingShown)
    first, *others = found.steps
    assert first.rule == ""
    assert {"Rd", "R-Fun"} <= {step.rule for step in others}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("%ad chat f(1, 2)", "RH502"),
        ("%ad chad g(1)", "RH101"),
        ("%ad chad f(1)", "RH102"),
        ("%ad chad f(1, 2, 3)", "RH105"),
        ("fun g(x : Real) : Real * Real = (x, x)\n%ad chad g(1)", "RH503"),
        ("%ad finite-differences f(1, 2) --trace", "RH504"),
        ("%ad finite-differences f", "RH504"),
        ("%ad finite-differences f(1, 2) along (1, 2)", "RH504"),
        ("%ad all f(1, 2) --trace", "RH504"),
        ("fun g(x : Real) : Real = (λy : Real. y)(x)\n%ad reverse-handler g(1)", "RH501"),
        ("%ad", "RH005"),
        ("%ad chad", "RH005"),
        ("%trace f(1, 2)", "RH004"),
        ("fun g(x : Real) : Real = map(x)", "RH004"),
        ("fun g(x : Real) : Real = x.1", "RH111"),
        ("fun g(xs : Real(3)) : Real = xs[3]", "RH111"),
        ("fun g(xs : Real(3), ys : Real(2)) : Real = dot(xs, ys)", "RH103"),
        ("fun g(x : Real) : Real = let (a, b) <- x in a", "RH110"),
        ("fun g(x : Real, x : Real) : Real = x", "RH121"),
        ("fun g(x : Real) : Real = x(2)", "RH104"),
        ("fun g(x : Real) : Real = case x of inl a -> a | inr b -> b", "RH102"),
        ("fun g(x : Real) : Real = " + "(" * 300 + "x" + ")" * 300, "RH016"),
    ],
)
def test_what_is_wrong_has_a_code(text: str, expected: str) -> None:
    """The diagnostic has a code and a span within the item."""
    failed = run(SQUARE + text)[0][-1]
    assert isinstance(failed, ItemFailed)
    diagnostic = failed.diagnostics[0]
    assert diagnostic.code == expected
    assert diagnostic.span is not None
    assert diagnostic.span.source.name == "cell"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("fun g(x : Real) : Real = case inl(x) of inl a -> a | inr b -> -b\n%ad all g(2)", 1.0),
        ("fun s(x : Real) : Real = sin(x)\nfun g(sin : Real) : Real = s(sin)\n%ad all g(0)", 1.0),
        ("fun g(program : Real) : Real = sin(program)\n%ad all g(0)", 1.0),
        ("fun g(x : Real) : Real(2) = foldl(a e. a + e * [x, 1], 0, [1, 2])\n%ad all g(0) with [1, 0]", 3.0),
    ],
)
def test_what_a_reader_found_is_accepted(text: str, expected: float) -> None:
    """Unknown types that are numbers, names that are those of symbols, the zero of an array."""
    found = run(f"%%lambda\n{text}")[0][-1]
    assert isinstance(found, Differentiated)
    for row in found.rows:
        if isinstance(row.outcome, VjpResult):
            assert row.outcome.gradient == (pytest.approx(expected),)
    assert any(isinstance(row.outcome, VjpResult) for row in found.rows)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("fun g(xs : Real(3)) : Real = case foldl(a x. inr(a), inl(1), xs) of inl a -> 1 | inr b -> 2", "RH102"),
        ("fun map(x : Real) : Real = x", "RH008"),
        ("fun g(case : Real) : Real = 1", "RH008"),
        ("fun g(x : Real) : Real = let (of, y) <- (x, x) in y", "RH008"),
        ("%ad chad f --trace", "RH504"),
        ("%ad reverse-handler f(1 / 0, 2)", "RH501"),
        ("fun g(h : Real -> Real) : Real = h(1)\n%ad chad-forward g(λx : Real. x)", "RH501"),
        ("fun g(x : Real) : Real = " + "+".join(["x"] * 3000) + "\n%ad chad g(1)", "RH016"),
    ],
)
def test_what_a_reader_found_is_refused(text: str, expected: str) -> None:
    """Recursive types, keywords as names, requests that no system supports."""
    failed = run(SQUARE + text)[0][-1]
    assert isinstance(failed, ItemFailed), failed
    assert failed.diagnostics[0].code == expected


def test_what_is_no_number_agrees_with_nothing() -> None:
    """A gradient with ``nan`` is at infinite distance from one without."""
    assert distance((1.0, math.nan), (1.0, 2.0)) == math.inf
    assert distance((1.0, math.nan), (1.0, math.nan)) == 0
    assert distance((math.inf,), (math.inf,)) == 0


def test_what_uses_a_function_with_an_error_says_so() -> None:
    """Only the failed declaration reports the error; others report that they depend on it, until it is declared again."""
    text = "fun g(x : Real) : Real = y\nfun h(x : Real) : Real = g(x)\n%ad chad g(1)\nfun g(x : Real) : Real = x\ng(2)"
    results, _ = run(f"%%lambda\n{text}", keep_going=True)
    codes = [r.diagnostics[0].code for r in results if isinstance(r, ItemFailed)]
    assert codes == ["RH101", "RH120", "RH120"]
    assert isinstance(results[-1], Computed)
