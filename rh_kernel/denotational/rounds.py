"""The rounds of ``repeat`` and ``scan`` (LANGUAGE §9) in an arrow: each of them, or all of them as one box (``iterations``).

``⟦repeat i < n from s = M do P⟧ = η(⟦M⟧) ;^μ ⟦P[0/i]⟧ ;^μ … ;^μ ⟦P[n-1/i]⟧``, and ``⟦scan⟧`` likewise, with the sequence and
what was emitted so far beside it. A box for all rounds has the same meaning, and is no larger for more rounds. Where the types
in a round depend on its number, there is no such box.
"""

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import TypeAlias, cast

from rh_kernel.denotational.arrows import Arrow, Choose, Effect, Iterate, Row
from rh_kernel.denotational.environment import Environment, bind, enclose, names
from rh_kernel.denotational.errors import DiagramTooLarge, UnknownRounds
from rh_kernel.denotational.sequences import row_of, stacked_rows
from rh_kernel.denotational.terms import Interpretation
from rh_kernel.denotational.wiring import MOST, Builder, Wires, flat, like, nested, part
from rh_kernel.primitives import sequences
from rh_kernel.primitives.formulas import Typed
from rh_kernel.source.diagnostic import Stuck
from rh_kernel.source.trampoline import descend
from rh_kernel.syntax import core
from rh_kernel.syntax.binding import Static, specialise
from rh_kernel.syntax.dimensions import Dim, DimVar, dim, variables
from rh_kernel.syntax.sequences import length, of_rows, row, unstacked
from rh_kernel.syntax.types import Product, Real, Type, leaves

Block: TypeAlias = Callable[[core.Scope, tuple[Wires, ...], Environment, Row], Interpretation]
"""Adds the command in a scope to the end of a row, with values for its variables, and returns the wires of its result."""

RowsInterpretation: TypeAlias = Generator[Interpretation, Wires, tuple[list[Wires], Wires]]

Pure: TypeAlias = Callable[[core.Term, Environment, Row], Interpretation]
"""Adds a term to the end of a row."""


class Rounds(Enum):
    """How many of the rounds are boxes of their own: each one, none (all rounds are one box), or the first two and the last."""

    EACH = "each"
    ONCE = "once"
    ENDS = "ends"


FEWEST = 4
"""With at most so many rounds, the first two, the last and those between them are each round."""


@dataclass(frozen=True, slots=True)
class Interpreting:
    """How to interpret rounds; ``by_number``: operations in a box for all rounds may be at places that depend on the round."""

    rounds: Rounds
    block: Block
    pure: Pure
    by_number: bool = True

    def repeat(self, P: core.Repeat, rho: Environment, b: Row) -> Interpretation:
        """Add the rounds of a ``repeat``. Raises ``Stuck`` if there are too many, or if their number is not known."""
        V = yield self.pure(P.start, rho, b)
        n = P.count.constant
        made = self._round_of_repeat(P, V, rho, b)
        if made is None or (self.rounds is Rounds.ENDS and n is not None and n - P.first <= FEWEST):
            return (yield self._each(P, V, rho, b))
        if n is None or self.rounds is Rounds.ONCE:
            return made.added((), V, P.first, P.count, b)
        for k in (P.first, P.first + 1):
            V = yield self.block(_at(P, k), (V,), rho, b)
        V = made.added((), V, P.first + 2, dim(n - 1), b)
        return (yield self.block(_at(P, n - 1), (V,), rho, b))

    def _each(self, P: core.Repeat, V: Wires, rho: Environment, b: Row) -> Interpretation:
        n = P.count.constant
        if n is None:
            raise Stuck(UnknownRounds(span=P.span, count=str(P.count)))
        if n - P.first > MOST:
            raise Stuck(DiagramTooLarge(span=P.span, limit=MOST, hint="`repeat` has a box for each operation of each round"))
        for k in range(P.first, n):
            V = yield self.block(_at(P, k), (V,), rho, b)
        return V

    def _round_of_repeat(self, P: core.Repeat, V: Wires, rho: Environment, b: Row) -> "_Round | None":
        """Return one round for all of them; ``None`` if there is no such arrow, or none is asked for."""
        is_alike = P.scope == _at(P, P.first)
        if self.rounds is Rounds.EACH or not (is_alike or self.by_number):
            return None
        inside = enclose(rho, P.scope.loose)
        types = [*inside.types(b), *[b.types[w] for w in flat(V)]]

        def arrow(scope: core.Scope) -> Arrow:
            a: Row = Builder(types)
            s = like(V, a.inputs[len(inside.outer) :])
            return a.close(flat(descend(self.block(scope, (s,), inside.environment, a))))

        body = arrow(P.scope)
        if any(P.index in _names(A) for A in _types(body)):
            return None

        @cache
        def at(k: int) -> Arrow:
            return arrow(_at(P, k))

        return _Round(P, body, inside.outer, None if is_alike else at, names(rho, P.loose))

    def scan(self, P: core.Scan, rho: Environment, b: Row) -> Interpretation:
        """Add the rounds of a ``scan``."""
        V = yield self.pure(P.argument, rho, b)
        sequence, state = part(V, 0, 2), part(V, 1, 2)
        n = length(P.source)
        if self.rounds is Rounds.EACH and n.constant is None:
            raise Stuck(UnknownRounds(span=P.span, count=str(n)))
        ends = self.rounds is Rounds.ENDS and n.constant is not None
        if self.rounds is Rounds.EACH or (ends and cast(int, n.constant) <= FEWEST):
            emitted, state = yield from self._rows(P, range(cast(int, n.constant)), sequence, state, rho, b)
            hints, stack = stacked_rows(len(emitted), P.target)
            return (yield self.pure(stack, bind(hints, emitted, None), b)), state
        made = self._round_of_scan(P, state, rho, b)
        if not ends:
            return made.stacked(sequence, state, dim(0), n, P.target, b)
        return (yield from self._ends_of_scan(P, made, cast(int, n.constant), sequence, state, rho, b))

    def _rows(
        self, P: core.Scan, numbers: range, sequence: Wires, state: Wires, rho: Environment, b: Row
    ) -> RowsInterpretation:
        """Add the rounds with these numbers; return what they emit, and the last state."""
        emitted: list[Wires] = []
        for i in numbers:
            x = yield self.pure(row_of(P.source, i), bind(("m",), (sequence,), None), b)
            result = yield self.block(P.scope, (x, state), rho, b)
            emitted += (part(result, 0, 2),)
            state = part(result, 1, 2)
        return emitted, state

    def _round_of_scan(self, P: core.Scan, state: Wires, rho: Environment, b: Row) -> "_Round":
        inside = enclose(rho, P.scope.loose)
        A = row(P.source)
        m, count = len(inside.outer), len(flat(state))
        a: Row = Builder([*inside.types(b), *[b.types[w] for w in flat(state)], *leaves(A)])
        x, s = nested(A, a.inputs[m + count :]), like(state, a.inputs[m : m + count])
        result = descend(self.block(P.scope, (x, s), inside.environment, a))
        body = a.close((*flat(part(result, 1, 2)), *flat(part(result, 0, 2))))
        return _Round(P, body, inside.outer, None, names(rho, P.loose))

    def _ends_of_scan(
        self, P: core.Scan, made: "_Round", n: int, sequence: Wires, state: Wires, rho: Environment, b: Row
    ) -> Interpretation:
        first, state = yield from self._rows(P, range(2), sequence, state, rho, b)
        m = Typed(core.Bound(0, "m"), P.source)
        between = sequences.rows_from(sequences.rows_up_to(m, n - 1), 2)
        rows = yield self.pure(between.term, bind(("m",), (sequence,), None), b)
        bs, state = made.stacked(rows, state, dim(2), dim(n - 1), P.target, b)
        last, state = yield from self._rows(P, range(n - 1, n), sequence, state, rho, b)
        B = unstacked(P.target)
        y0, y1, y = (Typed(core.Bound(i, "y"), B) for i in (3, 2, 0))
        ys = Typed(core.Bound(1, "ys"), of_rows(dim(n - 3), P.target))
        stack = sequences.in_front(y0, sequences.in_front(y1, sequences.behind(ys, y))).term
        return (yield self.pure(stack, bind(("y", "y", "ys", "y"), (*first, bs, *last), None), b)), state


@dataclass(frozen=True, slots=True)
class _Round:
    """An arrow for each round, and the wires outside that it captures."""

    command: core.Repeat | core.Scan
    body: Arrow
    captured: tuple[int, ...]
    at: Callable[[int], Arrow] | None
    names: tuple[str, ...]

    def added(self, rows: Sequence[int], state: Wires, first: int, count: Dim, b: Row, stacks: Sequence[Type] = ()) -> Wires:
        """Add the box and return the wires of the last state."""
        return like(state, self._box(rows, state, first, count, b, stacks)[: len(flat(state))])

    def stacked(self, sequence: Wires, state: Wires, first: Dim, count: Dim, target: Type, b: Row) -> tuple[Wires, Wires]:
        """Add the box; return the wires of what the rounds emit, stacked, and of the last state."""
        C = of_rows(count - first, target)
        made = self._box(flat(sequence), state, cast(int, first.constant), count, b, leaves(C))
        m = len(flat(state))
        return nested(C, made[m:]), like(state, made[:m])

    def _box(
        self, rows: Sequence[int], state: Wires, first: int, count: Dim, b: Row, stacks: Sequence[Type]
    ) -> tuple[int, ...]:
        S = [b.types[w] for w in flat(state)]
        box = Iterate(
            self.body,
            len(self.captured),
            len(S),
            first,
            count,
            tuple([b.types[w] for w in rows]),
            tuple(stacks),
            is_reversed=False,
            command=self.command,
            at=self.at,
            names=self.names,
        )
        return b.add(box, (*self.captured, *flat(state), *rows), (*S, *stacks))


def has_rounds(a: Arrow) -> bool:
    """Whether there is a box for all rounds, also one inside another box."""
    return any(isinstance(box.content, Iterate) for box in a.boxes) or any(has_rounds(inner) for inner in _inner(a))


def performs(a: Arrow, is_handled: Callable[[core.Operation], bool]) -> bool:
    """Whether a box for all rounds in ``a`` performs one of these operations."""
    return any(isinstance(box.content, Iterate) and _performs(box.content.body, is_handled) for box in a.boxes) or any(
        performs(inner, is_handled) for inner in _inner(a)
    )


def _performs(a: Arrow, is_handled: Callable[[core.Operation], bool]) -> bool:
    return any(isinstance(box.content, Effect) and is_handled(box.content.operation) for box in a.boxes) or any(
        _performs(inner, is_handled) for inner in _inner(a)
    )


def _inner(a: Arrow) -> Iterator[Arrow]:
    for box in a.boxes:
        match box.content:
            case Iterate(body):
                yield body
            case Choose(_, then, otherwise):
                yield from (then, otherwise)
            case _:
                pass


def _at(P: core.Repeat, k: int) -> core.Scope:
    return specialise(P.scope, Static({P.index: dim(k)}, {}, {}))


def _types(a: Arrow) -> Iterator[Type]:
    yield from a.types
    for inner in _inner(a):
        yield from _types(inner)


def _names(A: Type) -> set[str]:
    """Return the names of the dimension variables in a type."""
    if isinstance(A, Product):
        return {name for B in A.factors for name in _names(B)}
    if not isinstance(A, Real) or not isinstance(A.shape, tuple):
        return set()
    return {v.name for d in A.shape for v in variables(d) if isinstance(v, DimVar)}
