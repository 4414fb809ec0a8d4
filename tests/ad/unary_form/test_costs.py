"""Fig 11, the cheap gradient principle (Thm 5.4) and what is quadratic without partial evaluation: by counts."""

from collections.abc import Callable

import pytest
from hypothesis import assume, given

from rh_kernel.ad.language import core as c
from rh_kernel.ad.language.core import Program
from rh_kernel.ad.language.types import SCALAR, Real
from rh_kernel.ad.unary_form.costs import Cost, cost
from rh_kernel.ad.unary_form.optimisation.gradients import gradient, pulled
from rh_kernel.ad.unary_form.optimisation.rules import ALL, PARTIAL_EVALUATION, Rule
from rh_kernel.ad.unary_form.systems import DIRECT, UNARY, Variant, problem, raw
from rh_kernel.ad.unary_form.terms.binding import free, subterms
from rh_kernel.ad.unary_form.terms.evaluation import OpCounter, run
from rh_kernel.ad.unary_form.terms.terms import (
    ONE,
    ZERO,
    Const,
    Fill,
    Fold,
    If,
    Let,
    Map,
    Op,
    Plus,
    Proj,
    Scale,
    Shift,
    Term,
    Use,
    Var,
)
from rh_kernel.ad.unary_form.terms.types import R, numbers, times
from tests.ad.programs import ARRAYS, Sample, finite_differences, program, programs
from tests.ad.unary_form.baselines import dense, sparse, straight_line, tape
from tests.ad.unary_form.primitives import dot
from tests.ad.unary_form.terms import WAYS, add, map2_of, mul, nesting, op, reduce_of, sum_of
from tests.ad.unary_form.test_oracles import NESTED, ORACLES, PROD, RESIDUAL
from tests.tiers import law

TYPES = {"x": R, "A": numbers(4), "B": numbers(4), "p": times(R, numbers(4))}
x, A, B, p = map(Var, ("x", "A", "B", "p"))


@pytest.mark.parametrize(
    ("M", "wanted"),
    [
        (x, (1, 0, 0, 0)),
        (Const(2.0), (1, 0, 0, 0)),
        (add(x, x), (5, 1, 0, 0)),
        (mul(x, x), (5, 0, 1, 0)),
        (op("sin", x), (3, 0, 0, 1)),
        (op("div", x, x), (5, 0, 0, 1)),
        (Let(("y",), mul(x, x), Var("y")), (7, 0, 1, 0)),
        (Proj(1, p), (2, 0, 0, 0)),
        (map2_of("mul", A, B), (30, 0, 4, 0)),
        (reduce_of("add", ZERO, A), (30, 4, 0, 0)),
        (Map("a", op("sin", Var("a")), A), (21, 0, 0, 4)),
        (Fold("scanl", "a", "b", mul(Var("a"), Var("b")), ONE, A), (34, 0, 4, 0)),
        (Fold("scanr", "a", "b", mul(Var("a"), Var("b")), ONE, A), (34, 0, 4, 0)),
        (Shift("L", A), (5, 0, 0, 0)),
        (Fill(4, ONE), (4, 0, 0, 0)),
        (Fill(4, x), (5, 0, 0, 0)),
        (Plus(p, p), (17, 5, 0, 0)),
        (Scale(p, x), (17, 0, 5, 0)),
        (If(x, ONE, mul(x, x), x), (7, 0, 1, 0)),
        (Use(dot(), (A, B)), (2 + 21 + 2, 7, 0, 0)),
    ],
)
def test_figure_11(M: Term, wanted: tuple[int, int, int, int]) -> None:
    assert cost(M, TYPES).parts == wanted


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("O1", (13, 0, 2, 0), (27, 1, 3, 0)),
        ("O6", (30, 0, 4, 0), (105, 0, 11, 0)),
        ("O8", (30, 4, 0, 0), (4, 0, 0, 0)),
        ("O9", (59, 4, 4, 0), (2, 0, 0, 0)),
        ("O10", (115, 12, 8, 0), None),
        ("O14", (267, 21, 21, 9), None),
    ],
)
def test_costs_of_the_oracles(name: str, before: tuple[int, ...], after: tuple[int, ...] | None) -> None:
    """§5.1; the gradient of O6 is two moves cheaper than there, as it is no tuple of one component"""
    ((_, text, *_),) = [o for o in ORACLES if o[0] == name]
    for way in WAYS:
        e, asked = problem(way, program(text))
        types = dict(e.context)
        assert cost(e.body, types).parts == before
        if after is not None:
            assert cost(gradient(asked).body, types).parts == after


@pytest.mark.parametrize(
    ("M", "wanted"),
    [
        (x, 0),
        (mul(x, op("sin", x)), 0),
        (sum_of(A), 1),
        (Let(("y",), sum_of(A), Map("a", mul(Var("a"), Var("y")), A)), 1),
        (Map("a", mul(Var("a"), sum_of(Map("b", mul(Var("b"), Var("a")), A))), A), 2),
        (If(x, x, If(x, x, x, x), x), 2),
    ],
)
def test_nesting_of_array_operations(M: Term, wanted: int) -> None:
    assert nesting(M) == wanted


def _ratio(way: Variant, f: Program, rules: frozenset[Rule]) -> tuple[float, int]:
    """``Cost(∇e) / Cost(e)`` and NAO(e), for the variables that occur in e."""
    e, _ = problem(way, f)
    occurring = free(e.body)
    parameters = tuple((y, B) for y, B in f.parameters if y in occurring)
    e, asked = problem(way, Program(f.name, parameters, f.result, f.body))
    types = dict(e.context)
    return cost(gradient(asked, rules).body, types).total / cost(e.body, types).total, nesting(e.body)


@law(80)
@given(programs(ARRAYS, scalar=True))
def test_theorem_5_4_the_gradient_is_cheap(s: Sample) -> None:
    """``Cost(∇e) ≤ K·3^p·Cost(e)`` for the core of Source: K = 4 and a little where ``∂op`` is one operation, as in the paper.

    Of swish it is eight, and K is 18: that is what a chain of them costs. After partial evaluation alone every 0 and 1 is
    still bound and every name moved, twice as often on the way through UNF: which constant the theorem's 4 is then depends
    on how ``let`` is priced, and is 24 with Fig 11's prices.
    """
    e, _ = problem(UNARY, s.program)
    assume(not any(isinstance(N, Use) for N in subterms(e.body)))
    if cost(e.body, dict(e.context)).total < 12:
        return
    for way in WAYS:
        full, p = _ratio(way, s.program, ALL)
        evaluated, _ = _ratio(way, s.program, PARTIAL_EVALUATION)
        assert full <= 18 * 3**p
        if {N.symbol for N in subterms(e.body) if isinstance(N, Op)} <= {"sin", "add", "sub", "mul"}:
            assert full <= 4 * 3**p + 2
            assert evaluated <= 24 * 3**p


def _waves(n: int) -> Program:
    """``Σ sin(x_i) * x_{i+1}``"""
    names = [f"x{i}" for i in range(n)]
    terms = [c.mul(c.Apply("sin", (c.Variable(a),)), c.Variable(b)) for a, b in zip(names, names[1:] + names[:1], strict=True)]
    total = terms[0]
    for M in terms[1:]:
        total = c.add(total, M)
    return Program("f", tuple((y, SCALAR) for y in names), SCALAR, total)


def _powers(n: int) -> Program:
    """``sin(… sin(x) …)`` under names"""
    body: c.Term = c.Variable(f"v{n}")
    for i in range(n, 0, -1):
        body = c.Let(f"v{i}", c.Apply("sin", (c.Variable(f"v{i - 1}" if i > 1 else "x"),)), body)
    return Program("f", (("x", SCALAR),), SCALAR, body)


def _products(n: int) -> Program:
    """``reduce * 1 (map sin A)``"""
    return program(f"fun f(A : Real({n})) : Real = reduce(a x. a * x, 1, map(a. sin(a), A))")


@pytest.mark.parametrize("family", [_waves, _powers, _products])
@pytest.mark.parametrize("rules", [ALL, PARTIAL_EVALUATION], ids=["all", "partial evaluation"])
def test_the_ratio_does_not_grow_with_the_size(family: Callable[[int], Program], rules: frozenset[Rule]) -> None:
    """The content of the principle: gradients cost in proportion."""
    for way in WAYS:
        small, large = _ratio(way, family(16), rules)[0], _ratio(way, family(64), rules)[0]
        assert large <= 1.05 * small


def test_the_waves_cost_twice_themselves_both_ways() -> None:
    """§3.4: 100 → 200, 204 → 400, 412 → 800, and the operations of the gradient are no more than twice those of f."""
    for way in WAYS:
        for n, before, after in ((8, 100, 200), (16, 204, 400), (32, 412, 800)):
            e, asked = problem(way, _waves(n))
            assert cost(e.body, dict(e.context)).total == before
            assert cost(gradient(asked).body, dict(e.context)).total == after


@pytest.mark.parametrize("way", WAYS, ids=lambda w: w.name)
def test_without_partial_evaluation_moves_are_quadratic(way: Variant) -> None:
    """§2.3, N2: the raw term, executed with closures, copies the context at each step; after partial evaluation none does."""

    def moves(n: int) -> int:
        e, asked = problem(way, _waves(n))
        meter = OpCounter()
        run(raw(asked), {y: 0.1 * i for i, (y, _) in enumerate(e.context)}, meter)
        return meter.moves

    def evaluated(n: int) -> int:
        e, asked = problem(way, _waves(n))
        return cost(gradient(asked, PARTIAL_EVALUATION).body, dict(e.context)).moves

    assert moves(64) > 3.3 * moves(32) > 10 * moves(16)
    assert evaluated(64) < 2.05 * evaluated(32) < 4.2 * evaluated(16)


def test_the_naive_baselines() -> None:
    """N1, dense: cubic products; N1, sparse: quadratic moves; N3, the tape: linear, and ours has no more products than f."""
    found: dict[int, tuple[int, int, int]] = {}
    for n in (8, 16, 32):
        f = _waves(n)
        e, asked = problem(DIRECT, f)
        point = {y: 0.3 + 0.1 * i for i, (y, _) in enumerate(e.context)}
        line = straight_line(asked)
        runs = [way(line, point) for way in (dense, sparse, tape)]
        slopes = finite_differences(f, tuple(point.values()), 1.0)
        for result in runs:
            assert result.gradient == pytest.approx(slopes, rel=1e-5, abs=1e-5)
        assert runs[1].products == runs[2].products
        assert runs[2].moves == 0
        found[n] = runs[0].products, runs[1].moves, runs[2].products
    for i, growth in enumerate((7, 3.6, 1.9)):
        assert found[32][i] >= growth * found[16][i] >= growth**2 * found[8][i] * 0.9
    assert found[32][2] <= 2.1 * found[16][2]


def test_a_straight_line_of_any_program_of_numbers() -> None:
    """Constants, results that are parameters, lets and pairs."""
    for text, gradient_ in (
        ("fun f(x : Real, y : Real) : Real = x", (1.0, 0.0)),
        ("fun f(x : Real, y : Real) : Real = 2 * x + 3", (2.0, 0.0)),
        ("fun f(x : Real, y : Real) : Real = let p <- (x * y, y) in p.1 * p.2", (0.25, 1.5)),
    ):
        _, asked = problem(DIRECT, program(text))
        line = straight_line(asked)
        for way in (dense, sparse, tape):
            assert way(line, {"x": 1.5, "y": 0.5}).gradient == gradient_


def test_nested_maps_cost_a_factor_a_level_and_not_more_for_longer_arrays() -> None:
    """§5.3: a body is differentiated for Γ, x and y; the ratio is bounded by a power of 3, whatever the lengths."""

    def nested(depth: int, n: int) -> Program:
        inner: c.Term = c.Variable("x")
        for i in range(depth):
            a, b = f"a{i}", f"b{i}"
            body = c.mul(c.mul(c.Variable(b), c.Variable(a)), inner)
            inner = c.Total(c.Map2(a, b, body, c.Variable("A"), c.Variable("B")))
        return Program("f", (("A", Real(n)), ("B", Real(n)), ("x", SCALAR)), SCALAR, inner)

    for depth in (1, 2, 3):
        ratio, found = _ratio(UNARY, nested(depth, 8), ALL)
        assert found == depth
        assert ratio <= 4 * 3**depth
        assert ratio <= 1.05 * _ratio(UNARY, nested(depth, 4), ALL)[0] + 0.5


def test_only_the_variables_that_a_body_uses_are_differentiated_in_it() -> None:
    """§5.1: with 16 numbers in the context of which the body uses one, the others cost their zeros."""
    names = ", ".join(f"x{i} : Real" for i in range(16))
    one = program("fun f(A : Real(8), x0 : Real) : Real = sum(map(a. sin(a * x0), A))")
    many = program(f"fun f(A : Real(8), {names}) : Real = sum(map(a. sin(a * x0), A))")
    for way in WAYS:
        costs: list[Cost] = []
        for f in (one, many):
            e, asked = problem(way, f)
            costs.append(cost(gradient(asked).body, dict(e.context)))
        assert costs[1].total == costs[0].total + 15


@pytest.mark.parametrize("text", [PROD, RESIDUAL, NESTED])
def test_the_value_costs_little_beside_the_gradient(text: str) -> None:
    """``⟨e, ∇e⟩`` costs no more than both together."""
    for way in WAYS:
        e, asked = problem(way, program(text))
        types = dict(e.context)
        together = cost(pulled(asked).body, types).total
        alone = cost(gradient(problem(way, program(text))[1]).body, types).total
        assert alone <= together <= alone + 2 * cost(e.body, types).total


@pytest.mark.parametrize("way", WAYS, ids=lambda w: w.name)
def test_entries_that_are_used_one_by_one_are_not_added_as_arrays(way: Variant) -> None:
    """``A[0]*A[1] + A[1]*A[2] + …``: every ``Jᵀ`` of an entry is an array, but their sum is put together in linear cost."""

    def ratio(n: int) -> float:
        terms = " + ".join(f"A[{i}] * A[{(i + 1) % n}]" for i in range(n))
        return _ratio(way, program(f"fun f(A : Real({n})) : Real = {terms}"), ALL)[0]

    assert ratio(32) <= 1.1 * ratio(8) <= 4.4
