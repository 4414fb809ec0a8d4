"""A model for one sample, in the language's own terms: what the readers of PyTorch, ONNX and JAX make, and the writer prints.

Variables are numbered; the writer names them. The shape of a variable is that of its type, so a number has the shape ``(1,)``.
"""

from collections.abc import Iterator
from dataclasses import field
from typing import Any, TypeAlias

import numpy as np

from rh_kernel.source.records import frozen

Shape: TypeAlias = tuple[int, ...]
Numbers: TypeAlias = np.ndarray[Any, Any]
"""An array in the precision of the model."""


@frozen
class Weight:
    """An array of the model, by its number among them and the name that the model gives it.

    A learned one is a location, and so is any large one; a small constant is declared by ``const``. ``note`` is a comment.
    """

    number: int
    name: str
    array: Numbers = field(compare=False, repr=False)
    is_learned: bool
    note: str = ""


@frozen
class Family:
    """``ws[n]``: the weights of all rounds of a repetition, in order"""

    members: tuple[Weight, ...]


Place: TypeAlias = Weight | Family
"""A location, or the location of the present round in a family of locations."""


@frozen
class Value:
    """A variable"""

    number: int
    shape: Shape


@frozen
class Number:
    """``0.5``"""

    value: float


@frozen
class Constant:
    """A constant that is declared in the file"""

    weight: Weight


@frozen
class Call:
    """``f[sizes](arguments)``"""

    function: str
    arguments: "tuple[Term, ...]"
    sizes: tuple[int, ...] = ()


@frozen
class Infix:
    """``left + right``; the sign is one of ``+ - * / @``"""

    sign: str
    left: "Term"
    right: "Term"


@frozen
class Map:
    """``map (x in M, …) do N``"""

    variables: tuple[Value, ...]
    sequences: "tuple[Term, ...]"
    body: "Term"


Term: TypeAlias = Value | Number | Constant | Call | Infix | Map


@frozen
class Let:
    """``let x <- M in …``"""

    result: Value
    term: Term


@frozen
class Perform:
    """``let x <= Op[l, …](M) in …``; without an argument it is ``Op[l]()``"""

    result: Value
    operation: str
    places: tuple[Place, ...]
    argument: Term | None


@frozen
class Scan:
    """``let (outputs, finals) <= scan (item in M) from states = N do … in …``"""

    outputs: Value
    finals: tuple[Value, ...]
    item: Value
    sequence: Term
    states: tuple[Value, ...]
    initial: tuple[Term, ...]
    body: "tuple[Node, ...]"
    output: Term
    next: tuple[Term, ...]


@frozen
class Repeat:
    """``let x <= repeat i < count from state = M do … in …``"""

    result: Value
    count: int
    state: Value
    initial: Term
    body: "tuple[Node, ...]"
    last: Term


Node: TypeAlias = Let | Perform | Scan | Repeat


@frozen
class Input:
    """An input of the model, the number of its variable, and what it is in the example"""

    name: str
    value: Value
    shape: Shape
    example: Numbers = field(compare=False, repr=False)


@frozen
class Output:
    """A result of the model, and what the framework computed for the example"""

    term: Term
    shape: Shape
    expected: Numbers = field(compare=False, repr=False)


@frozen
class Model:
    """A model for one sample. ``origin`` says in words where it comes from, ``tolerance`` how far results may differ."""

    name: str
    origin: str
    inputs: tuple[Input, ...]
    nodes: tuple[Node, ...]
    outputs: tuple[Output, ...]
    tolerance: float


def subterms(M: Term) -> tuple[Term, ...]:
    """Return the direct subterms."""
    match M:
        case Value() | Number() | Constant():
            return ()
        case Call(_, arguments, _):
            return arguments
        case Infix(_, left, right):
            return (left, right)
        case Map(_, sequences, body):
            return (*sequences, body)


def terms_of(node: Node) -> tuple[Term, ...]:
    """Return the terms of a node outside of its body."""
    match node:
        case Let(_, term):
            return (term,)
        case Perform(_, _, _, argument):
            return () if argument is None else (argument,)
        case Scan():
            return (node.sequence, *node.initial)
        case Repeat():
            return (node.initial,)


def results_of(node: Node) -> tuple[Value, ...]:
    """Return the variables that a node binds for what follows it."""
    match node:
        case Let(result) | Perform(result) | Repeat(result):
            return (result,)
        case Scan():
            return (node.outputs, *node.finals)


def body_of(node: Node) -> tuple[tuple[Node, ...], tuple[Term, ...]]:
    """Return the nodes of the body of a loop, and the terms that it returns."""
    match node:
        case Let() | Perform():
            return (), ()
        case Scan():
            return node.body, (node.output, *node.next)
        case Repeat():
            return node.body, (node.last,)


def variables(M: Term) -> Iterator[Value]:
    """Yield the variables of a term, each as often as it occurs, those that it binds too."""
    if isinstance(M, Value):
        yield M
    for N in subterms(M):
        yield from variables(N)


def used(node: Node) -> Iterator[Value]:
    """Yield the variables that occur in a node, also in its body."""
    nodes, returned = body_of(node)
    for M in (*terms_of(node), *returned):
        yield from variables(M)
    for inner in nodes:
        yield from used(inner)


def constants(M: Term) -> Iterator[Weight]:
    """Yield the declared constants of a term."""
    if isinstance(M, Constant):
        yield M.weight
    for N in subterms(M):
        yield from constants(N)


def functions(M: Term) -> Iterator[str]:
    """Yield the names of the functions of a term."""
    if isinstance(M, Call):
        yield M.function
    for N in subterms(M):
        yield from functions(N)


def all_nodes(nodes: tuple[Node, ...]) -> Iterator[Node]:
    """Yield the nodes, and those in the bodies of loops."""
    for node in nodes:
        yield node
        yield from all_nodes(body_of(node)[0])


def all_terms(model: Model) -> Iterator[Term]:
    """Yield all terms of a model, without their subterms."""
    for node in all_nodes(model.nodes):
        yield from terms_of(node)
        yield from body_of(node)[1]
    for output in model.outputs:
        yield output.term


def places(model: Model) -> Iterator[Place]:
    """Yield the locations of a model in the order of their uses."""
    for node in all_nodes(model.nodes):
        if isinstance(node, Perform):
            yield from node.places
