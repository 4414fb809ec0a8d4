"""Elements of a drawing: boxes, frames and wires with coordinates, x to the right and y down.

A wire consists of strands. A strand goes through its points from left to right: straight between points of equal height,
otherwise along a curve that is horizontal at both ends. Between points one above the other it turns round.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from typing import Any, TypeAlias, cast

from rh_kernel.denotational.drawing.fold import Fold
from rh_kernel.denotational.drawing.sketch import BoxShape, Figure
from rh_kernel.denotational.drawing.text_metrics import type_width, width
from rh_kernel.denotational.provenance import Leg
from rh_kernel.syntax.types import Type

Point: TypeAlias = tuple[float, float]

Piece: TypeAlias = tuple[Point, ...]
"""A straight piece to one point, or a cubic Bézier curve with two control points."""

PORT = 16.0
"""The distance between wires at the side of a box."""

LOWEST = 26.0
"""The height of a box with one wire on each side."""

FIRST = LOWEST / 2
"""The distance from the top of a box to its first wire."""

_TINY = 18.0


@dataclass(frozen=True, slots=True)
class PlacedBox:
    """A figure; ``members`` are the numbers of the boxes that it stands for, several if a clause is folded.

    ``fold`` is the closed fold, if folds can be opened individually.
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
    """The frame around the boxes of one clause, or of an open ``fold``. ``leg`` is set for a clause."""

    leg: Leg | None
    title: str
    gloss: str
    x: float
    y: float
    width: float
    height: float
    fold: Fold | None = None


@dataclass(frozen=True, slots=True)
class Strand:
    """A piece of a wire."""

    wire: int
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Dot:
    """A point where a wire is copied, or ends because nothing reads it."""

    wire: int
    x: float
    y: float
    is_end: bool = False


@dataclass(frozen=True, slots=True)
class Label:
    """The type of a wire, written from this point to the right."""

    wire: int
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Drawing:
    """All elements of a drawing."""

    boxes: tuple[PlacedBox, ...] = ()
    frames: tuple[PlacedFrame, ...] = ()
    strands: tuple[Strand, ...] = ()
    dots: tuple[Dot, ...] = ()
    labels: tuple[Label, ...] = ()

    def moved(self, dx: float, dy: float) -> "Drawing":
        """Return the drawing translated by this vector."""
        strands = tuple([Strand(s.wire, tuple([(x + dx, y + dy) for x, y in s.points])) for s in self.strands])
        others = {kind: tuple([replace(e, x=e.x + dx, y=e.y + dy) for e in getattr(self, kind)]) for kind in _POSITIONED}
        return Drawing(strands=strands, **cast(dict[str, Any], others))


_POSITIONED = ("boxes", "frames", "dots", "labels")


def together(drawings: Iterable[Drawing]) -> Drawing:
    """Merge drawings into one."""
    many = [*drawings]
    return Drawing(*[tuple([e for d in many for e in getattr(d, f.name)]) for f in fields(Drawing)])


@dataclass(frozen=True, slots=True)
class Port:
    """The point where a wire meets the left or right side, this far below the top."""

    wire: int
    y: float


@dataclass(frozen=True, slots=True)
class Block:
    """A rectangle with wires entering on the left and leaving on the right.

    ``margin`` is the space that its labels need beside it. ``has_effects`` says whether it contains an operation. The wires of
    a block with ``is_loose`` may be reordered along its sides.
    """

    width: float
    height: float
    ins: tuple[Port, ...]
    outs: tuple[Port, ...]
    drawing: Drawing
    margin: float = 0.0
    has_effects: bool = False
    is_loose: bool = False


TURN = 16.0
"""How far the control points of a turn are to the side."""


def pieces(points: Sequence[Point]) -> Iterator[Piece]:
    """Yield the pieces of a strand from its first point on."""
    way = 1.0
    for (x, y), (to_x, to_y) in pairwise(points):
        if round(y, 1) == round(to_y, 1):
            way = 1.0 if to_x >= x else -1.0
            yield ((to_x, to_y),)
        elif round(x, 1) == round(to_x, 1):
            yield (x + way * TURN, y), (x + way * TURN, to_y), (to_x, to_y)
            way = -way
        else:
            middle = (x + to_x) / 2
            yield (middle, y), (middle, to_y), (to_x, to_y)


def extended(block: Block, before: float, after: float) -> Block:
    """Return the block with its wires extended to the left and to the right."""
    wide = before + block.width + after
    left = [Strand(p.wire, ((0.0, p.y), (before, p.y))) for p in block.ins if before]
    right = [Strand(p.wire, ((wide - after, p.y), (wide, p.y))) for p in block.outs if after]
    drawing = together([block.drawing.moved(before, 0.0), Drawing(strands=(*left, *right))])
    return replace(block, width=wide, drawing=drawing)


def box(
    figure: Figure,
    members: tuple[int, ...],
    ins: Sequence[Port | int],
    outs: Sequence[Port | int],
    types: Sequence[Type],
    height: float = 0.0,
) -> Block:
    """Return a single box; wires without a given height are spread evenly. ``height`` is its least height."""
    if figure.shape in (BoxShape.SUM, BoxShape.ZERO):
        left, right = _spread(_without_heights(ins), _TINY, 8.0), _spread(_without_heights(outs), _TINY, 8.0)
        drawing = Drawing((PlacedBox(members, figure, 0.0, 0.0, _TINY, _TINY),))
        return Block(_TINY, _TINY, left, right, drawing, is_loose=True)
    high = max(height, _least_height(ins), _least_height(outs))
    wide = max(width(figure.label) + 12.0, LOWEST)
    left, right = _spread(ins, high), _spread(outs, high)
    made = [port for port in right if port.wire not in {p.wire for p in left}]
    labels = tuple([Label(port.wire, wide + 4.0, port.y - 3.5) for port in made])
    margin = max([type_width(types[port.wire]) + 6.0 for port in made], default=0.0)
    drawing = Drawing((PlacedBox(members, figure, 0.0, 0.0, wide, high),), labels=labels)
    is_loose = not any(isinstance(port, Port) for port in (*ins, *outs))
    return Block(wide, high, left, right, drawing, margin, figure.shape is BoxShape.OPERATION, is_loose)


def _without_heights(ports: Sequence[Port | int]) -> list[Port | int]:
    """Return the wires without their heights, for boxes too small to have them."""
    return [port.wire if isinstance(port, Port) else port for port in ports]


def _least_height(ports: Sequence[Port | int]) -> float:
    """Return the height that a box needs for these wires on one side."""
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
    """Return a loose block whose port i on the left moves to position ``ins[i]``, and on the right to ``outs[i]``."""
    left = tuple([Port(port.wire, block.ins[place].y) for port, place in zip(block.ins, ins, strict=True)])
    right = tuple([Port(port.wire, block.outs[place].y) for port, place in zip(block.outs, outs, strict=True)])
    heights = {port.wire: port.y for port in right}
    labels = tuple([replace(t, y=heights[t.wire] - 3.5) for t in block.drawing.labels])
    return replace(block, ins=left, outs=right, drawing=replace(block.drawing, labels=labels))
