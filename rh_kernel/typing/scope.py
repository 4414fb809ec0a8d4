"""``x1, …, xn``, what each of them means, and how to find the nearest of a name in O(log n): a list that is never copied.

The last few are a tuple; the others are in blocks of doubling size, each a table by name, and two blocks of one size become
one. So n names are put into tables about n log n times in all, and every scope on the way stays what it was.
"""

from collections.abc import Mapping
from typing import Generic, TypeVar

from rh_kernel.source.records import frozen

Meaning = TypeVar("Meaning")

RECENT = 16


@frozen
class Block(Generic[Meaning]):
    """The nearest of each name among ``count`` names in a row, with its position, and the blocks ``before``."""

    count: int
    names: Mapping[str, tuple[int, Meaning]]
    before: "Block[Meaning] | None"


@frozen
class Scope(Generic[Meaning]):
    """So many names, outermost first; positions count from 0."""

    count: int = 0
    recent: tuple[tuple[str, Meaning], ...] = ()
    blocks: Block[Meaning] | None = None

    def bind(self, name: str, meaning: Meaning) -> "Scope[Meaning]":
        """With one more name, the innermost."""
        recent = (*self.recent, (name, meaning))
        count = self.count + 1
        if len(recent) < RECENT:
            return Scope(count, recent, self.blocks)
        names = {x: (position, m) for position, (x, m) in enumerate(recent, start=count - RECENT)}
        return Scope(count, (), _with(Block(RECENT, names, self.blocks)))

    def find(self, name: str) -> tuple[int, Meaning] | None:
        """The position and the meaning of the nearest of that name."""
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
        """The nearest of each name, outermost first, with its position."""
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
