"""Strip mining: several steps run on a strip of the samples, then on the next strip.

Intermediate results stay in the first-level cache, and those not needed after the strip use the same memory in every strip. For
each sample, the steps run in the order of the plan.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod

from rh_kernel.arrays.arena import round_up
from rh_kernel.arrays.native.axes import Axis, axes, entangled, reach
from rh_kernel.arrays.native.fused_matvec_update import FusedUpdate
from rh_kernel.arrays.native.schedule import Machine, canonical, schedule
from rh_kernel.arrays.planning.dependence import reads, restricted, with_views, writes
from rh_kernel.loops.ir import Buffer, Contract, Gather, Map, Plan, Reduce, Scratch, Step, View
from rh_kernel.loops.trees import leaves

WORKING_SET = 40 << 10
"""Target size of a strip's working set, in bytes."""
LEAST = 128
"""Entries per sample that make a step worth a loop of its own."""
LONGEST = 40
"""The most steps in a strip."""
TERMS = 100
"""Terms per strip that make it worth accumulating a sum across strips."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A step restricted to the first strip; in each further strip, its views move by so many entries"""

    step: Step
    moves: Mapping[View, int]
    whole: Step
    axis: int


@dataclass(frozen=True, slots=True)
class Strips:
    """The pieces in order, repeated ``count`` times; ``workspace`` is the size of the strips' own buffer, the last one.

    If they are ``independent``, strips may run at the same time, given a buffer of their own, and copies of ``sums``: the views
    to which all strips add, which nothing else in them uses.
    """

    pieces: tuple[Piece, ...]
    count: int
    workspace: int
    independent: bool
    sums: tuple[View, ...]


@dataclass(frozen=True, slots=True)
class _Span:
    """The entries ``low`` to ``high`` of a buffer, moved by ``move`` for each strip"""

    buffer: int
    low: int
    high: int
    move: int
    written: bool


def strip_mined(
    steps: Sequence[Step | FusedUpdate], plan: Plan, machine: Machine, number: int
) -> list[Step | FusedUpdate | Strips]:
    """Strip-mine the steps where it pays. ``number`` is the number of the buffer after all others."""
    samples = plan.samples or 1
    if samples == 1 or plan.scratch * machine.item <= 2 * WORKING_SET:
        return list(steps)
    found: list[Step | FusedUpdate | Strips] = []
    order = _Dependences(samples, plan.buffers, _live_ranges(steps, plan))
    at = 0
    while at < len(steps):
        pieces = _longest_run(steps, at, order, machine)
        made = _strips(pieces, at, order, machine, number)
        found += [made] if made is not None else steps[at : at + max(1, len(pieces))]
        at += max(1, len(pieces))
    return found


def _longest_run(steps: Sequence[Step | FusedUpdate], at: int, order: "_Dependences", machine: Machine) -> list[Piece]:
    """The pieces of the longest run of steps from ``at`` on that can be strip-mined together."""
    pieces: list[Piece] = []
    for step in steps[at : at + LONGEST]:
        # A scratch buffer may be private to the strip if the steps extend to its last use, so assume that first.
        longer = ([*pieces, p] for p in _pieces(step, order.samples, machine))
        found = next((some for some in longer if order.holds(some, order.own(some, at, len(steps)))), None)
        if found is None:
            break
        pieces = found
    while True:
        # A later step may use another part of the buffer, so that it is not private; then check all pieces again.
        own = order.own(pieces, at, at + len(pieces))
        if all(order.holds(pieces[:n], own) for n in range(len(pieces) + 1)):
            return pieces
        pieces.pop()


def _pieces(step: Step | FusedUpdate, samples: int, machine: Machine) -> Iterator[Piece]:
    """The step split along each axis that may be the axis of samples, outermost first."""
    match step:
        case Map(shape):
            found = [(axis, step.stores[0].view) for axis in range(len(shape))]
        case Reduce(_, output):
            found = [(axis, output) for axis in range(len(output.shape))]
        case Gather(output):
            found = [(axis, output) for axis in range(len(output.shape) - 1)]
        case Contract(extents, output, left):
            inner = range(len(extents)) if step.accumulate else ()
            found = [(axis, output) for axis in range(len(extents)) if output.strides[axis]]
            found += [(axis, left) for axis in inner if not output.strides[axis]]
        case _:
            return
    found.sort(key=lambda pair: (pair[1].strides[pair[0]] == 0, -abs(pair[1].strides[pair[0]])))
    for axis, view in found:
        if view.shape[axis] % samples == 0 and prod(view.shape) >= LEAST * samples:
            piece = _cut(step, axis, view.shape[axis] // samples)
            if not isinstance(step, Contract) or _pays(step, piece, machine):
                yield piece


def _cut(step: Step, axis: int, extent: int) -> Piece:
    """Restrict a step to the first ``extent`` indices of an axis."""
    part = restricted(step, axis, 0, extent)
    found = {view: view.strides[axis] * extent for view in (*writes(part), *reads(part))}
    return Piece(part, found, step, axis)


def _pays(step: Contract, piece: Piece, machine: Machine) -> bool:
    """Whether a contraction is as fast in pieces, and no piece clears what another has written.

    The axis that is cut must be an outer loop, or else the sum over the samples of sums that are long themselves.
    """
    part = piece.step
    assert isinstance(part, Contract)
    place, move = reach(part.output), piece.moves[part.output]
    if not part.accumulate and abs(move) <= place.high - place.low:
        return False
    if not move:
        return prod([n for n, s in zip(part.extents, part.output.strides, strict=True) if not s]) >= TERMS
    strides = tuple([view.strides[piece.axis] for view in (step.output, step.left, step.right)])
    return Axis(step.extents[piece.axis], strides) in schedule(canonical(step), machine).outer


# ------------------------------------------------------------------------------------------- dependences


def _live_ranges(steps: Sequence[Step | FusedUpdate], plan: Plan) -> dict[int, tuple[int, int]]:
    """The first and the last step that uses each buffer; the result is used after the last step."""
    found: dict[int, tuple[int, int]] = {}
    for i, step in enumerate(steps):
        for view in step.views if isinstance(step, FusedUpdate) else (*reads(step), *writes(step)):
            found[view.buffer] = (found.get(view.buffer, (i, i))[0], i)
    for view in leaves(plan.result):
        found[view.buffer] = (0, len(steps))
    return found


def _spans(piece: Piece) -> list[_Span]:
    """The entries that the first strip uses."""
    written = set(writes(piece.step))
    found: list[_Span] = []
    for view, move in piece.moves.items():
        place = reach(view)
        found.append(_Span(view.buffer, place.low, place.high, move, view in written))
    return found


@dataclass(frozen=True, slots=True)
class _Dependences:
    """What the dependence test needs: the samples, the buffers, and the first and last use of each"""

    samples: int
    buffers: Sequence[Buffer]
    lives: Mapping[int, tuple[int, int]]

    def own(self, pieces: Sequence[Piece], at: int, end: int) -> dict[int, _Span]:
        """The scratch buffers used only by the steps from ``at`` to ``end``, with a separate part for each strip.

        Maps each to the part of the first strip.
        """
        spans: dict[int, list[_Span]] = {}
        for span in [span for piece in pieces for span in _spans(piece)]:
            spans.setdefault(span.buffer, []).append(span)
        found: dict[int, _Span] = {}
        for number, parts in spans.items():
            first, last = self.lives[number]
            low, high, move = min(part.low for part in parts), max(part.high for part in parts), parts[0].move
            apart = high - low < move and all(part.move == move for part in parts)
            if isinstance(self.buffers[number], Scratch) and at <= first and last < end and apart:
                found[number] = _Span(number, low, high, move, written=True)
        return found

    def holds(self, pieces: Sequence[Piece], own: Mapping[int, _Span]) -> bool:
        """Whether the last piece for a strip may run before the other pieces for later strips; ``own`` buffers are private."""
        if len(pieces) < 2:
            return True
        mine = [self._placed(span, own) for span in _spans(pieces[-1])]
        before = [self._placed(span, own) for piece in pieces[:-1] for span in _spans(piece)]
        pairs = [(a, b) for a in before for b in mine if (a.written or b.written) and a.buffer == b.buffer]
        return not any(_overlap(a, b, self.samples) for a, b in pairs)

    def independent(self, pieces: Sequence[Piece], own: Mapping[int, _Span], sums: Sequence[View]) -> bool:
        """Whether no strip uses what another one writes, apart from ``own`` buffers and ``sums``, which are private."""
        private = {*own, *[view.buffer for view in sums]}
        spans = [self._placed(span, own) for piece in pieces for span in _spans(piece) if span.buffer not in private]
        pairs = [(a, b) for a in spans for b in spans if (a.written or b.written) and a.buffer == b.buffer]
        return not any(_overlap(a, b, self.samples) for a, b in pairs)

    def _placed(self, span: _Span, own: Mapping[int, _Span]) -> _Span:
        """The span in memory: all scratch buffers are one, except for those private to a strip."""
        buffer = self.buffers[span.buffer]
        if span.buffer in own or not isinstance(buffer, Scratch):
            return span
        return replace(span, buffer=-1, low=span.low + buffer.start, high=span.high + buffer.start)


def _overlap(a: _Span, b: _Span, samples: int) -> bool:
    """Whether some strip of b may overlap a later strip of a."""
    above = below = True
    # Bounds are linear in the strip, so testing the first and the last but one suffices.
    for strip in (0, samples - 2):
        ends = [a.move * (strip + 1), a.move * (samples - 1)]
        above &= a.low + min(ends) > b.high + b.move * strip
        below &= a.high + max(ends) < b.low + b.move * strip
    return not (above or below)


# ------------------------------------------------------------------------------------------- size


def _strips(pieces: Sequence[Piece], at: int, order: _Dependences, machine: Machine, number: int) -> Strips | None:
    """Strip-mine these steps with the largest strips that fit the working set; ``None`` if it does not pay."""
    samples = order.samples
    given = {view.buffer for piece in pieces for view in writes(piece.step)}
    taken = {view.buffer for piece in pieces[1:] for view in reads(piece.step)}
    spans = [span for piece in pieces for span in _spans(piece)]
    if not given & taken or _entries(spans, samples) * machine.item <= 2 * WORKING_SET:
        return None
    sizes = [n for n in range(samples // 2, 0, -1) if samples % n == 0]
    size = next((n for n in sizes if _entries(spans, n) * machine.item <= WORKING_SET), 1)
    starts: dict[int, int] = {}
    workspace = 0
    own = order.own(pieces, at, at + len(pieces))
    for buffer, span in own.items():
        starts[buffer] = workspace - span.low
        workspace += round_up(span.high - span.low + 1 + (size - 1) * span.move)

    def placed(view: View) -> View:
        start = starts.get(view.buffer)
        return view if start is None else View(number, view.offset + start, view.shape, view.strides)

    made: list[Piece] = []
    for fine in pieces:
        extent = _extent(fine)
        piece = _cut(fine.whole, fine.axis, extent * size)
        moves = {placed(view): 0 if view.buffer in starts else move for view, move in piece.moves.items()}
        made.append(Piece(with_views(piece.step, placed), moves, fine.whole, fine.axis))
    sums = _sums(made)
    return Strips(tuple(made), samples // size, workspace, order.independent(pieces, own, sums), sums)


def _sums(pieces: Sequence[Piece]) -> tuple[View, ...]:
    """The views to which every strip adds, in buffers that no other view of the strips is part of."""
    used = [view.buffer for piece in pieces for view in piece.moves]
    found: list[View] = []
    for piece in pieces:
        match piece.step:
            case Contract(_, output, accumulate=True) if not piece.moves[output] and used.count(output.buffer) == 1:
                found += [] if entangled(axes(output.shape, [output]), 0) else [output]
            case _:
                pass
    return tuple(found)


def _extent(piece: Piece) -> int:
    """The extent of a piece along the axis that is cut."""
    return writes(piece.step)[0].shape[piece.axis]


def _entries(spans: Sequence[_Span], samples: int) -> int:
    """The number of entries that a strip of so many samples uses."""
    found: dict[int, tuple[int, int]] = {}
    for span in spans:
        low, high = found.get(span.buffer, (span.low, span.high))
        more = (samples - 1) * span.move
        found[span.buffer] = min(low, span.low, span.low + more), max(high, span.high, span.high + more)
    return sum(high - low + 1 for low, high in found.values())
