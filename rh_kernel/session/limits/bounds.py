"""``%limit``: the limits of a cell, which protect the kernel; exceeding each is an error of its own (LANGUAGE §7)."""

from typing import Literal, TypeAlias

from rh_kernel.arrays.options import LONGEST
from rh_kernel.source.records import frozen
from rh_kernel.typing.definitions import NODES

Bound: TypeAlias = Literal["steps", "nodes", "equations", "output", "bytes", "seconds"]


@frozen
class Bounds:
    """The limits of a cell, as in ``MEANINGS``; ``None`` is no limit, for ``bytes`` half of the machine's memory."""

    steps: int | None = 1_000_000
    nodes: int | None = NODES
    equations: int | None = LONGEST
    output: int | None = 10_000_000
    bytes: int | None = None
    seconds: int | None = None


DEFAULT = Bounds()

EVERYTHING = 1 << 60
"""A bound that nothing exceeds."""

LEAST_OUTPUT = 1_000
"""The least bound on ``output``: with less, a cell could not report that the limit was changed."""

MEANINGS: dict[Bound, str] = {
    "steps": "steps of a reduction",
    "nodes": "nodes of a program, with the nets and handlers that it uses unfolded",
    "equations": "equations of a compiled program",
    "output": "characters that a cell shows",
    "bytes": "bytes of arrays at a time",
    "seconds": "seconds that a cell runs",
}


def value_of(bounds: Bounds, name: Bound) -> int | None:
    """Return the bound of this name."""
    return getattr(bounds, name)
