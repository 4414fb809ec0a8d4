"""Symbolic execution of commands (RH Def. 5.10, Fig. 7, Ex. 5.13; ordinary handlers §2.2.1): each is run once, forward.

The stack is split into segments, each delimited by a handler, so that an operation finds its handler, and captures the
continuation up to it, without walking through the frames. A reverse handler runs its body in a region. For an operation in the
body, the forward clause runs *below* the region, and the operation is recorded on the tape; when the body returns, the return
clause runs below it, too, and then comes the backward pass over the tape: derivatives for pure entries, backward clauses for
operations. That is Fig. 7 read as an algorithm: each of its equations puts the rest of the body between a forward and a
backward step.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import cast

from rh_kernel.arrays.symbolic.branches import Start
from rh_kernel.arrays.symbolic.builder import Builder
from rh_kernel.arrays.symbolic.clauses import Clauses, EvaluatedOperation, entered
from rh_kernel.arrays.symbolic.conditionals import as_term, check_decided, condition_number, known
from rh_kernel.arrays.symbolic.cotangents import Cotangents, accumulate, collect
from rh_kernel.arrays.symbolic.indices import Indices
from rh_kernel.arrays.symbolic.repeats import check_rounds, round_of, rounds_of
from rh_kernel.arrays.symbolic.round_index import in_round
from rh_kernel.arrays.symbolic.selection import selected
from rh_kernel.arrays.symbolic.sequences import Scanning, results, rows_of
from rh_kernel.arrays.symbolic.stack import (
    AfterBranch,
    Backward,
    Edge,
    Forwarded,
    Marker,
    Ordinary,
    Outside,
    Paired,
    Resumed,
    Returned,
    Reverse,
    Rounds,
    StackSegment,
    Then,
)
from rh_kernel.arrays.symbolic.tape import (
    EMPTY,
    NO_NAMES,
    Branched,
    Closure,
    Continuation,
    Environment,
    Looped,
    Performed,
    Region,
    Tape,
    bind,
    enter,
    entry_at,
)
from rh_kernel.arrays.symbolic.tapes import captured, produced
from rh_kernel.arrays.symbolic.terms import evaluate, pull_back
from rh_kernel.arrays.symbolic.values import UNIT_SYMBOL, Slot, Symbolic, pack, unpack
from rh_kernel.primitives.schemes import extent
from rh_kernel.source.diagnostic import KernelBug, Stuck
from rh_kernel.syntax.builtin import BATCH_MEAN, GET, PUT, is_draw
from rh_kernel.syntax.core import (
    RH,
    Bind,
    Command,
    Handle,
    IfCommand,
    Operation,
    Perform,
    Repeat,
    Resume,
    Return,
    RevHandle,
    Scan,
    Scope,
    Zero,
)
from rh_kernel.syntax.runtime_errors import placed, unhandled
from rh_kernel.syntax.sequences import rounds
from rh_kernel.syntax.signature import (
    Location,
)


class Machine(Indices):
    """An abstract machine that runs one command: the stack in two registers, the heap, and the program being built."""

    def __init__(self, b: Builder) -> None:
        super().__init__(b)
        self._next: tuple[Command, Environment] | None = None
        self._current: Command

    def run(self, P: Command, environment: Environment) -> Symbolic:
        """Run P and return its value. Raises ``Stuck`` if an operation has no handler or the program gets too long."""
        self._current = P
        try:
            return self.finish(self._step(P, environment))
        except Stuck as failure:
            raise placed(failure, self._current.span) from None

    def proceed(self, value: "Symbolic | None") -> "Symbolic | None":
        """Deliver the value, or take the next command if there is none."""
        return self._step(*self._next_command()) if value is None else self._deliver(value)

    def _next_command(self) -> tuple[Command, Environment]:
        following, self._next = self._next, None
        if following is None:
            raise KernelBug("a command came to nothing")
        return following

    def _enter_scope(self, scope: Scope, V: Symbolic, environment: Environment) -> None:
        self._next = (cast(Command, scope.body), bind(scope, V, environment))

    def _step(self, P: Command, rho: Environment) -> "Symbolic | None":
        """Step into P and through its lets: its value if it has one; otherwise ``None``, with ``_next`` set."""
        b = self.builder
        while isinstance(P, Bind):
            Q, scope = P.bound, P.scope
            if isinstance(Q, Return):
                self._current = Q
                b.command = P.span or b.command
                rho = bind(scope, evaluate(Q.term, rho, b), rho)
                P = cast(Command, scope.body)
            else:
                self.frames = (Then(scope, rho), self.frames)
                P = Q
        self._current = P
        b.command = P.span or b.command
        match P:
            case Return(M):
                return evaluate(M, rho, b)
            case Perform(op, M):
                return self._perform(op, evaluate(M, rho, b), rho)
            case RevHandle(M, scope, H) | RH(M, scope, H):
                bit = b.fresh_bit()
                V = b.alias(evaluate(M, rho, b), bit)
                self._install(Reverse(H, Clauses(H), rho, unpack(V, scope.arity)))
                b.region = enter(bit, None, b.region)
                self._enter_scope(scope, V, rho)
                return None
            case Handle(Q, H):
                self._install(Ordinary(H, Clauses(H), rho))
                self._next = (Q, rho)
                return None
            case Resume(index, _, M):
                k = entry_at(index, rho)
                if not isinstance(k, Continuation):
                    raise KernelBug("a value is no continuation")
                V = evaluate(M, rho, b)
                self._reinstall(cast("tuple[StackSegment, ...]", k.stretches))
                return V
            case Scan(M, _, source):
                sequence, state = unpack(evaluate(M, rho, b), 2)
                if b.options.rolls(rounds(source)):
                    return self.rolled_scan(P, sequence, state, self._enter(P.scope, rho))
                return self._next_round(Scanning(P, rho, rows_of(sequence, source, b)), state)
            case Repeat():
                index = b.fresh_index(P.index)
                scope = in_round(P, index) if not P.first and b.options.rolls(rounds_of(P)) else None
                if scope is not None:
                    return self.rolled_repeat(rounds_of(P), index, evaluate(P.start, rho, b), self._enter(scope, rho))
                check_rounds(P, b)
                self.frames = (Rounds(P, P.first, rho), self.frames)
                return evaluate(P.start, rho, b)
            case IfCommand():
                return self._choose(P, rho)

    def _enter(self, scope: Scope, rho: Environment) -> Callable[[Symbolic], None]:
        """How to begin a round with a value for the variables of the scope."""
        return lambda V: self._enter_scope(scope, V, rho)

    def _next_round(self, scan: Scanning, state: Symbolic) -> "Symbolic | None":
        """Begin the next round, or return the result if there is no row left."""
        if scan.count == len(scan.rows):
            return results(scan, self.builder), state
        self.frames = (scan, self.frames)
        self._enter_scope(scan.form.scope, (scan.rows[scan.count], state), scan.environment)
        return None

    def _choose(self, P: IfCommand, rho: Environment) -> "Symbolic | None":
        """Run both branches from the same state, and drop what the one that is not taken returns and writes."""
        b, holds, M = self.builder, known(P), as_term(P)
        if holds is not None:
            self._next = (P.then if holds else P.otherwise, rho)
            return None
        V = evaluate(P.operands, rho, b)
        check_decided(P, V, b, always=True)
        if M is not None:
            return evaluate(M, rho, b)
        c = condition_number(P, V, b)
        starts = partial(self._step, P.then, rho), partial(self._step, P.otherwise, rho)
        return selected(b, c, *(self.joined(c, starts) or self.both(c, starts, self.until)))

    def _install(self, edge: Edge) -> None:
        self.outside = Outside(edge, self.frames, self.outside)
        self.frames = None

    def _reinstall(self, stretches: Sequence[StackSegment]) -> None:
        for stretch in reversed(stretches):
            self._install(stretch.edge)
            self.frames = stretch.frames

    def _deliver(self, V: Symbolic) -> "Symbolic | None":
        """Pass V to the innermost frame, or to the handler if no frame is left inside it."""
        b = self.builder
        if self.frames is None:
            return self._leave(V)
        frame, self.frames = self.frames
        match frame:
            case Then(scope, rho):
                self._enter_scope(scope, V, rho)
                return None
            case Paired():
                return V, UNIT_SYMBOL
            case Scanning(form, rho, rows, count, before):
                emitted, state = unpack(V, 2)
                return self._next_round(Scanning(form, rho, rows, count + 1, (emitted, before)), state)
            case Forwarded(argument, backward, stretches, bit, tape):
                y, z = unpack(V, 2)
                y = b.alias(y, bit)
                self._reinstall(stretches)
                b.region = enter(bit, (Performed(argument, y, z, backward), tape), b.region)
                return y
            case Resumed(stretches):
                self._reinstall(stretches)
                return V
            case Returned(result, variables, bit, tape):
                cotangents: Cotangents = {}
                accumulate(result, V, bit, cotangents, b)
                return self._backward(variables, bit, tape, cotangents)
            case Backward(argument, variables, bit, tape, before):
                # A continuation may be resumed twice, so each backward pass has a table of its own.
                cotangents = dict(before)
                accumulate(argument, V, bit, cotangents, b)
                return self._backward(variables, bit, tape, cotangents)
            case Rounds(P, k, rho):
                scope = round_of(P, k)
                if scope is None:
                    return V
                self.frames = (Rounds(P, k + 1, rho), self.frames)
                self._enter_scope(scope, V, rho)
                return None
            case AfterBranch(xs, variables, bit, tape, before):
                cotangents = dict(before)
                for x, w in zip(xs, unpack(V, len(xs)), strict=True):
                    accumulate(x, w, bit, cotangents, b)
                return self._backward(variables, bit, tape, cotangents)
            case Marker():
                raise KernelBug("a branch was left behind")

    def _leave(self, V: Symbolic) -> "Symbolic | None":
        outside = self.outside
        if outside is None:
            raise KernelBug("a value has nowhere to go")
        self.frames, self.outside = outside.frames, outside.outside
        match outside.edge:
            case Ordinary(H, _, rho):
                self._enter_scope(H.returns, V, rho)
            case Reverse(H, _, rho, variables):
                region = self._leave_region()
                self.frames = (Returned(V, variables, region.bit, region.tape), self.frames)
                self._enter_scope(H.returns, V, rho)
        return None

    def _leave_region(self) -> Region:
        region = self.builder.region
        if region is None:
            raise KernelBug("a reverse handler has no region")
        self.builder.region = region.outer
        return region

    def _backward(self, variables: tuple[Symbolic, ...], bit: int, tape: Tape, cotangents: Cotangents) -> "Symbolic | None":
        while tape is not None:
            entry, tape = tape
            if isinstance(entry, Branched):
                value = self._backward_both(entry, variables, bit, tape, cotangents)
                if value is not None:
                    return value
                continue
            if isinstance(entry, Looped):
                self.backward_rounds(entry, bit, cotangents, self._backward)
                continue
            if not isinstance(entry, Performed):
                pull_back(entry, bit, cotangents, self.builder)
                continue
            # The clause runs even if the cotangent is 0, as it may have effects.
            w = collect(entry.result, cotangents)
            self.frames = (Backward(entry.argument, variables, bit, tape, cotangents), self.frames)
            self._enter_closure(entry.backward, (w, entry.auxiliary))
            return None
        return pack(tuple([collect(x, cotangents) for x in variables]))

    def _backward_both(
        self, entry: Branched, variables: tuple[Symbolic, ...], bit: int, tape: Tape, cotangents: Cotangents
    ) -> "Symbolic | None":
        """Go back through both branches, and add the cotangents of what they captured to ``cotangents``.

        If an ordinary handler captures the continuation in one of them, go on to the end, and return the value there.
        """
        b, c = self.builder, entry.condition
        xs = tuple((captured(entry.then, bit) | captured(entry.otherwise, bit)).values())
        starts: list[Start] = []
        for piece in (entry.then, entry.otherwise):
            own = {r: cotangents[r] for r in produced(piece, bit) if r in cotangents}
            starts.append(partial(self._backward_from, xs, bit, piece, own))
        for r in (*produced(entry.then, bit), *produced(entry.otherwise, bit)):
            cotangents.pop(r, None)
        pair = starts[0], starts[1]
        found = self.joined(c, pair)
        if found is None:
            self.frames = (AfterBranch(xs, variables, bit, tape, cotangents), self.frames)
            return selected(b, c, *self.both(c, pair, self.until))
        for x, one, other in zip(xs, unpack(found[0], len(xs)), unpack(found[1], len(xs)), strict=True):
            accumulate(x, selected(b, c, one, other), bit, cotangents, b)
        return None

    def _backward_from(self, xs: tuple[Slot, ...], bit: int, tape: Tape, own: Cotangents) -> "Symbolic | None":
        """Begin the backward pass through a branch, which may begin again."""
        return self._backward(xs, bit, tape, dict(own))

    def _perform(self, op: Operation, V: Symbolic, rho: Environment) -> "Symbolic | None":
        """Pass ``Op(V)`` to the innermost handler with a clause for it; if there is none, it acts on the heap."""
        met = self.met(op, rho)
        passed: list[StackSegment] = []
        while self.outside is not None:
            edge = self.outside.edge
            passed.append(StackSegment(self.frames, edge))
            self.frames, self.outside = self.outside.frames, self.outside.outside
            opened = edge.clauses.find(met)
            match edge:
                case Reverse(_, _, environment, _):
                    region = self._leave_region()
                    if opened is None:
                        # Forwarded, as if by a clause ``x ↦ let y ⇐ Op(x) in ⌊⟨y, 0⟩⌋ | y, z ↦ ⌊0⌋``.
                        nothing = Closure(Scope(("y", "z"), Return(Zero(op.domain))), 2, EMPTY, NO_NAMES)
                        waiting = Forwarded(V, nothing, tuple(passed), region.bit, region.tape)
                        self.frames = (Paired(), (waiting, self.frames))
                        passed = []
                        continue
                    inside, names = entered(met, opened, environment)
                    forward, backward = opened.scopes
                    waiting = Forwarded(V, Closure(backward, 2, inside, names), tuple(passed), region.bit, region.tape)
                    self.frames = (waiting, self.frames)
                    self._enter_closure(Closure(forward, 1, inside, names), V)
                    return None
                case Ordinary(_, _, environment):
                    if opened is not None:
                        inside, names = entered(met, opened, environment)
                        (scope,) = opened.scopes
                        if opened.resumed is not None:
                            # The clause gives what is resumed with, so the continuation need not be captured.
                            self.frames = (Resumed(tuple(passed)), self.frames)
                            self._next = (opened.resumed, (UNIT_SYMBOL, (V, inside, names), names))
                            return None
                        self.check_captured(passed)
                        rest = Continuation(tuple(passed))
                        self._next = (cast(Command, scope.body), (rest, (V, inside, names), names))
                        return None
        return self._access_heap(op, met, V, passed)

    def _enter_closure(self, closure: Closure, V: Symbolic) -> None:
        environment = closure.environment
        for W in unpack(V, closure.arity):
            environment = (W, environment, closure.names)
        self._next = (cast(Command, closure.scope.body), environment)

    def _access_heap(self, op: Operation, met: EvaluatedOperation, V: Symbolic, passed: list[StackSegment]) -> Symbolic:
        self._reinstall(passed)
        if is_draw(op.family):
            return self.draws.draw(op.family, extent(op.codomain))
        if op.family == BATCH_MEAN:
            return self.builder.mean_over_batch(V, self._current.span)
        if op.family not in (GET, PUT):
            raise unhandled(op)
        (location,) = met.indices
        if not isinstance(location, Location):
            raise KernelBug(f"{op.family.name} is at no location")
        if op.family == PUT:
            self.heap[location] = V
            return UNIT_SYMBOL
        content = self.heap[location] = self.content(location, self.heap)
        return content
