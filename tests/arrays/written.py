"""Commands for the tests of the compiled reading, written in the language, with some of their variables left as inputs."""

from collections.abc import Mapping

import numpy as np

from rh_kernel.arrays.batch import batched
from rh_kernel.arrays.compile import compile_command, compile_term
from rh_kernel.arrays.execution import Arrays, run
from rh_kernel.arrays.program import Program
from rh_kernel.source.span import Source
from rh_kernel.syntax import surface_items as items
from rh_kernel.syntax.core import Array, Bound, Command, Primitive
from rh_kernel.syntax.core import Call as Application
from rh_kernel.syntax.parsing.parser import parse
from rh_kernel.syntax.signature import Location
from rh_kernel.syntax.types import Type
from rh_kernel.typing.definitions import Definitions, LocDefinition
from rh_kernel.typing.elaboration.items import elaborate_training
from tests.arrays.validation import validate
from tests.declarations import declared

FC = """
op FC[l : Loc(m, n)] : Real(n) -> Real(m)
handler sgd(alpha : Real, t : Real(k)) : rev handler(Real(k)) = {
  return x -> return alpha * (x - t)
  FC[l](x) -> let w <= Get[l]() in return (w @ x, (w, x))
    | y, z -> let (w, x) <- z in let _ <= Put[l](w - outer(y, x)) in return w^T @ y
}
"""


def command(known: Definitions, P: str, inputs: Mapping[str, Type]) -> Command:
    """The command ``P``, in which the inputs are loose: the last one is index 0."""
    pattern = ", ".join(inputs)
    (item,) = parse(Source("test", f'train {P} for ({pattern}) in data("d") epochs 1'))
    assert isinstance(item, items.TrainItem)
    return elaborate_training(known, item, lambda name, span: inputs).command


class Written:
    """A text of declarations and the programs of commands under them, run from heaps given by name."""

    def __init__(self, text: str) -> None:
        self.known = declared(text)

    def location(self, name: str) -> Location:
        found = self.known.get(name)
        assert isinstance(found, LocDefinition)
        return found.location

    def program(self, P: str, **inputs: Type) -> Program:
        return validate(compile_command(command(self.known, P, inputs), tuple(inputs.values()), tuple(inputs)))

    def heap(self, **contents: Array) -> dict[Location, Array]:
        return {self.location(name): array for name, array in contents.items()}

    def run(self, program: Program, *values: Arrays, **contents: Array) -> tuple[Arrays, dict[str, Array]]:
        value, changes = run(program, values, self.heap(**contents))
        return value, {location.name: array for location, array in changes.items()}


def layers(n: int, width: int, *, residual: bool = False) -> str:
    """Declarations of a net of n fully connected layers of one width, ``net deep(x)``, and its locations ``w0``, ``w1``, …"""
    locs = "\n".join(f"loc w{i} : Real({width}, {width}) = zeros" for i in range(n))
    act = "swish(z) + h" if residual else "swish(z)"
    body = "".join(f"  let z <= FC[w{i}](h) in let h <- {act} in\n" for i in range(n - 1))
    return f"{FC}{locs}\nnet deep(h : Real({width})) : Real({width}) =\n{body}  FC[w{n - 1}](h)\n"


def drawn(seed: int, *shape: int) -> Array:
    """An array of standard normal numbers."""
    return np.random.default_rng(seed).standard_normal(shape)


def close(x: object, y: object, tolerance: float = 1e-12) -> None:
    """Asserts that two arrays agree."""
    np.testing.assert_allclose(np.asarray(x), np.asarray(y), rtol=tolerance, atol=tolerance)


def applied(f: Primitive) -> Program:
    """``f(x)``, as a batch."""
    return batched(compile_term(Application(f, Bound(0)), (f.domain,)), (True,))
