"""A run of an arrow on a heap that keeps everything (RH Ex. 5.13, Def. 7.13): the value on every wire, each use of the heap.

The interpretation of a reverse handler goes forward and comes back (RH Def. 7.11). ``occurrences`` are the wires that it went
forward with, each with the cotangents that came back for it: the wire on which ``Q^f_Op`` gives its answer and the one that
goes into ``Q^b_Op``, and likewise around a pure map and its ``R'``.
"""

import math
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from rh_kernel.denotational.arrows import Arrow, Step
from rh_kernel.denotational.evaluate import run
from rh_kernel.denotational.parts import Handling, Mark, Side
from rh_kernel.denotational.wiring import Box, Diagram
from rh_kernel.primitives.schemes import extent
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.signature import Location
from rh_kernel.syntax.types import Type


@dataclass(frozen=True, slots=True)
class Use:
    """``Get`` or ``Put`` by the box at ``level``: what the location held before and holds after it."""

    level: int
    kind: str
    location: Location
    before: Array | None
    after: Array


@dataclass(frozen=True, slots=True)
class Recording:
    """The value of every wire of an arrow, the heap after it, and its uses of the heap in their order."""

    values: tuple[Array, ...]
    heap: Mapping[Location, Array]
    uses: tuple[Use, ...]


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One wire on the way forward of a handler: ``cotangents`` are the wires that hold what came back for it.

    Mostly that is one wire. There is none where nothing came back, and there are several where an ordinary handler around it
    ran the rest more than once.
    """

    mark: Mark
    wire: int
    cotangents: tuple[int, ...]


def record(
    a: Arrow, inputs: Sequence[Array], heap: Mapping[Location, Array], *, strict: bool = False
) -> Generator[None, None, Recording]:
    """``a`` at the arrays of its domain, box by box, with a pause after each; what the generator returns is the recording.

    Raises ``Stuck`` as ``evaluate.run`` does.
    """
    values, contents = list(inputs), dict(heap)
    uses: list[Use] = []
    types = a.types
    for level, box in enumerate(a.boxes):
        outcome = run(_alone(box, types), [values[w] for w in box.inputs], contents, strict=strict)
        values += outcome.values
        for kind, location in outcome.accesses:
            uses.append(Use(level, kind, location, contents.get(location), outcome.heap[location]))
            contents[location] = outcome.heap[location]
        yield
    return Recording(tuple(values), contents, tuple(uses))


def reals(a: Arrow) -> int:
    """How many reals the values on all wires of an arrow are."""
    return sum([math.prod(extent(A)) for A in a.types])


def occurrences(a: Arrow) -> tuple[Occurrence, ...]:
    """The wires that reverse handlers went forward with, in that order, and what came back for each."""
    back: dict[tuple[_Key, int], list[int]] = {}
    for mark, cotangent, wire in _partners(a, Side.COTANGENT):
        back.setdefault((_key(mark), wire), []).append(cotangent)
    return tuple(
        [Occurrence(mark, wire, tuple(back.get((_key(mark), wire), ()))) for wire, mark in a.marks if mark.side is Side.VALUE]
    )


def belonging(a: Arrow) -> Mapping[int, int]:
    """For each wire on a way back that is a cotangent, or a part of one, the wire that it belongs to.

    One that is copied belongs to several, as that of ``x + y`` does to x and to y; it is the last of them here.
    """
    found: dict[int, int] = {}
    for side in (Side.SHARE, Side.COTANGENT):
        whole: dict[int, int] = {}
        for _, cotangent, wire in _partners(a, side):
            whole[cotangent] = max(wire, whole.get(cotangent, wire))
        found.update(whole)
    return found


_Key: TypeAlias = tuple[Handling, int, int]


def _key(mark: Mark) -> _Key:
    return mark.handling, mark.level, mark.port


def _partners(a: Arrow, side: Side) -> Iterator[tuple[Mark, int, int]]:
    """Each wire that is marked so, with the wire of the way forward that it belongs to.

    Where the rest was run more than once, several wires stand for the same one: then it is the last of them before this one.
    """
    forward: dict[_Key, list[int]] = {}
    for wire, mark in a.marks:
        if mark.side is Side.VALUE:
            forward.setdefault(_key(mark), []).append(wire)
    for wire, mark in a.marks:
        if mark.side is side and (standing := forward.get(_key(mark))):
            yield mark, wire, max([w for w in standing if w <= wire], default=standing[0])


def _alone(box: Box[Step], types: Sequence[Type]) -> Arrow:
    """The arrow that is this one box, ``types`` being those of the wires around it."""
    n = len(box.inputs)
    single = Box(box.content, tuple(range(n)), box.outputs)
    return Diagram(tuple([types[w] for w in box.inputs]), (single,), tuple(range(n, n + len(box.outputs))))
