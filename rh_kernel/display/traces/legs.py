"""The legs of a pass: every operation and term on the way forward, the turn, every one on the way back (RH Fig. 7, 8).

``RH-Op`` and ``RH-Term`` put the rest of the command between a part that runs now and one that runs later, at the place
where they fire. So a step belongs to the innermost of these places that it lies in, and it is on the way back when the
rest has been there. Each reverse handler that was set off gives one ``V`` of legs: down to the turn, and up again.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

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


_OPENING = frozenset({Rule.REV_HANDLE, Rule.RH_OP, Rule.RH_TERM, Rule.RH_RETURN})


def legs(steps: Sequence[Step]) -> tuple[Leg, ...]:
    """The legs in order, every step in one of them.

    An ordinary handler around the reverse one moves places when it takes a continuation; then all is one plain leg.
    """
    places: list[_Place] = []
    found: list[Leg] = []
    for n, step in enumerate(steps):
        opens = step.rule in _OPENING and not (step.context is not None and step.context.opens)
        path = step.path if places or opens else ()
        if not _leave(places, path) and step.rule is Rule.H_OP:
            return (Leg(Direction.PLAIN, None, 0, len(steps) - 1, 0),)
        if opens:
            around = places[-1].depth if places else 0
            places.append(_Place(path, n, step.rule, around + (step.rule is not Rule.REV_HANDLE)))
        leg = _leg(places, n)
        if found and replace(leg, first=found[-1].first) == replace(found[-1], last=n):
            leg = replace(leg, first=found.pop().first)
        found.append(leg)
    return tuple(found)


def _leave(places: list[_Place], path: tuple[int, ...]) -> bool:
    """Leave the places that ``path`` does not lie in; whether it lies in all of them."""
    stayed = True
    while places and path[: len(places[-1].path)] != places[-1].path:
        left, stayed = places.pop(), False
        if places and left.rule is not Rule.REV_HANDLE:
            places[-1] = replace(places[-1], came_back=True)
    return stayed


def _leg(places: list[_Place], n: int) -> Leg:
    if not places:
        return Leg(Direction.PLAIN, None, n, n, 0)
    inner = places[-1]
    if inner.rule is Rule.REV_HANDLE:
        return Leg(Direction.FORWARD, inner.opened_by, n, n, inner.depth)
    if inner.rule is Rule.RH_RETURN:
        return Leg(Direction.TURN, inner.opened_by, n, n, inner.depth - 1)
    direction = Direction.BACKWARD if inner.came_back else Direction.FORWARD
    return Leg(direction, inner.opened_by, n, n, inner.depth - 1)
