"""Where the boxes of an interpreted handler come from (RH Def. 7.13): the notes that a drawing of the diagram goes by."""

from dataclasses import dataclass
from enum import Enum

from rh_kernel.syntax.core import Operation


class Leg(Enum):
    """Before the return clause, the return clause, after it; or the clause of an ordinary handler."""

    FORWARD = "forward"
    RETURN = "return"
    BACKWARD = "backward"
    CLAUSE = "clause"


@dataclass(frozen=True, slots=True)
class Part:
    """One part of the interpretation of a handler on a diagram.

    ``handler`` is the handler's name, ``""`` if it is written out. ``level`` is the position of a box in the diagram that is
    handled: the forward and the backward part of one box share it. ``operation`` is the operation in that box; a pure box and
    the return clause have none.
    """

    handler: str
    leg: Leg
    level: int
    operation: Operation | None = None
