"""Sketches of diagrams (RH §6.1): the boxes as figures and the wires between them, without wires of the unit type."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from types import MappingProxyType

from rh_kernel.denotational.arrows import Arrow, Choose, Effect, Pure, Step
from rh_kernel.denotational.drawing.text_metrics import shortened
from rh_kernel.denotational.provenance import Inlined, Leg, Part
from rh_kernel.denotational.smooth import Apply, Choice, Constant, CustomDerivative, Smooth, Sum, Symbol, ZeroMap
from rh_kernel.syntax.core import Bound, Call, Operation
from rh_kernel.syntax.printing.printer import show
from rh_kernel.syntax.types import UNIT, Type

ENTRIES = 4
"""Constants with more entries are shown as their types."""


_MANY = 20


class BoxShape(Enum):
    """The shape of a box: rounded corners, square corners, ``⊕``, ``0``, or a constant."""

    PURE = "pure"
    OPERATION = "operation"
    SUM = "sum"
    ZERO = "zero"
    CONSTANT = "constant"


@dataclass(frozen=True, slots=True)
class Figure:
    """The appearance of a box: its text, and its tooltip."""

    shape: BoxShape
    text: str
    title: str

    @property
    def label(self) -> str:
        """The text written in the box."""
        return "+" if self.shape is BoxShape.SUM else shortened(self.text)


@dataclass(frozen=True, slots=True)
class Node:
    """A box: its number in the diagram, its input and output wires, its place, and the nets that contain this place."""

    number: int
    figure: Figure
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    place: tuple[Part, ...]
    calls: tuple[Inlined, ...] = ()


@dataclass(frozen=True, slots=True)
class Sketch:
    """The boxes drawn, by number; the wires of the domain and codomain; the type and name of each wire."""

    nodes: Mapping[int, Node]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    types: tuple[Type, ...]
    names: tuple[str, ...]


def sketch(a: Arrow | Smooth) -> Sketch:
    """Return the sketch of an arrow, or of a map of 𝕏 in terms of its function symbols (RH Def. 7.12)."""
    types = a.types

    def drawn(wires: "range | tuple[int, ...]") -> tuple[int, ...]:
        return tuple([w for w in wires if types[w] != UNIT])

    nodes: dict[int, Node] = {}
    for number, (box, made) in enumerate(a.wired()):
        outputs = drawn(made)
        if outputs or isinstance(box.content, Effect | Choose):
            nodes[number] = Node(number, figure(box.content), drawn(box.inputs), outputs, box.place, box.calls)
    names = a.names or ("",) * len(types)
    return Sketch(MappingProxyType(nodes), drawn(tuple(range(len(a.domain)))), drawn(a.codomain), types, names)


def figure(content: Step | Symbol) -> Figure:
    """Return the appearance of a box."""
    match content:
        case Effect(op):
            text = operation_text(op)
            return Figure(BoxShape.OPERATION, text, f"{text} : {op.domain} → {op.codomain}, an operation")
        case Pure():
            return _pure(content)
        case Choose(command=P, names=names, order=order):
            text = " ".join(show(P, float("inf"), abridge=ENTRIES, names=names).split())
            what = "a choice between two commands" if not order else "the backward part of a choice between two commands"
            return Figure(BoxShape.OPERATION, f"R'[{text}]" if order else text, f"{shortened(text, 200)}, {what}")
        case Choice():
            return Figure(BoxShape.PURE, "if", "⟦if B then M else N⟧, a choice between two maps")
        case Apply(f):
            text = show(Call(f, Bound(0, "x")), names=("x",)).removesuffix("(x)")
            return Figure(BoxShape.PURE, f.name, f"⟦{text}⟧ : {f.domain} → {f.codomain}, a function symbol")
        case Constant(c):
            return Figure(BoxShape.CONSTANT, show(c, abridge=ENTRIES), f"the constant {show(c, abridge=_MANY)}")
        case ZeroMap(A):
            return Figure(BoxShape.ZERO, "0", f"0 : {A}")
        case Sum(A):
            return Figure(BoxShape.SUM, "x + y", f"π₁ + π₂ : {A} × {A} → {A}")
        case CustomDerivative(name):
            return Figure(BoxShape.PURE, name, f"⟦{name}⟧, a function that brings its own derivative")


def _pure(content: Pure) -> Figure:
    text = "f" if content.term is None else show(content.term, float("inf"), abridge=ENTRIES, names=content.names)
    label = " ".join(text.split())
    for _ in range(content.order):
        label = f"R'[{label}]"
    match [box.content for box in content.map.boxes]:
        case [Sum(A)] if content.map.codomain == (2,):
            return replace(figure(Sum(A)), text=label)
        case [ZeroMap(A)]:
            return figure(ZeroMap(A))
        case [Constant()]:
            return Figure(BoxShape.CONSTANT, label, f"the constant {shortened(label, 200)}")
        case _:
            pass
    domain, codomain = " × ".join(map(str, content.map.domain)) or "1", " × ".join(map(str, content.map.results)) or "1"
    what = "a reverse derivative" if content.order else "a pure map"
    return Figure(BoxShape.PURE, label, f"η(⟦{shortened(label, 200)}⟧) : {domain} → {codomain}, {what}")


def operation_text(op: Operation) -> str:
    """``FC[w0]``"""
    return " ".join(show(op, float("inf"), abridge=ENTRIES).split())


def part_title(part: Part) -> str:
    """``Qᶠ FC[w0]``, ``Qᵇ FC[w0]``, ``return``, and ``Q FC[w0]`` for the clause of an ordinary handler."""
    about = "" if part.operation is None else f" {operation_text(part.operation)}"
    match part.leg:
        case Leg.FORWARD:
            return f"Qᶠ{about}" if about else "forward"
        case Leg.BACKWARD:
            return f"Qᵇ{about}" if about else "backward"
        case Leg.RETURN:
            return "return"
        case Leg.CLAUSE:
            return f"Q{about}"


def part_gloss(part: Part) -> str:
    """Describe a part of a handler's interpretation in a few words."""
    of = f"of the handler {part.handler}" if part.handler else "of the handler"
    about = "" if part.operation is None else f" for {operation_text(part.operation)}"
    match part.leg:
        case Leg.FORWARD:
            return f"the forward part of the clause{about} {of}" if about else f"in the forward pass {of}"
        case Leg.BACKWARD:
            return f"the backward part of the clause{about} {of}" if about else f"in the backward pass {of}"
        case Leg.RETURN:
            return f"the return clause {of}"
        case Leg.CLAUSE:
            return f"the clause{about} {of}"
