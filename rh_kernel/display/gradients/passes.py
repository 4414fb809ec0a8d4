"""Annotation of a recorded pass: the role and lifetime of each wire, and the table of values and cotangents.

A row of the table is a box in the forward pass of a reverse handler, with its value and the cotangents computed for it in the
backward pass (RH Def. 7.11). A box outside of reverse handlers has a value only.
"""

from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from rh_kernel.denotational.drawing.sketch import Sketch, operation_text, part_title, sketch
from rh_kernel.denotational.provenance import Handling, Leg, Part, Side
from rh_kernel.denotational.recording import Occurrence, Use, belonging, marks_of, occurrences
from rh_kernel.display.diagrams.text import wire_names
from rh_kernel.display.gradients.schedule import Schedule, Scheduled, schedule
from rh_kernel.display.heaps import by_name
from rh_kernel.session.results import Change, Pass
from rh_kernel.syntax.builtin import GET, PUT
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.types import UNIT, Type


class Role(Enum):
    """The role of a wire.

    It is a value in the forward pass; the content of a location that was read; data saved for the backward pass; a cotangent or
    a summand of one; the new content of a location; or another intermediate result of the backward pass.
    """

    VALUE = "value"
    PARAMETER = "parameter"
    AUXILIARY = "auxiliary"
    COTANGENT = "cotangent"
    UPDATE = "update"
    BACKWARD = "backward"


@dataclass(frozen=True, slots=True)
class Wire:
    """A wire that is drawn. ``of`` is the wire that it is a cotangent of.

    It is written in frame ``born``, 0 for the start, and read for the last time in frame ``last_read``. ``waits`` says whether
    it is saved for the backward pass. A wire inside a loop is written again in each round, in the frames ``writes``.
    """

    number: int
    name: str
    type: Type
    role: Role
    of: int | None
    waits: bool
    born: int
    last_read: int
    writes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the table: a box, its value and its cotangents, with their wires.

    Inside loops ``rounds`` are the numbers of the rounds, and there is a row for each round. ``part`` is the part of the
    handler's interpretation: ``Qᶠ FC[w0]`` for an operation, ``forward`` for a pure map, empty without a reverse handler. There
    are several cotangents if the rest of the program was run more than once.
    """

    label: str
    part: str
    handler: str
    name: str
    wire: int
    cotangents: tuple[int, ...]
    is_named: bool
    value: Array
    pulled: tuple[Array, ...]
    rounds: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class AnnotatedPass:
    """A pass with its wires and rows. ``frames`` maps boxes to the frame of their first run, counted from 1.

    ``turn`` is the first frame of the return clause or the backward pass, ``None`` if there is none.
    """

    made: Pass
    sketch: Sketch
    wires: Mapping[int, Wire]
    frames: Mapping[int, int]
    rows: tuple[Row, ...]
    turn: int | None
    schedule: Schedule

    @property
    def contents(self) -> Mapping[int, Array]:
        """What each wire holds that was written; of a wire inside a loop, in the last round."""
        found: dict[int, tuple[tuple[int, ...], Array]] = {w: ((), array) for w, array in enumerate(self.made.recording.values)}
        for step in self.schedule.steps:
            for w, array in step.run.writes:
                if w not in found or found[w][0] <= step.run.rounds:
                    found[w] = (step.run.rounds, array)
        return {w: array for w, (_, array) in found.items()}

    def uses(self) -> Iterator[tuple[int, str, Use]]:
        """Yield the heap accesses, each with its frame and the name of its location."""
        uses = self.made.recording.uses
        locations = list(dict.fromkeys([use.location for use in uses]))
        holding = {use.location: use.after for use in uses}
        names = dict(zip(locations, by_name([Change(place, None, holding[place]) for place in locations]), strict=True))
        frames = self._frames_of_runs()
        for use in uses:
            yield frames[use.run] if use.run in frames else self.frames[use.level], names[use.location], use

    def _frames_of_runs(self) -> Mapping[int, int]:
        """Return the frame of each run of the recording whose box is drawn."""
        frames = {id(step.run): step.frame for step in self.schedule.steps}
        return {i: frames[id(run)] for i, run in enumerate(self.made.recording.runs) if id(run) in frames}


def annotated(made: Pass) -> AnnotatedPass:
    """Annotate a recorded pass."""
    s = sketch(made.arrow)
    names = wire_names(s)
    order = schedule(s, made.recording)
    frames: dict[int, int] = {}
    for step in order.steps:
        frames.setdefault(step.node.number, step.frame)
    turn = next((step.frame for step in order.steps if step.leg in (Leg.RETURN, Leg.BACKWARD)), None)
    wires = {wire.number: wire for wire in _wires(made, s, names, order)}
    return AnnotatedPass(made, s, wires, frames, tuple(_rows(made, s, names, order)), turn, order)


@dataclass(frozen=True, slots=True)
class TableRow:
    """Corresponding rows of several passes: the first row, the forward values, and the cotangents in each pass."""

    row: Row
    values: list[Array]
    cotangents: list[list[Array]]


def table_rows(passes: Sequence[AnnotatedPass]) -> list[TableRow]:
    """Align the rows of several passes; a pass without a corresponding box has no value and no cotangents.

    The k-th box labelled ``FC[w0]`` of one pass corresponds to the k-th box with this label of another.
    """
    found: dict[tuple[str, int], TableRow] = {}
    for i, p in enumerate(passes):
        seen: Counter[str] = Counter()
        for row in p.rows:
            seen[row.label] += 1
            aligned = found.setdefault((row.label, seen[row.label]), TableRow(row, [], [[] for _ in passes]))
            aligned.values.append(row.value)
            aligned.cotangents[i] += row.pulled
    return [*found.values()]


def _wires(made: Pass, s: Sketch, names: Mapping[int, str], order: Schedule) -> Iterator[Wire]:
    writes: dict[int, list[int]] = {w: [0] for w in s.inputs}
    read: dict[int, int] = {}
    maker: dict[int, Scheduled] = {}
    put: set[int] = set()
    for step in order.steps:
        if step.node.family == PUT:
            put.update(step.reads)
        read.update(dict.fromkeys(step.reads, step.frame))
        maker.update(dict.fromkeys(step.makes, step))
        for w in step.makes:
            writes.setdefault(w, []).append(step.frame)
    read.update(dict.fromkeys(s.outputs, len(order.steps)))
    sides: dict[int, set[Side]] = {}
    for w, mark in marks_of(made.arrow):
        sides.setdefault(w, set()).add(mark.side)
    of = belonging(made.arrow)
    for w in sorted(writes):
        role = _role(sides.get(w, set()), maker.get(w), is_put=w in put)
        # What a loop of no rounds would have made is on no wire.
        whose = belongs if role is Role.COTANGENT and (belongs := of.get(w)) in writes else None
        waits = Side.AUXILIARY in sides.get(w, set())
        frames = tuple(writes[w])
        yield Wire(w, names[w], s.types[w], role, whose, waits, frames[0], read.get(w, frames[-1]), frames)


def _role(sides: set[Side], step: Scheduled | None, *, is_put: bool) -> Role:
    family = None if step is None else step.node.family
    is_back = step is not None and step.leg in (Leg.RETURN, Leg.BACKWARD)
    if Side.VALUE in sides and not is_back:
        return Role.VALUE
    if Side.COTANGENT in sides or Side.SHARE in sides:
        return Role.COTANGENT
    if family == GET:
        return Role.PARAMETER
    if Side.AUXILIARY in sides:
        return Role.AUXILIARY
    if is_back:
        return Role.UPDATE if is_put else Role.BACKWARD
    return Role.VALUE


def _rows(made: Pass, s: Sketch, names: Mapping[int, str], order: Schedule) -> Iterator[Row]:
    """Yield the rows in the order of the run; without loops and choices, those of an outer handler come first."""
    maker = {w: node for node in s.every.values() for w in node.outputs}
    found: dict[int, list[Occurrence]] = {}
    groups: dict[Handling, int] = {}
    for occurrence in occurrences(made.arrow):
        # Inside of handlers in each other a wire is in the forward pass of each.
        found.setdefault(occurrence.wire, []).append(occurrence)
        groups.setdefault(occurrence.mark.handling, len(groups))
    values = dict(enumerate(made.recording.values))
    written = {(w, step.run.rounds): array for step in order.steps for w, array in step.run.writes}
    plain = {w for step in order.steps if step.leg in (None, Leg.CLAUSE) for w in step.makes if w not in found}
    events = [(0, (), w) for w in s.inputs] + [(t.frame, t.run.rounds, w) for t in order.steps for w in t.makes]

    def at(w: int, rounds: tuple[int, ...]) -> Array | None:
        """Return what a wire holds in a round; a wire outside of a loop holds the same in each round."""
        inside = [written[w, rounds[:n]] for n in range(len(rounds), -1, -1) if (w, rounds[:n]) in written]
        return inside[0] if inside else values.get(w)

    def handled(occurrence: Occurrence, text: str, value: Array, rounds: tuple[int, ...]) -> Row:
        w, mark = occurrence.wire, occurrence.mark
        known = [(c, array) for c in occurrence.cotangents if (array := at(c, rounds)) is not None]
        wires, arrays, handler = tuple([c for c, _ in known]), tuple([array for _, array in known]), mark.handling.handler
        if mark.level < 0:
            name = (s.names[w] or names[w]) if rounds else names[w]
            return Row(s.names[w] or text, "", handler, name, w, wires, bool(s.names[w]), value, arrays, rounds)
        label = text if mark.operation is None else operation_text(mark.operation)
        part = part_title(Part(handler, Leg.FORWARD, mark.level, mark.operation))
        return Row(label, part, handler, names[w], w, wires, bool(s.names[w]), value, arrays, rounds)

    is_flat = all(node.nest is None for node in s.every.values())
    made_rows: list[tuple[int, int, Row]] = []
    without: deque[tuple[int, Row]] = deque()
    for i, (_, rounds, w) in enumerate(events):
        value, node = at(w, rounds), maker.get(w)
        if value is None or s.types[w] == UNIT:
            continue
        text = node.figure.text if node is not None else names[w]
        if w in plain:
            without.append((i, Row(text, "", "", names[w], w, (), bool(s.names[w]), value, (), rounds)))
        made_rows += [(groups[o.mark.handling] if is_flat else 0, i, handled(o, text, value, rounds)) for o in found.get(w, ())]
    for _, i, row in sorted(made_rows, key=lambda made: made[:2]):
        while without and without[0][0] < i:
            yield without.popleft()[1]
        yield row
    yield from [row for _, row in without]
