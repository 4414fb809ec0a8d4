"""The provenance of the boxes and wires of an interpreted handler (RH Def. 7.13), for drawings and tables."""

from collections.abc import Sequence
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
    """One use of a declared net: ``name`` as written; ``number`` distinguishes it from other uses next to it."""

    name: str
    number: int


@dataclass(frozen=True, slots=True)
class Part:
    """The part of the interpretation of a handler on a diagram that a box belongs to.

    ``handler`` is the handler's name, ``""`` if it is anonymous. ``level`` is the index of a box in the handled diagram: its
    forward and backward parts share it. ``operation`` is the operation in that box, ``None`` for a pure box and for the return
    clause. ``nets`` are the declared nets that contain the handled box, outermost first, and ``calls`` those inside this part
    that contain the new box.
    """

    handler: str
    leg: Leg
    level: int
    operation: Operation | None = None
    nets: tuple[Inlined, ...] = field(default=(), compare=False)
    calls: tuple[Inlined, ...] = field(default=(), compare=False)


def leg_of(place: Sequence[Part]) -> Leg | None:
    """Return the leg of the outermost reverse handler that a box is on.

    It is ``CLAUSE`` for a box that only belongs to clauses of ordinary handlers, and ``None`` outside of handlers.
    """
    legs = [part.leg for part in place]
    return next((leg for leg in legs if leg is not Leg.CLAUSE), legs[0] if legs else None)


class Side(Enum):
    """How a wire of a handler's interpretation relates to a wire of the handled diagram.

    It is the value in the forward pass, a summand of the cotangent, the whole cotangent, or auxiliary data saved for the
    backward pass of the box that made the wire.
    """

    VALUE = "value"
    SHARE = "share"
    COTANGENT = "cotangent"
    AUXILIARY = "auxiliary"


@dataclass(frozen=True, slots=True, eq=False)
class Handling:
    """One interpretation of a handler on a diagram, compared by identity: a handler may be interpreted more than once.

    ``handled`` is that diagram, an ``Arrow``, whose module imports this one; the levels of ``Part`` and ``Mark`` are those of
    its boxes.
    """

    handler: str
    handled: object = field(repr=False)


@dataclass(frozen=True, slots=True)
class Mark:
    """Relates a wire to a wire of the handled diagram: to output ``port`` of the box at ``level``.

    ``level`` is -1 for the wires of the domain. ``operation`` is the operation in that box, ``None`` if it is pure.
    """

    handling: Handling
    side: Side
    level: int
    port: int
    operation: Operation | None = field(default=None, compare=False)
