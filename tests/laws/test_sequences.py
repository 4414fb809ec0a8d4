"""``map`` and ``scan`` (LANGUAGE §9): what they unfold to, by hand and for any body, in the three evaluators."""

from collections.abc import Callable, Sequence
from typing import TypeAlias, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lessons.reference.running import run as run_cell
from rh_kernel.arrays.compile import compile_command, compile_term
from rh_kernel.arrays.execution import run
from rh_kernel.denotational.commands import interpret
from rh_kernel.denotational.evaluate import run as denote
from rh_kernel.loops.trees import leaves
from rh_kernel.operational.scans import unfolded
from rh_kernel.operational.sequences import unfolded_map
from rh_kernel.paper import Rule
from rh_kernel.primitives.formulas import Typed
from rh_kernel.primitives.sequences import row_at, stack
from rh_kernel.session.results import ValueFound
from rh_kernel.syntax.binding import instantiate_term
from rh_kernel.syntax.core import Array, Command, Const, Let, Map, Return, Scan, Scope, Term, Tuple
from rh_kernel.syntax.dimensions import Dim, dim
from rh_kernel.syntax.sequences import length, rounds, row, stacked
from rh_kernel.syntax.signature import Location
from rh_kernel.syntax.types import Product, Real, concrete_shape, real
from rh_kernel.syntax.values import constant
from rh_kernel.typing.derivation.derive import derive_command, derive_term
from tests.laws.readings import arrays, assert_close, reached, steps_of
from tests.strategies import Dice, World, draw_sequence, draw_term, types, value_of, values
from tests.strategies_of_commands import draw_command
from tests.tiers import law

LENGTHS = World(dims=(dim(3), dim(1), dim(2), dim(0)))


def dice(data: st.DataObject) -> Dice:
    return lambda n: data.draw(st.integers(0, n - 1))


def compiled(M: Term | Command) -> Sequence[Array]:
    program = compile_term(M, ()) if isinstance(M, Term) else compile_command(M)
    return leaves(run(program, (), {})[0])


def denoted(M: Term | Command) -> Sequence[Array]:
    return denote(interpret((), Scope((), Return(M) if isinstance(M, Term) else M)), (), {}).values


def stepped(M: Term | Command) -> Sequence[Array]:
    return arrays(reached(M, {}).value)


Evaluate: TypeAlias = Callable[[Term | Command], Sequence[Array]]
EVALUATORS: dict[str, Evaluate] = {"compiled": compiled, "denoted": denoted, "stepped": stepped}


@law(40)
@given(st.data())
def test_a_map_is_the_stack_of_the_body_at_the_rows(data: st.DataObject) -> None:
    w = LENGTHS
    A = draw_sequence(dice(data), w, dice_dim(data, w))
    B = Real((dim(2),))
    V = data.draw(values(A))
    N = Scope(("x",), draw_term(dice(data), w.delta(row(A)), B, 3))
    C = stacked(length(A), B)
    mapped = Map(V, N, A, C)
    rows = [instantiate_term(N, stepped_value(row_at(Typed(V, A), i).term)) for i in range(rounds(A))]
    expected = stepped(stack([Typed(M, B) for M in rows], C).term)
    assert derive_term((), mapped).type == real(rounds(A), 2)
    for evaluate in EVALUATORS.values():
        assert_close(evaluate(mapped), expected)


def dice_dim(data: st.DataObject, w: World) -> Dim:
    return w.dims[data.draw(st.integers(0, len(w.dims) - 1))]


def stepped_value(M: Term) -> Term:
    return reached(M, {}).value


@law(30)
@given(st.data())
def test_a_scan_is_a_fold(data: st.DataObject) -> None:
    """With a pure body, by hand: the state goes through the rounds, and what they give is stacked."""
    w = LENGTHS
    A, S = draw_sequence(dice(data), w, dice_dim(data, w)), Real((dim(2),))
    V, start = data.draw(values(A)), data.draw(values(S))
    both = Scope(("x", "s"), draw_term(dice(data), w.delta(row(A), S), Product((real(3), S)), 3))
    scanned = Scan(Tuple((V, start)), Scope(both.hints, Return(cast(Term, both.body))), A, real(rounds(A), 3))
    given_rows: list[Array] = []
    state = start
    for i in range(rounds(A)):
        out = stepped_value(instantiate_term(both, stepped_value(row_at(Typed(V, A), i).term), state))
        emitted, last = arrays(out)
        given_rows.append(emitted)
        state = Const(last)
    expected = [np.array(given_rows).reshape(len(given_rows), 3), *arrays(state)]
    assert derive_command((), (), scanned).type == Product((real(rounds(A), 3), S))
    for evaluate in EVALUATORS.values():
        assert_close(evaluate(scanned), expected)


@law(30)
@given(st.data())
def test_unfolding_once_changes_nothing(data: st.DataObject) -> None:
    w = LENGTHS
    A, B, S = draw_sequence(dice(data), w, dice_dim(data, w)), data.draw(types()), data.draw(types(depth=0))
    pair = Tuple((data.draw(values(A)), data.draw(values(S))))
    P = draw_command(dice(data), w.delta(row(A), S), Product((B, S)), 1)
    scanned = Scan(pair, Scope(("x", "s"), P), A, stacked(length(A), B))
    once, _ = unfolded(scanned, pair, None, None)
    assert derive_command((), (), once).type == derive_command((), (), scanned).type
    heap = {l: np.ones(concrete_shape(Real(l.shape)) or ()) for l in w.locations if isinstance(l, Location)}
    expected = reached(scanned, heap)
    assert reached(once, heap).heap == expected.heap
    assert_close(arrays(reached(once, heap).value), arrays(expected.value))


@pytest.mark.parametrize("evaluate", EVALUATORS.values(), ids=EVALUATORS.keys())
@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_a_map_unfolds_to_the_first_row_and_the_others(n: int, evaluate: Evaluate) -> None:
    A = real(n, 2)
    mapped = Map(value_of(A, 3), Scope(("x",), constant([5.0])), A, real(n, 1))
    assert_close(evaluate(mapped), evaluate(unfolded_map(mapped, lambda _: mapped.of)(0)))
    assert_close(evaluate(mapped), [np.full((n, 1), 5.0)])


def test_each_round_is_a_step() -> None:
    A = real(4)
    N = Scope(("x",), Let(constant([1.0]), Scope(("y",), constant([2.0]))))
    mapped = Map(constant([1.0, 2.0, 3.0, 4.0]), N, A, real(4, 1))
    fired = [step.rule for step in steps_of(mapped, {})]
    assert fired.count(Rule.MAP) == 5


# -- programs as they are written ----------------------------------------------------------------------------------------------

ELMAN = """
loc u : Real(2, 3) = normal(0.5, seed=1)
loc w : Real(2, 2) = normal(0.5, seed=2)
op FC[l : Loc(m, n)] : Real(n) -> Real(m)
handler descend(a : Real) : rev handler(Real) = {
  return x -> return a
  FC[l](x) -> let w <= Get[l]() in return (w @ x, (w, x))
    | y, z -> let (w, x) <- z in
              let now <= Get[l]() in
              let _ <= Put[l](now - outer(y, x)) in
              return w^T @ y
}
net elman(xs : Real(n, 3)) : Real(n, 2) * Real(2) =
  scan (x in xs) from s = [0, 0] do
    let a <= FC[u](x) in
    let b <= FC[w](s) in
    let s <- tanh(a + b) in
    return (s, s)
net loss(xs : Real(n, 3)) : Real = let (hs, s) <= elman(xs) in return sum(hs * hs) + sum(s)
const xs : Real(5, 3) = [[1, 2, 3], [0, 1, 0], [2, 0, 1], [1, -1, 1], [0, 0, 2]]
rev handle (xs) <xs>. loss(xs) with descend(1)
"""
XS = np.array([[1, 2, 3], [0, 1, 0], [2, 0, 1], [1, -1, 1], [0, 0, 2.0]])


def loss(u: Array, w: Array, xs: Array) -> float:
    s, total = np.zeros(2), 0.0
    for x in xs:
        s = np.tanh(u @ x + w @ s)
        total += float(s @ s)
    return total + float(s.sum())


def difference(f: Callable[[Array], float], x: Array, step: float = 1e-6) -> Array:
    """The gradient of f at x by central differences."""
    gradient = np.zeros_like(x)
    for i in np.ndindex(x.shape):
        there = np.zeros_like(x)
        there[i] = step
        gradient[i] = (f(x + there) - f(x - there)) / (2 * step)
    return gradient


@pytest.mark.parametrize("evaluator", ["compiled", "denoted", "stepped"])
def test_an_elman_net_has_the_gradient_of_finite_differences(evaluator: str) -> None:
    """Its handler reads the weight again on the way back, so the updates of all five rounds add up to the gradient."""
    *_, last = run_cell(f"%evaluator {evaluator}\n{ELMAN}").results
    assert isinstance(last, ValueFound)
    changes = {c.location.name: (c.before, c.after) for c in last.changes}
    (u, new_u), (w, new_w) = changes["u"], changes["w"]
    assert u is not None
    assert w is not None
    np.testing.assert_allclose(u - new_u, difference(lambda v: loss(v, w, XS), u), rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(w - new_w, difference(lambda v: loss(u, v, XS), w), rtol=1e-6, atol=1e-7)
    (cotangent,) = arrays(last.value)
    np.testing.assert_allclose(cotangent, difference(lambda v: loss(u, w, v), XS), rtol=1e-6, atol=1e-7)
