"""What can be one box in a drawing: a clause, a declared net, the way forth and back through a handler, a whole handler."""

from dataclasses import dataclass
from enum import Enum

from rh_kernel.denotational.parts import Leg


class FoldKind(Enum):
    """What a fold is about."""

    CLAUSE = "clause"
    NET = "net"
    LEGS = "legs"
    HANDLER = "handler"


@dataclass(frozen=True, slots=True)
class Fold:
    """Boxes that can be shown as one; what is before and what is after the turn of a reverse handler are two.

    ``number`` tells the folds of a sketch apart, whatever is open; a fold lies inside the fold ``outer``, in none if that is
    -1. ``label`` stands in its box, ``title`` on its frame. ``leg`` is that of a clause.
    """

    number: int
    kind: FoldKind
    label: str
    title: str
    gloss: str
    members: tuple[int, ...]
    outer: int = -1
    leg: Leg | None = None
