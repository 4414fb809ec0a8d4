"""The three evaluators (LANGUAGE §5): map a closed term or command and a heap to its value and the locations it changes.

``compiled`` is the default. ``stepped`` reduces (RH §5) and ``denoted`` runs the string diagram (RH §7); they are slower, and
serve to compare.
"""

from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass
from typing import cast

import numpy as np

from rh_kernel.arrays.backends import backend_for
from rh_kernel.arrays.compile import translate, translate_term
from rh_kernel.arrays.draws import counted, drawn, reals_of
from rh_kernel.arrays.execution import machine
from rh_kernel.arrays.optimise import optimise
from rh_kernel.arrays.program import Program
from rh_kernel.loops.trees import leaves
from rh_kernel.operational import trace
from rh_kernel.operational.heap import Heap
from rh_kernel.primitives.values import materialise
from rh_kernel.session import not_finite
from rh_kernel.session.actions import Closed, ClosedAction, Run, State
from rh_kernel.session.limits.budget import allowed, check_size, compile_options, limits
from rh_kernel.session.results import Shown, ValueFound, Warned, Working, changed
from rh_kernel.session.settings import Evaluator, Settings
from rh_kernel.source.diagnostic import Stuck
from rh_kernel.source.gc_pause import gc_paused
from rh_kernel.source.interruptible import when_large
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.syntax.core import Array, Command, Const, Return, Scope, Term
from rh_kernel.syntax.runtime_errors import placed
from rh_kernel.syntax.signature import Location
from rh_kernel.syntax.types import Product, Real, Type, TypeMeta
from rh_kernel.syntax.unhandled_hints import with_handlers
from rh_kernel.syntax.values import tuple_of
from rh_kernel.typing.elaboration.items import ClosedCommand, ClosedTerm

STEPS_PER_SLICE = 10

_FIRST_ACTIVITY = {
    Evaluator.COMPILED: "compiling",
    Evaluator.STEPPED: "reducing",
    Evaluator.DENOTED: "making the string diagram",
}


@frozen
class Evaluate(ClosedAction):
    """A term or a command"""

    def run(self, number: int, state: State) -> Run:
        """Evaluate it with the evaluator that is set."""
        found = yield from evaluate(self.closed, state.heap, state.settings)
        after = state.put(found.changes)
        is_command = isinstance(self.closed, ClosedCommand)
        yield Shown(number, ValueFound(self.closed.type, found.value, changed(state.heap, after.heap), is_command))
        start = self.closed.command if isinstance(self.closed, ClosedCommand) else self.closed.term
        remark = yield from not_finite.warning(start, found.value, state.heap, found.changes, state.settings)
        if remark is not None:
            yield Shown(number, Warned((remark,)))
        return after


@dataclass(frozen=True, slots=True)
class Evaluated:
    """A closed value, and the new content of each location that was written."""

    value: Term
    changes: Mapping[Location, Array]


def evaluate(subject: Closed, heap: Mapping[Location, Array], settings: Settings) -> Generator[Working, None, Evaluated]:
    """Evaluate with the evaluator that is set. Raises ``Stuck``, with a span, if evaluation cannot go on."""
    yield Working(_FIRST_ACTIVITY[settings.evaluator])
    try:
        match settings.evaluator:
            case Evaluator.COMPILED:
                # The program and its plan are freed before the garbage collector could scan them.
                with gc_paused():
                    return (yield from _compile_and_run(subject, heap, settings))
            case Evaluator.STEPPED:
                return (yield from _reduce(subject, heap, settings))
            case Evaluator.DENOTED:
                from rh_kernel.denotational.commands import interpret
                from rh_kernel.denotational.evaluate import run as run_arrow
                from rh_kernel.denotational.recording import reals

                arrow = interpret((), Scope((), command_of(subject)))
                check_size(reals(arrow), "what the wires hold all together", span_of(subject), settings)
                yield Working("running the string diagram", f"{len(arrow.boxes):,} boxes")
                outcome = run_arrow(arrow, (), heap, strict=settings.strict)
                return Evaluated(_value(iter(outcome.values), subject.type), written(heap, outcome.heap))
    except Stuck as failure:
        raise explained(failure, subject) from None


def _compile_and_run(
    subject: Closed, heap: Mapping[Location, Array], settings: Settings
) -> Generator[Working, None, Evaluated]:
    with gc_paused():
        program = optimise(translated(subject, settings))
    ready = machine(program, heap, settings.precision, backend_for(settings.device), runs=1)
    size = ready.size(most=allowed(settings)) + reals_of(program.draws)
    check_size(size, "what is computed here", span_of(subject), settings)
    yield Working("running the program", f"{program.executed:,} equations")
    runner = ready.runner()
    runner.step(*drawn(program.draws, heap, settings.precision))
    changes = {location: read_only(content) for location, content in counted(ready.written(), heap).items()}
    return Evaluated(_value(iter(leaves(runner.result())), subject.type), changes)


def translated(subject: Closed, settings: Settings) -> Program:
    """Return the program that symbolic execution produces. Raises ``Stuck``, with a span, if there is none."""
    try:
        match subject:
            case ClosedTerm(M):
                return translate_term(M, options=compile_options(settings))
            case ClosedCommand(P):
                return translate(P, options=compile_options(settings))
    except Stuck as failure:
        raise explained(failure, subject) from None


def span_of(subject: Closed) -> Span | None:
    """Return the span of a term or command."""
    return subject.term.span if isinstance(subject, ClosedTerm) else subject.command.span


def command_of(subject: Closed) -> Command:
    """Return a term M as the command ``return M``, a command as it is."""
    return subject.command if isinstance(subject, ClosedCommand) else Return(subject.term, span=subject.term.span)


def explained(failure: Stuck, subject: Closed) -> Stuck:
    """Return the failure with its span in the subject and, for an unhandled operation, the handlers around it."""
    return placed(with_handlers(failure, command_of(subject)), span_of(subject))


def read_only(array: Array) -> Array:
    """Return the array if neither it nor its base can be written to, else a read-only copy."""
    whole = cast(object, array.base)
    if not array.flags.writeable and (whole is None or (isinstance(whole, np.ndarray) and not whole.flags.writeable)):
        return array
    copy = when_large(array.size, lambda: np.array(array))
    copy.setflags(write=False)
    return copy


def written(before: Mapping[Location, Array], after: Mapping[Location, Array]) -> dict[Location, Array]:
    """Return, read-only, the contents that are another array than before."""
    return {location: read_only(content) for location, content in after.items() if before.get(location) is not content}


def _reduce(subject: Closed, heap: Mapping[Location, Array], settings: Settings) -> Generator[Working, None, Evaluated]:
    start = subject.term if isinstance(subject, ClosedTerm) else subject.command
    state, bounds = trace.State(start, None, Heap(heap), 0), limits(settings)
    while not isinstance(now := trace.proceed(state, bounds, STEPS_PER_SLICE), trace.Result):
        state = now
        yield Working("reducing", f"{now.count:,} steps")
    return Evaluated(materialise(now.value), written(heap, now.heap))


def _value(arrays: Iterator[Array], A: Type) -> Term:
    """Return the closed value of type A with these arrays as leaves, from left to right."""
    match A:
        case Product(factors):
            return tuple_of(tuple([_value(arrays, B) for B in factors]))
        case Real() | TypeMeta():
            return Const(read_only(np.asarray(next(arrays), np.float64)))
