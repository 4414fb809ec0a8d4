"""Numbers for the boxes and wires of an arrow and of the arrows in its boxes, so that a drawing and a recording agree on them.

The boxes and wires of the arrow itself come first, in order. A wire captured by an arrow in a box has the number that it has
outside.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from rh_kernel.denotational.arrows import Arrow, Choose, Iterate, Pure, Step
from rh_kernel.denotational.smooth import Choice, ForEach, Smooth, Symbol
from rh_kernel.denotational.wiring import Box
from rh_kernel.syntax.conditions import operand_count
from rh_kernel.syntax.core import Map
from rh_kernel.syntax.types import Type

Drawn: TypeAlias = Arrow | Smooth


@dataclass(frozen=True, slots=True)
class Inside:
    """The arrows in one box: ``begin`` and ``end`` are the numbers of what is done before and after them.

    For rounds these are taking the rows and stacking what was emitted, for a choice deciding and joining the branches.
    """

    parts: "tuple[Numbering, ...]"
    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class Numbering:
    """The numbers of the boxes and wires of an arrow, and of what is inside its boxes, by level.

    The first ``captured`` wires are wires outside.
    """

    arrow: Drawn
    boxes: tuple[int, ...]
    wires: tuple[int, ...]
    inside: Mapping[int, Inside]
    captured: int = 0

    def everywhere(self) -> "Iterator[Numbering]":
        """Yield this numbering and all those inside."""
        yield self
        for inner in self.inside.values():
            for part in inner.parts:
                yield from part.everywhere()


@dataclass(frozen=True, slots=True)
class Numbered:
    """An arrow with its numbering, and the type and name of each wire by number."""

    root: Numbering
    types: tuple[Type, ...]
    names: tuple[str, ...]


def numbered(a: Drawn) -> Numbered:
    """Number an arrow, or a map of 𝕏."""
    maker = _Maker()
    root = maker.number(a, maker.wires(a.domain, a.names))
    return Numbered(root, tuple(maker.types), tuple(maker.names))


class _Maker:
    """Hands out numbers."""

    def __init__(self) -> None:
        self.types: list[Type] = []
        self.names: list[str] = []
        self._boxes = 0

    def wires(self, types: Sequence[Type], names: Sequence[str]) -> tuple[int, ...]:
        """Return numbers for new wires."""
        first = len(self.types)
        self.types += types
        self.names += [*names[: len(types)], *[""] * (len(types) - len(names))]
        return tuple(range(first, len(self.types)))

    def boxes(self, count: int) -> tuple[int, ...]:
        """Return numbers for new boxes."""
        self._boxes += count
        return tuple(range(self._boxes - count, self._boxes))

    def number(self, a: Drawn, domain: tuple[int, ...], captured: int = 0) -> Numbering:
        """Number an arrow whose domain has these numbers; the first ones are of wires outside."""
        boxes, n = self.boxes(len(a.boxes)), len(a.domain)
        wires = (*domain, *self.wires(a.types[n:], a.names[n:]))
        inside: dict[int, Inside] = {}
        for level, box in enumerate(a.boxes):
            reads = tuple([wires[w] for w in box.inputs])
            if parts := self._parts(box.content, reads):
                inside[level] = Inside(parts, *self.boxes(2))
        return Numbering(a, boxes, wires, inside, captured)

    def _parts(self, content: Step | Symbol, reads: tuple[int, ...]) -> tuple[Numbering, ...]:
        match content:
            case Iterate(body, captured):
                new = self.wires(body.domain[captured:], body.names[captured:])
                return (self.number(body, (*reads[:captured], *new), captured),)
            case Choose(condition, then, otherwise) | Choice(condition, then, otherwise):
                given = reads[operand_count(condition) :]
                return (self.number(then, given, len(given)), self.number(otherwise, given, len(given)))
            case ForEach(body, captured):
                new = self.wires(body.domain[captured:], body.names[captured:])
                return (self.number(body, (*reads[:captured], *new), captured),)
            case Pure() if (each := each_row(content)) is not None:
                order = content.map.boxes[0].inputs
                return self._parts(each, tuple([reads[w] for w in order]))
            case _:
                return ()


def each_row(content: Pure) -> ForEach | None:
    """Return the map of one row if a pure box is nothing but a ``map`` (LANGUAGE §9)."""
    match content.map.boxes:
        case (Box(content=ForEach() as each),) if isinstance(content.term, Map) and not content.order:
            made = range(len(content.map.domain), len(content.map.types))
            return each if content.map.codomain == tuple(made) else None
        case _:
            return None
