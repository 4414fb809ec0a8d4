"""How ``%diagram`` draws the rounds of a loop."""

from enum import Enum


class RoundsShown(Enum):
    """How the rounds of a ``repeat`` or a ``scan`` are drawn: one round for all, one box, or the first ones and the last."""

    ONCE = "once"
    FOLDED = "folded"
    UNROLLED = "unrolled"
