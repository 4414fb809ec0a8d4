"""Executing one round of ``repeat`` and ``scan`` in place of all (LANGUAGE §9).

A round runs up to a marker on the stack. The contents of the locations that it writes are carried from round to round; of a
family of which each round has its own location, it is given a row of the family's stack, and returns the new one.
"""

from collections.abc import Callable, Mapping

from rh_kernel.arrays.stacks import Row, Stack, row, stack
from rh_kernel.arrays.symbolic.branches import Branches, EscapesError
from rh_kernel.arrays.symbolic.rolled import Active, NotRolledError, RowIn
from rh_kernel.arrays.symbolic.rolling import Rolling, Rounds, Values, flattened, rolled_sequence, structured
from rh_kernel.arrays.symbolic.round_index import affine
from rh_kernel.arrays.symbolic.stack import Marker
from rh_kernel.arrays.symbolic.tape import Region, copied
from rh_kernel.arrays.symbolic.values import Symbolic, type_of, unpack
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.syntax.core import Scan
from rh_kernel.syntax.dimensions import Dim
from rh_kernel.syntax.sequences import rounds as count_of
from rh_kernel.syntax.signature import Location, LocationFamily


class Loops(Branches, Rolling):
    """The state of an abstract machine that can execute one round in place of all."""

    def one_round(
        self, active: Active, rounds: Rounds, state: Values, heap: dict[Location, Symbolic]
    ) -> tuple[tuple[Values, Values], dict[Location, Symbolic], Region | None]:
        """Execute a round from that heap; return its results, the heap after it, and the regions with what it has recorded."""
        b, marker = self.builder, Marker()
        saved = b.equations, b.region, self.heap, self.frames, self.outside, self.until
        self.builder.active.append(active)
        try:
            b.equations, b.region = active.loop.lines, copied(b.region)
            self.heap, self.until, self.frames = heap, marker, (marker, self.frames)
            V = self.finish(rounds.begin(state, tuple([r.row for r in active.loop.rows])))
            return rounds.split(V, state), self.heap, b.region
        except EscapesError as escape:
            if escape.marker is marker:
                raise NotRolledError from None
            raise
        finally:
            self.builder.active.pop()
            b.equations, b.region, self.heap, self.frames, self.outside, self.until = saved

    def content(self, location: Location, heap: Mapping[Location, Symbolic]) -> Symbolic:
        """Return the content of a location in a heap; in a round, the location of a family has a row of the family's stack."""
        if not isinstance(location, Row):
            return super().content(location, heap)
        found = heap.get(location)
        if found is not None:
            return found
        active = next((active for active in self.builder.active if active.loop.index == location.index), None)
        if active is None:
            raise KernelBug(f"{location.name} is in no round")
        if location not in active.rows:
            whole = self.builder.as_slot(self.content(location.stack, active.heap))
            row = self.builder.fresh(whole.shape[1:], whole.active)
            active.rows[location] = row
            active.loop.rows.append(RowIn(whole, row))
            self.builder.home[row.register] = active.loop
        return active.rows[location]

    def _enter_stack(self, active: Active, at: Stack) -> None:
        """Note that the rounds have locations of the stack. Raises ``NotRolledError`` if loops in each other have."""
        if at in active.inner:
            raise NotRolledError
        active.stacks.add(at)
        for around in self.builder.active:
            if around is active:
                return
            if at in around.stacks:
                raise NotRolledError
            around.inner.add(at)

    def row(self, family: LocationFamily, index: Dim) -> Row | None:
        """Return the location of a family in a round, if that is what ``ws[index]`` is.

        Raises ``NotRolledError`` if the family does not have that location in all rounds, or if loops in each other have it.
        """
        if index.constant is None:
            for active in self.builder.active:
                found = affine(index, active.loop.index)
                if found is not None:
                    step, start = found
                    try:
                        at = stack(family, active.loop.rounds, start, step)
                    except IndexError:
                        raise NotRolledError from None
                    self._enter_stack(active, at)
                    return row(at, active.loop.index)
        return None

    def rolled_repeat(self, n: int, index: str, start: Symbolic, enter: Callable[[Symbolic], None]) -> Symbolic:
        """Execute n rounds of a ``repeat`` as a loop; ``enter`` begins a round. Raises ``NotRolledError`` like ``rolled``."""
        S = type_of(start)

        def begin(state: Values, _: Values) -> None:
            enter(structured(S, state))

        rounds = Rounds(n, flattened(start), (), (), begin, lambda V, _: (flattened(V), ()), index)
        return structured(S, self.rolled(rounds)[0])

    def rolled_scan(self, P: Scan, sequence: Symbolic, start: Symbolic, enter: Callable[[Symbolic], None]) -> Symbolic:
        """Execute a ``scan`` as a loop; ``enter`` begins a round. Raises ``NotRolledError`` like ``rolled``."""
        S = type_of(start)
        wholes, shapes, row_of = rolled_sequence(sequence, P.source)

        def begin(state: Values, own: Values) -> None:
            enter((row_of(own), structured(S, state)))

        def split(V: Symbolic, _: Values) -> tuple[Values, Values]:
            emitted, state = unpack(V, 2)
            return flattened(state), flattened(emitted)

        index = self.builder.fresh_index("row")
        last, stacked = self.rolled(Rounds(count_of(P.source), flattened(start), wholes, shapes, begin, split, index))
        return structured(P.target, stacked), structured(S, last)
