"""The laws of the digest (§4) on random programs and on its equations: P3–P10, P13, P17, P19–P21."""

import math
from typing import get_args

import pytest
from hypothesis import assume, given

from rh_kernel.ad.chad.execution import derivative, derivative_by_combinators, jvp, vjp
from rh_kernel.ad.chad.operations import Operation, dot, index, literal, replicate, scalar, total
from rh_kernel.ad.chad.systems import SYSTEMS
from rh_kernel.ad.chad.target.types import Mode
from rh_kernel.ad.chad.values import Counters, plus
from rh_kernel.ad.language import core
from rh_kernel.ad.language.binding import subterms
from rh_kernel.ad.language.evaluation import OpCounter, run
from rh_kernel.ad.language.scalars import SYMBOLS
from rh_kernel.ad.language.types import SCALAR, Product, Real
from rh_kernel.ad.language.values import Injection, Value, basis, of_numbers
from rh_kernel.ad.language.values import plus as sum_of
from rh_kernel.ad.system import VjpResult
from rh_kernel.source.diagnostic import KernelBug, Rejected
from tests.ad.chad.oracles import ORACLES
from tests.ad.chad.test_oracles import close
from tests.ad.programs import (
    EVERYTHING,
    HIGHER_ORDER,
    Sample,
    finite_differences,
    flat,
    program,
    programs,
)
from tests.strategies import ROUGH
from tests.tiers import law

_BY_NAME = {system.name: system for system in SYSTEMS}
REVERSE = ("chad", "chad-combinators", "chad-accumulated")


def result(name: str, sample: Sample, cotangent: Value) -> VjpResult:
    """Return the gradient by one of the systems."""
    reverse = _BY_NAME[name].reverse
    assert reverse is not None
    return reverse(sample.program, sample.point, cotangent)


def gradient_by_forward_mode(name: str, sample: Sample) -> tuple[float, ...]:
    """``⟨W, Df(V; eᵢ)⟩`` for all unit vectors"""
    forward = _BY_NAME[name].forward
    assert forward is not None
    found: list[float] = []
    for direction in basis(Product(tuple(A for _, A in sample.program.parameters))):
        assert isinstance(direction, tuple)
        pushed = forward(sample.program, sample.point, direction)
        found.append(sum(a * b for a, b in zip(flat(pushed.tangent), flat(sample.cotangent), strict=True)))
    return tuple(found)


@law(300)
@given(programs(EVERYTHING))
def test_p3_p6_p10_p13_all_modes_and_variants_agree(sample: Sample) -> None:
    """All systems find the value of the program, and the same gradient."""
    found = {name: result(name, sample, sample.cotangent) for name in REVERSE}
    expected = flat(run(sample.program, sample.point))
    assert all(flat(one.value) == expected for one in found.values())
    gradient = flat(found["chad"].gradient)
    for name in ("chad-combinators", "chad-accumulated"):
        assert close(flat(found[name].gradient), gradient, 1e-9)
    for name in ("chad-forward", "chad-combinators"):
        assert close(gradient_by_forward_mode(name, sample), gradient, 1e-9)
    assert found["chad-accumulated"].derivative <= found["chad"].derivative


@law(60)
@given(programs(HIGHER_ORDER))
def test_p4_p5_gradients_are_finite_differences(sample: Sample) -> None:
    """On smooth programs with functions."""
    fine, rough = (finite_differences(sample.program, sample.point, sample.cotangent, h) for h in (1e-6, 1e-5))
    assume(close(fine, rough, 1e-5))
    assert close(flat(result("chad", sample, sample.cotangent).gradient), fine, 1e-4)


@law(60)
@given(programs(EVERYTHING))
def test_p7_derivatives_are_homomorphisms(sample: Sample) -> None:
    """The gradient for a sum of cotangents is the sum of the gradients; for zero it is zero."""
    twice = sum_of(sample.cotangent, sample.cotangent)
    nothing = of_numbers(sample.program.result, iter([0.0] * len(flat(sample.cotangent))))
    for name in REVERSE:
        once = flat(result(name, sample, sample.cotangent).gradient)
        assert close(flat(result(name, sample, twice).gradient), [2 * x for x in once], 1e-9)
        assert all(x == 0 for x in flat(result(name, sample, nothing).gradient))


def _numbers(n: int, start: float) -> Value:
    return of_numbers(Real(n), iter([start + 0.17 * i for i in range(n)]))


OPERATIONS = [
    *(scalar(name) for name in SYMBOLS if name not in ROUGH),
    *(total(3), total(1), replicate(3), replicate(1), dot(3), dot(1), index(1, 3), index(0, 1), literal(3), literal(1)),
]


@pytest.mark.parametrize("op", OPERATIONS, ids=lambda op: f"{op.name} at {op.domain}")
def test_p8_operations_have_their_derivatives(op: Operation) -> None:
    """``⟨W, Dop(V; U)⟩ = ⟨Dopᵗ(V; W), U⟩``, and Dop agrees with finite differences."""
    point = tuple(_numbers(n, 0.4 + 0.2 * i) for i, n in enumerate(op.domain))
    direction = tuple(_numbers(n, 0.9 - 0.3 * i) for i, n in enumerate(op.domain))
    cotangent = _numbers(op.codomain, 1.3)
    counter = OpCounter()
    pushed, pulled_ = op.jvp(point, direction, counter), op.vjp(point, cotangent, counter)
    one = sum(a * b for a, b in zip(flat(cotangent), flat(pushed), strict=True))
    other = sum(a * b for a, b in zip(flat(pulled_), flat(direction), strict=True))
    assert math.isclose(one, other, rel_tol=1e-12)
    h, (up, down) = 1e-6, ([], [])
    domain = Product(tuple(Real(n) for n in op.domain))
    for sign, where in ((1, up), (-1, down)):
        moved = of_numbers(domain, iter([a + sign * h * b for a, b in zip(flat(point), flat(direction), strict=True)]))
        assert isinstance(moved, tuple)
        where.extend(flat(op.apply(moved, counter)))
    assert close(flat(pushed), [(a - b) / (2 * h) for a, b in zip(up, down, strict=True)], 1e-6)


EQUAL = {
    "β": ("(λy : Real. x*sin(y))(exp(x))", "x*sin(exp(x))"),
    "let": ("let y <- sin(x) in y*y", "sin(x)*sin(x)"),
    "fst": ("(sin(x), exp(x)).1", "sin(x)"),
    "η of pairs": ("let p <- (x, sin(x)) in let q <- (p.1, p.2) in q.1*q.2", "x*sin(x)"),
    "η of functions": ("let f <- λy : Real. x*y in (λz : Real. f(z))(x)", "let f <- λy : Real. x*y in f(x)"),
    "let of let": (
        "let y <- (let z <- sin(x) in exp(z)) in y*y",
        "let z <- sin(x) in let y <- exp(z) in y*y",
    ),
    "twice": (
        "let t <- λf : Real -> Real. λu : Real. f(f(u)) in t(λy : Real. 3*(y*y))(x)",
        "3 * ((3*(x*x)) * (3*(x*x)))",
    ),
    "case of inl": (
        "let s <- if x <= 7 then inl(x*x) else inr(x) in case s of inl a -> sin(a) | inr b -> b",
        "sin(x*x)",
    ),
}


@pytest.mark.parametrize(("left", "right"), EQUAL.values(), ids=EQUAL.keys())
@pytest.mark.parametrize("name", REVERSE)
def test_p9_p17_equal_programs_have_equal_derivatives(name: str, left: str, right: str) -> None:
    """Differentiation respects β, η and substitution, so it commutes with them."""
    for x in (0.4, -1.3):
        one, other = (result(name, Sample(program(f"fun f(x : Real) : Real = {M}"), (x,), 1.0), 1.0) for M in (left, right))
        assert close(flat(one.value), flat(other.value))
        assert close(flat(one.gradient), flat(other.gradient))


@pytest.mark.parametrize("n", [0, 1, 2])
@pytest.mark.parametrize("body", ["x*z", "x*z*sum(zs)", "f(z)*f(x)"])
def test_p20_maps_over_few_entries(body: str, n: int) -> None:
    """Arrays of none and of one, in a body that captures numbers, arrays and functions."""
    f = program(f"fun f(x : Real, zs : Real({n})) : Real({n}) = let f <- λy : Real. sin(x*y) in map(z. {body}, zs)")
    sample = Sample(f, (0.7, _numbers(n, 0.3)), _numbers(n, 1.1))
    expected = finite_differences(f, sample.point, sample.cotangent)
    for name in REVERSE:
        assert close(flat(result(name, sample, sample.cotangent).gradient), expected, 1e-6)
    assert close(gradient_by_forward_mode("chad-forward", sample), expected, 1e-6)


def test_p21_cotangents_of_the_two_sides_have_no_sum() -> None:
    """Zero has no side and is neutral; adding cotangents of different sides is an error."""
    counters, left, right = Counters(), Injection(1, 2.0), Injection(2, 3.0)
    assert plus(left, None, counters) == plus(None, left, counters) == left
    assert plus(left, Injection(1, 3.0), counters) == Injection(1, 5.0)
    assert plus(None, None, counters) is None
    with pytest.raises(KernelBug):
        plus(left, right, counters)


def test_the_oracles_have_every_form() -> None:
    """The programs of the digest have all classes of terms, so they use all rules, and ``map`` of a function value."""
    found = [M for oracle in ORACLES for M in subterms(oracle.program.body)]
    assert {type(M) for M in found} == set(get_args(core.Term))
    assert any(isinstance(M, core.Map) and isinstance(M.body, core.Call) for M in found)


@pytest.mark.parametrize("name", [*REVERSE])
@pytest.mark.parametrize(
    "text",
    [
        "fun f(g : Real -> Real) : Real = g(1)",
        "fun f(x : Real) : Real -> Real = λy : Real. x*y",
        "fun f(s : Real + Real) : Real = case s of inl a -> a | inr b -> b*b",
    ],
)
def test_functions_and_sums_are_refused_as_parameters_and_results(name: str, text: str) -> None:
    """Parameters and results are arrays and tuples of these, as gradients are."""
    f = program(text)
    with pytest.raises(Rejected, match=name):
        result(name, Sample(f, (1.0,), 1.0), 1.0)


def test_p19_runs_are_deterministic() -> None:
    """Every run has the same numbers and counts."""
    for oracle in ORACLES:
        for transformation in (derivative, derivative_by_combinators):
            t = transformation("chad", oracle.program, Mode.REVERSE)
            first, again = (vjp(oracle.program, oracle.point, oracle.cotangent, t) for _ in range(2))
            assert first == again
    one = program("fun f(x : Real) : Real = sin(x)")
    t = derivative("chad", one, Mode.FORWARD)
    assert jvp(one, (0.5,), (1.0,), t) == jvp(one, (0.5,), (1.0,), t)
    assert one.domain == SCALAR
