"""The legs of a pass: each operation and term of the forward pass, the turn, and the backward pass (RH Fig. 7, 8).

``RH-Op`` and ``RH-Term`` put the rest of the command between a part that runs now and one that runs later, at the position
where they fire. So a step belongs to the innermost such position that contains it, and it is in the backward pass if the rest
has been reduced already. Each reverse handler that is started gives one ``V`` of legs: down to the turn, and up again.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import TypeAlias

from rh_kernel.operational.contexts import Context, depth
from rh_kernel.operational.step import Step
from rh_kernel.paper import Rule
from rh_kernel.syntax.core import Bind


class Direction(Enum):
    """Direction of a leg: forward, the turn at the ``return`` clause, backward, or outside of reverse handling."""

    PLAIN = "plain"
    FORWARD = "forward"
    TURN = "turn"
    BACKWARD = "backward"


@dataclass(frozen=True, slots=True)
class Leg:
    """The steps ``first`` to ``last`` (from 0, inclusive); the step ``opened_by`` unfolded what the leg is about.

    ``depth`` is the number of enclosing legs; ``opened_by`` is ``None`` outside of all reverse handling. ``within`` is
    the direction of the leg in which that step fired, and the step that opened it.
    """

    direction: Direction
    opened_by: int | None
    first: int
    last: int
    depth: int
    within: tuple[Direction, int] | None = None


@dataclass(frozen=True, slots=True)
class _ActivePosition:
    """Where the step ``opened_by`` fired; ``came_back`` tells that the rest of the command inside is reduced.

    ``frames`` is its number of frames; ``depth`` counts the positions around it, itself included, that do not start a pass.
    """

    frames: int
    opened_by: int
    rule: Rule
    depth: int
    came_back: bool = False


_LegKind: TypeAlias = tuple[Direction, int | None, int, tuple[Direction, int] | None]
"""The direction of a leg, the step that opened it, its depth, and what it is within."""

_OPENING = (Rule.REV_HANDLE, Rule.RH_OP, Rule.RH_TERM, Rule.RH_RETURN)
"""Tuples of few rules are searched by identity, which takes less time than a hash in Python."""

_ROUNDS = (Rule.RH_REPEAT, Rule.RH_SCAN)
"""The rules that open a position if there is something for the backward pass to do, and else only unfold."""


def legs(steps: Sequence[Step]) -> tuple[Leg, ...]:
    """Return the legs in order; every step is in exactly one.

    If an ordinary handler around a reverse one captures a continuation, positions move; then there is one plain leg.
    """
    places: list[_ActivePosition] = []
    context_path = _ContextPath()
    found: list[Leg] = []
    now, first = _leg(places), 0
    for n, step in enumerate(steps):
        kept = context_path.follow(step.context)
        stays = _leave(places, kept)
        if not stays and step.rule is Rule.H_OP:
            return (Leg(Direction.PLAIN, None, 0, len(steps) - 1, 0),)
        if _opens(step) and not (step.context is not None and step.context.opens):
            around = places[-1].depth if places else 0
            frames = len(context_path.positions)
            places.append(_ActivePosition(frames, n, step.rule, around + (step.rule is not Rule.REV_HANDLE)))
        elif stays:
            continue
        leg = _leg(places)
        if leg != now:
            if n > first:
                found.append(_steps(first, n - 1, now))
            now, first = leg, n
    if len(steps) > first:
        found.append(_steps(first, len(steps) - 1, now))
    return tuple(found)


def _opens(step: Step) -> bool:
    return step.rule in _OPENING or (step.rule in _ROUNDS and isinstance(step.left.subject, Bind))


class _ContextPath:
    """The path of the current context. Only the frames that it does not share with the one before are visited."""

    def __init__(self) -> None:
        self.positions: list[int] = []
        self._parts: list[Context] = []

    def follow(self, K: Context | None) -> int:
        """Move to the context K; return the length of the common prefix of its path and the one before."""
        if self._parts and K is self._parts[-1]:
            return len(self._parts)
        frames = depth(K)
        parts, fresh = self._parts, list[Context]()
        while K is not None and (frames > len(parts) or parts[frames - 1] is not K):
            fresh.append(K)
            K, frames = K.outer, frames - 1
        before = self.positions[frames:]
        del parts[frames:], self.positions[frames:]
        for part in reversed(fresh):
            parts.append(part)
            self.positions.append(part.position)
        same = 0
        for one, other in zip(before, self.positions[frames:], strict=False):
            if one != other:
                break
            same += 1
        return frames + same


def _leave(places: list[_ActivePosition], kept: int) -> bool:
    """Pop the positions that do not contain the current path, whose common prefix with the one before has the length ``kept``.

    All contained the previous path. Return whether none was popped.
    """
    stayed = True
    while places and kept < places[-1].frames:
        left, stayed = places.pop(), False
        if places and left.rule is not Rule.REV_HANDLE:
            places[-1] = replace(places[-1], came_back=True)
    return stayed


def _leg(places: list[_ActivePosition]) -> _LegKind:
    if not places:
        return Direction.PLAIN, None, 0, None
    inner = places[-1]
    within = (_direction(places[-2]), places[-2].opened_by) if len(places) > 1 else None
    return _direction(inner), inner.opened_by, inner.depth - (inner.rule is not Rule.REV_HANDLE), within


def _direction(place: _ActivePosition) -> Direction:
    if place.rule is Rule.RH_RETURN:
        return Direction.TURN
    return Direction.BACKWARD if place.came_back and place.rule is not Rule.REV_HANDLE else Direction.FORWARD


def _steps(first: int, last: int, what: _LegKind) -> Leg:
    direction, opened_by, around, within = what
    return Leg(direction, opened_by, first, last, around, within)
