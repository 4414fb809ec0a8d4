"""The legs of a pass: every operation and term on the way forward, the turn, every one on the way back (RH Fig. 7, 8).

``RH-Op`` and ``RH-Term`` put the rest of the command between a part that runs now and one that runs later, at the place
where they fire. So a step belongs to the innermost of these places that it lies in, and it is on the way back when the
rest has been there. Each reverse handler that was set off gives one ``V`` of legs: down to the turn, and up again.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import TypeAlias

from rh_kernel.operational.contexts import Context, depth
from rh_kernel.operational.step import Step
from rh_kernel.paper import Rule


class Direction(Enum):
    """Where a leg leads: on towards the result, around at the ``return`` clause, or back with the cotangents."""

    PLAIN = "plain"
    FORWARD = "forward"
    TURN = "turn"
    BACKWARD = "backward"


@dataclass(frozen=True, slots=True)
class Leg:
    """The steps ``first`` to ``last`` (from 0, both included); the step ``opened_by`` has unfolded what the leg is about.

    ``depth`` is the number of legs it is sandwiched in; ``opened_by`` is ``None`` outside of all reverse handling.
    """

    direction: Direction
    opened_by: int | None
    first: int
    last: int
    depth: int


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the step ``opened_by`` fired; ``came_back`` says whether the rest that it put in the middle is done.

    ``depth`` is how many of the places around it, and of itself, are no beginnings of a pass.
    """

    path: tuple[int, ...]
    opened_by: int
    rule: Rule
    depth: int
    came_back: bool = False


_What: TypeAlias = tuple[Direction, int | None, int]
"""What a leg is, beside its steps: its direction, the step that opened it, and its depth."""

_OPENING = frozenset({Rule.REV_HANDLE, Rule.RH_OP, Rule.RH_TERM, Rule.RH_RETURN})


def legs(steps: Sequence[Step]) -> tuple[Leg, ...]:
    """The legs in order, every step in one of them.

    An ordinary handler around the reverse one moves places when it takes a continuation; then all is one plain leg.
    """
    places: list[_Place] = []
    trail = _Trail()
    found: list[Leg] = []
    now, first = _leg(places), 0
    for n, step in enumerate(steps):
        kept = trail.follow(step.context)
        if not _leave(places, trail.positions, kept) and step.rule is Rule.H_OP:
            return (Leg(Direction.PLAIN, None, 0, len(steps) - 1, 0),)
        if step.rule in _OPENING and not (step.context is not None and step.context.opens):
            around = places[-1].depth if places else 0
            places.append(_Place(tuple(trail.positions), n, step.rule, around + (step.rule is not Rule.REV_HANDLE)))
        leg = _leg(places)
        if leg != now:
            if n > first:
                found.append(_steps(first, n - 1, now))
            now, first = leg, n
    if len(steps) > first:
        found.append(_steps(first, len(steps) - 1, now))
    return tuple(found)


class _Trail:
    """The path of the last context. Of the next one only those parts are walked through that the two do not share."""

    def __init__(self) -> None:
        self.positions: list[int] = []
        self._parts: list[Context] = []

    def follow(self, K: Context | None) -> int:
        """Go on to the path of K; how many of the positions at its beginning are known to be what they were."""
        frames = depth(K)
        parts, fresh = self._parts, list[Context]()
        while K is not None and (frames > len(parts) or parts[frames - 1] is not K):
            fresh.append(K)
            K, frames = K.outer, frames - 1
        del parts[frames:], self.positions[frames:]
        for part in reversed(fresh):
            parts.append(part)
            self.positions.append(part.position)
        return frames


def _leave(places: list[_Place], path: Sequence[int], kept: int) -> bool:
    """Leave the places that ``path`` does not lie in; whether it lies in all of them.

    The path before lay in all of them, and ``kept`` is how far the two are known to be the same.
    """
    stayed = True
    while places and kept < len(places[-1].path) and tuple(path[: len(places[-1].path)]) != places[-1].path:
        left, stayed = places.pop(), False
        if places and left.rule is not Rule.REV_HANDLE:
            places[-1] = replace(places[-1], came_back=True)
    return stayed


def _leg(places: list[_Place]) -> _What:
    if not places:
        return Direction.PLAIN, None, 0
    inner = places[-1]
    if inner.rule is Rule.REV_HANDLE:
        return Direction.FORWARD, inner.opened_by, inner.depth
    if inner.rule is Rule.RH_RETURN:
        return Direction.TURN, inner.opened_by, inner.depth - 1
    return Direction.BACKWARD if inner.came_back else Direction.FORWARD, inner.opened_by, inner.depth - 1


def _steps(first: int, last: int, what: _What) -> Leg:
    direction, opened_by, around = what
    return Leg(direction, opened_by, first, last, around)
