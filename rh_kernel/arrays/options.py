"""The options of a compilation."""

from math import isqrt
from typing import Literal, TypeAlias

from rh_kernel.source.records import frozen

Checkpointing: TypeAlias = int | Literal["off", "auto"]
"""Which states of a loop are kept for the backward pass: every k-th, all of them (``off``), or every √n-th of n (``auto``)"""


LONGEST = 1_000_000
"""Bound on the equations of a program, unless the session sets another"""

FEWEST = 9
"""The number of rounds from which on rounds are a loop; fewer rounds are unrolled."""


@frozen
class CompileOptions:
    """How a command or term is compiled.

    If ``strict``, running the program raises ``Stuck`` at a point where a function is not smooth (RH Def. E.4); loops are then
    unrolled. ``longest`` bounds the number of equations. From ``fewest`` rounds on, rounds that are alike are a loop; with
    ``None``, they never are. With ``checkpointing``, a loop does not keep what its backward pass needs: that is computed again,
    from every k-th state.
    """

    strict: bool = False
    longest: int = LONGEST
    fewest: int | None = FEWEST
    checkpointing: Checkpointing = "off"

    def rolls(self, rounds: int) -> bool:
        """Whether to make a loop of so many rounds."""
        return not self.strict and self.fewest is not None and rounds >= self.fewest

    def segment(self, rounds: int) -> int | None:
        """Return how many rounds lie between two states that are kept, or ``None`` if all of them are."""
        match self.checkpointing:
            case "off":
                k = rounds
            case "auto":
                k = isqrt(rounds - 1) + 1 if rounds else 0
            case int(k):
                pass
        return k if 1 < k < rounds else None


DEFAULT = CompileOptions()
