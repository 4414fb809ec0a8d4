"""Executing one round in place of all: rounds as loops, forward and backward (LANGUAGE §9).

A round is executed once, from symbolic values that stand for those of any round. What it reads and changes is carried from
round to round: the state, and the contents of the locations that it writes. What these are is only known after a round, so it
is executed again until nothing new is found. The tapes of the regions get one entry for the loop, through which the backward
pass goes by a loop of its own, over the rounds from the last to the first: it carries the cotangents of the state, the sums of
the cotangents of what the rounds share, and the contents that the backward clauses write.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from rh_kernel.arrays.program import Extent
from rh_kernel.arrays.stacks import Row
from rh_kernel.arrays.symbolic.builder import Builder
from rh_kernel.arrays.symbolic.cotangents import Cotangents, accumulate, collect
from rh_kernel.arrays.symbolic.draws import Draws
from rh_kernel.arrays.symbolic.rolled import Active, Carried, NotRolledError, Rolled, RowIn, RowOut
from rh_kernel.arrays.symbolic.sequences import reshaped_slot
from rh_kernel.arrays.symbolic.tape import Looped, Region, Tape, copied
from rh_kernel.arrays.symbolic.tapes import captured, produced, since, slots
from rh_kernel.arrays.symbolic.values import Slot, Symbolic, SymbolicZero, is_empty, shape_of, type_of, unpack
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.syntax.core import Map
from rh_kernel.syntax.sequences import rounds as count_of
from rh_kernel.syntax.sequences import row as row_type
from rh_kernel.syntax.signature import Location
from rh_kernel.syntax.types import Product, Type, leaves, real

Values: TypeAlias = tuple[Symbolic, ...]
"""Slots, or zeros of base types"""

Begin: TypeAlias = "Callable[[Values, Values], Symbolic | None]"
"""Begins a round with a state and rows: its value if it has one at once; otherwise ``None``, with the next command set."""

Split: TypeAlias = Callable[[Symbolic, Values], tuple[Values, Values]]
"""From the value of a round, and the state before it: the state after it, and the values to be stacked."""

BackwardPass: TypeAlias = "Callable[[tuple[Symbolic, ...], int, Tape, Cotangents], Symbolic | None]"
"""Begins the backward pass over a piece of a tape, for the cotangents of these values."""


@dataclass(slots=True)
class Rounds:
    """Rounds to be executed as a loop: how many, the state at first, and how a round begins and ends.

    Each round is given a row of each array in ``wholes``, of the shape in ``rows``. ``index`` names the number of a round.
    """

    count: int
    state: Values
    wholes: Sequence[Slot]
    rows: Sequence[Extent]
    begin: Begin
    split: Split
    index: str
    backward: bool = False


class Rolling:
    """Executes rounds that perform nothing as loops; ``loops.Loops`` executes those of commands."""

    def __init__(self, b: Builder) -> None:
        self.builder = b
        self.heap: dict[Location, Symbolic] = {}
        self.read: dict[Location, Slot] = {}
        self.draws = Draws(b)

    def content(self, location: Location, heap: Mapping[Location, Symbolic]) -> Symbolic:
        """Return the content of a location in a heap."""
        raise KernelBug(f"a term has read {location.name}")

    def rolled(self, rounds: Rounds) -> tuple[Values, Values]:
        """Execute the rounds as a loop; return the last state and the stacked values.

        Raises ``NotRolledError`` if they are not alike, or if a continuation that leads beyond a round is captured.
        """
        starts = tuple([V if is_empty(V) else self.builder.as_slot(V) for V in rounds.state])
        bits: dict[int | Location, int] = {i: V.active for i, V in enumerate(starts) if isinstance(V, Slot)}
        written: dict[Location, Slot] = {}
        while True:
            found = self._try(rounds, starts, bits, written)
            if found is not None:
                return found

    def _try(
        self, rounds: Rounds, starts: Values, bits: dict[int | Location, int], written: dict[Location, Slot]
    ) -> tuple[Values, Values] | None:
        """Execute a round that carries the state and what is ``written``; ``None``, with more of it, if that is not enough."""
        b, heap = self.builder, self.heap
        loop = Rolled(
            rounds.count, rounds.backward, rounds.index, self.builder.active[-1].loop if self.builder.active else None
        )
        active, region = Active(loop, heap), b.region
        state = tuple([b.fresh(V.shape, bits[i]) if isinstance(V, Slot) else V for i, V in enumerate(starts)])
        loop.rows += [
            RowIn(whole, b.fresh(shape, whole.active)) for whole, shape in zip(rounds.wholes, rounds.rows, strict=True)
        ]
        inner = {location: b.fresh(start.shape, bits[location]) for location, start in written.items()}
        before: dict[Location, Symbolic] = {**heap, **inner}
        draws = self.draws.enter_round()
        (following, emitted), after, ends = self.one_round(active, rounds, state, dict(before))
        pairs: list[tuple[int | Location, Slot, Slot, Symbolic]] = [
            (i, start, own, W)
            for i, (start, own, W) in enumerate(zip(starts, state, following, strict=True))
            if isinstance(start, Slot) and isinstance(own, Slot)
        ]
        changed, stacked = self._changed(active, before, after)
        for location in [location for location in changed if location not in inner]:
            written[location] = b.as_slot(self.content(location, heap))
            bits[location] = written[location].active
        pairs += [(at, start, inner[at], after[at]) for at, start in written.items() if at in inner]
        if not self._is_enough(pairs, bits) or len(inner) < len(written):
            self.draws.forget_round(loop, draws)
            return None
        self.draws.leave_rounds(loop, draws, self.draws.count)
        self._finish(loop, pairs)
        wholes = [self._stack(loop, W) for W in emitted]
        self.heap = {**heap}
        self.heap |= {at: c.end for (at, *_), c in zip(pairs, loop.carried, strict=True) if isinstance(at, Location)}
        self.heap |= {location.stack: self._stack(loop, W) for location, W in stacked.items()}
        self._record(loop, region, ends)
        b.equations.append(loop)
        last = {at: c.end for (at, *_), c in zip(pairs, loop.carried, strict=True)}
        return tuple([last.get(i, V) for i, V in enumerate(starts)]), tuple(wholes)

    def one_round(
        self, active: Active, rounds: Rounds, state: Values, heap: dict[Location, Symbolic]
    ) -> tuple[tuple[Values, Values], dict[Location, Symbolic], Region | None]:
        """Execute a round from that heap; return its results, the heap after it, and the regions with what it has recorded."""
        b = self.builder
        saved = b.equations, b.region
        b.active.append(active)
        try:
            b.equations, b.region = active.loop.lines, copied(b.region)
            V = rounds.begin(state, tuple([r.row for r in active.loop.rows]))
            if V is None:
                raise KernelBug("a term came to nothing")
            return rounds.split(V, state), heap, b.region
        finally:
            b.active.pop()
            b.equations, b.region = saved

    def _changed(
        self, active: Active, before: Mapping[Location, Symbolic], after: Mapping[Location, Symbolic]
    ) -> tuple[list[Location], dict[Row, Symbolic]]:
        """Return the locations that a round writes, and the new contents of those of which each round has its own."""
        changed: list[Location] = []
        stacked: dict[Row, Symbolic] = {}
        for location, W in after.items():
            if isinstance(location, Row) and location.index == active.loop.index:
                if active.rows.get(location) != W:
                    stacked[location] = W
            elif before.get(location, self.read.get(location)) != W and not self._is_read(location, W):
                changed.append(location)
        return changed, stacked

    def _is_read(self, location: Location, W: Symbolic) -> bool:
        """Whether W is the row that the location has in a loop further out before it is written."""
        return any(found.rows.get(location) == W for found in self.builder.active)

    def _is_enough(self, pairs: Sequence[tuple[int | Location, Slot, Slot, Symbolic]], bits: dict[int | Location, int]) -> bool:
        """Whether the carried values depend on no more regions after a round than before; otherwise, add those to ``bits``.

        The regions that a round begins end with it, even if their values do not, and are others whenever it is executed.
        """
        region = self.builder.region
        enough = True
        for at, _, own, W in pairs:
            more = W.active & ~own.active & region.bits if isinstance(W, Slot) and region else 0
            bits[at] |= more
            enough = enough and not more
        return enough

    def _finish(self, loop: Rolled, pairs: Sequence[tuple[int | Location, Slot, Slot, Symbolic]]) -> None:
        """Record what the loop carries, and that its registers are its own."""
        b = self.builder
        region = b.region.bits if b.region else 0
        for _, start, own, W in pairs:
            loop.carried.append(Carried(start, own, b.as_slot(W), b.fresh(own.shape, own.active & region)))
        for slot in loop.own:
            self.builder.home[slot.register] = loop
        for line in loop.lines:
            if isinstance(line, Rolled):
                results = [c.end.register for c in line.carried] + [r.whole.register for r in line.stacked]
            else:
                results = [line.result]
            for r in results:
                self.builder.home[r] = loop

    def _stack(self, loop: Rolled, W: Symbolic) -> Symbolic:
        """Return the array in which the values of all rounds are stacked."""
        b = self.builder
        if isinstance(W, tuple):
            raise KernelBug("arrays are stacked one by one")
        if isinstance(W, SymbolicZero):
            return SymbolicZero(real(loop.rounds, *shape_of(W.type)))
        region = b.region.bits if b.region else 0
        whole = b.fresh((loop.rounds, *W.shape), W.active & region)
        loop.stacked.append(RowOut(W, whole))
        return whole

    def _record(self, loop: Rolled, region: Region | None, after: Region | None) -> None:
        """Record the loop on the tape of each region."""
        while region is not None:
            if after is None or after.bit != region.bit:
                raise NotRolledError
            piece = since(after.tape, region.tape)
            results = [c.end for c in loop.carried] + [r.whole for r in loop.stacked]
            if piece is not None or any(slot.active & region.bit for slot in results):
                region.tape = (Looped(loop, piece), region.tape)
            region, after = region.outer, after.outer

    # -- backward --------------------------------------------------------------------------------------------------------------

    def backward_rounds(self, entry: Looped, bit: int, cotangents: Cotangents, go: BackwardPass) -> None:
        """Go back through the rounds of a loop, and add the cotangents of what it was given to ``cotangents``."""
        b, loop = self.builder, entry.loop
        carried = [c for c in loop.carried if c.inner.active & bit]
        rows = [r for r in loop.rows if r.row.active & bit]
        shared, kept = self._captured(entry, bit)
        state = [collect(c.end, cotangents) for c in carried] + [SymbolicZero(type_of(x)) for x in shared]
        given = [(r.row, cotangents.pop(r.whole.register)) for r in loop.stacked if r.whole.register in cotangents]
        mine = {
            x.register: x
            for x in [*loop.own, *produced(entry.piece, bit).values()]
            if self.builder.home.get(x.register) is loop
        }
        given += [(x, cotangents.pop(r)) for r, x in mine.items() if r in cotangents]
        wholes = [(x, b.as_slot(W)) for x, W in given]
        xs = (*[c.inner for c in carried], *shared, *[r.row for r in rows], *kept)
        n, m = len(carried), len(shared)

        def begin(ws: Values, own: Values) -> "Symbolic | None":
            table: Cotangents = {}
            for c, w in zip(carried, ws[:n], strict=True):
                accumulate(c.following, w, bit, table, b)
            for (x, _), w in zip(wholes, own, strict=True):
                accumulate(x, w, bit, table, b)
            return go(xs, bit, entry.piece, table)

        def split(V: Symbolic, ws: Values) -> tuple[Values, Values]:
            results = unpack(V, len(xs))
            sums = [b.add(w, v) for w, v in zip(ws[n:], results[n : n + m], strict=True)]
            return (*results[:n], *sums), results[n + m :]

        rounds = Rounds(
            loop.rounds,
            tuple(state),
            [W for _, W in wholes],
            [x.shape for x, _ in wholes],
            begin,
            split,
            loop.index,
            backward=not loop.backward,
        )
        last, stacked = self.rolled(rounds)
        for x, w in zip([*[c.start for c in carried], *shared], last, strict=True):
            accumulate(x, w, bit, cotangents, b)
        for x, w in zip([*[r.whole for r in rows], *kept], stacked, strict=True):
            if x in kept:
                _add(x, w, cotangents, b)
            else:
                accumulate(x, reshaped_slot(w, x.shape, b), bit, cotangents, b)

    def _captured(self, entry: Looped, bit: int) -> tuple[list[Slot], list[Slot]]:
        """Return what the rounds mention that the region depends on: what they share, and what is of another loop's rounds."""
        loop = entry.loop
        found = captured(entry.piece, bit)
        for x in [*[c.following for c in loop.carried], *[r.row for r in loop.stacked]]:
            found |= slots(x, bit)
        own = {slot.register for slot in loop.own} | produced(entry.piece, bit).keys()
        shared: list[Slot] = []
        kept: list[Slot] = []
        for r, x in found.items():
            home = self.builder.home.get(r)
            if r in own or home is loop:
                continue
            if home is None or loop.is_inside(home) or home.depth < loop.depth:
                shared.append(x)
            elif home.depth == loop.depth and home.rounds == loop.rounds:
                kept.append(x)
            else:
                raise NotRolledError
        return shared, kept


def _add(x: Slot, w: Symbolic, cotangents: Cotangents, b: Builder) -> None:
    """Add a stacked cotangent of a value in the rounds of another loop."""
    if isinstance(w, SymbolicZero):
        return
    before = cotangents.get(x.register)
    cotangents[x.register] = w if before is None else b.add(before, w)


def flattened(V: Symbolic) -> Values:
    """The arrays in V from left to right."""
    match V:
        case SymbolicZero(Product(factors)):
            return tuple([leaf for B in factors for leaf in flattened(SymbolicZero(B))])
        case Slot() | SymbolicZero():
            return (V,)
        case tuple():
            return tuple([leaf for W in V for leaf in flattened(W)])


def structured(A: Type, arrays: Sequence[Symbolic]) -> Symbolic:
    """The value of type A with these arrays."""
    rest = iter(arrays)

    def of(A: Type) -> Symbolic:
        if isinstance(A, Product):
            return tuple([of(B) for B in A.factors])
        V = next(rest)
        return SymbolicZero(A) if isinstance(V, SymbolicZero) else V

    return of(A)


def rolled_sequence(V: Symbolic, A: Type) -> tuple[list[Slot], list[Extent], Callable[[Values], Symbolic]]:
    """The arrays in a sequence of type A, the shapes of their rows, and how rows of them become a row of the sequence."""
    wholes, rows = flattened(V), leaves(row_type(A))
    given = [(W, shape_of(B)) for W, B in zip(wholes, rows, strict=True) if isinstance(W, Slot)]

    def row_of(own: Values) -> Symbolic:
        found = iter(own)
        x = [next(found) if isinstance(W, Slot) else SymbolicZero(B) for W, B in zip(wholes, rows, strict=True)]
        return structured(row_type(A), x)

    return [W for W, _ in given], [s for _, s in given], row_of


def rolled_map(form: Map, V: Symbolic, b: Builder, body: Callable[[Symbolic], Symbolic]) -> Symbolic:
    """The results of the body at the rows of V, stacked, by a loop. Raises ``NotRolledError`` if that is impossible."""
    wholes, shapes, row_of = rolled_sequence(V, form.source)
    rounds = Rounds(
        count_of(form.source),
        (),
        wholes,
        shapes,
        lambda _, own: body(row_of(own)),
        lambda W, _: ((), flattened(W)),
        b.fresh_index("row"),
    )
    return structured(form.target, Rolling(b).rolled(rounds)[1])
