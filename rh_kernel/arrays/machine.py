"""Symbolic execution of commands (RH Def. 5.10, Fig. 7, Ex. 5.13; ordinary handlers §2.2.1): each is run once, forward.

The stack is cut into stretches, each ended by the handler that installed it, so that an operation finds its handler, and
captures what lies between, without walking through the frames. A reverse handler runs its body in a region. An operation
there goes on, with the forward clause, *below* the region, and is noted on the tape; when the body returns, the return
clause runs below it too, and then the tape is walked back: derivatives for what was pure, backward clauses for the
operations. That is Fig. 7 read as an algorithm: each of its equations sandwiches the rest of the body between a step
forward and a step back.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar, cast

from rh_kernel.arrays.builder import Builder
from rh_kernel.arrays.tape import Continuation, Environment, Performed, Region, Tape, enter
from rh_kernel.arrays.terms import Cotangents, accumulate, bind, collect, entry_at, evaluate, pull_back
from rh_kernel.arrays.values import UNIT_SYMBOL, Slot, Symbolic, pack, unpack
from rh_kernel.source.diagnostic import KernelBug, Stuck
from rh_kernel.syntax.binding import shift
from rh_kernel.syntax.builtin import GET, PUT
from rh_kernel.syntax.clauses import ordinary_clause, reverse_clause
from rh_kernel.syntax.core import (
    RH,
    Bind,
    Bound,
    Command,
    Handle,
    Node,
    Operation,
    OrdinaryHandler,
    Perform,
    Resume,
    Return,
    ReverseHandler,
    RevHandle,
    Scope,
)
from rh_kernel.syntax.signature import Location
from rh_kernel.syntax.stuck import placed, unhandled


@dataclass(frozen=True, slots=True)
class Reverse:
    """The edge of a region: ``rev handle (…) ⟨variables⟩. [ ] with H``"""

    handler: ReverseHandler
    environment: Environment
    variables: tuple[Symbolic, ...]


@dataclass(frozen=True, slots=True)
class Ordinary:
    """``handle [ ] with H``"""

    handler: OrdinaryHandler
    environment: Environment


Edge: TypeAlias = Reverse | Ordinary
AnyHandler = TypeVar("AnyHandler", ReverseHandler, OrdinaryHandler)


@dataclass(frozen=True, slots=True)
class Then:
    """``let x ⇐ [ ] in Q``"""

    scope: Scope
    environment: Environment


@dataclass(frozen=True, slots=True)
class Forwarded:
    """Below a region: the forward clause is running, and the region's body, ``stretches``, waits for its ``y``."""

    argument: Symbolic
    backward: Scope
    environment: Environment
    stretches: "tuple[Stretch, ...]"
    bit: int
    tape: Tape


@dataclass(frozen=True, slots=True)
class Returned:
    """Below a region: the return clause is running on the body's ``result``."""

    result: Symbolic
    variables: tuple[Symbolic, ...]
    bit: int
    tape: Tape


@dataclass(frozen=True, slots=True)
class Backward:
    """Below a region: a backward clause is running; ``tape`` is what is left to walk back. ``cotangents`` is not written on."""

    argument: Symbolic
    variables: tuple[Symbolic, ...]
    bit: int
    tape: Tape
    cotangents: Cotangents


Frame: TypeAlias = Then | Forwarded | Returned | Backward
Frames: TypeAlias = "tuple[Frame, Frames] | None"


@dataclass(frozen=True, slots=True)
class Stretch:
    """The frames inside a handler, and the handler."""

    frames: Frames
    edge: Edge


@dataclass(frozen=True, slots=True)
class Outside:
    """What lies around the innermost stretch: its handler, the frames next to it, and so on."""

    edge: Edge
    frames: Frames
    outside: "Outside | None"


class Machine:
    """A run of one command: the stack in two registers, the heap, and the program that is being built."""

    def __init__(self, b: Builder) -> None:
        self.builder = b
        self.heap: dict[Location, Symbolic] = {}
        self.read: dict[Location, Slot] = {}
        self._frames: Frames = None
        self._outside: Outside | None = None
        self._next: tuple[Command, Environment] | None = None

    def run(self, P: Command, environment: Environment) -> Symbolic:
        """The value of P. Raises ``Stuck`` if an operation has no handler, or if the program gets too long."""
        try:
            value = self._step(P, environment)
            while True:
                if value is None:
                    P, environment = self._taken()
                    value = self._step(P, environment)
                elif self._frames is None and self._outside is None:
                    return value
                else:
                    value = self._deliver(value)
        except Stuck as failure:
            raise placed(failure, P.span) from None

    def _taken(self) -> tuple[Command, Environment]:
        following, self._next = self._next, None
        if following is None:
            raise KernelBug("a command came to nothing")
        return following

    def _go(self, scope: Scope, V: Symbolic, environment: Environment) -> None:
        self._next = (cast(Command, scope.body), bind(scope, V, environment))

    def _step(self, P: Command, rho: Environment) -> "Symbolic | None":
        """One step into P: its value if it has one at once, else ``None`` after what comes next is set."""
        b = self.builder
        match P:
            case Return(M):
                return evaluate(M, rho, b)
            case Bind(Q, scope):
                self._frames = (Then(scope, rho), self._frames)
                self._next = (Q, rho)
                return None
            case Perform(op, M):
                return self._perform(op, evaluate(M, rho, b), rho)
            case RevHandle(M, scope, H) | RH(M, scope, H):
                bit = b.fresh_bit()
                V = b.alias(evaluate(M, rho, b), bit)
                self._install(Reverse(H, rho, unpack(V, scope.arity)))
                b.region = enter(bit, None, b.region)
                self._go(scope, V, rho)
                return None
            case Handle(Q, H):
                self._install(Ordinary(H, rho))
                self._next = (Q, rho)
                return None
            case Resume(index, _, M):
                k = entry_at(index, rho)
                if not isinstance(k, Continuation):
                    raise KernelBug("a value is no continuation")
                V = evaluate(M, rho, b)
                self._reinstall(cast("tuple[Stretch, ...]", k.stretches))
                return V

    def _install(self, edge: Edge) -> None:
        self._outside = Outside(edge, self._frames, self._outside)
        self._frames = None

    def _reinstall(self, stretches: Sequence[Stretch]) -> None:
        for stretch in reversed(stretches):
            self._install(stretch.edge)
            self._frames = stretch.frames

    def _deliver(self, V: Symbolic) -> "Symbolic | None":
        """Gives V to the innermost frame, or to the handler if there is none inside it."""
        b = self.builder
        if self._frames is None:
            return self._leave(V)
        frame, self._frames = self._frames
        match frame:
            case Then(scope, rho):
                self._go(scope, V, rho)
                return None
            case Forwarded(argument, backward, rho, stretches, bit, tape):
                y, z = unpack(V, 2)
                y = b.alias(y, bit)
                self._reinstall(stretches)
                b.region = enter(bit, (Performed(argument, y, z, backward, rho), tape), b.region)
                return y
            case Returned(result, variables, bit, tape):
                cotangents: Cotangents = {}
                accumulate(result, V, bit, cotangents, b)
                return self._walk_back(variables, bit, tape, cotangents)
            case Backward(argument, variables, bit, tape, before):
                # A continuation may come here twice, so each walk writes on a table of its own.
                cotangents = dict(before)
                accumulate(argument, V, bit, cotangents, b)
                return self._walk_back(variables, bit, tape, cotangents)

    def _leave(self, V: Symbolic) -> "Symbolic | None":
        outside = self._outside
        if outside is None:
            raise KernelBug("a value has nowhere to go")
        self._frames, self._outside = outside.frames, outside.outside
        match outside.edge:
            case Ordinary(H, rho):
                self._go(H.returns, V, rho)
            case Reverse(H, rho, variables):
                region = self._leave_region()
                self._frames = (Returned(V, variables, region.bit, region.tape), self._frames)
                self._go(H.returns, V, rho)
        return None

    def _leave_region(self) -> Region:
        region = self.builder.region
        if region is None:
            raise KernelBug("a reverse handler has no region")
        self.builder.region = region.outer
        return region

    def _walk_back(self, variables: tuple[Symbolic, ...], bit: int, tape: Tape, cotangents: Cotangents) -> "Symbolic | None":
        while tape is not None:
            entry, tape = tape
            if not isinstance(entry, Performed):
                pull_back(entry, bit, cotangents, self.builder)
                continue
            # The clause is run even for the cotangent 0: it may have effects.
            w = collect(entry.result, cotangents)
            self._frames = (Backward(entry.argument, variables, bit, tape, cotangents), self._frames)
            self._go(entry.backward, (w, entry.auxiliary), entry.environment)
            return None
        return pack(tuple([collect(x, cotangents) for x in variables]))

    def _perform(self, op: Operation, V: Symbolic, rho: Environment) -> "Symbolic | None":
        """Gives ``Op(V)`` to the innermost handler with a clause for it; the heap answers ``Get`` and ``Put`` at the end."""
        indices = tuple([evaluate(i, rho, self.builder) for i in op.indices if isinstance(i, Node)]) if op.loose else ()
        passed: list[Stretch] = []
        while self._outside is not None:
            edge = self._outside.edge
            passed.append(Stretch(self._frames, edge))
            self._frames, self._outside = self._outside.frames, self._outside.outside
            match edge:
                case Reverse(H, environment, _):
                    H, at, environment = _meet(H, op, indices, environment)
                    forward, backward = reverse_clause(H, at)
                    region = self._leave_region()
                    waiting = Forwarded(V, backward, environment, tuple(passed), region.bit, region.tape)
                    self._frames = (waiting, self._frames)
                    self._go(forward, V, environment)
                    return None
                case Ordinary(H, environment):
                    H, at, environment = _meet(H, op, indices, environment)
                    clause = ordinary_clause(H, at)
                    if clause is not None:
                        self._next = (cast(Command, clause.body), (Continuation(tuple(passed)), (V, environment)))
                        return None
        return self._answer(op, V, passed)

    def _answer(self, op: Operation, V: Symbolic, passed: list[Stretch]) -> Symbolic:
        self._reinstall(passed)
        if op.family not in (GET, PUT):
            raise unhandled(op)
        (location,) = op.indices
        if not isinstance(location, Location):
            raise KernelBug(f"{op.family.name} is at no location")
        if op.family == PUT:
            self.heap[location] = V
            return UNIT_SYMBOL
        if location not in self.heap:
            self.read[location] = slot = self.builder.read(location)
            self.heap[location] = slot
        return self.heap[location]


def _meet(
    H: AnyHandler, op: Operation, indices: tuple[Symbolic, ...], rho: Environment
) -> tuple[AnyHandler, Operation, Environment]:
    """H and ``op`` in one environment: the operation's closed values become its innermost variables."""
    if not indices:
        return H, op, rho
    n = len(indices)
    positions = iter(range(n - 1, -1, -1))
    at = tuple([Bound(next(positions)) if isinstance(i, Node) else i for i in op.indices])
    for V in indices:
        rho = (V, rho)
    return shift(H, n), Operation(op.family, at, op.at, op.domain, op.codomain, span=op.span), rho
