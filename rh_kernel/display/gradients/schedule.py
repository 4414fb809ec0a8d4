"""The runs of the boxes of a recorded pass in order, also those inside other boxes, round by round.

At frame f, f boxes have run. A loop is a box with rounds in it; a round begins with a run of the loop, or of the box that takes
its row, and the loop ends with another one.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rh_kernel.denotational.drawing.sketch import Nest, Node, Sketch
from rh_kernel.denotational.provenance import Leg, leg_of
from rh_kernel.denotational.recording import Recording, Run
from rh_kernel.syntax.types import UNIT


@dataclass(frozen=True, slots=True)
class Loop:
    """The rounds of one box: the frames at which they begin, in the order of the run, one list for each run of the loop."""

    node: Node
    nest: Nest
    is_backward: bool
    begins: tuple[tuple[int, ...], ...]
    ends: tuple[int, ...]

    @property
    def count(self) -> int:
        """The number of rounds."""
        return max(map(len, self.begins), default=0)


@dataclass(frozen=True, slots=True)
class Scheduled:
    """One run: its box, and the wires that it reads and writes.

    ``begins`` is the loop of which it begins a round, ``is_again`` whether that is not the first one.
    """

    frame: int
    run: Run
    node: Node
    leg: Leg | None
    reads: tuple[int, ...]
    makes: tuple[int, ...]
    begins: int | None = None
    is_again: bool = False


@dataclass(frozen=True, slots=True)
class Schedule:
    """All runs of the boxes that are drawn, and the loops by number. ``around`` maps a box to the loops around it."""

    steps: tuple[Scheduled, ...]
    loops: Mapping[int, Loop]
    around: Mapping[int, tuple[int, ...]]


def schedule(s: Sketch, recording: Recording) -> Schedule:
    """Return the schedule of a recorded pass."""
    return _Scheduler(s).schedule(recording)


class _Scheduler:
    def __init__(self, s: Sketch) -> None:
        self._s = s
        self._around: dict[int, tuple[int, ...]] = {}
        self._owner: dict[int, Node] = {}
        self._legs: dict[int, Leg | None] = {}
        self._written = set(s.inputs)
        self._taken: dict[int, int] = {}
        for node in s.nodes.values():
            self._visit(node, (), None)

    def _visit(self, node: Node, around: tuple[int, ...], outer: Leg | None) -> None:
        leg = leg_of(node.place) or outer
        self._around[node.number], self._legs[node.number] = around, leg
        if node.nest is None:
            return
        inside = (*around, node.number) if node.nest.is_loop else around
        for end in (node.nest.begin, node.nest.end):
            if end is not None:
                self._owner[end.number] = node
                self._around[end.number], self._legs[end.number] = inside, leg
        for branch in node.nest.branches:
            for inner in branch.nodes:
                self._visit(inner, inside, leg)

    def schedule(self, recording: Recording) -> Schedule:
        """Return the runs of drawn boxes, and the loops."""
        steps: list[Scheduled] = []
        begins: dict[int, list[list[int]]] = {}
        ends: dict[int, list[int]] = {}
        for run in recording.runs:
            if run.box not in self._s.every:
                continue
            owner = self._owner.get(run.box, self._s.every[run.box])
            is_again = len(begins.get(owner.number, [])) > len(ends.get(owner.number, []))
            step = self._step(len(steps) + 1, run, is_again=is_again)
            steps.append(step)
            self._written.update(step.makes)
            if owner.nest is None or not owner.nest.is_loop:
                continue
            if step.begins is None:
                begins.setdefault(owner.number, []).extend([] if is_again else [[]])
                ends.setdefault(owner.number, []).append(step.frame)
            elif not is_again:
                begins.setdefault(owner.number, []).append([step.frame])
            else:
                begins[owner.number][-1].append(step.frame)
        loops = {number: self._loop(number, begins.get(number, []), ends.get(number, [])) for number in self._loops()}
        return Schedule(tuple(steps), loops, self._around)

    def _loops(self) -> Iterator[int]:
        for node in self._s.every.values():
            if node.nest is not None and node.nest.is_loop:
                yield node.number

    def _loop(self, number: int, begins: Sequence[Sequence[int]], ends: Sequence[int]) -> Loop:
        node = self._s.every[number]
        if node.nest is None:
            raise KeyError(number)
        return Loop(node, node.nest, self._legs[number] is Leg.BACKWARD, tuple(map(tuple, begins)), tuple(ends))

    def _step(self, frame: int, run: Run, *, is_again: bool) -> Scheduled:
        node = self._s.every[run.box]
        owner = self._owner.get(run.box, node)
        makes = tuple([w for w, _ in run.writes if self._s.types[w] != UNIT])
        is_round = len(run.rounds) > len(self._around[owner.number])
        begins = owner.number if owner.nest is not None and owner.nest.is_loop and is_round else None
        reads = [w for w in self._reads(run, node, owner, is_round=is_round, is_again=is_again) if w in self._written]
        return Scheduled(frame, run, node, self._legs[run.box], tuple(reads), makes, begins, begins is not None and is_again)

    def _reads(self, run: Run, node: Node, owner: Node, *, is_round: bool, is_again: bool) -> Iterator[int]:
        """Yield the wires that a run reads."""
        nest = owner.nest
        if nest is None:
            yield from node.inputs
        elif nest.is_loop:
            for c in nest.round:
                yield c.start if is_round and not is_again else c.after
            yield from _inputs(nest.begin if is_round else nest.end)
        elif run.branch is not None:
            self._taken[owner.number] = run.branch
            yield from [w for w in _inputs(nest.end) if w in owner.inputs]
        else:
            taken, other = nest.branches[self._taken[owner.number]], nest.branches[1 - self._taken[owner.number]]
            left_out = set(other.results).difference(taken.results, owner.inputs)
            yield from [w for w in _inputs(nest.end) if w not in left_out]


def _inputs(node: Node | None) -> tuple[int, ...]:
    return () if node is None else node.inputs
