"""Primitives that are added by their transposed Jacobians alone (§7.3), against the programs that they stand for."""

from collections.abc import Callable

import pytest

from rh_kernel.ad.language.names import Names
from rh_kernel.ad.language.values import Value
from rh_kernel.ad.unary_form.costs import cost
from rh_kernel.ad.unary_form.optimisation.gradients import Gradient, gradient
from rh_kernel.ad.unary_form.terms.evaluation import OpCounter, run
from rh_kernel.ad.unary_form.terms.terms import Const, Fill, Fold, Map, Map2, Primitive, Term, Use, Var
from rh_kernel.ad.unary_form.terms.types import Context, R, Type, numbers
from rh_kernel.ad.unary_form.translation.primitives import array, constant, index, unit
from tests.ad.programs import flat
from tests.ad.unary_form.primitives import dot, gather, scatter
from tests.ad.unary_form.terms import add, asked, map2_of, mul, op, reduce_of, sum_of

GAMMA: Context = (("A", numbers(4)), ("B", numbers(4)), ("x", R))
POINT: dict[str, Value] = {"A": (0.5, -1.0, 2.0, 0.25), "B": (1.0, 2.0, -0.5, 3.0), "x": 0.7}
A, B, x = Var("A"), Var("B"), Var("x")


def at(M: Term, i: int) -> Term:
    """``e[i]``"""
    return Use(index(i), (M,))


def found(M: Term, way: int) -> Gradient:
    """The gradient of a term of Source in Γ."""
    return gradient(asked(GAMMA, M, way))


def by_differences(M: Term, h: float = 1e-6) -> tuple[float, ...]:
    """Central differences of a term in Γ."""

    def value(numbers_: list[float]) -> float:
        V = run(M, {"A": tuple(numbers_[:4]), "B": tuple(numbers_[4:8]), "x": numbers_[8]})
        assert isinstance(V, float)
        return V

    here = [a for V in POINT.values() for a in flat(V)]
    slopes: list[float] = []
    for i in range(9):
        up, down = list(here), list(here)
        up[i] += h
        down[i] -= h
        slopes.append((value(up) - value(down)) / (2 * h))
    return tuple(slopes)


PAIRS: tuple[tuple[str, Term, Term], ...] = (
    ("dot", Use(dot(), (A, Map("a", op("sin", Var("a")), B))), sum_of(map2_of("mul", A, Map("a", op("sin", Var("a")), B)))),
    (
        "gather",
        sum_of(Map("g", mul(Var("g"), mul(Var("g"), x)), Use(gather((3, 1, 1)), (A,)))),
        add(add(mul(at(A, 3), mul(at(A, 3), x)), mul(at(A, 1), mul(at(A, 1), x))), mul(at(A, 1), mul(at(A, 1), x))),
    ),
    (
        "scatter",
        sum_of(map2_of("mul", Use(scatter((0, 2, 2, 1), 4), (A,)), B)),
        add(
            add(mul(at(A, 0), at(B, 0)), mul(add(at(A, 1), at(A, 2)), at(B, 2))),
            mul(at(A, 3), at(B, 1)),
        ),
    ),
    ("unit", sum_of(map2_of("mul", Use(unit(2, 4), (mul(x, x),)), B)), mul(mul(x, x), at(B, 2))),
    (
        "array",
        sum_of(Map("e", op("sin", Var("e")), Use(array(), (x, mul(x, at(A, 0)))))),
        add(op("sin", x), op("sin", mul(x, at(A, 0)))),
    ),
    (
        "constant",
        sum_of(map2_of("mul", Use(constant((1.0, 2.0, 3.0, 4.0)), ()), A)),
        add(add(at(A, 0), mul(Const(2.0), at(A, 1))), add(mul(Const(3.0), at(A, 2)), mul(Const(4.0), at(A, 3)))),
    ),
    ("fill", sum_of(map2_of("mul", Fill(4, mul(x, x)), A)), mul(mul(x, x), sum_of(A))),
    (
        "scanl",
        sum_of(map2_of("mul", Fold("scanl", "s", "c", mul(Var("s"), add(Var("c"), x)), x, Use(gather((0, 1, 2)), (A,))), B)),
        add(
            mul(x, at(B, 0)),
            mul(
                mul(x, add(at(A, 0), x)),
                add(at(B, 1), mul(add(at(A, 1), x), add(at(B, 2), mul(add(at(A, 2), x), at(B, 3))))),
            ),
        ),
    ),
)


def folded(f: Callable[[Term, Term], Term], start: Term) -> Term:
    """``f(f(f(f(start, A[0]), A[1]), A[2]), A[3])``"""
    for i in range(4):
        start = f(start, at(A, i))
    return start


def wave(s: Term, e: Term) -> Term:
    """A body that is not associative, and uses Γ."""
    return op("sin", add(mul(s, x), e))


def monoid(s: Term, e: Term) -> Term:
    """An associative body that uses Γ (O16)."""
    return add(add(s, e), mul(x, mul(s, e)))


UNROLLED: tuple[tuple[str, Term, Term], ...] = (
    ("reduce", reduce_of("mul", Const(1.0), A, "s", "e"), folded(mul, Const(1.0))),
    (
        "reduce with a free variable",
        Fold("reduce", "s", "e", monoid(Var("s"), Var("e")), Const(0.0), A),
        folded(monoid, Const(0.0)),
    ),
    ("foldl", Fold("foldl", "s", "e", wave(Var("s"), Var("e")), mul(x, x), A), folded(wave, mul(x, x))),
    (
        "map2",
        sum_of(Map2("a", "b", wave(Var("a"), Var("b")), A, B)),
        add(add(wave(at(A, 0), at(B, 0)), wave(at(A, 1), at(B, 1))), add(wave(at(A, 2), at(B, 2)), wave(at(A, 3), at(B, 3)))),
    ),
    (
        "map",
        sum_of(Map("a", wave(Var("a"), x), A)),
        add(add(wave(at(A, 0), x), wave(at(A, 1), x)), add(wave(at(A, 2), x), wave(at(A, 3), x))),
    ),
)


@pytest.mark.parametrize("way", range(2), ids=["unary", "direct"])
@pytest.mark.parametrize(("M", "unrolled"), [p[1:] for p in (*PAIRS, *UNROLLED)], ids=[p[0] for p in (*PAIRS, *UNROLLED)])
def test_the_jacobian_is_that_of_the_unrolled_program(way: int, M: Term, unrolled: Term) -> None:
    """Props 6.12, A.3: value and gradient; and central differences as the oracle that knows no rule."""
    assert run(M, POINT) == pytest.approx(run(unrolled, POINT))
    first, second = (flat(run(found(N, way).body, POINT)) for N in (M, unrolled))
    assert first == pytest.approx(second)
    assert first == pytest.approx(by_differences(M), rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("way", range(2), ids=["unary", "direct"])
def test_a_primitive_of_ones_own(way: int) -> None:
    """``norm A = A[0]² + … ``, given by its kernel and its ``Jᵀ`` only."""

    def kernel(V: Value) -> Value:
        return sum(a * a for a in flat(V))

    def transposed(arguments: tuple[Term, ...], z: Term, _: tuple[Type, ...], names: Names) -> tuple[Term, ...]:
        a = names.fresh("a")
        return (Map(a, mul(mul(Const(2.0), Var(a)), z), *arguments),)

    norm = Primitive("norm", lambda given: R if given == (numbers(4),) else None, kernel, transposed, lambda _: 12, lambda _: 7)
    M = op("sin", mul(Use(norm, (map2_of("mul", A, B),)), x))
    meter = OpCounter()
    assert flat(run(found(M, way).body, POINT, meter)) == pytest.approx(by_differences(M), rel=1e-6, abs=1e-6)
    assert meter.operations >= 7
    # The cost of Jᵀ is proportional to that of the primitive, so the gradient stays cheap.
    types = dict(GAMMA)
    assert cost(found(M, way).body, types).total <= 4 * cost(M, types).total


def test_dot_as_a_primitive_is_no_dearer_than_its_two_operations() -> None:
    """The gradient of ``dot`` is ``⟨B, A⟩`` by the rules, and two ``map``s of a scaling by the primitive."""
    M = Use(dot(), (A, B))
    for way in range(2):
        assert run(found(M, way).body, POINT) == (POINT["B"], POINT["A"], 0.0)
