"""Recorded passes: the values of wires, and the cotangents of values (RH Def. 7.11, 7.13, App. E.1)."""

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.arrays.compile import compile_command
from rh_kernel.arrays.execution import run as run_program
from rh_kernel.denotational.arrows import Arrow
from rh_kernel.denotational.commands import interpret
from rh_kernel.denotational.evaluate import run
from rh_kernel.denotational.provenance import Leg
from rh_kernel.denotational.recording import Recording, Use, belonging, occurrences, reals, record
from rh_kernel.denotational.wiring import Diagram
from rh_kernel.loops.trees import leaves
from rh_kernel.primitives.schemes import extent
from rh_kernel.source.diagnostic import Stuck
from rh_kernel.source.span import Source
from rh_kernel.syntax.core import Array, Scope
from rh_kernel.syntax.parsing.parser import parse_expression
from rh_kernel.syntax.signature import Location
from rh_kernel.syntax.types import Real
from rh_kernel.typing.definitions import LocDefinition
from rh_kernel.typing.elaboration.items import ClosedCommand, elaborate_evaluation
from tests.declarations import declared
from tests.laws.readings import assert_close, assert_same_heap, reached
from tests.laws.test_gradient_descent import ALPHA, HANDLERS, STEP, Net, literal, nets
from tests.strategies_of_commands import Program, programs
from tests.tiers import law

T = TypeVar("T")
Heap = Mapping[Location, Array]


def ended(generator: Generator[None, None, T]) -> T:
    """The result."""
    while True:
        try:
            next(generator)
        except StopIteration as end:
            return end.value


@dataclass(frozen=True)
class Seen:
    """The denotation of a command and its recording."""

    arrow: Arrow
    heap: Heap
    recording: Recording

    @property
    def turn(self) -> int:
        """The first box of the return clause."""
        return next(n for n, box in enumerate(self.arrow.boxes) if box.place and box.place[0].leg is Leg.RETURN)

    def result(self) -> int:
        """The result of the net, which is the input of the return clause ``x -> return α(x - t)``."""
        (wire,) = self.arrow.boxes[self.turn].inputs
        return wire

    def maker(self, wire: int) -> int:
        """The box that makes a wire, -1 for an input."""
        return next((n for n, (_, made) in enumerate(self.arrow.wired()) if wire in made), -1)

    def onward(self, wire: int, content: Array) -> Array:
        """The result of the net if ``wire`` had this value: runs the boxes after its maker again, up to the return clause."""
        begin = self.maker(wire) + 1
        first = len(self.arrow.domain) + sum(len(box.outputs) for box in self.arrow.boxes[:begin])
        rest: Arrow = Diagram(self.arrow.types[:first], self.arrow.boxes[begin : self.turn], (self.result(),))
        inputs = [*self.recording.values[:first]]
        inputs[wire] = content
        return run(rest, inputs, self.heap).values[0]


def seen(declarations: str, text: str, heap: Callable[[Location], Array]) -> Seen:
    definitions = declared(declarations)
    found = elaborate_evaluation(definitions, parse_expression(Source("pass", text)))
    assert isinstance(found, ClosedCommand)
    locations = [d.definition.location for d in definitions.named.values() if isinstance(d.definition, LocDefinition)]
    contents = {location: heap(location) for location in locations}
    arrow = interpret((), Scope((), found.command))
    return Seen(arrow, contents, ended(record(arrow, (), contents)))


def drawn(seed: int) -> Callable[[Location], Array]:
    rng = np.random.default_rng(seed)
    return lambda location: rng.normal(scale=0.7, size=extent(Real(location.shape)))


# -- what is recorded ----------------------------------------------------------------------------------------------------------


@law(150)
@given(programs())
def test_a_recording_ends_as_the_compiled_program_does(p: Program) -> None:
    reached(p.command, p.heap)
    arrow = interpret((), Scope((), p.command))
    recording = ended(record(arrow, (), p.heap))
    compiled, changes = run_program(compile_command(p.command), (), p.heap)
    assert_close([recording.values[w] for w in arrow.codomain], leaves(compiled))
    assert_same_heap(recording.heap, {**p.heap, **changes})
    assert len(recording.values) == len(arrow.types)
    inside = [array for made in recording.runs for _, array in made.writes]
    assert sum(value.size for value in recording.values) <= sum(array.size for array in inside) <= reals(arrow)


@law(100)
@given(programs())
def test_the_uses_of_the_heap_tell_its_story(p: Program) -> None:
    """Each access sees the result of the previous one, ``Get`` changes nothing, and the last ones give the final heap."""
    reached(p.command, p.heap)
    arrow = interpret((), Scope((), p.command))
    recording = ended(record(arrow, (), p.heap))
    contents = dict(p.heap)
    for use in recording.uses:
        assert use.before is contents[use.location]
        assert use.kind != "Get" or use.after is use.before
        contents[use.location] = use.after
    assert {location: id(content) for location, content in contents.items()} == {
        location: id(content) for location, content in recording.heap.items()
    }
    assert [(use.kind, use.location) for use in recording.uses] == [*run(arrow, (), p.heap).accesses]
    assert [use.level for use in recording.uses] == sorted(use.level for use in recording.uses)


def test_there_is_a_pause_after_every_box() -> None:
    made = seen("loc w : Real = 1\n", "let x <= Get[w]() in let _ <= Put[w](x + 1) in Get[w]()", drawn(0))
    assert len([*record(made.arrow, (), made.heap)]) == len(made.arrow.boxes)


def test_before_and_after_of_each_use() -> None:
    made = seen("loc w : Real = 1\n", "let x <= Get[w]() in let _ <= Put[w](x + 1) in Get[w]()", lambda _: np.array([1.0]))
    story = [(use.kind, _number(use.before), _number(use.after)) for use in made.recording.uses]
    assert story == [("Get", 1, 1), ("Put", 1, 2), ("Get", 2, 2)]
    assert [type(use) for use in made.recording.uses] == [Use] * 3


def _number(array: Array | None) -> float:
    assert array is not None
    return float(array[0])


def test_it_is_stuck_where_the_evaluator_is() -> None:
    definitions = declared("op Tick : 1 -> Real(1)\n")
    for text, strict in (("let x <= return 1 in Tick()", False), ("return relu([0])", True)):
        found = elaborate_evaluation(definitions, parse_expression(Source("pass", text)))
        assert isinstance(found, ClosedCommand)
        arrow = interpret((), Scope((), found.command))
        with pytest.raises(Stuck) as expected:
            run(arrow, (), {}, strict=strict)
        with pytest.raises(Stuck) as raised:
            ended(record(arrow, (), {}, strict=strict))
        assert raised.value.diagnostics == expected.value.diagnostics
    assert ended(record(arrow, (), {})).values


# -- cotangents ----------------------------------------------------------------------------------------------------------------


def check_cotangents(made: Seen, target: Array, alpha: float) -> int:
    """Every cotangent is α times the loss's slope at its wire, and where nothing came back the slope is 0.

    The loss is ``½ |y - t|²``. How many cotangents there were.
    """
    count = 0
    for occurrence in occurrences(made.arrow):
        content = made.recording.values[occurrence.wire]
        slopes = np.zeros(content.shape)
        for at in np.ndindex(content.shape):
            moved = [np.array(content), np.array(content)]
            moved[0][at] += STEP
            moved[1][at] -= STEP
            above, below = [0.5 * float(np.sum((made.onward(occurrence.wire, x) - target) ** 2)) for x in moved]
            slopes[at] = (above - below) / (2 * STEP)
        if not occurrence.cotangents:
            np.testing.assert_allclose(slopes, 0, atol=1e-6)
            continue
        (cotangent,) = occurrence.cotangents
        count += 1
        np.testing.assert_allclose(made.recording.values[cotangent], alpha * slopes, rtol=1e-5, atol=1e-6)
    return count


FULLY = """
op FC[l : Loc(m, n)] : Real(n) -> Real(m)
loc w0 : Real(3, 2) = zeros
loc w1 : Real(2, 3) = zeros
const t : Real(2) = [0.5, -1.5]
net mlp(x : Real(2)) : Real(2) =
  let z <= FC[w0](x) in let h <= return swish(z) in FC[w1](h)
net block(x : Real(2)) : Real(2) =
  let z <= mlp(x) in return x + z
net deep(x : Real(2)) : Real(2) =
  let y <= block(x) in let z <= block(tanh(y)) in return z * y + x
"""
CLAUSES = """
handler full(t : Real(k)) : rev handler(Real(k)) = {
  return x -> return x - t
  FC[l](x) -> let w <= Get[l]() in return (w @ x, (w, x))
    | y, z -> let (w, x) <- z in let _ <= Put[l](w - outer(y, x)) in return w^T @ y
"""
CONVOLUTION = """
op FC[l : Loc(m, n)] : Real(n) -> Real(m)
op Conv1D[l : Loc(d, c, m)] : Real(c, n) -> Real(d, n - m + 1)
op MaxPool1D[m : Dim] : Real(c, n) -> Real(c, ceil(n / m))
loc l0 : Real(3, 2, 4) = zeros
loc l1 : Real(2, 6) = zeros
const v : Real(2, 8) = [[0.5, -1.0, 2.0, 0.25, 1.5, -0.75, 1.0, 0.1], [1.2, 0.3, -0.6, 0.9, -1.4, 0.8, 0.2, -0.5]]
const t : Real(2) = [0.5, -1.5]
net cnn(x : Real(2, 8)) : Real(2) =
  let y <= Conv1D[l0](x) in let a <= return swish(y) in let b <= MaxPool1D[3](a) in FC[l1](reshape[6](b))
"""
OF_SIGNALS = """  Conv1D[l](x) -> let w <= Get[l]() in return (conv1d(x, w), (w, x))
    | y, z -> let (w, x) <- z in let (a, b) <- rd[conv1d](y, (x, w)) in let _ <= Put[l](w - b) in return a
  MaxPool1D[m](x) -> return (maxpool1d[m](x), x) | y, z -> return rd[maxpool1d[m]](y, z)
"""
NETS = {
    "mlp": (FULLY + CLAUSES + "}\n", "rev handle ([1.0, -2.0]) <x>. mlp(x) with full(t)", 4),
    "residual": (FULLY + CLAUSES + "}\n", "rev handle ([1.0, -2.0]) <x>. block(x) with full(t)", 5),
    "deep": (FULLY + CLAUSES + "}\n", "rev handle ([1.0, -2.0]) <x>. deep(x) with full(t)", 10),
    "cnn": (CONVOLUTION + CLAUSES + OF_SIGNALS + "}\n", "rev handle (v) <x>. cnn(x) with full(t)", 6),
}
T = TypeVar("T")
TARGET = np.array([0.5, -1.5])


@pytest.mark.parametrize("name", NETS)
@pytest.mark.parametrize("seed", [0, 1])
def test_a_cotangent_is_the_slope_of_the_loss(name: str, seed: int) -> None:
    declarations, text, least = NETS[name]
    assert check_cotangents(seen(declarations, text, drawn(seed)), TARGET, 1.0) >= least


@law(30)
@given(nets(), st.integers(0, 2**20))
def test_in_a_random_net_a_cotangent_is_the_slope_of_the_loss(net: Net, seed: int) -> None:
    rng = np.random.default_rng(seed)
    target, inputs = rng.normal(size=net.out), ", ".join(literal(rng.normal(size=n)) for n in net.inputs)
    locations = "".join(f"loc w{i} : Real({m}, {n}) = zeros\n" for i, (m, n) in enumerate(net.shapes))
    text = f"rev handle ({inputs}) <{net.names}>. {net.body} with sgd({ALPHA}, {literal(target)})"
    assert check_cotangents(seen(HANDLERS + locations, text, drawn(seed)), target, ALPHA) > 0


ROUNDED = """
op Layer : Real(n) -> Real(n)
handler true : rev handler(Real(2)) = {
  return x -> return x
  Layer(x) -> return (x * x, x) | y, z -> return 2 * (z * y)
}
handler through : rev handler(Real(2)) = {
  return x -> return x
  Layer(x) -> return (x * x, 0) | y, z -> return y
}
"""
LAYERS = "rev handle ([3, 5]) <x>. let a <= Layer(x) in let b <= return 10 * a in Layer(b)"


def backs(text: str) -> list[list[float]]:
    """The cotangents of a pass, in the order of the forward pass."""
    made = seen(ROUNDED, text, drawn(0))
    return [made.recording.values[w].tolist() for found in occurrences(made.arrow) for w in found.cotangents]


def test_a_straight_through_cotangent_is_another_one_where_it_should_be() -> None:
    """x = [3, 5], a = x², b = 10 a, y = b²; the cotangent of y is y itself."""
    y = [8100.0, 62500.0]
    b = [2 * 90 * 8100.0, 2 * 250 * 62500.0]
    a = [10 * b[0], 10 * b[1]]
    assert backs(f"{LAYERS} with true") == [[6 * a[0], 10 * a[1]], a, b, y]
    assert backs(f"{LAYERS} with through") == [[81000.0, 625000.0], [81000.0, 625000.0], y, y]


# -- which belongs to which ----------------------------------------------------------------------------------------------------


def pairs(declarations: str, text: str) -> list[tuple[int, tuple[int, ...]]]:
    return [(found.wire, found.cotangents) for found in occurrences(seen(declarations, text, drawn(0)).arrow)]


def test_where_nothing_comes_back_there_is_no_cotangent() -> None:
    text = "rev handle ([3, 5]) <x>. let a <= return exp(x) in let b <= Layer(x) in return b with true"
    (_, x), (_, a), (_, b) = pairs(ROUNDED, text)
    assert (len(x), len(a), len(b)) == (1, 0, 1)


def test_a_return_clause_that_returns_gives_the_value_as_its_cotangent() -> None:
    (_, _), (b, cotangents) = pairs(ROUNDED, "rev handle ([3, 5]) <x>. Layer(x) with true")
    assert cotangents == (b,)


def test_the_parts_of_a_sum_belong_to_the_wire_that_several_boxes_read() -> None:
    made = seen(ROUNDED, "rev handle ([3, 5]) <x>. let a <= Layer(x) in let b <= Layer(x) in return a * b with true", drawn(0))
    x, *_ = occurrences(made.arrow)
    parts = [w for w, of in belonging(made.arrow).items() if of == x.wire]
    assert len(parts) == 3
    (whole,) = x.cotangents
    one, other = [w for w in parts if w != whole]
    assert_close([made.recording.values[one] + made.recording.values[other]], [made.recording.values[whole]])


TWICE = """
op Layer : Real(n) -> Real(n)
op Choose : 1 -> Real(1)
handler plain : rev handler(Real(1)) = { return x -> return x - 1 ; Layer(x) -> return (2 * x, 0) | y, z -> return 2 * y }
handler both = { return x -> return x ; Choose(_), k -> let a <= k(3) in let b <= k(5) in return a + b }
"""


def found_and_back(declarations: str, text: str) -> list[tuple[float, list[float]]]:
    made = seen(declarations, text, drawn(0))
    values = made.recording.values
    found = [o for o in occurrences(made.arrow) if values[o.wire].size]
    return [(_number(values[o.wire]), [_number(values[w]) for w in o.cotangents]) for o in found]


def test_a_rest_that_runs_twice_has_the_cotangents_of_both_runs() -> None:
    """The handler of ``Choose`` is outside: values before it have two cotangents, and values after it exist twice."""
    text = "handle rev handle (7) <x>. let c <= Choose() in let y <= Layer(x + c) in return y with plain with both"
    found = found_and_back(TWICE, text)
    # y = 2 (x + c), its cotangent y - 1, that of x + c and so of x is 2 (y - 1)
    assert found[0] == (7.0, [38.0, 46.0])
    assert sorted(found[1:]) == sorted(
        [(3.0, [38.0]), (10.0, [38.0]), (20.0, [19.0]), (5.0, [46.0]), (12.0, [46.0]), (24.0, [23.0])]
    )


def test_a_handler_inside_a_handler_has_its_own_cotangents() -> None:
    """u = 7, a = 2 u, a' = a - 1, u' = 2 a'; then y = 2 u', y' = y - 1: the outer handler goes through all of it.

    The auxiliary 0 of the inner clause is of no use to anybody.
    """
    inner = "rev handle (x) <u>. Layer(u) with plain"
    text = f"rev handle (7) <x>. let y <= {inner} in Layer(y) with plain"
    outside = [(7.0, [408.0]), (0.0, []), (14.0, [204.0]), (13.0, [204.0]), (26.0, [102.0]), (52.0, [51.0])]
    assert sorted(found_and_back(TWICE, text)) == sorted([(7.0, [26.0]), (14.0, [13.0]), *outside])
    assert len({found.mark.handling for found in occurrences(seen(TWICE, text, drawn(0)).arrow)}) == 2
