"""The base class of the nodes of the core: each has a source span and its set of free indices."""

from collections.abc import Callable, Iterator
from dataclasses import field, fields
from typing import cast

from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span


@frozen
class Node:
    """Base of all core nodes: the source span and the set of free indices."""

    span: Span | None = field(default=None, kw_only=True, compare=False, repr=False)
    loose: int = field(init=False, compare=False, repr=False, default=0)


leave_loose: Callable[[Node, int], None] = vars(Node)["loose"].__set__
"""Sets the free indices of a new node; the slot descriptor is the fastest way, and nodes are created by the million."""

leave_span: Callable[[Node, Span | None], None] = vars(Node)["span"].__set__
"""Sets the span of a new node."""


def loose_in(*nodes: Node) -> int:
    """Return the union of the free indices of the nodes."""
    loose = 0
    for node in nodes:
        loose |= node.loose
    return loose


class Compound(Node):
    """A node whose free indices are those of its parts; one that is made often joins them itself, which takes less time."""

    def __post_init__(self) -> None:
        leave_loose(self, loose_in(*_parts(self)))


def _parts(node: Node) -> Iterator[Node]:
    for part_field in fields(node):
        value: object = getattr(node, part_field.name)
        for part in cast(tuple[object, ...], value) if isinstance(value, tuple) else (value,):
            if isinstance(part, Node):
                yield part
