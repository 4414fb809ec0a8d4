"""A persistent list of bindings ``x1, …, xn`` in which the innermost one of a name is found in O(log n).

The most recent bindings are a tuple; the others are in hash tables whose sizes are doubled by merging two of equal size. So n
bindings cost about n log n table insertions in total, and earlier scopes remain valid.
"""

from collections.abc import Mapping
from typing import Generic, TypeVar

from rh_kernel.source.records import frozen

Meaning = TypeVar("Meaning")

RECENT = 16


@frozen
class Block(Generic[Meaning]):
    """The innermost binding of each name in ``count`` consecutive bindings, with its position, and the blocks ``before``."""

    count: int
    names: Mapping[str, tuple[int, Meaning]]
    before: "Block[Meaning] | None"


@frozen
class Scope(Generic[Meaning]):
    """A list of ``count`` bindings, outermost first; positions count from 0."""

    count: int = 0
    recent: tuple[tuple[str, Meaning], ...] = ()
    blocks: Block[Meaning] | None = None

    def bind(self, name: str, meaning: Meaning) -> "Scope[Meaning]":
        """Add a binding, the innermost one."""
        recent = (*self.recent, (name, meaning))
        count = self.count + 1
        if len(recent) < RECENT:
            return Scope(count, recent, self.blocks)
        names = {x: (position, m) for position, (x, m) in enumerate(recent, start=count - RECENT)}
        return Scope(count, (), _with(Block(RECENT, names, self.blocks)))

    def find(self, name: str) -> tuple[int, Meaning] | None:
        """The position and the meaning of the innermost binding of a name, or ``None``."""
        position = self.count
        for x, meaning in reversed(self.recent):
            position -= 1
            if x == name:
                return position, meaning
        block = self.blocks
        while block is not None:
            found = block.names.get(name)
            if found is not None:
                return found
            block = block.before
        return None

    def visible(self) -> list[tuple[int, Meaning]]:
        """The innermost binding of each name, outermost first, with its position."""
        found: dict[str, tuple[int, Meaning]] = {}
        block = Block(0, {x: (i, m) for i, (x, m) in enumerate(self.recent, start=self.count - len(self.recent))}, self.blocks)
        while block is not None:
            found = {**block.names, **found}
            block = block.before
        return sorted(found.values(), key=lambda placed: placed[0])


def _with(block: Block[Meaning]) -> Block[Meaning]:
    while block.before is not None and block.before.count == block.count:
        block = Block(2 * block.count, {**block.before.names, **block.names}, block.before.before)
    return block
