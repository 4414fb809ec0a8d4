"""Annotation of a recorded pass: the role and lifetime of each wire, and the table of values and cotangents.

A row of the table is a box in the forward pass of a reverse handler, with its value and the cotangents computed for it in the
backward pass (RH Def. 7.11). A box outside of reverse handlers has a value only.
"""

from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from rh_kernel.denotational.arrows import Effect
from rh_kernel.denotational.drawing.sketch import Node, Sketch, operation_text, part_title, sketch
from rh_kernel.denotational.provenance import Leg, Part, Side, leg_of
from rh_kernel.denotational.recording import Occurrence, Use, belonging, occurrences
from rh_kernel.display.diagrams.text import wire_names
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
    it is saved for the backward pass.
    """

    number: int
    name: str
    type: Type
    role: Role
    of: int | None
    waits: bool
    born: int
    last_read: int


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the table: a box, the wire of its value, and the wires of its cotangents.

    ``part`` is the part of the handler's interpretation: ``Qᶠ FC[w0]`` for an operation, ``forward`` for a pure map, empty
    without a reverse handler. There are several cotangents if the rest of the program was run more than once.
    """

    label: str
    part: str
    handler: str
    name: str
    wire: int
    cotangents: tuple[int, ...]
    is_named: bool


@dataclass(frozen=True, slots=True)
class AnnotatedPass:
    """A pass with its wires and rows. ``frames`` maps boxes to the order in which they run, counted from 1.

    ``turn`` is the first frame of the return clause or the backward pass, ``None`` if there is none.
    """

    made: Pass
    sketch: Sketch
    wires: Mapping[int, Wire]
    frames: Mapping[int, int]
    rows: tuple[Row, ...]
    turn: int | None

    def uses(self) -> Iterator[tuple[int, str, Use]]:
        """Yield the heap accesses, each with its frame and the name of its location."""
        uses = self.made.recording.uses
        locations = list(dict.fromkeys([use.location for use in uses]))
        holding = {use.location: use.after for use in uses}
        names = dict(zip(locations, by_name([Change(place, None, holding[place]) for place in locations]), strict=True))
        for use in uses:
            yield self.frames[use.level], names[use.location], use


def annotated(made: Pass) -> AnnotatedPass:
    """Annotate a recorded pass."""
    s = sketch(made.arrow)
    names = wire_names(s)
    frames = {number: frame for frame, number in enumerate(s.nodes, start=1)}
    found = occurrences(made.arrow)
    turn = next((frames[n] for n, node in s.nodes.items() if leg_of(node.place) in (Leg.RETURN, Leg.BACKWARD)), None)
    wires = {wire.number: wire for wire in _wires(made, s, names, frames)}
    return AnnotatedPass(made, s, wires, frames, tuple(_rows(made, s, names, found)), turn)


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
        arrays = p.made.recording.values
        for row in p.rows:
            seen[row.label] += 1
            aligned = found.setdefault((row.label, seen[row.label]), TableRow(row, [], [[] for _ in passes]))
            aligned.values.append(arrays[row.wire])
            aligned.cotangents[i] += [arrays[w] for w in row.cotangents]
    return [*found.values()]


def _wires(made: Pass, s: Sketch, names: Mapping[int, str], frames: Mapping[int, int]) -> Iterator[Wire]:
    born, read = dict.fromkeys(s.inputs, 0), dict[int, int]()
    maker: dict[int, Node] = {}
    put: set[int] = set()
    for number, node in s.nodes.items():
        content = made.arrow.boxes[number].content
        if isinstance(content, Effect) and content.operation.family == PUT:
            put.update(node.inputs)
        read.update(dict.fromkeys(node.inputs, frames[number]))
        born.update(dict.fromkeys(node.outputs, frames[number]))
        maker.update(dict.fromkeys(node.outputs, node))
    read.update(dict.fromkeys(s.outputs, len(frames)))
    sides: dict[int, set[Side]] = {}
    for w, mark in made.arrow.marks:
        sides.setdefault(w, set()).add(mark.side)
    of = belonging(made.arrow)
    for w in sorted(born):
        role = _role(sides.get(w, set()), maker.get(w), made, is_put=w in put)
        whose = of.get(w) if role is Role.COTANGENT else None
        waits = Side.AUXILIARY in sides.get(w, set())
        yield Wire(w, names[w], s.types[w], role, whose, waits, born[w], read.get(w, born[w]))


def _role(sides: set[Side], node: Node | None, made: Pass, *, is_put: bool) -> Role:
    content = None if node is None else made.arrow.boxes[node.number].content
    is_back = node is not None and leg_of(node.place) in (Leg.RETURN, Leg.BACKWARD)
    if Side.VALUE in sides and not is_back:
        return Role.VALUE
    if Side.COTANGENT in sides or Side.SHARE in sides:
        return Role.COTANGENT
    if isinstance(content, Effect) and content.operation.family == GET:
        return Role.PARAMETER
    if Side.AUXILIARY in sides:
        return Role.AUXILIARY
    if is_back:
        return Role.UPDATE if is_put else Role.BACKWARD
    return Role.VALUE


def _rows(made: Pass, s: Sketch, names: Mapping[int, str], found: Sequence[Occurrence]) -> Iterator[Row]:
    maker = {w: node for node in s.nodes.values() for w in node.outputs}
    handled = {occurrence.wire for occurrence in found}
    plain = deque([w for w, node in maker.items() if w not in handled and leg_of(node.place) in (None, Leg.CLAUSE)])

    def row(label: str, w: int, part: str = "", handler: str = "", cotangents: tuple[int, ...] = ()) -> Row:
        return Row(label, part, handler, names[w], w, cotangents, bool(s.names[w]))

    def text(w: int) -> str:
        return maker[w].figure.text if w in maker else names[w]

    for occurrence in found:
        w, mark = occurrence.wire, occurrence.mark
        if s.types[w] == UNIT:
            continue
        while plain and plain[0] < w:
            first = plain.popleft()
            yield row(text(first), first)
        handler = mark.handling.handler
        if mark.level < 0:
            yield row(s.names[w] or text(w), w, "", handler, occurrence.cotangents)
        else:
            label = text(w) if mark.operation is None else operation_text(mark.operation)
            part = part_title(Part(handler, Leg.FORWARD, mark.level, mark.operation))
            yield row(label, w, part, handler, occurrence.cotangents)
    for w in plain:
        yield row(text(w), w)
