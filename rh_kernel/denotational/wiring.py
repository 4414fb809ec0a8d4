"""String diagrams (RH §6.1): boxes in a row, each on some of the wires, while the others pass beside it.

This is a normal form of morphisms in a category with products: copying a wire is using it twice, discarding it is not using it,
and symmetries are the order in which wires are named. Composition grafts one row of boxes onto the end of another, and
strength, ``st_Z(a) : X × Z → Y × Z``, passes the wires Z along. Objects are lists of base types: the product of PSmooth is
strictly associative (Ex. 6.9), so a value of type ``A × (B × C)`` runs on three wires.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeAlias, TypeVar

from rh_kernel.denotational.errors import DiagramTooLarge
from rh_kernel.denotational.provenance import Inlined, Mark, Part
from rh_kernel.source.diagnostic import KernelBug, Stuck
from rh_kernel.syntax.types import Product, Real, Type, TypeMeta, leaves

MOST = 100_000

Content = TypeVar("Content")

Wires: TypeAlias = "int | tuple[Wires, ...]"
"""The wires of a value, nested like its type."""


@dataclass(frozen=True, slots=True)
class Box(Generic[Content]):
    """One box: its content, its input wires, and the types of its output wires.

    ``place`` says which part of which handler it comes from, outermost first, and ``calls`` which declared nets contain all of
    this. Equality ignores both.
    """

    content: Content
    inputs: tuple[int, ...]
    outputs: tuple[Type, ...]
    place: tuple[Part, ...] = field(default=(), compare=False)
    calls: tuple[Inlined, ...] = field(default=(), compare=False)

    def within(self, place: tuple[Part, ...], calls: tuple[Inlined, ...]) -> "Box[Content]":
        """Return the box moved inside this place and these calls."""
        if not place:
            return replace(self, calls=(*calls, *self.calls))
        *outer, last = place
        return replace(self, place=(*outer, replace(last, calls=(*last.calls, *self.calls)), *self.place), calls=calls)


@dataclass(frozen=True, slots=True)
class Diagram(Generic[Content]):
    """``X → Y``. Wires are numbered: first those of ``domain``, then the outputs of each box; ``codomain`` lists the results.

    ``names`` holds the program's name for each wire, ``""`` if it has none. ``marks`` relate wires in the interpretation of a
    reverse handler. Equality ignores both.
    """

    domain: tuple[Type, ...]
    boxes: tuple[Box[Content], ...]
    codomain: tuple[int, ...]
    names: tuple[str, ...] = field(default=(), compare=False)
    marks: tuple[tuple[int, Mark], ...] = field(default=(), compare=False, repr=False)

    @property
    def types(self) -> tuple[Type, ...]:
        """The type of each wire."""
        return (*self.domain, *(A for box in self.boxes for A in box.outputs))

    @property
    def results(self) -> tuple[Type, ...]:
        """The types of the codomain."""
        types = self.types
        return tuple([types[w] for w in self.codomain])

    def wired(self) -> Iterator[tuple[Box[Content], range]]:
        """Yield each box with its output wires."""
        first = len(self.domain)
        for box in self.boxes:
            yield box, range(first, first + len(box.outputs))
            first += len(box.outputs)


class Builder(Generic[Content]):
    """Builds a diagram box by box, starting from its domain. ``place`` and ``calls`` are attached to new boxes."""

    def __init__(self, domain: Sequence[Type], names: Sequence[str] = ()) -> None:
        self.inputs = tuple(range(len(domain)))
        self.types = list(domain)
        self.place: tuple[Part, ...] = ()
        self.calls: tuple[Inlined, ...] = ()
        self._domain = tuple(domain)
        self._names = list(names) or [""] * len(domain)
        self._boxes: list[Box[Content]] = []
        self._makers: list[tuple[Content, int] | None] = [None] * len(domain)
        self._marks: dict[tuple[int, Mark], None] = {}

    def add(self, content: Content, inputs: Sequence[int], outputs: Sequence[Type]) -> tuple[int, ...]:
        """Add a box and return its output wires."""
        return self.put(Box(content, tuple(inputs), tuple(outputs)))

    def put(self, box: Box[Content]) -> tuple[int, ...]:
        """Add a box that has a place and calls of its own. Raises ``Stuck`` if there are too many boxes."""
        if len(self._boxes) >= MOST:
            raise Stuck(DiagramTooLarge(limit=MOST))
        first = len(self.types)
        self._boxes.append(box.within(self.place, self.calls))
        self.types += box.outputs
        self._makers += [(box.content, i) for i in range(len(box.outputs))]
        self._names += [""] * len(box.outputs)
        return tuple(range(first, len(self.types)))

    def graft(self, diagram: Diagram[Content], wires: Sequence[int]) -> tuple[int, ...]:
        """Add a whole diagram on the given wires, ``… ; st(diagram)``, and return the wires of its codomain."""
        image = list(wires)
        if len(image) != len(diagram.domain):
            raise KernelBug(f"a diagram on {len(diagram.domain)} wires was given {len(image)}")
        for box, _ in diagram.wired():
            image += self.put(replace(box, inputs=tuple([image[w] for w in box.inputs])))
        for wire, name in zip(image, diagram.names, strict=True):
            self.name(wire, name)
        self.mark_all(diagram, image)
        return tuple([image[w] for w in diagram.codomain])

    def maker(self, wire: int) -> tuple[Content, int] | None:
        """Return the content of the box that makes the wire, and the index of the output; ``None`` for an input."""
        return self._makers[wire]

    def enter(self, name: str) -> None:
        """Put everything added from now on inside a use of the declared net ``name``."""
        here = Box((), (), (), calls=(Inlined(name, len(self._boxes)),)).within(self.place, self.calls)
        self.place, self.calls = here.place, here.calls

    def mark(self, wire: int, mark: Mark) -> None:
        """Record the role of a wire in the interpretation of a reverse handler; it may have several."""
        self._marks[wire, mark] = None

    def mark_all(self, diagram: Diagram[Content], image: Mapping[int, int] | Sequence[int]) -> None:
        """Copy the marks of another diagram to the images of its wires, if any."""
        known = image if isinstance(image, Mapping) else dict(enumerate(image)) if diagram.marks else {}
        for wire, mark in diagram.marks:
            if wire in known:
                self.mark(known[wire], mark)

    def name(self, value: Wires, name: str) -> None:
        """Name the wires of a value that have no name yet."""
        wires = flat(value)
        for i, wire in enumerate(wires, start=1):
            if not self._names[wire] and name not in ("", "_"):
                self._names[wire] = name if len(wires) == 1 else f"{name}.{i}"

    def close(self, codomain: Sequence[int]) -> Diagram[Content]:
        """Return the diagram so far, with these results."""
        return Diagram(self._domain, tuple(self._boxes), tuple(codomain), tuple(self._names), tuple(self._marks))


def rewire(domain: Sequence[Type], codomain: Sequence[int]) -> Diagram[Any]:
    """Return the diagram without boxes whose results are these wires: ``id``, ``δ``, ``π_i``, ``sym``, ``!``."""
    return Diagram(tuple(domain), (), tuple(codomain), ("",) * len(domain))


def then(a: Diagram[Content], b: Diagram[Content]) -> Diagram[Content]:
    """``a ; b : X → Z`` of ``a : X → Y`` and ``b : Y → Z``."""
    if a.results != b.domain:
        raise KernelBug(f"{a.results} does not fit {b.domain}")
    made: Builder[Content] = Builder(a.domain)
    return made.close(made.graft(b, made.graft(a, made.inputs)))


def beside(a: Diagram[Content], Z: Sequence[Type]) -> Diagram[Content]:
    """``st_Z(a) : X × Z → Y × Z``: the wires Z run below the boxes of a."""
    made: Builder[Content] = Builder((*a.domain, *Z))
    n = len(a.domain)
    return made.close((*made.graft(a, made.inputs[:n]), *made.inputs[n:]))


def flat(value: Wires) -> tuple[int, ...]:
    """Return the wires of a value from left to right."""
    return (value,) if isinstance(value, int) else tuple([wire for part in value for wire in flat(part)])


def nested(A: Type, wires: Sequence[int]) -> Wires:
    """Nest the wires of a value of type A like A."""
    match A:
        case Product(factors):
            return side_by_side(factors, wires)
        case Real() | TypeMeta():
            (wire,) = wires
            return wire


def side_by_side(types: Sequence[Type], wires: Sequence[int]) -> tuple[Wires, ...]:
    """Return the wires of several consecutive values."""
    values: list[Wires] = []
    for A in types:
        n = len(leaves(A))
        values.append(nested(A, wires[:n]))
        wires = wires[n:]
    return tuple(values)


def like(value: Wires, wires: Sequence[int]) -> Wires:
    """Nest other wires like ``value``."""
    remaining = iter(wires)
    return mapped(value, lambda _: next(remaining))


def mapped(value: Wires, image: Callable[[int], int]) -> Wires:
    """Map the wires of a value, from left to right."""
    return image(value) if isinstance(value, int) else tuple([mapped(part, image) for part in value])


def part(value: Wires, i: int, n: int) -> Wires:
    """Return the i-th (from 0) of the n components of a value."""
    if n == 1 and i == 0:
        return value
    if isinstance(value, int) or len(value) != n:
        raise KernelBug(f"{value} has not {n} components")
    return value[i]
