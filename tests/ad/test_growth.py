"""Counts as formulas of the size of a program: the complexities that the papers state or admit."""

from collections.abc import Iterator

import pytest

from rh_kernel.ad.errors import CannotDo
from rh_kernel.ad.growth import Case, Count, growth
from rh_kernel.ad.language.binding import count
from rh_kernel.ad.language.core import Program
from rh_kernel.ad.language.values import Value
from rh_kernel.ad.registry import system
from rh_kernel.ad.system import Point, System, VjpResult
from rh_kernel.operational.errors import OutOfFuel
from rh_kernel.source.diagnostic import Rejected, Stuck
from tests.ad.programs import program


def chain(n: int) -> str:
    """``n`` times the sine"""
    lets = " ".join(f"let x{i + 1} <- sin(x{i}) in" for i in range(n))
    return f"fun f(x0 : Real) : Real = {lets} x{n}"


def nest(d: int) -> str:
    """Functions called in functions, ``d`` deep (chad O30)"""
    body = f"sin(x{d})"
    for i in range(d, 0, -1):
        body = f"(λx{i} : Real. {body})(sin(x{i - 1}))"
    return f"fun f(x0 : Real) : Real = {body}"


def squares(n: int) -> str:
    """Each variable is used twice (linear negation, §3.3 of the digest)."""
    lets = " ".join(f"let x{i + 1} <- x{i} * x{i} in" for i in range(n))
    return f"fun f(x0 : Real) : Real = {lets} x{n}"


def cases(texts: dict[int, str]) -> Iterator[Case]:
    """Yield the programs, with one point for all."""
    for n, text in texts.items():
        yield Case(n, program(text), (0.9,), 1.0)


def counted(name: str, what: str, texts: dict[int, str]) -> dict[int, int | None]:
    """Return a count for each size."""
    found = growth(cases(texts), (Count(system(name), what),))
    return dict(zip(found.sizes, found.curves[0].values, strict=True))


CHAIN = {n: chain(n) for n in (1, 2, 5, 8)}
NEST = {n: nest(n) for n in (1, 2, 4, 6)}
SQUARES = {n: squares(n) for n in (1, 2, 4, 8)}


def test_chad_adds_environments_in_a_chain_of_lets():
    assert counted("chad", "operations", CHAIN) == {n: 3 * n + n * (n + 1) // 2 for n in CHAIN}


@pytest.mark.parametrize(
    ("name", "factor"), [("chad-accumulated", 3), ("tape", 3), ("linear-negation", 3), ("reverse-handler", 4)]
)
def test_a_chain_of_lets_takes_a_multiple_of_its_length(name: str, factor: int):
    assert counted(name, "operations", CHAIN) == {n: factor * n for n in CHAIN}


def test_chad_runs_the_bodies_of_nested_functions_again():
    assert counted("chad", "primitives run", NEST) == {d: 2 ** (d + 1) - 1 for d in NEST}
    assert counted("chad-accumulated", "primitives run", NEST) == {d: d + 1 for d in NEST}


def test_linear_factoring_makes_an_exponential_linear():
    assert counted("linear-negation", "steps", SQUARES) == {n: 29 * n + 21 for n in SQUARES}
    without = counted("linear-negation", "steps without factoring", SQUARES)
    assert without == {n: 14 * 2**n + 18 * n + 5 for n in SQUARES}


def test_moves_are_quadratic_before_partial_evaluation_and_linear_after():
    """Second differences are constant and positive before, and zero after partial evaluation."""
    texts = {n: chain(n) for n in (4, 8, 12, 16)}
    for what, bend in [("moves without partial evaluation", True), ("moves", False)]:
        a, b, c, d = (v or 0 for v in counted("unary", what, texts).values())
        assert (d - c) - (c - b) == (c - b) - (b - a)
        assert ((c - b) > (b - a)) == bend


def test_a_run_without_fuel_is_a_gap():
    def runs_out(f: Program, point: Point, cotangent: Value) -> VjpResult:
        del cotangent
        if count(f.body) > 10:
            raise Stuck(OutOfFuel(steps=10))
        return VjpResult(0.0, point, 0, count(f.body), 0)

    def constant(f: Program, point: Point, cotangent: Value) -> int:
        del f, point, cotangent
        return 10

    lazy = System("lazy", "", "", reverse=runs_out, measures=(("constant", constant),))
    found = growth(cases({1: chain(1), 9: chain(9)}), (Count(lazy, "operations"), Count(lazy, "constant")))
    assert [curve.values for curve in found.curves] == [(count(program(chain(1)).body), None), (10, 10)]


def test_an_unknown_count_is_refused_with_those_that_there_are():
    with pytest.raises(Rejected) as refused:
        counted("linear-negation", "visists", {1: chain(1)})
    [diagnostic] = refused.value.diagnostics
    assert isinstance(diagnostic, CannotDo)
    assert "steps without factoring" in diagnostic.expected
