"""Building a model node by node: a reader adds nodes in the order of its graph, and each operation gives the next operand."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from rh_kernel.interchange.model import Call, Constant, Let, Node, Number, Numbers, Perform, Place, Shape, Term, Value, Weight
from rh_kernel.interchange.sources.literals import is_small, shortest
from rh_kernel.interchange.sources.shapes import show, without
from rh_kernel.primitives.entrywise import ENTRYWISE as ELEMENTWISE
from rh_kernel.source.records import frozen

ENTRYWISE = frozenset({symbol.name for symbol in ELEMENTWISE.symbols})
"""The functions of each entry by itself."""


class Unsupported(Exception):
    """An operation that has no counterpart: why, and what to use instead."""

    def __init__(self, why: str, instead: str = "") -> None:
        super().__init__(why)
        self.why = why
        self.instead = instead


@frozen
class Typed:
    """A term of the program and its shape there"""

    term: Term
    shape: Shape


@frozen
class Tensor:
    """A value that depends on the inputs: a term, its shape in the model, and the axis of samples there, without which it is"""

    term: Term
    shape: Shape
    batch: int | None

    @property
    def typed(self) -> Typed:
        """The term with its shape in the program."""
        return Typed(self.term, without(self.shape, self.batch))


@frozen
class Known:
    """A value that does not depend on the inputs: a parameter, or a constant"""

    array: Numbers
    name: str
    is_learned: bool
    places: Numbers | None = None
    """Which entry of the parameter each one is, by their numbers, if entries were moved, left out or copied"""

    @property
    def shape(self) -> Shape:
        """The shape in the model."""
        return tuple(self.array.shape)

    @property
    def numbers(self) -> Numbers:
        """The number of each entry in the parameter; copies have the number of what they are copies of."""
        return np.arange(self.array.size, dtype=np.int32).reshape(self.shape) if self.places is None else self.places

    @property
    def is_weight(self) -> bool:
        """Whether a layer can have it as a weight: a parameter, of which no entry is there twice."""
        return self.is_learned and (
            self.places is None or not self.places.size or np.bincount(self.places.reshape(-1)).max() == 1
        )

    def moved(self, move: Callable[[Numbers], Numbers]) -> "Known":
        """Return the array that a function makes which moves entries, leaves some out or copies some."""
        return Known(move(self.array), self.name, self.is_learned, move(self.numbers) if self.is_learned else None)

    def narrow(self) -> "Known":
        """Return the array with one entry instead of all along each axis along which it repeats; a number has no axes."""
        entries = self.numbers if self.is_learned else self.array
        repeats = [n > 1 and bool(np.all(entries == entries.take([0], axis))) for axis, n in enumerate(self.shape)]
        cut = tuple([slice(0, 1) if is_copied else slice(None) for is_copied in repeats])
        found = self.moved(lambda array: array[(*cut, ...)])
        return found if self.is_learned or found.array.size != 1 else found.moved(lambda array: array.reshape(()))


Operand: TypeAlias = Tensor | Known


class Builder:
    """The nodes, variables and weights so far."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.place: tuple[str, str] = ("", "")
        """The operation that is being read, and where it stands"""
        self.rounds = 1
        """How often the nodes that are being read are written, in loops that are written round by round"""
        self.noted: dict[Value, tuple[str, str]] = {}
        self._variables = 0
        self._terms: dict[Value, Term] = {}
        self._performed: dict[Value, Perform] = {}
        self._weights: list[tuple[Weight, Known]] = []

    def note(self, M: Term) -> None:
        """Keep which operation made a variable."""
        if isinstance(M, Value):
            self.noted[M] = self.place

    def variable(self, shape: Shape) -> Value:
        """Return a new variable."""
        self._variables += 1
        return Value(self._variables - 1, shape)

    def definition(self, M: Term) -> Term:
        """Return the term that a variable stands for, or else the term itself."""
        return self._terms.get(M, M) if isinstance(M, Value) else M

    def performed(self, M: Term) -> Perform | None:
        """Return the operation whose result a variable is."""
        return self._performed.get(M) if isinstance(M, Value) else None

    def let(self, M: Term, shape: Shape) -> Typed:
        """Add ``let x <- M``."""
        if isinstance(M, Value | Number | Constant):
            return Typed(M, shape)
        x = self.variable(shape)
        self.nodes.append(Let(x, M))
        self._terms[x] = M
        return Typed(x, shape)

    def call(self, function: str, arguments: Sequence[Typed], shape: Shape, sizes: Sequence[int] = ()) -> Typed:
        """Add ``let x <- f[sizes](arguments)``; a function of each entry goes in front of a reshape."""
        if function in ENTRYWISE and len(arguments) == 1 and (inner := self.reshaped(arguments[0])) is not None:
            return self.reshape(self.call(function, [inner], inner.shape), shape)
        return self.let(Call(function, tuple([a.term for a in arguments]), tuple(sizes)), shape)

    def perform(self, operation: str, places: Sequence[Place], argument: Typed | None, shape: Shape) -> Typed:
        """Add ``let x <= Op[places](argument)``."""
        x = self.variable(shape)
        node = Perform(x, operation, tuple(places), None if argument is None else argument.term)
        self.nodes.append(node)
        self._performed[x] = node
        return Typed(x, shape)

    def reshape(self, x: Typed, shape: Shape) -> Typed:
        """Return the entries in another shape; a reshape of a reshape is one."""
        if x.shape == shape:
            return x
        inner = self.reshaped(x)
        return self.call("reshape", [x], shape, shape) if inner is None else self.reshape(inner, shape)

    def reshaped(self, x: Typed) -> Typed | None:
        """Return what a term is a reshape of."""
        term = self.definition(x.term)
        if isinstance(term, Call) and term.function == "reshape":
            return Typed(term.arguments[0], self._shape_of(term.arguments[0]))
        return None

    def _shape_of(self, M: Term) -> Shape:
        match M:
            case Value():
                return M.shape
            case Constant(weight):
                return tuple(weight.array.shape) or (1,)
            case _:
                return (1,)

    def weight(self, known: Known, shape: Shape | None = None, note: str = "") -> Weight:
        """Return a weight with this content, in another shape if one is given; the same for the same entries of a parameter."""
        found = known.moved(lambda array: array.reshape(shape or known.shape or (1,)))
        for weight, other in self._weights:
            if _is_same(found, other):
                return weight
        weight = Weight(len(self._weights), found.name, found.array, found.is_learned, note)
        self._weights.append((weight, found))
        return weight

    def known(self, known: Known, batch: int | None = None) -> Typed:
        """Return a term for a known value: a number, a constant, the content of a location, or a parameter.

        There is no layer for a parameter that is added or multiplied; one is written as the only column of a matrix, which the
        layer ``FC`` multiplies by 1: so it is learned as the others.
        """
        if not np.issubdtype(known.array.dtype, np.number) and known.array.dtype != np.bool_:
            raise Unsupported(f"it needs a constant of type {known.array.dtype}")
        shape = without(known.shape, batch)
        if known.is_learned and known.array.size:
            return self.reshape(self._learned(known), shape)
        if known.array.size == 1:
            value = Typed(Number(shortest(known.array.reshape(-1)[0])), (1,))
            return value if shape == (1,) else self.call("fill", [value], shape, shape)
        if not np.all(np.isfinite(known.array)):
            raise Unsupported("a constant of it is not finite", "use a finite number, such as -1e30 in a mask")
        constant = self.weight(known, shape)
        return Typed(Constant(constant), shape) if is_small(constant.array) else self.perform("Get", [constant], None, shape)

    def _learned(self, known: Known) -> Typed:
        """Return the entries of a parameter, in their order, as a vector; those that are copies are taken from it."""
        size = known.array.size
        _, first, places = np.unique(known.numbers.reshape(-1), return_index=True, return_inverse=True)
        if len(first) < size:
            once = known.moved(lambda array: array.reshape(-1)[first])
            copies = self.known(Known(places.reshape(-1), "places", is_learned=False))
            return self.call("take", [self._learned(once), copies], (size,))
        note = f"{show(known.shape)} in the model; as a matrix of one column it is learned by the layer FC"
        column = self.weight(known, (size, 1), note if len([n for n in known.shape if n > 1]) > 1 else "")
        return self.perform("FC", [column], Typed(Number(1.0), (1,)), (size,))

    def typed(self, x: Operand) -> Typed:
        """Return the term of an operand, with its shape in the program."""
        return x.typed if isinstance(x, Tensor) else self.known(x)

    def with_samples(self, x: Operand, axis: int) -> Typed:
        """Return the term of an operand without this axis, along which a layer takes samples. Raises ``Unsupported``."""
        if isinstance(x, Tensor) and x.batch == axis:
            return x.typed
        if len(x.shape) <= axis or x.shape[axis] != 1 or (isinstance(x, Tensor) and x.batch is not None):
            raise Unsupported(f"axis {axis} of its input {show(x.shape)} is not the axis of samples, of length 1")
        return self.reshape(self.typed(x), without(x.shape, axis))


def _is_same(x: Known, y: Known) -> bool:
    """Whether two values are the same entries of one parameter, or one constant, in one shape."""
    if (x.name, x.is_learned, x.shape) != (y.name, y.is_learned, y.shape) or not np.array_equal(x.array, y.array):
        return False
    return not x.is_learned or np.array_equal(x.numbers, y.numbers)
