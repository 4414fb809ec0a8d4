"""Laws of the language of ``%%lambda`` cells: types, printing and parsing, derivatives of the symbols."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.ad.language.binding import binders, subterms
from rh_kernel.ad.language.core import ArrayTerm, Program, Variable
from rh_kernel.ad.language.evaluation import OpCounter, evaluate, run
from rh_kernel.ad.language.printing import program as printed
from rh_kernel.ad.language.scalars import SYMBOLS, apply, partial
from rh_kernel.ad.language.typing import check
from rh_kernel.ad.language.unrolling import unrolled
from rh_kernel.syntax.printing.doc import plain
from tests.ad.programs import EVERYTHING, Sample, flat, program, programs


@given(programs(EVERYTHING))
def test_a_drawn_program_is_well_typed_and_its_binders_differ(sample: Sample) -> None:
    """``Γ ⊢ M : A``, and no two binders have one name."""
    check(sample.program)
    names = [*(x for x, _ in sample.program.parameters), *binders(sample.program.body)]
    assert len(set(names)) == len(names)


@given(programs(EVERYTHING), st.integers(20, 120))
def test_what_is_printed_is_read_back_as_the_same_program(sample: Sample, width: int) -> None:
    """Print, then parse and elaborate: the same value with as many operations, whatever the width."""
    again = program(plain(printed(sample.program), width))
    check(again)
    first, second = OpCounter(), OpCounter()
    expected = run(sample.program, sample.point, first)
    assert flat(run(again, sample.point, second)) == pytest.approx(flat(expected), nan_ok=True)
    assert first == second
    assert (again.parameters, again.result) == (sample.program.parameters, sample.program.result)


@pytest.mark.parametrize("symbol", SYMBOLS)
@given(st.data())
def test_a_partial_derivative_is_the_slope(symbol: str, data: st.DataObject) -> None:
    """``∂ᵢf`` against central differences, at points where f is smooth."""
    point = [data.draw(st.floats(0.125, 1.25)) for _ in range(SYMBOLS[symbol])]
    if len(point) == 2 and abs(point[0] - point[1]) < 1e-3:
        point[1] += 0.5
    if symbol == "round" and abs(point[0] % 1 - 0.5) < 1e-3:
        point[0] += 0.25
    names = ("x", "y")[: len(point)]
    for i in range(len(point)):
        M = partial(symbol, i + 1, tuple(map(Variable, names)))
        found = evaluate(M, dict(zip(names, point, strict=True)), OpCounter())
        up, down = list(point), list(point)
        up[i] += 1e-6
        down[i] -= 1e-6
        assert found == pytest.approx((apply(symbol, *up) - apply(symbol, *down)) / 2e-6, rel=1e-6, abs=1e-7)


def test_three_thousand_lets_are_no_problem() -> None:
    """A chain of lets is gone through in a loop."""
    n = 3000
    lets = "".join(f"  let x{i + 1} <- sin(x{i}) in\n" for i in range(n))
    f: Program = program(f"fun f(x0 : Real) : Real =\n{lets}  x{n}")
    check(f)
    expected = 1.0
    for _ in range(n):
        expected = math.sin(expected)
    assert run(f, (1.0,)) == pytest.approx(expected)
    assert plain(printed(f)).count("let") == n


@pytest.mark.parametrize(
    ("text", "point", "expected"),
    [
        ("fun f(x : Real, y : Real) : Real = x / y - -x", (3.0, 2.0), 4.5),
        ("fun f(xs : Real(3), a : Real) : Real(3) = 2 * xs + xs * xs - a * xs + 0", ((1.0, 2.0, 3.0), 2.0), (1.0, 4.0, 9.0)),
        ("fun f(p : Real * Real(2)) : Real * Real(2) = p + p", ((1.0, (2.0, 3.0)),), (2.0, (4.0, 6.0))),
        ("fun f(x : Real) : Real(4) = scanl(a e. a + e * x, 1, [1, 2, 3])", (2.0,), (1.0, 3.0, 7.0, 13.0)),
        ("fun f(x : Real) : Real = sum(generate[4](i. i * x)) + [5, x, 7][1]", (2.0,), 14.0),
        (
            "fun g(x : Real, y : Real) : Real = x - y\nfun f(p : Real * Real) : Real = g(p) + g(p.2, p.1) + g(3, 1)",
            ((9.0, 4.0),),
            2.0,
        ),
        (r"fun f(x : Real) : Real = (\g : Real * Real -> Real. g(x, 2))(mul) + (λh : Real -> Real. h(h(x)))(sin)", (0.0,), 0.0),
        ("fun f(x : Real) : Real = case inl(x) of inl a -> a | inr b -> 0", (7.0,), 7.0),
        ("fun f(x : Real) : Real = if x <= 0 then -x else x", (-7.0,), 7.0),
        ("fun f(x : Real, y : Real) : Real = let (a, (b, _)) <- (x, (y, 1)) in let x <- a * b in x * x", (2.0, 3.0), 36.0),
        ("fun f() : Real = dot([1, 2], [3, 4])", (), 11.0),
        ("fun f(x : Real) : Real = reduce(a e. a * e, 1, replicate[3](x))", (2.0,), 8.0),
    ],
)
def test_what_forms_mean(text: str, point: tuple[float, ...], expected: float) -> None:
    """Each form of the language at a point."""
    assert run(program(text), point) == expected


@given(programs(EVERYTHING))
def test_an_unrolled_program_is_well_typed_and_computes_the_same(sample: Sample) -> None:
    """No array is left, every binder has a name of its own, and values and operations are as before."""
    f = unrolled(sample.program)
    check(f)
    assert not any(isinstance(M, ArrayTerm) for M in subterms(f.body))
    names = [*(x for x, _ in f.parameters), *binders(f.body)]
    assert len(set(names)) == len(names)
    first, second = OpCounter(), OpCounter()
    expected = run(sample.program, sample.point, first)
    assert flat(run(f, sample.point, second)) == pytest.approx(flat(expected), nan_ok=True)
    assert first == second
