"""The rounds of ``repeat``, ``scan`` and ``map`` in a trace: which steps are of round 17 of 100, forward and backward.

A round begins with the step that unfolds it and ends before the step that unfolds the next one. Inside of a reverse handler the
parts of its operations and terms that run later (RH Fig. 7) are its backward round: a leg of the backward pass belongs to the
round in which it was opened. Rounds nest as their loops do.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from rh_kernel.display.traces.phases import Direction, Leg
from rh_kernel.operational.contexts import Context, depth
from rh_kernel.operational.scans import scanning
from rh_kernel.operational.step import Step
from rh_kernel.paper import Rule
from rh_kernel.syntax import core, sequences

ROUND = "⟳"
"""The sign before the name of a round."""


@dataclass(frozen=True, slots=True)
class Round:
    """Round ``number`` of ``count``, counted from 1: the steps ``first`` to ``last`` (from 0, inclusive), ``level`` loops deep.

    ``loop`` is the word that the loop begins with, with the index of a ``repeat``.
    """

    loop: str
    number: int
    count: int
    is_backward: bool
    first: int
    last: int
    level: int

    @property
    def name(self) -> str:
        """``round 17 of 100`` or ``backward through round 17 of 100``"""
        name = f"round {self.number:,} of {self.count:,}"
        return f"backward through {name}" if self.is_backward else name

    @property
    def title(self) -> str:
        """The name and the loop: ``round 17 of 100 (repeat i)``"""
        return f"{self.name} ({self.loop})"

    @property
    def steps(self) -> str:
        """``step 12`` or ``steps 12–26``, counted from 1"""
        return f"step {self.first + 1:,}" if self.first == self.last else f"steps {self.first + 1:,}–{self.last + 1:,}"


@dataclass(slots=True, eq=False)
class _Loop:
    """A loop whose current round is ``number``; its steps are at least ``depth`` frames deep."""

    word: str
    count: int
    depth: int
    number: int
    around: "tuple[_Place, ...]"
    is_open: bool = True


_Place: TypeAlias = tuple[_Loop, int, bool]
"""A loop, the number of one of its rounds, and whether it is the backward one."""


def around(found: Sequence[Round], count: int) -> Iterator[tuple[Round, ...]]:
    """Yield the rounds that each of ``count`` steps is in, outermost first."""
    here: tuple[Round, ...] = ()
    at, upcoming = 0, found[0].first if found else count
    for n in range(count):
        while here and here[-1].last < n:
            here = here[:-1]
        while upcoming == n:
            here += (found[at],)
            at += 1
            upcoming = found[at].first if at < len(found) else count
        yield here


def outside(found: Sequence[Leg], loops: Sequence[Round]) -> list[Leg]:
    """Return the legs that have a step in no round."""
    outermost = [each for each in loops if each.level == 0]
    shown: list[Leg] = []
    at = 0
    for leg in found:
        while at < len(outermost) and outermost[at].last < leg.first:
            at += 1
        n, step = at, leg.first
        while n < len(outermost) and outermost[n].first <= step <= leg.last:
            n, step = n + 1, outermost[n].last + 1
        if step <= leg.last:
            shown.append(leg)
    return shown


@dataclass(frozen=True, slots=True)
class Shown:
    """A step, or a folded round in place of its steps, or steps that are left out; ``inside`` are the open rounds around it."""

    item: int | Round | range
    inside: tuple[Round, ...]

    @property
    def steps(self) -> range:
        """The steps that it stands for."""
        match self.item:
            case int(n):
                return range(n, n + 1)
            case Round(first=first, last=last):
                return range(first, last + 1)
            case range():
                return self.item


def outline(found: Sequence[Round], count: int, most: int, first: int, last: int) -> list[Shown]:
    """Return what is shown of ``count`` steps: all of up to ``most``; else rounds are folded, but for the first of a loop.

    If that is still more than ``most``, only the ``first`` and the ``last`` ones are shown.
    """
    if count <= most:
        return [Shown(n, inside) for n, inside in enumerate(around(found, count))]
    shown: list[Shown] = []
    folded = -1
    for n, inside in enumerate(around(found, count)):
        if n <= folded:
            continue
        level = next((i for i, each in enumerate(inside) if each.number > 1 or each.is_backward), None)
        if level is None:
            shown.append(Shown(n, inside))
        else:
            folded = inside[level].last
            shown.append(Shown(inside[level], inside[:level]))
    if len(shown) <= most:
        return shown
    gap = range(shown[first].steps.start, shown[-last - 1].steps.stop)
    return [*shown[:first], Shown(gap, ()), *shown[-last:]]


def rounds(steps: Sequence[Step], found: Sequence[Leg]) -> tuple[Round, ...]:
    """Return the rounds in the order of their first steps, outer ones first; ``found`` are the legs of the trace."""
    ended: list[Round] = []
    now: list[tuple[_Place, int]] = []
    last = 0
    before: tuple[_Place, ...] | None = None
    for n, places in enumerate(_places(steps, found)):
        last = n
        if places is before:
            continue
        before, same = places, 0
        while same < min(len(now), len(places)) and now[same][0] == places[same]:
            same += 1
        ended += [_round(place, first, n - 1, same + i) for i, (place, first) in enumerate(now[same:])]
        now[same:] = [(place, n) for place in places[same:]]
    ended += [_round(place, first, last, i) for i, (place, first) in enumerate(now)]
    return tuple(sorted(ended, key=lambda each: (each.first, each.level)))


def _round(place: _Place, first: int, last: int, level: int) -> Round:
    loop, number, is_backward = place
    return Round(loop.word, number, loop.count, is_backward, first, last, level)


def _places(steps: Sequence[Step], found: Sequence[Leg]) -> Iterator[tuple[_Place, ...]]:
    """Yield the rounds that each step is in, outermost first: the same tuple as long as nothing changes."""
    loops: list[_Loop] = []
    opened: dict[int, tuple[_Place, ...]] = {}
    openings = {leg.opened_by for leg in found}
    places: tuple[_Place, ...] = ()
    for leg in found:
        for n in range(leg.first, leg.last + 1):
            step = steps[n]
            frames = depth(step.context) if loops or step.rule in _UNFOLDING else 0
            is_left = bool(loops) and frames < loops[-1].depth
            if not is_left and n > leg.first and leg.opened_by not in (n, n - 1) and step.rule not in _UNFOLDING:
                if n in openings:
                    opened[n] = places
                yield places
                continue
            while loops and frames < loops[-1].depth:
                loops.pop().is_open = False
            way, opener = (leg.direction, leg.opened_by) if leg.opened_by != n else leg.within or (Direction.PLAIN, None)
            inherited = () if opener is None else _inherited(opened[opener], way)
            unfolded = _unfolded(step, loops)
            if unfolded is not None:
                _unfold(loops, *unfolded, frames, inherited)
                inherited = () if opener is None else _inherited(opened[opener], way)
            here = (*loops[-1].around, (loops[-1], loops[-1].number, False)) if loops else ()
            places = here if len(here) > len(inherited) else inherited
            if n in openings:
                opened[n] = places
            yield places


def _inherited(places: tuple[_Place, ...], way: Direction) -> tuple[_Place, ...]:
    """The rounds of a leg that a step in ``places`` has opened: after the end of a loop only its backward rounds are left."""
    found: list[_Place] = []
    for loop, number, is_backward in places:
        if is_backward:
            found.append((loop, number, True))
        elif loop.is_open:
            found.append((loop, loop.number, False))
        elif way is Direction.BACKWARD:
            found.append((loop, number, True))
    return tuple(found)


def _unfold(loops: list[_Loop], word: str, done: int, count: int, frames: int, inherited: tuple[_Place, ...]) -> None:
    """Begin the round after the first ``done`` ones, or end the loop if there is none."""
    while loops and done and (loops[-1].word, loops[-1].number, loops[-1].count) != (word, done, count):
        loops.pop().is_open = False
    if done and loops:
        loops[-1].number += 1
    elif done < count:
        here = (*loops[-1].around, (loops[-1], loops[-1].number, False)) if loops else ()
        loops.append(_Loop(word, count, frames, done + 1, here if len(here) > len(inherited) else inherited))
    if done == count and done and loops:
        loops.pop().is_open = False


def _unfolded(step: Step, loops: Sequence[_Loop]) -> tuple[str, int, int] | None:
    """The word of the loop that a step unfolds, how many of its rounds are done, and how many there are."""
    if step.rule not in _UNFOLDING:
        return None
    head = step.found
    match head.subject:
        case core.Repeat(index, first, count):
            return f"repeat {index}", first, count.constant or first
        case core.Scan() as M:
            found = scanning(M, head.context)
            # Rows of units cannot be counted.
            goes_on = found.outer is not head.context and bool(loops) and loops[-1].word == "scan"
            done = found.count.constant or (loops[-1].number if goes_on else 0)
            return "scan", done, done + sequences.rounds(M.source)
        case core.Map() as M:
            rest = sequences.rounds(M.source)
            done = loops[-1].number if loops and loops[-1].word == "map" and _goes_on(head.context) else 0
            return "map", done, done + rest
        case _:
            return None


def _goes_on(K: Context | None) -> bool:
    """Whether a map in K is that of the other rows, in ``let ys ← map … in cons(y, ys)``."""
    match K:
        case Context(form=core.Let(scope=core.Scope(body=core.Call(core.Defined(name="cons")))), position=0):
            return True
        case _:
            return False


_UNFOLDING = (Rule.MAP, Rule.REPEAT, Rule.RH_REPEAT, Rule.SCAN, Rule.RH_SCAN)
