"""Sketches of diagrams (RH §6.1): the boxes as figures and the wires between them, without wires of the unit type."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from types import MappingProxyType

from rh_kernel.denotational.arrows import Arrow, Choose, Effect, Iterate, Pure, Step
from rh_kernel.denotational.drawing.text_metrics import shortened
from rh_kernel.denotational.nesting import Inside, Numbering, each_row, numbered
from rh_kernel.denotational.provenance import Inlined, Leg, Part
from rh_kernel.denotational.smooth import Apply, Choice, Constant, CustomDerivative, ForEach, Smooth, Sum, Symbol, ZeroMap
from rh_kernel.syntax.conditions import operand_count
from rh_kernel.syntax.core import Bound, Call, Operation, Repeat, Scan
from rh_kernel.syntax.dimensions import dim
from rh_kernel.syntax.printing.printer import show, show_condition
from rh_kernel.syntax.sequences import length
from rh_kernel.syntax.signature import Family
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
    """A box: its number in the diagram, its input and output wires, its place, and the nets that contain this place.

    ``nest`` is what is inside it, ``family`` that of an operation.
    """

    number: int
    figure: Figure
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    place: tuple[Part, ...]
    calls: tuple[Inlined, ...] = ()
    nest: "Nest | None" = None
    family: Family | None = None


@dataclass(frozen=True, slots=True)
class Coming:
    """A wire that comes round: ``state`` enters a round and ``after`` leaves it; ``start`` and ``end`` are those of the box."""

    start: int
    state: int
    after: int
    end: int


@dataclass(frozen=True, slots=True)
class Branch:
    """One of the diagrams in a box, with the wires of its results."""

    title: str
    nodes: tuple[Node, ...]
    results: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Nest:
    """What is inside a box: one round of several, with the wires ``round`` that come round, or the branches of a choice.

    ``begin`` and ``end`` are the boxes that take a row for the round and stack what it emits; or ``end`` is the box that joins
    the branches. ``is_omission``: the rounds are some of several, between others that are drawn.
    """

    title: str
    gloss: str
    branches: tuple[Branch, ...]
    round: tuple[Coming, ...] = ()
    begin: Node | None = None
    end: Node | None = None
    is_loop: bool = True
    is_omission: bool = False

    def nodes(self) -> "Iterator[Node]":
        """Yield the boxes directly inside, in order."""
        yield from () if self.begin is None else (self.begin,)
        for branch in self.branches:
            yield from branch.nodes
        yield from () if self.end is None else (self.end,)


@dataclass(frozen=True, slots=True)
class Sketch:
    """The boxes drawn, by number; the wires of the domain and codomain; the type and name of each wire.

    ``every`` has the boxes inside others too.
    """

    nodes: Mapping[int, Node]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    types: tuple[Type, ...]
    names: tuple[str, ...]
    every: Mapping[int, Node]


def sketch(a: Arrow | Smooth, *, opens_maps: bool = False) -> Sketch:
    """Return the sketch of an arrow, or of a map of 𝕏 in terms of its function symbols (RH Def. 7.12).

    With ``opens_maps``, a box for a ``map`` has the diagram of one row in it.
    """
    found = numbered(a)
    sketcher = _Sketcher(found.types, opens_maps=opens_maps)
    nodes = {node.number: node for node in sketcher.nodes(found.root)}
    wires = found.root.wires
    inputs, outputs = wires[: len(a.domain)], tuple([wires[w] for w in a.codomain])
    every = {node.number: node for top in nodes.values() for node in with_inner(top)}
    return Sketch(
        MappingProxyType(nodes),
        sketcher.drawn(inputs),
        sketcher.drawn(outputs),
        found.types,
        found.names,
        MappingProxyType(every),
    )


def with_inner(node: Node) -> Iterator[Node]:
    """Yield a box and those inside it."""
    yield node
    if node.nest is not None:
        for inner in node.nest.nodes():
            yield from with_inner(inner)


class _Sketcher:
    """Sketches the boxes of an arrow and of the arrows in them."""

    def __init__(self, types: tuple[Type, ...], *, opens_maps: bool) -> None:
        self._types = types
        self._opens_maps = opens_maps

    def drawn(self, wires: Iterable[int]) -> tuple[int, ...]:
        """Return the wires that are drawn."""
        return tuple([w for w in wires if self._types[w] != UNIT])

    def nodes(self, a: Numbering) -> Iterator[Node]:
        """Yield the boxes of an arrow that are drawn."""
        for level, (box, made) in enumerate(a.arrow.wired()):
            inputs = tuple([a.wires[w] for w in box.inputs])
            every = tuple([a.wires[w] for w in made])
            outputs = self.drawn(every)
            if outputs or isinstance(box.content, Effect | Choose | Iterate):
                nest = self._nest(box.content, inputs, every, a.inside.get(level))
                drawn = self.drawn(inputs)
                family = box.content.operation.family if isinstance(box.content, Effect) else None
                yield Node(a.boxes[level], figure(box.content), drawn, outputs, box.place, box.calls, nest, family)

    def _nest(
        self, content: Step | Symbol, inputs: tuple[int, ...], outputs: tuple[int, ...], inside: Inside | None
    ) -> Nest | None:
        match content:
            case Iterate() if inside is not None:
                return self._rounds(content, inputs, outputs, inside)
            case ForEach() if inside is not None and self._opens_maps:
                return self._rows(content, inputs, outputs, inside)
            case Pure() if inside is not None and self._opens_maps and (each := each_row(content)) is not None:
                return self._rows(each, tuple([inputs[w] for w in content.map.boxes[0].inputs]), outputs, inside)
            case Choose(condition) | Choice(condition) if inside is not None:
                return self._branches(content, inputs[: operand_count(condition)], outputs, inside)
            case _:
                return None

    def _rounds(self, loop: Iterate, inputs: tuple[int, ...], outputs: tuple[int, ...], inside: Inside) -> Nest:
        (body,) = inside.parts
        n, m = loop.captured, loop.state
        after = tuple([body.wires[w] for w in loop.body.codomain])
        pairs = zip(inputs[n : n + m], body.wires[n : n + m], after[:m], outputs[:m], strict=True)
        coming = tuple([Coming(*four) for four in pairs if self._types[four[1]] != UNIT])
        rows = self.drawn(body.wires[n + m : len(loop.body.domain)])
        emitted = self.drawn(after[m:])
        backward = loop.is_reversed
        begin = Figure(BoxShape.PURE, "row", f"each round takes {'the row before' if backward else 'the next row'}")
        end = Figure(BoxShape.PURE, "stack", "what the rounds emit becomes the rows of a sequence")
        found = figure(loop)
        return Nest(
            found.text,
            found.title,
            (Branch("", tuple(self.nodes(body)), after),),
            coming,
            Node(inside.begin, begin, self.drawn(inputs[n + m :]), rows, ()) if rows else None,
            Node(inside.end, end, emitted, self.drawn(outputs[m:]), ()) if emitted else None,
            is_omission=is_omission(loop),
        )

    def _rows(self, each: ForEach, inputs: tuple[int, ...], outputs: tuple[int, ...], inside: Inside) -> Nest:
        (body,) = inside.parts
        results = tuple([body.wires[w] for w in each.body.codomain])
        rows = self.drawn(body.wires[each.captured : len(each.body.domain)])
        begin = Figure(BoxShape.PURE, "row", "one of the rows")
        end = Figure(BoxShape.PURE, "stack", "the results become the rows of a sequence")
        title = figure(each)
        return Nest(
            title.text,
            title.title,
            (Branch("", tuple(self.nodes(body)), results),),
            begin=Node(inside.begin, begin, self.drawn(inputs[each.captured :]), rows, ()) if rows else None,
            end=Node(inside.end, end, self.drawn(results), self.drawn(outputs), ()),
        )

    def _branches(self, choice: Choose | Choice, operands: tuple[int, ...], outputs: tuple[int, ...], inside: Inside) -> Nest:
        text = condition_text(choice)
        branches = [
            Branch(title, tuple(self.nodes(part)), tuple([part.wires[w] for w in part.arrow.codomain]))
            for title, part in zip(("then", "else"), inside.parts, strict=True)
        ]
        results = [w for branch in branches for w in branch.results]
        join = Figure(BoxShape.PURE, text, f"{text} decides which branch runs, and so whose results these are")
        end = Node(inside.end, join, self.drawn((*operands, *results)), self.drawn(outputs), ())
        return Nest(text, f"a choice by {text}", tuple(branches), end=end, is_loop=False)


def is_omission(loop: Iterate) -> bool:
    """Whether other rounds of the same command are drawn before and after these."""
    command = loop.command
    first, count = (0, length(command.source)) if isinstance(command, Scan) else (command.first, command.count)
    return (loop.first, loop.count) != (first, count)


def condition_text(choice: Choose | Choice) -> str:
    """``if x < 1``"""
    if isinstance(choice, Choice):
        return "if"
    return shortened(f"if {show_condition(choice.command, ENTRIES, choice.names)}")


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
        case Iterate():
            return _loop(content)
        case ForEach(length=n):
            count = "1 row" if n == dim(1) else f"{n} rows"
            return Figure(BoxShape.PURE, f"for each of {count}", f"a map over {count}; each row has its own result")
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


def _loop(loop: Iterate) -> Figure:
    """``repeat i < 100``, ``scan, 100 rounds``; ``back`` for the rounds of the backward part."""
    n = loop.length
    count = f"{n} round" if n == dim(1) else f"{n} rounds"
    way = ", back" if loop.order % 2 else ""
    if is_omission(loop):
        text = f"… {count}{way} …"
    elif isinstance(loop.command, Repeat):
        text = f"repeat {loop.command.index} < {loop.command.count}{way}"
    else:
        text = f"scan, {count}{way}"
    shape = BoxShape.OPERATION if _has_operations(loop.body) else BoxShape.PURE
    return Figure(shape, text, f"{text}: {count}{', the last one first' if loop.is_reversed else ''}")


def _has_operations(a: Arrow) -> bool:
    for box in a.boxes:
        match box.content:
            case Effect():
                return True
            case Iterate(body) if _has_operations(body):
                return True
            case Choose(_, then, otherwise) if _has_operations(then) or _has_operations(otherwise):
                return True
            case _:
                pass
    return False


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
