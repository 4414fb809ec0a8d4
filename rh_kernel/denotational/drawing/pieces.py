"""Pieces of a drawing: boxes, frames and wires with their places on the plane, x to the right and y down.

A wire is a number of strands. A strand goes through its points from left to right: straight between points of one height, else
as the curve that is horizontal at both of its ends.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from rh_kernel.denotational.drawing.fold import Fold
from rh_kernel.denotational.drawing.lettering import type_width, width
from rh_kernel.denotational.drawing.sketch import Figure, Look
from rh_kernel.denotational.parts import Part
from rh_kernel.syntax.types import Type

Point: TypeAlias = tuple[float, float]

PORT = 16.0
"""From one wire at the side of a box to the next."""

LOWEST = 26.0
"""The height of a box with one wire at each side."""

FIRST = LOWEST / 2
"""From the top of a box to its first wire."""

_TINY = 18.0


@dataclass(frozen=True, slots=True)
class PlacedBox:
    """A figure; ``members`` are the numbers of the boxes that it stands for, more than one where a clause is folded.

    ``fold`` is what is folded, if single folds can be opened.
    """

    members: tuple[int, ...]
    figure: Figure
    x: float
    y: float
    width: float
    height: float
    fold: Fold | None = None


@dataclass(frozen=True, slots=True)
class PlacedFrame:
    """The frame around the boxes of one clause."""

    part: Part
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class PlacedGroup:
    """The frame around something that can be folded."""

    fold: Fold
    title: str
    gloss: str
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Strand:
    """A piece of a wire."""

    wire: int
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Dot:
    """Where a wire is copied, or ends because nothing reads it."""

    wire: int
    x: float
    y: float
    is_end: bool = False


@dataclass(frozen=True, slots=True)
class Label:
    """The type of a wire, written from this point on."""

    wire: int
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Drawing:
    """Everything that is drawn."""

    boxes: tuple[PlacedBox, ...] = ()
    frames: tuple[PlacedFrame, ...] = ()
    strands: tuple[Strand, ...] = ()
    dots: tuple[Dot, ...] = ()
    labels: tuple[Label, ...] = ()
    groups: tuple[PlacedGroup, ...] = ()

    def moved(self, dx: float, dy: float) -> "Drawing":
        """The same elsewhere."""
        return Drawing(
            tuple([replace(b, x=b.x + dx, y=b.y + dy) for b in self.boxes]),
            tuple([replace(f, x=f.x + dx, y=f.y + dy) for f in self.frames]),
            tuple([Strand(s.wire, tuple([(x + dx, y + dy) for x, y in s.points])) for s in self.strands]),
            tuple([replace(d, x=d.x + dx, y=d.y + dy) for d in self.dots]),
            tuple([replace(t, x=t.x + dx, y=t.y + dy) for t in self.labels]),
            tuple([replace(g, x=g.x + dx, y=g.y + dy) for g in self.groups]),
        )


def together(drawings: Iterable[Drawing]) -> Drawing:
    """One drawing of several."""
    many = [*drawings]
    return Drawing(
        tuple([b for d in many for b in d.boxes]),
        tuple([f for d in many for f in d.frames]),
        tuple([s for d in many for s in d.strands]),
        tuple([p for d in many for p in d.dots]),
        tuple([t for d in many for t in d.labels]),
        tuple([g for d in many for g in d.groups]),
    )


@dataclass(frozen=True, slots=True)
class Port:
    """Where a wire meets the left or the right side, that far below the top."""

    wire: int
    y: float


@dataclass(frozen=True, slots=True)
class Block:
    """Something rectangular that wires come to from the left and leave to the right.

    ``margin`` is the room that its labels need beside it. ``has_effects`` tells that there is an operation in it. The wires of
    a ``is_loose`` block may change places along its sides.
    """

    width: float
    height: float
    ins: tuple[Port, ...]
    outs: tuple[Port, ...]
    drawing: Drawing
    margin: float = 0.0
    has_effects: bool = False
    is_loose: bool = False


def box(
    figure: Figure,
    members: tuple[int, ...],
    ins: Sequence[Port | int],
    outs: Sequence[Port | int],
    types: Sequence[Type],
    height: float = 0.0,
) -> Block:
    """A single box; wires that are given without a height are spread evenly. ``height`` is the least that it has."""
    if figure.look in (Look.SUM, Look.ZERO):
        left, right = _spread(_free(ins), _TINY, 8.0), _spread(_free(outs), _TINY, 8.0)
        drawing = Drawing((PlacedBox(members, figure, 0.0, 0.0, _TINY, _TINY),))
        return Block(_TINY, _TINY, left, right, drawing, is_loose=True)
    high = max(height, _needed(ins), _needed(outs))
    wide = max(width(figure.label) + 12.0, LOWEST)
    left, right = _spread(ins, high), _spread(outs, high)
    made = [port for port in right if port.wire not in {p.wire for p in left}]
    labels = tuple([Label(port.wire, wide + 4.0, port.y - 3.5) for port in made])
    margin = max([type_width(types[port.wire]) + 6.0 for port in made], default=0.0)
    drawing = Drawing((PlacedBox(members, figure, 0.0, 0.0, wide, high),), labels=labels)
    is_loose = not any(isinstance(port, Port) for port in (*ins, *outs))
    return Block(wide, high, left, right, drawing, margin, figure.look is Look.OPERATION, is_loose)


def _free(ports: Sequence[Port | int]) -> list[Port | int]:
    """The wires without their heights, for what is too small to have them."""
    return [port.wire if isinstance(port, Port) else port for port in ports]


def _needed(ports: Sequence[Port | int]) -> float:
    """The height of a box with these wires at one side."""
    fixed = max([port.y for port in ports if isinstance(port, Port)], default=None)
    free = sum(not isinstance(port, Port) for port in ports)
    return LOWEST + PORT * max(free - 1, 0) if fixed is None else fixed + PORT * free + FIRST


def _spread(ports: Sequence[Port | int], height: float, apart: float = PORT) -> tuple[Port, ...]:
    free = [port for port in ports if not isinstance(port, Port)]
    fixed = [port.y for port in ports if isinstance(port, Port)]
    first = max(fixed) + apart if fixed else height / 2 - apart * (len(free) - 1) / 2
    return (
        *[port for port in ports if isinstance(port, Port)],
        *[Port(wire, first + i * apart) for i, wire in enumerate(free)],
    )


def rearranged(block: Block, ins: Sequence[int], outs: Sequence[int]) -> Block:
    """A loose block whose port i on a side stands at the place number ``ins[i]``, or ``outs[i]``, of that side."""
    left = tuple([Port(port.wire, block.ins[place].y) for port, place in zip(block.ins, ins, strict=True)])
    right = tuple([Port(port.wire, block.outs[place].y) for port, place in zip(block.outs, outs, strict=True)])
    heights = {port.wire: port.y for port in right}
    labels = tuple([replace(t, y=heights[t.wire] - 3.5) for t in block.drawing.labels])
    return replace(block, ins=left, outs=right, drawing=replace(block.drawing, labels=labels))
