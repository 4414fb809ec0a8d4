"""``repeat`` means what its unfolding means: one round changes nothing, and n rounds are a chain of n lets (LANGUAGE §9)."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import reduce
from typing import cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.arrays.compile import compile_command
from rh_kernel.arrays.errors import ProgramTooLong
from rh_kernel.arrays.execution import run as run_compiled
from rh_kernel.arrays.options import CompileOptions
from rh_kernel.denotational.commands import interpret
from rh_kernel.denotational.evaluate import run as denote
from rh_kernel.loops.trees import leaves
from rh_kernel.operational.heap import Heap
from rh_kernel.operational.trace import Result, run, steps
from rh_kernel.paper import Rule
from rh_kernel.source.diagnostic import Stuck
from rh_kernel.source.span import Source
from rh_kernel.syntax import surface_items as items
from rh_kernel.syntax.binding import Static, instantiate_command, shift, specialise
from rh_kernel.syntax.core import RH, Array, Bind, Bound, Command, Repeat, Return, RevHandle, Scope, Term
from rh_kernel.syntax.dimensions import dim
from rh_kernel.syntax.parsing.parser import parse
from rh_kernel.syntax.signature import Location
from rh_kernel.syntax.types import Type
from rh_kernel.typing.derivation.derive import derive_command
from rh_kernel.typing.elaboration.items import ClosedCommand, elaborate_evaluation
from tests.declarations import declared
from tests.laws.readings import arrays, assert_close, assert_same_heap, reached
from tests.strategies import World, dice_of, draw_type, heap_of
from tests.strategies_of_commands import draw_repeat, draw_reverse_handler
from tests.tiers import law


def round_of(P: Repeat, k: int) -> Scope:
    """``s. P[k/i]``"""
    return specialise(P.scope, Static({P.index: dim(k)}, {}, {}))


def once_unfolded(P: Repeat) -> Command:
    """``let s ⇐ P[0/i, M/s] in repeat 1 ≤ i < n from s = s do P``, with the term M bound first"""
    rest = Repeat(P.index, 1, P.count, Bound(0, "s"), shift(P.scope, 1))
    return Bind(Bind(Return(P.start), round_of(P, 0)), Scope(("s",), rest))


def chain(P: Repeat) -> Command:
    """``let s ⇐ ⌊M⌋ in let s ⇐ P[0/i] in … P[n-1/i]``"""
    rounds = [round_of(P, k) for k in range(P.count.constant or 0)]
    return reduce(lambda Q, scope: Bind(Q, scope), rounds, cast(Command, Return(P.start)))


def assert_alike(
    P: Command,
    Q: Command,
    heap: Mapping[Location, Array],
    reduced: Callable[[Command, Mapping[Location, Array]], Result] = reached,
) -> None:
    """The same value and the same heap, by each evaluator and by one as by the other."""
    stepped, other = reduced(P, heap), reduced(Q, heap)
    expected = arrays(other.value)
    assert_close(arrays(stepped.value), expected)
    assert_same_heap(stepped.heap, other.heap)
    for R in (P, Q):
        denoted = denote(interpret((), Scope((), R)), (), heap)
        outcomes = [(denoted.values, denoted.heap)]
        for fewest in (2, None):
            compiled, changes = run_compiled(compile_command(R, options=CompileOptions(fewest=fewest)), (), heap)
            outcomes.append((leaves(compiled), {**heap, **changes}))
        for found, after in outcomes:
            assert_close(found, expected)
            assert_same_heap(after, other.heap)


@st.composite
def repetitions(draw: st.DrawFn) -> tuple[Repeat, dict[Location, Array]]:
    """A closed repetition whose operations are handled by the heap, and a heap."""
    dice, w = dice_of(draw), World()
    P = draw_repeat(dice, w, draw_type(dice, w), 4)
    return P, heap_of(dice(2**20))


@st.composite
def handled(draw: st.DrawFn) -> tuple[Repeat, RevHandle, dict[Location, Array]]:
    """A repetition in one variable x, under a reverse handler that is given a point, and a heap."""
    dice, w = dice_of(draw), World()
    A = draw_type(dice, w)
    H, inside = draw_reverse_handler(dice, w, A, 3)
    P = draw_repeat(dice, inside.gamma.delta(A), A, 4)
    start = draw_repeat(dice, w, A, 1).start
    return P, RevHandle(start, Scope(("x",), P), H), heap_of(dice(2**20))


@law(60)
@given(repetitions())
def test_unfolding_a_round_changes_nothing(drawn: tuple[Repeat, dict[Location, Array]]) -> None:
    P, heap = drawn
    if P.count != dim(0):
        assert_alike(P, once_unfolded(P), heap)


@law(60)
@given(repetitions())
def test_n_rounds_are_a_chain_of_n_lets(drawn: tuple[Repeat, dict[Location, Array]]) -> None:
    P, heap = drawn
    assert_alike(P, chain(P), heap)


@law(60)
@given(handled())
def test_a_reverse_handler_goes_through_the_rounds_as_through_the_chain(
    drawn: tuple[Repeat, RevHandle, dict[Location, Array]],
) -> None:
    P, handling, heap = drawn
    assert_alike(handling, replace(handling, scope=Scope(("x",), chain(P))), heap)


@law(40)
@given(repetitions())
def test_a_round_is_typed_once_for_all_numbers(drawn: tuple[Repeat, dict[Location, Array]]) -> None:
    P, _ = drawn
    A: Type = cast(Type, derive_command((), (), P).type)
    assert derive_command((), (), chain(P)).type == A


# -- written by hand -----------------------------------------------------------------------------------------------------------

DEEP = """
op FC[l : Loc(m, n)] : Real(n) -> Real(m)
op Deep[vs : Loc(d, d)[k]] : Real(d) -> Real(d)
loc ws[3] : Real(2, 2) = zeros
net deep[vs : Loc(d, d)[k]](x : Real(d)) : Real(d) =
  repeat i < k from s = x do let y <= FC[vs[i]](s) in return tanh(y)
net by_hand(x : Real(2)) : Real(2) =
  let y <= FC[ws[0]](x) in let x <= return tanh(y) in
  let y <= FC[ws[1]](x) in let x <= return tanh(y) in
  let y <= FC[ws[2]](x) in return tanh(y)
handler descent(rate : Real) : rev handler(Real(k)) = {
  return x -> return x
  FC[l](x) -> let w <= Get[l]() in return (w @ x, (w, x))
    | y, (w, x) -> let _ <= Put[l](w - rate * outer(y, x)) in return w^T @ y
  Deep[vs](x) -> let y <= repeat i < k from s = x do let w <= Get[vs[i]]() in return w @ s in return (y, ())
    | y, _ -> repeat i < k from s = y do let w <= Get[vs[k - 1 - i]]() in return w^T @ s
}
"""
DEFINITIONS = declared(DEEP)
HEAP = {l: np.random.default_rng(i).normal(size=(2, 2)) for i, l in enumerate(DEFINITIONS.locations().values())}


def command(text: str) -> Command:
    """The command of a text, under the declarations."""
    (item,) = parse(Source("command", text))
    assert isinstance(item, items.Evaluation)
    closed = elaborate_evaluation(DEFINITIONS, item.expression)
    assert isinstance(closed, ClosedCommand)
    return closed.command


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("rev handle ([1, 2]) <x>. deep[ws](x) with descent(0.1)", "rev handle ([1, 2]) <x>. by_hand(x) with descent(0.1)"),
        (
            "rev handle ([1, 2]) <x>. rev handle (x) <x>. deep[ws](x) with descent(0.1) with descent(0)",
            "rev handle ([1, 2]) <x>. rev handle (x) <x>. by_hand(x) with descent(0.1) with descent(0)",
        ),
        (
            "rev handle ([1, 2]) <x>. Deep[ws](x) with descent(0)",
            "let a <= Get[ws[0]]() in let b <= Get[ws[1]]() in let c <= Get[ws[2]]() in "
            "return let m <- c @ b @ a in m^T @ (m @ [1, 2])",
        ),
        (
            "handle repeat i < 3 from s = [1, 2] do FC[ws[i]](s) with {"
            " return x -> return (x, 1) ; FC[l](x), k -> let w <= Get[l]() in let (y, n) <= k(w @ x) in return (y, 2 * n) }",
            "let a <= Get[ws[0]]() in let b <= Get[ws[1]]() in let c <= Get[ws[2]]() in return (c @ (b @ (a @ [1, 2])), 8)",
        ),
        ("repeat i < 0 from s = [1, 2] do FC[ws[0]](s)", "return [1, 2]"),
        (
            "repeat i < 3 from s = 1 do repeat j < i from s = s do return s + s",
            "return 8",
        ),
        ("repeat i < 2 from s = 1 do repeat i < 3 from s = s do return s + s", "return 64"),
        ("repeat i < 5 from (a, b) = (1, 1) do return (b, a + b)", "return (8, 13)"),
    ],
)
def test_what_a_repetition_comes_to(one: str, other: str) -> None:
    assert_alike(command(one), command(other), HEAP, lambda P, heap: run(P, Heap(heap)))


def test_the_cotangent_of_a_repetition_is_its_gradient() -> None:
    """By finite differences of ``½‖deep(x)‖²``, in x and in every entry of every location."""

    def loss(x: Array, heap: Mapping[Location, Array]) -> float:
        y = x
        for w in heap.values():
            y = np.tanh(w @ y)
        return float(y @ y) / 2

    x, small = np.array([1.0, 2.0]), 1e-6
    P = command("rev handle ([1, 2]) <x>. deep[ws](x) with descent(1)")
    found = run(P, Heap(HEAP))
    for j in range(2):
        step = small * np.eye(2)[j]
        expected = (loss(x + step, HEAP) - loss(x - step, HEAP)) / (2 * small)
        np.testing.assert_allclose(arrays(found.value)[0][j], expected, rtol=1e-6)
    for l, w in HEAP.items():
        for at in np.ndindex(2, 2):
            step = np.zeros((2, 2))
            step[at] = small
            expected = (loss(x, {**HEAP, l: w + step}) - loss(x, {**HEAP, l: w - step})) / (2 * small)
            np.testing.assert_allclose((w - found.heap[l])[at], expected, rtol=1e-5, atol=1e-8)


def test_a_step_unfolds_one_round() -> None:
    fired = [step.rule for step in steps(command("repeat i < 3 from s = 2 do return s"), Heap({}))]
    assert fired == [Rule.REPEAT, Rule.LET_COMMAND] * 3 + [Rule.REPEAT]
    under = "rev handle (2) <x>. repeat i < 3 from s = x do return s with { return x -> return x }"
    rules = [step.rule for step in steps(command(under), Heap({}))]
    assert rules[:8] == [Rule.REV_HANDLE, *[Rule.RH_REPEAT, Rule.RH_LET] * 3, Rule.RH_REPEAT]


def test_the_rounds_to_come_are_kept_folded() -> None:
    """No state of a trace is larger than a round and what is around it, however many rounds there are."""
    longest = max(len(str(step.after)) for step in steps(command("repeat i < 3 from s = 2 do return s * s"), Heap({})))
    more = max(len(str(step.after)) for step in steps(command("repeat i < 30 from s = 1 do return s * s"), Heap({})))
    assert more < longest + 100


LOOPS = {
    "repeat": "rev handle ([1, 2]) <x>. repeat i < {n} from s = x do let y <= FC[ws[0]](s) in return tanh(y) with descent(0.1)",
    "captured": "rev handle ([1, 2]) <x>. let z <- tanh(x) in repeat i < {n} from s = x do return s + z with descent(0.1)",
    "scan": (
        "rev handle (zeros_of({n})) <x>. let (bs, s) <= scan (x in x) from s = [1, 2] do "
        "let y <= FC[ws[0]](s) in let s <- tanh(x + y) in return (y, s) in return s + sum_rows(bs) with descent(0.1)"
    ),
}


def looped(name: str, n: int) -> Command:
    rows = f"[{', '.join(['[0.1, 0.2]'] * n)}]"
    return command(LOOPS[name].format(n=n).replace(f"zeros_of({n})", rows))


@pytest.mark.parametrize("name", LOOPS)
def test_every_round_under_a_reverse_handler_takes_as_many_steps(name: str) -> None:
    counts = [run(looped(name, n), Heap(HEAP)).count for n in (5, 10, 15)]
    assert counts[2] - counts[1] == counts[1] - counts[0]


@pytest.mark.parametrize("name", LOOPS)
def test_no_state_under_a_reverse_handler_has_more_than_a_round_in_it(name: str) -> None:
    """In the form of RH there are the variables of one round, and what is around it."""

    def most(n: int) -> int:
        forms = [step.redex for step in steps(looped(name, n), Heap(HEAP)) if step.rule in (Rule.RH_REPEAT, Rule.RH_SCAN)]
        return max(form.scope.arity for form in forms if isinstance(form, RH))

    assert most(12) == most(6)


@pytest.mark.parametrize("name", LOOPS)
def test_dropped_variables_change_nothing(name: str) -> None:
    """Against the denotation and the compiled program, which know nothing of them."""
    assert_alike(looped(name, 4), looped(name, 4), HEAP, lambda P, heap: run(P, Heap(heap)))


def test_a_program_does_not_grow_with_the_number_of_rounds() -> None:
    sizes = [compile_command(command(f"repeat i < {n} from s = 0.5 do return sin(s)")).count for n in (10, 1_000_000_000)]
    assert sizes == [1, 1]


def test_a_long_repetition_that_is_no_loop_is_refused_at_once_by_the_compiler() -> None:
    with pytest.raises(Stuck) as failure:
        compile_command(command("repeat i < 1000000000 from s = 0.5 do return sum(fill[i + 1](s))"))
    (found,) = failure.value.diagnostics
    assert isinstance(found, ProgramTooLong)


def test_a_term_of_a_round_is_instantiated_at_its_number() -> None:
    P = command("repeat i < 3 from s = 0 do return s + slice[i, i + 1]([1, 10, 100])")
    assert isinstance(P, Repeat)
    for k, expected in enumerate((1.0, 10.0, 100.0)):
        zero: Term = P.start
        assert arrays(run(instantiate_command(round_of(P, k), zero), Heap({})).value)[0][0] == expected
