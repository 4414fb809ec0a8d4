"""The handler of RH Ex. 4.1 does gradient descent (App. E.1): for every net it takes the loss's gradient from each location.

The nets are random straight lines over several inputs: layers, activations, sums of what was computed before.
"""

from dataclasses import dataclass

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from rh_kernel.arrays.compile import compile_command
from rh_kernel.arrays.execution import Prepared, prepare
from rh_kernel.loops.trees import leaves
from rh_kernel.source.span import Source
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.parsing.parser import parse_expression
from rh_kernel.syntax.signature import Location
from rh_kernel.syntax.types import Type, real
from rh_kernel.typing.context import Context, Entry, Zone
from rh_kernel.typing.definitions import LocDefinition
from rh_kernel.typing.elaboration.commands import Commands
from rh_kernel.typing.elaboration.zonking import finished
from rh_kernel.typing.unification.unify import Unifier
from tests.declarations import declared
from tests.strategies import Dice, choose, dice_of
from tests.tiers import law

HANDLERS = """
op FC[l : Loc(m, n)] : Real(n) -> Real(m)
handler infer = { return x -> return x ; FC[l](x), k -> let w <= Get[l]() in k(w @ x) }
handler sgd(alpha : Real, t : Real(k)) : rev handler(Real(k)) = {
  return x -> return alpha * (x - t)
  FC[l](x) -> let w <= Get[l]() in return (w @ x, (w, x))
    | y, z -> let (w, x) <- z in
              let _ <= Put[l](w - outer(y, x)) in
              return w^T @ y
}
handler shared(alpha : Real, t : Real(k)) : rev handler(Real(k)) = {
  return x -> return alpha * (x - t)
  FC[l](x) -> let w <= Get[l]() in return (w @ x, (w, x))
    | y, z -> let (w, x) <- z in
              let now <= Get[l]() in
              let _ <= Put[l](now - outer(y, x)) in
              return w^T @ y
}
"""
ACTIVATIONS = ("swish", "tanh", "sigmoid", "softplus", "gelu", "sin")
ALPHA, STEP = 0.5, 1e-5


@dataclass(frozen=True)
class Net:
    """``inputs ⊢ body``, with a vector of ``out`` entries for its result, and the shapes of its locations."""

    inputs: tuple[int, ...]
    body: str
    out: int
    shapes: tuple[tuple[int, int], ...]

    @property
    def names(self) -> str:
        """The names of the inputs, with commas."""
        return ", ".join(f"x{i}" for i in range(len(self.inputs)))

    @property
    def types(self) -> tuple[Type, ...]:
        """The types of the inputs."""
        return tuple(real(n) for n in self.inputs)


def draw_net(dice: Dice, *, sharing: bool) -> Net:
    """A net of a few layers; with ``sharing`` several of them may be at one location."""
    inputs = tuple(1 + dice(3) for _ in range(1 + dice(2)))
    known = [(f"x{i}", n) for i, n in enumerate(inputs)]
    shapes: list[tuple[int, int]] = []
    lets: list[str] = []

    def layer(x: str, n: int) -> tuple[str, int]:
        old = [i for i, shape in enumerate(shapes) if shape[1] == n]
        if sharing and old and dice(2):
            i = choose(dice, old)
        else:
            shapes.append((1 + dice(3), n))
            i = len(shapes) - 1
        return f"FC[w{i}]({x})", shapes[i][0]

    for step in range(1 + dice(5)):
        x, n = choose(dice, known[-3:])
        match dice(4):
            case 0 | 1:
                bound, m = layer(x, n)
            case 2:
                bound, m = f"return {choose(dice, ACTIVATIONS)}({x})", n
            case _:
                y = choose(dice, [other for other, m in known if m == n])
                bound, m = f"return {x} + {y} * {x}", n
        lets.append(f"let h{step} <= {bound} in")
        known.append((f"h{step}", m))
    last, out = layer(*known[-1])
    return Net(inputs, " ".join([*lets, last]), out, tuple(shapes))


@st.composite
def nets(draw: DrawFn, *, sharing: bool = False) -> Net:
    """Nets whose layers have locations of their own, or may share them."""
    return draw_net(dice_of(draw), sharing=sharing)


def literal(x: Array) -> str:
    """A vector as it is written."""
    return "[" + ", ".join(repr(float(entry)) for entry in x) + "]"


class Trained:
    """A net with its handler, compiled; ``loss`` and its gradient are taken from the net under ``infer`` alone."""

    def __init__(self, net: Net, handler: str, seed: int) -> None:
        rng = np.random.default_rng(seed)
        shapes = enumerate(net.shapes)
        self.definitions = declared(HANDLERS + "".join(f"loc w{i} : Real({m}, {n}) = zeros\n" for i, (m, n) in shapes))
        self.net = net
        self.target = rng.normal(size=net.out)
        self.inputs = [rng.normal(size=n) for n in net.inputs]
        self.heap = {self.location(i): rng.normal(size=shape) for i, shape in enumerate(net.shapes)}
        self.infer = self.compiled(f"handle {net.body} with infer")
        self.train = self.compiled(
            f"rev handle ({net.names}) <{net.names}>. {net.body} with {handler}({ALPHA}, {literal(self.target)})"
        )

    def location(self, i: int) -> Location:
        """The location ``wi``."""
        definition = self.definitions.get(f"w{i}")
        assert isinstance(definition, LocDefinition)
        return definition.location

    def compiled(self, text: str) -> Prepared:
        """The command that is written, over the net's inputs."""
        commands = Commands(Unifier())
        entries = [Entry(f"x{i}", A, Zone.DELTA) for i, A in enumerate(self.net.types)]
        e = parse_expression(Source("net", text))
        P, _ = commands.elaborate(Context(self.definitions).bind(*entries), e, None)
        return prepare(compile_command(finished(commands.unifier, P, e.span), self.net.types))

    def loss(self) -> float:
        """``½ |net(inputs) − target|²``"""
        (output,) = leaves(self.infer(self.inputs, self.heap)[0])
        return 0.5 * float(np.sum((output - self.target) ** 2))

    def slopes(self, array: Array) -> Array:
        """The loss's derivative by each entry of an array that it depends on, by central differences."""
        return np.array([self.slope(array, at) for at in np.ndindex(array.shape)]).reshape(array.shape)

    def slope(self, array: Array, at: tuple[int, ...]) -> float:
        """The loss's derivative by one entry."""
        before = array[at]
        array[at] = before + STEP
        above = self.loss()
        array[at] = before - STEP
        below = self.loss()
        array[at] = before
        return (above - below) / (2 * STEP)

    def check(self) -> None:
        """The locations move down the gradient, and the result is the cotangent of the inputs."""
        result, changes = self.train(self.inputs, self.heap)
        for x, cotangent in zip(self.inputs, leaves(result), strict=True):
            np.testing.assert_allclose(cotangent, ALPHA * self.slopes(x), rtol=1e-5, atol=1e-6)
        assert changes.keys() <= self.heap.keys()
        for location, content in self.heap.items():
            expected = content - ALPHA * self.slopes(content)
            np.testing.assert_allclose(changes.get(location, content), expected, rtol=1e-5, atol=1e-6)


@law(40)
@given(nets(), st.integers(0, 2**20))
def test_the_handler_of_example_4_1_takes_the_gradient_from_every_location(net: Net, seed: int) -> None:
    Trained(net, "sgd", seed).check()


@law(30)
@given(nets(sharing=True), st.integers(0, 2**20))
def test_layers_at_one_location_add_their_gradients_if_the_clause_reads_it_anew(net: Net, seed: int) -> None:
    Trained(net, "shared", seed).check()
