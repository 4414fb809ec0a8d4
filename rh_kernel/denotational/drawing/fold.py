"""Folds: parts of a drawing that can be drawn as one box, such as a clause, a declared net, or a whole handler."""

from dataclasses import dataclass
from enum import Enum

from rh_kernel.denotational.provenance import Leg


class FoldKind(Enum):
    """The kind of part: a clause, a declared net, both passes of a handler, a whole handler, rounds, or a choice."""

    CLAUSE = "clause"
    NET = "net"
    LEGS = "legs"
    HANDLER = "handler"
    ROUNDS = "rounds"
    CHOICE = "choice"


@dataclass(frozen=True, slots=True)
class Fold:
    """Boxes that can be drawn as one; for a reverse handler as one in the forward and one in the backward pass.

    ``number`` identifies the fold within a sketch, whatever is open; ``outer`` is the enclosing fold, -1 for none. ``label`` is
    written in the closed box, ``title`` on the frame of the open one. ``leg`` is set for a clause.
    """

    number: int
    kind: FoldKind
    label: str
    title: str
    gloss: str
    members: tuple[int, ...]
    outer: int = -1
    leg: Leg | None = None
