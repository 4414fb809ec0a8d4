"""``%limit``: what bounds a cell, so that no program can take the kernel down; each bound has its own error (LANGUAGE §7)."""

from typing import Literal, TypeAlias

from rh_kernel.arrays.symbolic.builder import LONGEST
from rh_kernel.source.records import frozen
from rh_kernel.typing.definitions import NODES

Bound: TypeAlias = Literal["steps", "nodes", "equations", "output", "bytes", "seconds"]


@frozen
class Bounds:
    """The most that a cell may do; ``None`` is no bound, and for ``bytes`` half of the machine's memory.

    ``steps`` of a reduction, ``nodes`` of a program with its nets unfolded, ``equations`` of a compiled one, characters of
    ``output``, ``bytes`` of arrays at a time, and ``seconds``.
    """

    steps: int | None = 1_000_000
    nodes: int | None = NODES
    equations: int | None = LONGEST
    output: int | None = 10_000_000
    bytes: int | None = None
    seconds: int | None = None


DEFAULT = Bounds()

EVERYTHING = 1 << 60
"""More than anything has."""

LEAST_OUTPUT = 1_000
"""With fewer characters a cell could not even say that the limit is another one, and would fail."""

MEANINGS: dict[Bound, str] = {
    "steps": "steps of a reduction",
    "nodes": "nodes of a program, with the nets and handlers that it uses unfolded",
    "equations": "equations of a compiled program",
    "output": "characters that a cell shows",
    "bytes": "bytes of arrays at a time",
    "seconds": "seconds that a cell runs",
}


def value_of(bounds: Bounds, name: Bound) -> int | None:
    """The bound of this name."""
    return getattr(bounds, name)
