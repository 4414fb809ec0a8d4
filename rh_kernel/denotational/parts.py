"""Where the boxes and wires of an interpreted handler come from (RH Def. 7.13): the notes that drawings and tables go by."""

from dataclasses import dataclass, field
from enum import Enum

from rh_kernel.syntax.core import Operation


class Leg(Enum):
    """Before the return clause, the return clause, after it; or the clause of an ordinary handler."""

    FORWARD = "forward"
    RETURN = "return"
    BACKWARD = "backward"
    CLAUSE = "clause"


@dataclass(frozen=True, slots=True)
class Inlined:
    """One use of a declared net, ``name`` as it is written; ``number`` tells it from other uses beside it."""

    name: str
    number: int


@dataclass(frozen=True, slots=True)
class Part:
    """One part of the interpretation of a handler on a diagram.

    ``handler`` is the handler's name, ``""`` if it is written out. ``level`` is the position of a box in the diagram that is
    handled: the forward and the backward part of one box share it. ``operation`` is the operation in that box; a pure box and
    the return clause have none. ``nets`` are the declared nets that the handled box is written in, the outermost first, and
    ``calls`` those around what is in this part.
    """

    handler: str
    leg: Leg
    level: int
    operation: Operation | None = None
    nets: tuple[Inlined, ...] = field(default=(), compare=False)
    calls: tuple[Inlined, ...] = field(default=(), compare=False)


class Side(Enum):
    """What a wire of a handler's interpretation is to a wire of the diagram that is handled.

    It is its value on the way forward, a part of its cotangent, its whole cotangent; or it waits beside the rest for the way
    back to the box that made it.
    """

    VALUE = "value"
    SHARE = "share"
    COTANGENT = "cotangent"
    AUXILIARY = "auxiliary"


@dataclass(frozen=True, slots=True, eq=False)
class Handling:
    """One interpretation of a handler on a diagram; it equals no other one, also none of the same handler."""

    handler: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A wire belongs to a wire of the diagram that is handled: to output ``port`` of the box at ``level``.

    ``level`` is -1 for the wires of its domain. ``operation`` is the operation in that box, ``None`` if it is pure.
    """

    handling: Handling
    side: Side
    level: int
    port: int
    operation: Operation | None = field(default=None, compare=False)
