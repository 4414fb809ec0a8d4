"""Derivatives of derivatives: what they come to, and in how many steps. Counts, not seconds."""

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.arrays.compile import compile_term
from rh_kernel.arrays.execution import run as run_compiled
from rh_kernel.denotational.smooth import apply
from rh_kernel.denotational.terms import interpret_term
from rh_kernel.loops.trees import leaves
from rh_kernel.operational.binders import TermAtDepth, call, fixed, let, plus, rd
from rh_kernel.operational.heap import Heap
from rh_kernel.operational.limits import Limits
from rh_kernel.operational.trace import Result, run, steps
from rh_kernel.paper import Rule
from rh_kernel.primitives import formulas as f
from rh_kernel.primitives.values import to_array
from rh_kernel.source.diagnostic import Stuck
from rh_kernel.syntax.conditions import Compare, Relation
from rh_kernel.syntax.core import Bound, Call, Defined, If, Let, Plus, R, Rd, RdOf, Scope, Term, Tuple
from rh_kernel.syntax.types import SCALAR
from rh_kernel.syntax.values import constant
from rh_kernel.typing.derivation.derive import derive_term
from tests.operational.checking import check
from tests.operational.nets import entrywise, prim, scope, shape_of
from tests.operational.programs import Body
from tests.tiers import law

POINT = 0.7


def nested(body: Body, order: int) -> Term:
    """``1.rd(a. 1.rd(b. … body)(a))(0.7)`` with so many ``rd``"""

    def derived(order: int) -> Body:
        return body if not order else lambda x: rd(fixed(constant(1.0)), "abcdef"[order], derived(order - 1), x)

    return derived(order)(fixed(constant(POINT)))(0)


def function(name: str) -> Body:
    return lambda x: call(entrywise(name, 1), x)


def times(M: TermAtDepth, N: TermAtDepth) -> TermAtDepth:
    return prim("mul", f.OF_ONE_SHAPE, (shape_of(1),), M, N)


def stepped(M: Term) -> tuple[float, int]:
    """The value and the number of steps."""
    result = run(M, Heap())
    return float(to_array(result.value)[0]), result.count


def agreed(M: Term) -> float:
    """The value that the denoted and the compiled reading have alike."""
    (denoted,) = apply(interpret_term((), Scope((), M)), ())
    value, _ = run_compiled(compile_term(M, ()), (), {})
    (compiled,) = leaves(value)
    np.testing.assert_allclose(compiled, denoted, rtol=1e-9, atol=1e-9)
    return float(denoted[0])


def cube(c: TermAtDepth) -> TermAtDepth:
    """``c * c * c``"""
    return times(times(c, c), c)


def wave(b: TermAtDepth) -> TermAtDepth:
    """``sin(b) * b * exp(b)``"""
    return times(times(function("sin")(b), b), function("exp")(b))


CHAIN = ("sin", "cos", "tanh", "exp", "sin", "cos", "sin", "tanh", "cos")


def chain(n: int) -> Body:
    """n functions, one of the other"""

    def body(x: TermAtDepth) -> TermAtDepth:
        for i in range(n):
            x = function(CHAIN[i % len(CHAIN)])(x)
        return x

    return body


def squares(n: int) -> Body:
    """``let y ← x * x in … let y ← y * y in y``, n lets"""
    return lambda x: let(times(x, x), "y", squares(n - 1)) if n else x


@pytest.mark.parametrize(
    ("body", "order", "most"),
    [(cube, 2, 100), (cube, 3, 250), (wave, 2, 200), (wave, 3, 500), (chain(9), 3, 1500), (squares(8), 2, 1000)],
    ids=["cube″", "cube‴", "wave″", "wave‴", "chain‴", "squares″"],
)
def test_a_nested_derivative_takes_few_steps(body: Body, order: int, most: int) -> None:
    M = nested(body, order)
    value, count = stepped(M)
    assert count <= most
    assert value == pytest.approx(agreed(M), rel=1e-9)


def test_the_derivatives_of_the_cube() -> None:
    assert [stepped(nested(cube, order))[0] for order in range(5)] == pytest.approx([0.343, 1.47, 4.2, 6.0, 0.0])


@pytest.mark.parametrize("order", [2, 3])
def test_steps_grow_with_the_lets_and_do_not_double(order: int) -> None:
    counts = [stepped(nested(squares(n), order))[1] for n in (2, 4, 6, 8)]
    added = [b - a for a, b in pairwise(counts)]
    assert len({*added}) == 1, counts


def test_the_fourth_derivative_is_a_multiple_of_the_third() -> None:
    counts = [stepped(nested(wave, order))[1] for order in (2, 3, 4)]
    assert all(b < 5 * a for a, b in pairwise(counts)), counts


def test_one_derivative_is_unfolded_as_fig_6_prints_it() -> None:
    """R-Let has its body twice, and each of the two is unfolded by itself."""
    fired = [step for step in steps(nested(squares(3), 1), Heap()) if isinstance(step.redex, R)]
    assert all(step.redex.known is None for step in fired if isinstance(step.redex, R))
    assert sum(step.rule is Rule.R_LET for step in fired) == 7


def test_in_a_nested_derivative_every_equation_but_that_for_let_is_the_printed_one() -> None:
    rules = [step.rule.value for step in steps(nested(lambda b: times(b, b), 2), Heap())]
    start = "Rd R-Rd R-Let R-Let R-Fun R-Let R-Tuple R-Var R-Var R-Rd"
    assert " ".join(rules[:10]) == start


# -- random terms --------------------------------------------------------------------------------------------------------------

Build = Callable[[tuple[TermAtDepth, ...]], TermAtDepth]
"""A term as a function of its variables."""


def terms(nodes: int, variables: int) -> st.SearchStrategy[Build]:
    """Terms of so many nodes: variables, functions, products, sums, and lets."""
    if nodes <= 1:
        return st.integers(0, variables - 1).map(lambda i: lambda xs: xs[i])
    name = st.sampled_from(["sin", "cos", "tanh", "exp", "sigmoid"])
    unary: st.SearchStrategy[Build] = st.builds(_applied, name, terms(nodes - 1, variables))
    if nodes == 2:
        return unary
    kind = st.sampled_from([_product, _sum, _let])
    return unary | st.tuples(kind, st.integers(1, nodes - 2)).flatmap(
        lambda chosen: st.builds(
            chosen[0],
            terms(chosen[1], variables),
            terms(nodes - 1 - chosen[1], variables + (chosen[0] is _let)),
        )
    )


def _applied(name: str, M: Build) -> Build:
    return lambda xs: function(name)(M(xs))


def _product(M: Build, N: Build) -> Build:
    return lambda xs: times(M(xs), N(xs))


def _sum(M: Build, N: Build) -> Build:
    return lambda xs: plus(M(xs), N(xs))


def _let(M: Build, N: Build) -> Build:
    return lambda xs: let(M(xs), "y", lambda y: N((*xs, y)))


def bodies(nodes: int) -> st.SearchStrategy[Body]:
    """``x : Real ⊢ N : Real``"""
    return terms(nodes, 1).map(lambda N: lambda x: N((x,)))


@law(8)
@given(bodies(10))
def test_the_third_derivative_of_a_term_of_ten_nodes(body: Body) -> None:
    M = nested(body, 3)
    value, count = stepped(M)
    assert count <= 20_000
    assert value == pytest.approx(agreed(M), rel=1e-7, abs=1e-7)


@law(8)
@given(bodies(4), st.sampled_from([2, 3]))
def test_each_step_of_a_nested_derivative_keeps_its_type_and_its_meaning(body: Body, order: int) -> None:
    M = nested(body, order)
    value = agreed(M)
    for count, step in enumerate(steps(M, Heap())):
        assert isinstance(step.after, Term)
        assert check(step.after) == SCALAR
        assert derive_term((), step.after).type == SCALAR
        afresh = next(steps(step.before, Heap()))
        assert (afresh.rule, afresh.path, afresh.redex, afresh.contractum) == (
            step.rule,
            step.path,
            step.redex,
            step.contractum,
        )
        if count % 16 == 0:
            assert agreed(step.after) == pytest.approx(value, rel=1e-7, abs=1e-7)


# -- the limit -----------------------------------------------------------------------------------------------------------------


def hint(M: Term, fuel: int) -> str:
    """What the diagnostic advises where so many steps are not enough."""
    with pytest.raises(Stuck, match="RH204") as stopped:
        run(M, Heap(), Limits(fuel=fuel))
    return stopped.value.diagnostics[0].hint or ""


def test_where_derivatives_take_the_steps_the_hint_does_not_blame_the_program() -> None:
    assert "each `let` under an `rd` doubles" in hint(nested(squares(12), 1), 2_000)


def test_the_same_holds_within_the_value_of_a_derivative_symbol() -> None:
    def used_throughout(n: int, x: TermAtDepth, y: TermAtDepth) -> TermAtDepth:
        return let(times(x, y), "y", lambda y: used_throughout(n - 1, x, y)) if n else y

    f = Defined("f", SCALAR, SCALAR, scope(("x",), lambda x: used_throughout(14, x, x)), None)
    M = call(RdOf(f), fixed(Tuple((constant(1.0), constant(POINT)))))(0)
    assert "each `let` under an `rd` doubles" in hint(M, 2_000)


def test_where_a_program_has_no_derivative_it_looks_for_a_definition() -> None:
    assert "a definition that doubles" in hint(chain(30)(fixed(constant(POINT)))(0), 20)


def test_a_branch_that_was_chosen_is_chosen_again_at_other_values() -> None:
    """The same ``1.rd(x. let y ← (if x < 1 then 1.rd(z. z + tanh(z))(x) else tanh(x)) in y + x)(s)`` at two values of s."""
    one, tanh = constant(1.0), entrywise("tanh", 1)
    x = Bound(0, "x")
    inner = Rd(one, Scope(("z",), Plus(Bound(0, "z"), Call(tanh, Bound(0, "z")))), x)
    chosen = If(Compare(Relation.LESS, 0), Tuple((x, one)), inner, Call(tanh, x))

    def at(s: float, M: Term) -> Result:
        return run(Let(constant(s), Scope(("s",), M)), Heap())

    def derived() -> Term:
        return Rd(one, Scope(("x",), Let(chosen, Scope(("y",), Plus(Bound(0, "y"), Bound(1, "x"))))), Bound(0, "s"))

    shared = derived()
    for s in (0.5, 2.0, 0.5):
        found, expected = at(s, shared), at(s, derived())
        assert (found.value, found.count) == (expected.value, expected.count)
    assert at(0.5, shared).value != at(2.0, shared).value
