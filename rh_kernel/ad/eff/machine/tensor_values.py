"""``t : Tensor``: a value that is an array of float64, which nothing writes on."""

from typing import final

import numpy as np
from numpy.typing import ArrayLike, NDArray

FIRST = 6
"""How many entries are shown."""


@final
class Tensor:
    """A tensor; two with the same shape and entries are equal (nan is nan). It shares the array that it is made from.

    ``memory`` is what is alive as long as a tensor that uses the same memory.
    """

    __slots__ = ("array", "memory")

    def __init__(self, array: ArrayLike) -> None:
        self.array: NDArray[np.float64] = np.asarray(array, np.float64).view()
        self.array.flags.writeable = False
        self.memory: object = None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tensor):
            return NotImplemented
        return self.array is other.array or np.array_equal(self.array, other.array, equal_nan=True)

    def __hash__(self) -> int:
        return hash(self.array.shape)

    def __repr__(self) -> str:
        """``⟨2 × 3: 0.5, 1.5, …⟩``: the shape and the first entries, rounded; like a cell, it is written nowhere."""
        first = [f"{r:.6g}" for r in self.array.flat[:FIRST]]
        entries = ", ".join([*first, "…"] if self.array.size > FIRST else first)
        return f"⟨{sized(self.array.shape)}: {entries}⟩"


def sized(shape: tuple[int, ...]) -> str:
    """A shape as it is written: ``2 × 3``"""
    return " × ".join(map(str, shape)) or "no axes"
