"""What one leg of a pass hands to the next (RH Fig. 7): values in the forward pass, cotangents in the backward pass."""

from collections.abc import Sequence
from typing import TypeAlias

from rh_kernel.display.traces.marking import head
from rh_kernel.display.traces.phases import Direction, Leg
from rh_kernel.operational.step import Step
from rh_kernel.syntax.core import RH, Bind, Perform, Return, Term
from rh_kernel.syntax.values import component

Flow: TypeAlias = tuple[tuple[str, Term], ...]


def flow(leg: Leg, steps: Sequence[Step], value: Term | None) -> Flow:
    """Return the names and values that a leg hands on; ``value`` is the result of the whole trace."""
    if leg.opened_by is None:
        return ()
    following = steps[leg.last + 1] if leg.last + 1 < len(steps) else None
    opening = steps[leg.opened_by].redex
    match leg.direction:
        case Direction.FORWARD:
            return _onwards(following, everything=not isinstance(opening, RH))
        case Direction.TURN | Direction.BACKWARD:
            V = value if following is None else _answer(following)
            return () if V is None or not isinstance(opening, RH) else _cotangents(opening, V)
        case Direction.PLAIN:
            return ()


def _onwards(following: Step | None, *, everything: bool) -> Flow:
    """The values of the next ``RH`` form, whose newest variable comes first; only that one unless ``everything``."""
    if following is None or not isinstance(following.redex, RH):
        return ()
    M = following.redex
    hints = M.scope.hints
    return tuple([(hint, component(M.values, i, len(hints))) for i, hint in enumerate(hints) if everything or i == 0])


def _answer(following: Step) -> Term | None:
    """The value that the ``RH_H^V(⟨y1, …, ym⟩. P)`` of the finished leg has evaluated to."""
    match following.redex:
        case Bind(Return(V), _):
            return V
        case _:
            return None


def _cotangents(opening: RH, V: Term) -> Flow:
    """The components of the answer for the variables that occur in the operation or term."""
    hints = opening.scope.hints
    _, P = head(opening)
    loose = P.argument.loose if isinstance(P, Perform) else P.loose
    count = len(hints)
    used = [i for i in range(count) if loose >> (count - 1 - i) & 1]
    return tuple([(hints[i] + "'", component(V, i, count)) for i in used])
