"""Stores ``σ``: the contents of the cells of ``RefState`` (references: Sigal 2024, §3.3.1), as persistent vectors.

A vector is a tree with 32 children at a node, so each state keeps its own store at the cost of a few tuples.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Generic, TypeVar, cast

T = TypeVar("T")

_BITS = 5
_WIDTH = 1 << _BITS
_MASK = _WIDTH - 1


class Vector(Generic[T]):
    """An immutable sequence; ``with_item`` and ``appended`` make a new one that shares most of the tree."""

    __slots__ = ("_root", "_shift", "size")

    def __init__(self, size: int = 0, shift: int = 0, root: tuple[Any, ...] = ()) -> None:
        self.size = size
        self._shift = shift
        self._root = root

    def __len__(self) -> int:
        return self.size

    def __iter__(self) -> Iterator[T]:
        return (self[i] for i in range(self.size))

    def __getitem__(self, i: int) -> T:
        if not 0 <= i < self.size:
            raise IndexError(i)
        node, shift = self._root, self._shift
        while shift:
            node = node[(i >> shift) & _MASK]
            shift -= _BITS
        return cast(T, node[i & _MASK])

    def with_item(self, i: int, item: T) -> "Vector[T]":
        """The vector with another item at index i. Raises ``IndexError``."""
        if not 0 <= i < self.size:
            raise IndexError(i)
        return Vector(self.size, self._shift, _put(self._root, self._shift, i, item))

    def appended(self, item: T) -> "Vector[T]":
        """The vector with one more item at the end."""
        i, shift, root = self.size, self._shift, self._root
        if i >> shift >= _WIDTH:
            shift, root = shift + _BITS, (root,)
        return Vector(i + 1, shift, _put(root, shift, i, item))


def _put(node: tuple[Any, ...], shift: int, i: int, item: object) -> tuple[Any, ...]:
    """The node with the item at index i, which may be the next free one."""
    place = (i >> shift) & _MASK
    below: object = _put(node[place] if place < len(node) else (), shift - _BITS, i, item) if shift else item
    return (*node[:place], below, *node[place + 1 :])


def vector(items: Iterable[T]) -> Vector[T]:
    """The vector of these items."""
    level: list[Any] = list(items)
    size, shift = len(level), 0
    level = [tuple(level[at : at + _WIDTH]) for at in range(0, size, _WIDTH)]
    while len(level) > 1:
        level = [tuple(level[at : at + _WIDTH]) for at in range(0, len(level), _WIDTH)]
        shift += _BITS
    return Vector(size, shift, level[0] if level else ())
