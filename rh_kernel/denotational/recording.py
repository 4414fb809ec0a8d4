"""A recorded run of an arrow on a heap (RH Ex. 5.13, Def. 7.13): the value on every wire, and each heap access.

The interpretation of a reverse handler has a forward and a backward pass (RH Def. 7.11). ``occurrences`` pairs each wire of the
forward pass with the cotangents computed for it: the wire with the result of ``Q^f_Op`` and the one that enters ``Q^b_Op``, and
likewise around a pure map and its ``R'``.
"""

import math
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from rh_kernel.denotational.arrows import Arrow, Step
from rh_kernel.denotational.evaluate import run
from rh_kernel.denotational.provenance import Handling, Mark, Side
from rh_kernel.denotational.wiring import Box, Diagram
from rh_kernel.primitives.schemes import extent
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.signature import Location
from rh_kernel.syntax.types import Type


@dataclass(frozen=True, slots=True)
class Use:
    """``Get`` or ``Put`` by the box at ``level``: the content of the location before and after."""

    level: int
    kind: str
    location: Location
    before: Array | None
    after: Array


@dataclass(frozen=True, slots=True)
class Recording:
    """The value of every wire of an arrow, the final heap, and the heap accesses in order."""

    values: tuple[Array, ...]
    heap: Mapping[Location, Array]
    uses: tuple[Use, ...]


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One wire of the forward pass of a handler; ``cotangents`` are the wires that hold its cotangents.

    Usually there is one. There is none if no cotangent reaches it, and there are several if an ordinary handler around it ran
    the rest more than once.
    """

    mark: Mark
    wire: int
    cotangents: tuple[int, ...]


def record(
    a: Arrow, inputs: Sequence[Array], heap: Mapping[Location, Array], *, strict: bool = False
) -> Generator[None, None, Recording]:
    """Run ``a`` on the arrays of its domain, yielding after each box; the generator returns the recording.

    Raises ``Stuck`` as ``evaluate.run`` does.
    """
    values, contents = list(inputs), dict(heap)
    uses: list[Use] = []
    types = a.types
    for level, box in enumerate(a.boxes):
        outcome = run(_single_box(box, types), [values[w] for w in box.inputs], contents, strict=strict)
        values += outcome.values
        for kind, location in outcome.accesses:
            uses.append(Use(level, kind, location, contents.get(location), outcome.heap[location]))
            contents[location] = outcome.heap[location]
        yield
    return Recording(tuple(values), contents, tuple(uses))


def reals(a: Arrow) -> int:
    """Return the total number of reals on all wires of an arrow."""
    return sum([math.prod(extent(A)) for A in a.types])


def occurrences(a: Arrow) -> tuple[Occurrence, ...]:
    """Return the wires of the forward passes of reverse handlers in order, each with its cotangents."""
    pulled: dict[tuple[_Key, int], list[int]] = {}
    for mark, cotangent, wire in _partners(a, Side.COTANGENT):
        pulled.setdefault((_key(mark), wire), []).append(cotangent)
    return tuple(
        [Occurrence(mark, wire, tuple(pulled.get((_key(mark), wire), ()))) for wire, mark in a.marks if mark.side is Side.VALUE]
    )


def belonging(a: Arrow) -> Mapping[int, int]:
    """Map each wire of a backward pass that is a cotangent, or a summand of one, to the wire that it is a cotangent of.

    A copied cotangent belongs to several wires, as that of ``x + y`` does to x and to y; here it is mapped to the last one.
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
    """Yield each wire marked with this side, together with the wire of the forward pass that it belongs to.

    If the rest was run more than once, several wires correspond to it: the last one before it is chosen.
    """
    forward: dict[_Key, list[int]] = {}
    for wire, mark in a.marks:
        if mark.side is Side.VALUE:
            forward.setdefault(_key(mark), []).append(wire)
    for wire, mark in a.marks:
        if mark.side is side and (candidates := forward.get(_key(mark))):
            yield mark, wire, max([w for w in candidates if w <= wire], default=candidates[0])


def _single_box(box: Box[Step], types: Sequence[Type]) -> Arrow:
    """Return the arrow that consists of this box; ``types`` are those of the wires around it."""
    n = len(box.inputs)
    single = Box(box.content, tuple(range(n)), box.outputs)
    return Diagram(tuple([types[w] for w in box.inputs]), (single,), tuple(range(n, n + len(box.outputs))))
