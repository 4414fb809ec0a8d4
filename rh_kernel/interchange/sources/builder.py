"""Building a model node by node: a reader adds nodes in the order of its graph, and each operation gives the next operand."""

from collections.abc import Sequence
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

    @property
    def shape(self) -> Shape:
        """The shape in the model."""
        return tuple(self.array.shape)


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
        self._shapes: list[Shape] = []
        self._terms: dict[Value, Term] = {}
        self._performed: dict[Value, Perform] = {}
        self._weights: list[Weight] = []

    def note(self, M: Term) -> None:
        """Keep which operation made a variable."""
        if isinstance(M, Value):
            self.noted[M] = self.place

    def variable(self, shape: Shape) -> Value:
        """Return a new variable."""
        self._shapes.append(shape)
        return Value(len(self._shapes) - 1)

    def shape(self, x: Value) -> Shape:
        """Return the shape of a variable."""
        return self._shapes[x.number]

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
                return self.shape(M)
            case Constant(weight):
                return tuple(weight.array.shape) or (1,)
            case _:
                return (1,)

    def weight(self, known: Known, shape: Shape | None = None, note: str = "") -> Weight:
        """Return a weight with this content, in another shape if one is given; the same for the same name and content."""
        array = known.array.reshape(shape or known.shape or (1,))
        for weight in self._weights:
            if weight.name == known.name and weight.array.shape == array.shape and np.array_equal(weight.array, array):
                return weight
        self._weights.append(Weight(len(self._weights), known.name, array, known.is_learned, note))
        return self._weights[-1]

    def known(self, known: Known, batch: int | None = None) -> Typed:
        """Return a term for a known value: a number, a constant, the content of a location, or a parameter.

        There is no layer for a parameter that is added or multiplied; one is written as the only column of a matrix, which the
        layer ``FC`` multiplies by 1: so it is learned as the others.
        """
        if not np.issubdtype(known.array.dtype, np.number) and known.array.dtype != np.bool_:
            raise Unsupported(f"it needs a constant of type {known.array.dtype}")
        shape = without(known.shape, batch)
        if known.is_learned and known.array.size:
            note = f"{show(shape)} in the model; as a matrix of one column it is learned by the layer FC"
            column = self.weight(known, (known.array.size, 1), note if len(shape) > 1 else "")
            return self.reshape(self.perform("FC", [column], Typed(Number(1.0), (1,)), (known.array.size,)), shape)
        if known.array.size == 1:
            value = Typed(Number(shortest(known.array.reshape(-1)[0])), (1,))
            return value if shape == (1,) else self.call("fill", [value], shape, shape)
        if not np.all(np.isfinite(known.array)):
            raise Unsupported("a constant of it is not finite", "use a finite number, such as -1e30 in a mask")
        constant = self.weight(known, shape)
        return Typed(Constant(constant), shape) if is_small(constant.array) else self.perform("Get", [constant], None, shape)

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
