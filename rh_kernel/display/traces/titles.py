"""What a leg of a pass is about, in a few words."""

from collections.abc import Sequence

from rh_kernel.display.traces.frames import about, cut
from rh_kernel.display.traces.legs import Direction, Leg
from rh_kernel.operational.step import Step
from rh_kernel.syntax.core import RH, RevHandle
from rh_kernel.syntax.printing.printer import Memory

LONGEST = 60

ARROWS = {Direction.PLAIN: "·", Direction.FORWARD: "↓", Direction.TURN: "↺", Direction.BACKWARD: "↑"}


def title(leg: Leg, steps: Sequence[Step], memory: Memory) -> str:
    """The operation or term that the leg goes through, or the handler that it begins or turns with.

    ``memory`` is that of the trace.
    """
    if leg.opened_by is None:
        return "reduction"
    opening = steps[leg.opened_by]
    match opening.redex:
        case RevHandle(_, _, H):
            return f"rev handle … with {H.name or '{…}'}"
        case RH(_, _, H) if leg.direction is Direction.TURN:
            return f"return clause of {H.name or '{…}'}"
        case _:
            return cut(about(opening, memory), LONGEST)
