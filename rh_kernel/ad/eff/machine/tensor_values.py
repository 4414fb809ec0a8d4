"""``t : Tensor``: a value that holds an immutable array of float64."""

from typing import final

import numpy as np
from numpy.typing import ArrayLike, NDArray

FIRST = 6
"""The number of entries that are shown."""


@final
class Tensor:
    """A tensor, a view of the array that it is made from. It equals one of the same shape and entries (nan equals nan).

    ``memory`` is an object that tensors with the same memory share; it accounts for that memory until the last one is freed.
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
        """``⟨2 × 3: 0.5, 1.5, …⟩``: the shape and the first entries, rounded; tensors have no syntax."""
        first = [f"{r:.6g}" for r in self.array.flat[:FIRST]]
        entries = ", ".join([*first, "…"] if self.array.size > FIRST else first)
        return f"⟨{sized(self.array.shape)}: {entries}⟩"


def sized(shape: tuple[int, ...]) -> str:
    """The text of a shape: ``2 × 3``"""
    return " × ".join(map(str, shape)) or "no axes"
