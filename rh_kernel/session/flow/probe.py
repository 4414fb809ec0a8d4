"""Recorded passes of a trained command, measured: the sizes of what its boxes make and of what comes back to them.

The diagram of the command is made once. The components of a sample are constants in it (RH Def. 7.13 substitutes values for the
variables of Γ), whose arrays belong to the probe alone and are overwritten for each pass.
"""

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from rh_kernel.denotational.arrows import Arrow, Effect
from rh_kernel.denotational.commands import interpret
from rh_kernel.denotational.drawing.sketch import Node, Sketch, sketch
from rh_kernel.denotational.nesting import Numbering, numbered
from rh_kernel.denotational.provenance import Handling
from rh_kernel.denotational.recording import Occurrence, Recording, marks_of, occurrences, reals, record
from rh_kernel.denotational.rounds import Rounds
from rh_kernel.session.flow.records import QUANTITIES, FlowBox, FlowNet
from rh_kernel.syntax.binding import instantiate_command
from rh_kernel.syntax.builtin import PUT
from rh_kernel.syntax.core import Array, Const, Scope
from rh_kernel.syntax.signature import Location, LocationFamily, Member, members
from rh_kernel.syntax.types import Real, concrete_shape
from rh_kernel.training.samples import DataSet
from rh_kernel.typing.elaboration.items import TrainingRun

MOST_UNITS = 4096
"""Units of boxes with more are not watched."""


@dataclass(frozen=True, slots=True)
class Watched:
    """A box in a recorded pass: the wires with its results, those with their cotangents, and the locations of its weights."""

    box: FlowBox
    values: tuple[int, ...]
    cotangents: tuple[int, ...]
    locations: tuple[Location | Member, ...]


@dataclass(frozen=True, slots=True)
class Measured:
    """A measured pass: the sizes (3, boxes), and for each box that is watched which of its units are not 0."""

    sizes: Array
    alive: Mapping[int, Array]


class Probe:
    """Runs a trained command on single samples. Raises ``Stuck`` if its diagram is too large."""

    def __init__(self, run: TrainingRun, data: DataSet) -> None:
        self._slots = {name: np.zeros(data.sources[name].shape[1:]) for name, _ in run.sample}
        names = tuple([name for name, _ in run.sample])
        command = instantiate_command(Scope(names, run.command), *[Const(self._slots[name]) for name in names])
        self.arrow = interpret((), Scope((), command), Rounds.ONCE)
        self._data = data
        found = [_watched(h, self.arrow) for h in _outermost(self.arrow)] or [_without_handler(self.arrow)]
        self.nets = tuple([net for net, _ in found])
        self._watched = tuple([one for _, watched in found for one in watched])
        self._wires = {w for one in self._watched for w in (*one.values, *one.cotangents)}
        self._units = {one.values[0]: i for i, one in enumerate(self._watched) if one.box.units > 1}

    @property
    def reals(self) -> int:
        """How many numbers the wires hold during a pass."""
        return reals(self.arrow)

    def measured(self, sample: int, heap: Mapping[Location, Array], *, strict: bool = False) -> Generator[None, None, Measured]:
        """Run the command on a sample from this heap, which is not modified. Raises ``Stuck``."""
        for name, slot in self._slots.items():
            slot[...] = self._data.sources[name].take(np.array([sample]))[0]
        recording = yield from record(self.arrow, (), heap, strict=strict)
        with np.errstate(all="ignore"):
            return self._measure(recording)

    def _measure(self, recording: Recording) -> Measured:
        squares: dict[int, tuple[float, int]] = {}
        alive: dict[int, Array] = {}
        for run in recording.runs:
            for w, array in run.writes:
                if w not in self._wires:
                    continue
                flat = np.asarray(array, np.float64).ravel()
                total, count = squares.get(w, (0.0, 0))
                squares[w] = total + float(flat @ flat), count + flat.size
                if w in self._units:
                    i = self._units[w]
                    now: Array = np.asarray(array.reshape(len(array), -1).any(axis=1))
                    alive[i] = np.logical_or(now, alive[i]) if i in alive else now
        changes = _changes(recording)
        sizes = np.full((len(QUANTITIES), len(self._watched)), np.nan)
        for i, one in enumerate(self._watched):
            sizes[:, i] = _size(squares, one.values), _size(squares, one.cotangents), _change(changes, one.locations)
        return Measured(sizes, alive)


def _size(squares: Mapping[int, tuple[float, int]], wires: Sequence[int]) -> float:
    found = [squares[w] for w in wires if w in squares]
    count = sum([n for _, n in found])
    return float(np.sqrt(sum([total for total, _ in found]) / count)) if count else np.nan


def _changes(recording: Recording) -> Mapping[Location, tuple[Array, Array]]:
    """The contents of the locations that were written to, before and after the pass."""
    found: dict[Location, tuple[Array, Array]] = {}
    for use in recording.uses:
        if use.kind == PUT.name and use.before is not None:
            found[use.location] = (found[use.location][0] if use.location in found else use.before), use.after
    return found


def _change(changes: Mapping[Location, tuple[Array, Array]], locations: Sequence[Location | Member]) -> float:
    """The size of the change relative to that of the contents: 0 if nothing was written, nan without locations."""
    if not locations:
        return np.nan
    pairs = [pair for at, pair in changes.items() if any(_is_at(at, location) for location in locations)]
    apart = sum([float(np.sum(np.square(after - before))) for before, after in pairs])
    whole = sum([max(float(np.sum(np.square(before))), float(np.sum(np.square(after)))) for before, after in pairs])
    return float(np.sqrt(np.divide(apart, whole))) if pairs and whole else 0.0


def _is_at(found: Location, location: Location | Member) -> bool:
    """Whether a location is the one, or one of those, that an operation names; in a loop it names members by the round."""
    if isinstance(location, Member):
        return isinstance(location.family, LocationFamily) and found in members(location.family)
    return found == location


def _outermost(arrow: Arrow) -> tuple[Handling, ...]:
    """Return the interpretations of reverse handlers in an arrow that are in no other one."""
    every = dict.fromkeys([mark.handling for _, mark in marks_of(arrow)])
    inner = {mark.handling for h in every for _, mark in marks_of(_handled(h))}
    bodies = {id(part.arrow) for h in every for part in _inside(numbered(_handled(h)).root)}
    return tuple([h for h in every if h not in inner and id(h.handled) not in bodies])


def _handled(handling: Handling) -> Arrow:
    return cast(Arrow, handling.handled)


def _inside(root: Numbering) -> Iterator[Numbering]:
    return (part for part in root.everywhere() if part is not root)


def _watched(handling: Handling, arrow: Arrow) -> tuple[FlowNet, tuple[Watched, ...]]:
    """Return the net that is handled, and its boxes in the pass ``arrow``."""
    of: dict[tuple[int, int], list[Occurrence]] = {}
    for occurrence in occurrences(arrow):
        mark = occurrence.mark
        of.setdefault((id(mark.handling.handled), mark.level), []).append(occurrence)
    net, watched = _handled(handling), list[Watched]()
    s, root = sketch(net), numbered(net).root
    for part in root.everywhere():
        for level, number in enumerate(part.boxes):
            found = of.get((id(part.arrow), level), [])
            node = s.every.get(number)
            if node is None or not found:
                continue
            content = part.arrow.boxes[level].content
            values = tuple([o.wire for o in found])
            cotangents = tuple([w for o in found for w in o.cotangents])
            locations = _locations(content.operation.indices) if isinstance(content, Effect) else ()
            watched.append(Watched(_box(node, s, locations, in_loop=part is not root), values, cotangents, locations))
    return _net(handling.handler, net, s, watched)


def _without_handler(arrow: Arrow) -> tuple[FlowNet, tuple[Watched, ...]]:
    """Return a command that is not handled as a net without cotangents."""
    s = sketch(arrow)
    watched = [Watched(_box(node, s, ()), node.outputs, (), ()) for node in s.nodes.values() if node.outputs]
    return _net("", arrow, s, watched)


def _net(handler: str, diagram: Arrow, s: Sketch, watched: Sequence[Watched]) -> tuple[FlowNet, tuple[Watched, ...]]:
    return FlowNet(handler, diagram, tuple([one.box for one in watched])), tuple(watched)


def _box(node: Node, s: Sketch, locations: Sequence[Location | Member], *, in_loop: bool = False) -> FlowBox:
    makers = {w: other.number for other in s.every.values() for w in other.outputs}
    reads = tuple([makers[w] for w in node.inputs if w in makers])
    A = s.types[node.outputs[0]] if len(node.outputs) == 1 else None
    shape = concrete_shape(A) if isinstance(A, Real) else None
    units = shape[0] if shape and 1 < shape[0] <= MOST_UNITS else 0
    return FlowBox(node.number, node.figure.text, tuple([at.name for at in locations]), reads, units, in_loop)


def _locations(indices: Sequence[object]) -> tuple[Location | Member, ...]:
    return tuple([index for index in indices if isinstance(index, Location | Member)])
