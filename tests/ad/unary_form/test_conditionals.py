"""``if`` (§7.2): the ways that use the continuation twice, and the one that does not."""

import pytest

from rh_kernel.ad.language.scalars import quietly
from rh_kernel.ad.system import System
from rh_kernel.ad.unary_form.costs import cost
from rh_kernel.ad.unary_form.direct.expansion import identity
from rh_kernel.ad.unary_form.optimisation.gradients import gradient
from rh_kernel.ad.unary_form.systems import DIRECT, SYSTEMS, problem
from rh_kernel.ad.unary_form.terms.binding import subterms
from rh_kernel.ad.unary_form.terms.evaluation import run
from rh_kernel.ad.unary_form.terms.naming import Numbered
from rh_kernel.ad.unary_form.terms.terms import ONE, ZERO, App, Derive, If, Let, Op, Proj, Term, Var
from rh_kernel.ad.unary_form.terms.types import Arrow, Context, R, times
from rh_kernel.ad.unary_form.terms.typing import check
from tests.ad.programs import finite_differences, flat, program
from tests.ad.unary_form.conditionals import first_non_solution, occurrences, second_non_solution, solution
from tests.ad.unary_form.terms import DERIVES, mul, nesting, op

GAMMA: Context = (("x", R), ("y", R))
Y = Arrow((R, R), times(R, R))
E = If(Var("x"), ZERO, mul(Var("x"), Var("y")), op("sin", Var("y")))


def _gradient(D: Term, names: Numbered) -> Term:
    """``π2(D)(0, 0, 1)`` for ``Y = Id``"""
    return App(Proj(2, Let(("Y",), identity(GAMMA, ("x", "y"), names), D)), (ZERO, ZERO, ONE))


@pytest.mark.parametrize("derive", DERIVES, ids=["unary", "direct"])
def test_lemma_5_1_fails_for_both_non_solutions_and_holds_for_the_solution(derive: Derive) -> None:
    """All three are derivatives of the right type and give the gradient; but only in the last does Y occur once."""
    found: list[int] = []
    for way in (first_non_solution, second_non_solution, solution):
        names = Numbered(("x", "y", "Y"))
        D = way(derive, GAMMA, E, "Y", names)
        assert check((*GAMMA, ("Y", Y)), D) == times(R, Arrow((R, R, R), times(R, R)))
        found.append(occurrences("Y", D))
        M = _gradient(D, names)
        assert run(M, {"x": -2.0, "y": 3.0}) == (3.0, -2.0)
        assert flat(run(M, {"x": 2.0, "y": 0.0})) == (0.0, 1.0)
    assert found == [2, 2, 1]


def test_o22_a_blend_is_poisoned_where_a_select_is_not() -> None:
    """``0 * ∞``: the second non-solution asks for both gradients; ours only for the one of the branch."""
    e = If(Var("x"), ZERO, mul(ZERO, Var("x")), Op("sqrt", (Var("x"),)))
    context: Context = (("x", R),)
    results: list[object] = []
    for way in (second_non_solution, solution):
        names = Numbered(("x", "Y"))
        D = way(DIRECT.derive, context, e, "Y", names)
        M = App(Proj(2, Let(("Y",), identity(context, ("x",), names), D)), (ZERO, ONE))
        with quietly():
            results.append(run(M, {"x": 0.0}))
    assert results[0] != results[0]
    assert results[1] == 0.0


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda s: s.name)
@pytest.mark.parametrize(
    ("text", "point"),
    [
        ("fun f(x : Real, y : Real) : Real = let p <- if x <= y then (x, y) else (y * y, x) in p.1 * p.2", (1.0, 2.5)),
        ("fun f(x : Real, y : Real) : Real = let p <- if x <= y then (x, y) else (y * y, x) in p.1 * p.2", (3.0, 2.5)),
        ("fun f(A : Real(3), x : Real) : Real = sum(if x <= 0 then A else map(a. a * x, A))", ((1.0, 2.0, 3.0), 0.5)),
        ("fun f(x : Real) : Real = if x <= 1 then if x <= 0 then x else x * x else x * x * x", (0.5,)),
        ("fun f(x : Real) : Real = if sin(x) <= x * x then exp(x) else x", (0.5,)),
    ],
)
def test_branches_of_any_ground_type(system: System, text: str, point: tuple[float, ...]) -> None:
    """The gradients of branches are taken with the cotangent as seed, so a branch may be a pair or an array."""
    f = program(text)
    assert system.reverse is not None
    found = flat(system.reverse(f, point, 1.0).gradient)
    assert found == pytest.approx(finite_differences(f, point, 1.0), rel=1e-5, abs=1e-6)


def test_nested_conditionals_cost_with_their_depth() -> None:
    """§6.1: the gradient of a branch runs it again, so that ``if`` counts as a level for the bound of the cost."""

    def nested(depth: int) -> str:
        body = "x * y"
        for i in range(depth):
            body = f"let v{i} <- {body} in if v{i} <= {i} then v{i} * x else sin(v{i})"
        return f"fun f(x : Real, y : Real) : Real = {body}"

    for depth in (1, 2, 4):
        e, asked = problem(DIRECT, program(nested(depth)))
        types = dict(e.context)
        assert cost(gradient(asked).body, types).total <= (4 * 3 ** nesting(e.body) + 2) * cost(e.body, types).total


def test_the_gradient_selects_and_does_not_run_both_branches() -> None:
    """The optimised gradient of a choice is a choice of gradients."""
    _, asked = problem(DIRECT, program("fun f(x : Real, y : Real) : Real = if x <= 0 then x * y else sin(y)"))
    M = gradient(asked).body
    assert isinstance(M, If)
    assert not any(isinstance(N, Op) and N.symbol == "cos" for N in subterms(M.then))
