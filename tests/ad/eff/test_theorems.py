"""The theorems of ch. 7 and 8 of Sigal 2024 about EFF, on random programs."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rh_kernel.ad.eff import core, loading
from rh_kernel.ad.eff.definitions import Definitions
from rh_kernel.ad.eff.reduction import reducer as reduction
from rh_kernel.ad.eff.reduction.rules import PLAIN
from tests.ad.eff import reference
from tests.ad.eff.programs import Program, has_type, plain
from tests.tiers import law

MOST = 400
"""Only so many steps of longer reductions are checked."""

any_plain = st.booleans().flatmap(lambda ground: plain(ground=ground))
forwarding = st.booleans().flatmap(lambda ground: plain(ground=ground, forwards=True))


@law(80)
@given(any_plain)
def test_safety(program: Program) -> None:
    """Thms 7.2.5, 7.2.14: every term on the way has the type of the first one, and only a result has no step."""
    M = program.term
    for step in reduction.steps(M, program.definitions, MOST):
        assert step.rule in PLAIN
        has_type(step.after, program)
    state = reduction.run(M, program.definitions, MOST)
    assert state.count == MOST or isinstance(state.whole, core.Return | core.Lambda | core.Pair)


@law(150)
@given(any_plain)
def test_termination(program: Program) -> None:
    """Thms 7.2.6, 7.2.15: a program of plain EFF terminates; where clauses resume twice, after 20,000 steps and more."""
    far = 2_500 * MOST
    assert reduction.run(program.term, program.definitions, far).count < far


@law(150)
@given(any_plain | forwarding)
def test_unique_decomposition_and_determinism(program: Program) -> None:
    """Fig. 7.4, 7.11: a term is a result or exactly one C[N] with a step of N, and the reducer takes just that one."""
    M = program.term
    for step in reduction.steps(M, program.definitions, 200):
        (only,) = reference.decompositions(M)
        assert only == (step.rule, step.after)
        assert step.before == M
        M = step.after
    state = reduction.run(program.term, program.definitions, 200)
    assert state.count == 200 or not list(reference.decompositions(state.whole))


@law(150)
@given(plain() | plain(forwards=True), st.data())
def test_adequacy(program: Program, data: st.DataObject) -> None:
    """Thms 7.2.9 to 11, 7.2.17 to 19: a β-step anywhere, in thunks and in clauses too, keeps a result of ground type."""
    M = program.term
    result = reduction.run(M, program.definitions, MOST)
    assume(result.count < MOST)
    for _ in range(4):
        found = list(reference.anywhere(M))
        if not found:
            break
        M = data.draw(st.sampled_from(found))
        has_type(M, program)
        assert reduction.run(M, program.definitions, 50 * MOST).value == result.value


@law(60)
@given(any_plain | forwarding)
def test_states_between_steps_are_terms(program: Program) -> None:
    """Running the term of any step leads to the same result: environments and segments only represent terms."""
    M = program.term
    end = reduction.run(M, program.definitions, 100)
    assume(end.count < 100)
    for step in reduction.steps(M, program.definitions):
        assert reduction.run(step.after, program.definitions).whole == end.whole


@dataclass(frozen=True)
class Smooth:
    """A text that is generic in the type of numbers, with a variable x, and its value and derivative by dual numbers."""

    text: str
    at: Callable[[Dual], Dual]


Dual = tuple[float, float]

_X = Smooth("x", lambda x: x)


def _sum(one: Smooth, other: Smooth) -> Smooth:
    def at(x: Dual) -> Dual:
        (a, da), (b, db) = one.at(x), other.at(x)
        return a + b, da + db

    return Smooth(f"(p {one.text} {other.text})", at)


def _product(one: Smooth, other: Smooth) -> Smooth:
    def at(x: Dual) -> Dual:
        (a, da), (b, db) = one.at(x), other.at(x)
        return a * b, da * b + a * db

    return Smooth(f"(t {one.text} {other.text})", at)


def _negated(one: Smooth) -> Smooth:
    def at(x: Dual) -> Dual:
        a, da = one.at(x)
        return -a, -da

    return Smooth(f"(n {one.text})", at)


def _sine(one: Smooth) -> Smooth:
    def at(x: Dual) -> Dual:
        a, da = one.at(x)
        return math.sin(a), math.cos(a) * da

    return Smooth(f"(sin_ {one.text})", at)


def _shared(one: Smooth, other: Smooth) -> Smooth:
    """``let y = M in N``, where y replaces x in N"""
    return Smooth(f"((\\x -> {other.text}) {one.text})", lambda x: other.at(one.at(x)))


def _chosen(one: Smooth, other: Smooth) -> Smooth:
    """The sum of both branches: a handler of the program that resumes twice (O36)"""
    return Smooth(f"(handle (if choose! then {one.text} else {other.text}) with both)", _sum(one, other).at)


def _passed_on(one: Smooth, other: Smooth) -> Smooth:
    """The second program gets the result of the first one through a state"""
    text = f"((handle (put {one.text}; let x = get! in {other.text}) with passing) x)"
    return Smooth(text, lambda x: other.at(one.at(x)))


parametric = st.recursive(
    st.just(_X),
    lambda inner: st.one_of(
        st.builds(_sum, inner, inner),
        st.builds(_product, inner, inner),
        st.builds(_negated, inner),
        st.builds(_sine, inner),
        st.builds(_shared, inner, inner),
        st.builds(_chosen, inner, inner),
        st.builds(_passed_on, inner, inner),
    ),
    max_leaves=7,
)

points = st.sampled_from([-1.5, -0.5, 0.25, 1.0, 2.0])


@cache
def modes() -> Definitions:
    """Forward and continuation reverse mode, evaluation, and the handlers of the programs."""
    own = """\
effect Choose = choose : Bool
effect State s = get : s | put : s -> Unit
handler both = return x -> x | <choose -> k> -> let y = k True in let z = k False in p y z
handler passing = return x -> \\_ -> x | <get -> k> -> \\s -> k s s | <put s -> k> -> \\_ -> k () s
"""
    return loading.declared(own, loading.program("evaluate", "forward", "continuation"))


def numbers(text: str) -> tuple[float, ...]:
    """The pair of numbers, or the number, that a program returns."""
    found = reduction.run(loading.checked(text, modes()).term, modes()).value
    parts = found.components if isinstance(found, core.Tuple) else (found,)
    values = [V.value for V in parts if isinstance(V, core.Literal) if isinstance(V.value, float)]
    assert len(values) == len(parts)
    return tuple(values)


def near(found: tuple[float, ...], expected: tuple[float, ...]) -> bool:
    return found == pytest.approx(expected, rel=1e-12, abs=1e-12)


@law(60)
@given(parametric, points, points)
def test_forward_mode_is_correct(g: Smooth, value: float, tangent: float) -> None:
    """Thm 8.2.3: at (f(t), f'(t)) a program that is generic in its numbers gives (g(f(t)), (g∘f)'(t))."""
    pair = f"let Paired y dy = (handle (\\x -> {g.text}) (Paired ({value}) ({tangent})) with diff) in (y, dy)"
    text = f"handle ({pair}) with evaluate"
    assert near(numbers(text), g.at((value, tangent)))
    assert near(numbers(f"handle (\\x -> {g.text}) ({value}) with evaluate"), g.at((value, 0.0))[:1])


@law(60)
@given(parametric, points, points, points)
def test_continuation_reverse_mode_is_correct(g: Smooth, value: float, tangent: float, r: float) -> None:
    """Thm 8.3.2: with k_f z = z·f'(t) the function that comes out takes r to r·(g∘f)'(t); the value is g's."""
    seed = f"Cont ({value}) {{z -> t z (c ({tangent}))}}"
    text = f"handle (let Cont y b = (handle (\\x -> {g.text}) ({seed}) with propagate) in (y, b ({r}))) with evaluate"
    y, dy = g.at((value, tangent))
    assert near(numbers(text), (y, r * dy))


EXAMPLE = "p (p (t x x) (n x)) {five}"


@pytest.mark.parametrize(
    ("x", "expected"),
    [(3.0, (11.0, 5.0)), (-0.5, (5.75, -2.0))],
)
def test_the_running_example_of_chapter_eight(x: float, expected: tuple[float, float]) -> None:
    """O34, O35: x·x + (−x) + 5 and its derivative 2x − 1, forwards and backwards; then the chain rule at (8, 12)."""
    body = EXAMPLE.format(five="(c 5)")
    forward = "handle (let Paired y dy = (handle (\\x -> {}) (Paired ({}) ({})) with diff) in (y, dy)) with evaluate"
    pair = "let Cont y b = (handle (\\x -> {}) (Cont ({}) {{z -> t (c {}) z}}) with propagate) in (y, b ({}))"
    reverse = f"handle ({pair}) with evaluate"
    assert numbers(f"handle (\\x -> {body}) ({x}) with evaluate") == expected[:1]
    assert numbers(forward.format(body, x, 1)) == expected
    assert numbers(reverse.format(body, x, 1, 1)) == expected
    assert numbers(forward.format(body, 8, 12)) == (61.0, 180.0)
    assert numbers(reverse.format(body, 8, 12, 2.5)) == (61.0, 450.0)


def test_derivatives_of_a_program_with_a_handler_that_resumes_twice() -> None:
    """O36: the sum of x·x and −x over both choices, at 3: 6 and 5, forwards and backwards."""
    body = "handle (if choose! then t x x else n x) with both"
    forward = f"handle (let Paired y dy = (handle (\\x -> {body}) (Paired 3 1) with diff) in (y, dy)) with evaluate"
    reverse = f"handle (let Cont y b = (handle (\\x -> {body}) (Cont 3 {{z -> z}}) with propagate) in (y, b 1)) with evaluate"
    assert numbers(forward) == numbers(reverse) == (6.0, 5.0)
