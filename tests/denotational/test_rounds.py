"""Rounds as one box: ``a°`` and the rounds one after the other are one arrow, and so are the passes of a handler on them."""

from collections.abc import Iterator, Mapping
from itertools import combinations
from pathlib import Path
from typing import TypeAlias

import pytest
from hypothesis import given

from rh_kernel.denotational.arrows import Arrow, Choose, Iterate
from rh_kernel.denotational.commands import interpret
from rh_kernel.denotational.drawing.elements import PlacedBox, PlacedFrame
from rh_kernel.denotational.drawing.folding import folds_of
from rh_kernel.denotational.drawing.layout import Layout, placed
from rh_kernel.denotational.drawing.sketch import sketch
from rh_kernel.denotational.evaluate import run
from rh_kernel.denotational.rounds import Rounds
from rh_kernel.session.analyze import analyze_at_once
from rh_kernel.session.evaluate import Evaluate
from rh_kernel.session.session import Session
from rh_kernel.source.span import Source
from rh_kernel.syntax.core import Array, Command, Scope
from rh_kernel.syntax.parsing.parser import parse
from rh_kernel.syntax.signature import Location
from rh_kernel.typing.elaboration.items import ClosedCommand
from tests.laws.readings import assert_close, assert_same_heap
from tests.strategies_of_commands import Program, programs
from tests.tiers import law
from tests.typing.cells import run as run_cell

GOOD = Path(__file__).parents[1] / "programs" / "good"
NETS = """
loc ws[6] : Real(2, 2) = normal(0.5, seed=1)
loc u : Real(2, 3) = [[0.5, -0.25, 1], [0.25, 0.5, -1]]
op FC[l : Loc(m, n)] : Real(n) -> Real(m)
handler sgd(a : Real) : rev handler(Real) = {
  return y -> return a * y
  FC[l](x) -> let w <= Get[l]() in return (w @ x, (w, x))
    | y, (w, x) -> let now <= Get[l]() in let _ <= Put[l](now - outer(y, x)) in return w^T @ y
}
handler first(a : Real) : rev handler(Real) = {
  return y -> return a * y
  FC[ws[0]](x) -> return (x, ()) | y, z -> return y
  FC[l](x) -> let w <= Get[l]() in return (w @ x, w) | y, w -> return w^T @ y
}
handler infer = { return x -> return x
  FC[l](x), k -> let w <= Get[l]() in k(w @ x) }
handler silent = { return x -> return x
  FC[u](x), k -> k([0, 0]) }
handler both_ways : Real(2) => Real(2) = { return x -> return x
  FC[l](x), k -> let w <= Get[l]() in let a <= k(w @ x) in let b <= k(2 * (w @ x)) in return a + b }
const xs : Real(6, 3) = [[1, 0, 2], [0, -1, 0], [0.5, 0, 1], [1, 1, 1], [0, 0, 1], [2, -1, 0]]
net deep[vs : Loc(d, d)[k]](x : Real(d)) = repeat i < k from s = x do let y <= FC[vs[i]](s) in return tanh(y)
net elman(xs : Real(n, 3), s : Real(2)) = scan (x in xs) from s = s do
  let a <= FC[u](x) in let b <= FC[ws[2]](s) in let s <- tanh(a + b) in return (s, s)
net loss(x : Real(2)) = let y <= deep[ws](x) in return sum(y)
net captures(x : Real(2)) =
  let y <= repeat i < 6 from s = x do let a <= FC[ws[i]](s) in return x + tanh(a) in return sum(y * x)
net reads(m : Real(6, 3), x : Real(2)) = let (h, s) <= elman(m, x) in return sum(h * h) + sum(s)
net chooses(x : Real(2)) = let y <= repeat i < 6 from s = x do
  if sum(s) > 0 then let a <= FC[ws[i]](s) in return a + x else return x - s in return sum(y)
rev handle ([1, 2]) <x>. loss(x) with sgd(0.1)
rev handle ([1, 2]) <x>. loss(x) with first(0.1)
rev handle ([1, 2]) <x>. captures(x) with sgd(0.1)
rev handle (xs, [1, 2]) <m, x>. reads(m, x) with sgd(0.1)
rev handle ([1, 2]) <x>. chooses(x) with sgd(0.1)
handle deep[ws]([1, 2]) with infer
handle rev handle ([1, 2]) <x>. loss(x) with { return y -> return y } with infer
rev handle (xs, [1, 2]) <m, x>. (handle reads(m, x) with silent) with sgd(0.1)
rev handle ([1, 2]) <x>. let y <= (rev handle (x) <x>. captures(x) with { return y -> return y }) in return sum(y) with sgd(0.1)
net twice(x : Real(2)) = repeat i < 2 from z = x do let y <= loss(z) in return y * z
repeat j < 3 from s = [1, 2] do rev handle (s) <x>. let z <= twice(x) in return sum(z) with sgd(0.1)
repeat i < 6 from s = 0 do let m <- slice[0, i + 1](sum_rows(xs^T)) in return s + sum(m)
handle deep[ws]([1, 2]) with both_ways
scan ((x, y) in (xs, [1, 2, 3, 4, 5, 6])) from (s, t) = (0, [1]) do return ((x, (), t), (s + y, t * s))
"""


def closed(text: str) -> Iterator[tuple[Command, Session]]:
    """The closed commands of a program in order, each with the session before it."""
    session = Session.start(GOOD)
    for item in parse(Source("rounds", text)):
        _, planned = analyze_at_once(item, session.context)
        if isinstance(planned, Evaluate) and isinstance(planned.subject, ClosedCommand):
            yield planned.subject.command, session
        _, session = run_cell(item.span.text, session)


def boxes(a: Arrow) -> Iterator[Iterate]:
    """The boxes for all rounds, also those inside others."""
    for box in a.boxes:
        match box.content:
            case Iterate(body):
                yield box.content
                yield from boxes(body)
            case Choose(_, then, otherwise):
                yield from boxes(then)
                yield from boxes(otherwise)
            case _:
                pass


def same(P: Command, heap: Mapping[Location, Array], rounds: Rounds) -> Arrow:
    """Assert that rounds as one box change neither the values, nor the heap, nor the order of its uses."""
    each, once = interpret((), Scope((), P)), interpret((), Scope((), P), rounds)
    found, expected = run(once, (), heap), run(each, (), heap)
    assert once.results == each.results
    assert_close(found.values, expected.values)
    assert_same_heap(found.heap, expected.heap)
    assert found.accesses == expected.accesses
    return once


@pytest.mark.parametrize("rounds", [Rounds.ONCE, Rounds.ENDS])
def test_rounds_as_one_box_mean_the_rounds(rounds: Rounds) -> None:
    commands = [*closed(NETS)]
    assert len(commands) == 13
    kept = [len([*boxes(same(P, session.heap, rounds))]) for P, session in commands]
    once, ends = [2, 0, 2, 2, 2, 1, 2, 2, 4, 5, 0, 0, 1], [2, 0, 2, 2, 2, 1, 2, 2, 4, 12, 0, 0, 1]
    assert kept == (once if rounds is Rounds.ONCE else ends)


@law(100)
@given(programs())
def test_rounds_as_one_box_mean_the_rounds_in_any_program(p: Program) -> None:
    for rounds in (Rounds.ONCE, Rounds.ENDS):
        same(p.command, p.heap, rounds)


def test_the_arrow_is_no_larger_for_more_rounds() -> None:
    few, many = (
        [*closed(f"rev handle (2) <x>. repeat i < {n} from s = x do return s * tanh(x) with {{ return y -> return y }}")]
        for n in (10, 1_000_000)
    )
    sizes = [len(interpret((), Scope((), P), rounds).boxes) for P, _ in (*few, *many) for rounds in (Rounds.ONCE, Rounds.ENDS)]
    assert sizes[:2] == sizes[2:]
    assert max(sizes) < 30


def drawings(rounds: Rounds) -> Iterator[Layout]:
    for P, _ in closed(NETS):
        a = interpret((), Scope((), P), rounds)
        s = sketch(a)
        yield from (placed(s, folded=False), placed(s, folded=True, closes_rounds=True))
        folds = [fold.number for fold in folds_of(s)]
        yield from (placed(s, folded=frozenset(closed)) for closed in ((), folds[1::2]))


@pytest.mark.slow
@pytest.mark.parametrize("rounds", [Rounds.ONCE, Rounds.ENDS])
def test_what_is_drawn_of_rounds_lies_inside_and_apart(rounds: Rounds) -> None:
    for drawn in drawings(rounds):
        things = [*drawn.drawing.frames, *drawn.drawing.boxes]
        for one, other in combinations(things, 2):
            assert is_apart(one, other) or is_inside(one, other) or is_inside(other, one)
        for x, y in (point for strand in drawn.drawing.strands for point in strand.points):
            assert -0.01 <= x <= drawn.width + 0.01
            assert -0.01 <= y <= drawn.height + 0.01


Placed: TypeAlias = PlacedBox | PlacedFrame


def is_apart(one: Placed, other: Placed) -> bool:
    beside = one.x + one.width <= other.x + 0.01 or other.x + other.width <= one.x + 0.01
    return beside or one.y + one.height <= other.y + 0.01 or other.y + other.height <= one.y + 0.01


def is_inside(one: Placed, other: Placed) -> bool:
    across = other.x - 0.01 <= one.x and one.x + one.width <= other.x + other.width + 0.01
    return across and other.y - 0.01 <= one.y and one.y + one.height <= other.y + other.height + 0.01


def test_a_state_leaves_on_the_right_and_comes_round_to_the_left() -> None:
    (P, _) = next(closed("repeat i < 100 from (s, t) = (1, [2, 3]) do return (tanh(s), s * t)"))
    drawn = placed(sketch(interpret((), Scope((), P), Rounds.ONCE)), folded=False)
    (frame,) = drawn.drawing.frames
    assert frame.title == "repeat i < 100"
    (node,) = [node for node in drawn.sketch.every.values() if node.nest is not None]
    assert node.nest is not None
    assert len(node.nest.round) == 2
    for coming in node.nest.round:
        (around,) = [s.points for s in drawn.drawing.strands if s.wire == coming.after and s.points[-1][0] < s.points[0][0]]
        (entering,) = [s.points for s in drawn.drawing.strands if s.wire == coming.state and s.points[0] == around[-1]]
        assert around[-1][0] < around[0][0]
        assert entering[0][0] < entering[-1][0]
        assert any(s.points[0] == around[0] for s in drawn.drawing.strands if s.wire == coming.end)
        assert frame.y < around[1][1] < around[0][1]


def test_a_folded_loop_is_one_box_and_an_unrolled_one_has_its_ends() -> None:
    (P, _) = next(closed("scan (x in fill[100](1)) from s = 0 do return (s, tanh(s + x))"))
    once, ends = (sketch(interpret((), Scope((), P), rounds)) for rounds in (Rounds.ONCE, Rounds.ENDS))
    folded = placed(once, folded=True, closes_rounds=True)
    assert [box.figure.text for box in folded.drawing.boxes if box.figure.text.startswith("scan")] == ["scan, 100 rounds"]
    assert not folded.drawing.frames
    texts = [box.figure.text for box in placed(ends, folded=False).drawing.boxes]
    assert texts.count("tanh(s + x)") == 3
    assert texts.count("… 97 rounds …") == 1
