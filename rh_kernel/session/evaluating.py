"""The three evaluators (LANGUAGE §5): a closed term or command and a heap ↦ its value and the locations it changes.

``compiled`` runs by default. ``stepped`` reduces (RH §5) and ``denoted`` runs the string diagram (RH §7): they are slower, and
there to be compared.
"""

from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass
from typing import cast

import numpy as np

from rh_kernel.arrays.backends import backend_for
from rh_kernel.arrays.compile import translate, translate_term
from rh_kernel.arrays.execution import machine
from rh_kernel.arrays.optimise import optimise
from rh_kernel.arrays.program import Program
from rh_kernel.loops.trees import leaves
from rh_kernel.operational.heap import Heap
from rh_kernel.operational.trace import Result as Reached
from rh_kernel.operational.trace import State as Position
from rh_kernel.operational.trace import proceed
from rh_kernel.primitives.values import materialise
from rh_kernel.session.limits.budget import allowed, check_size, limits, longest
from rh_kernel.session.results import Working
from rh_kernel.session.settings import Evaluator, Settings
from rh_kernel.source.diagnostic import Stuck
from rh_kernel.source.gc_pause import gc_paused
from rh_kernel.source.interruptible import when_large
from rh_kernel.source.span import Span
from rh_kernel.syntax.core import Array, Command, Const, Return, Scope, Term
from rh_kernel.syntax.runtime_errors import placed
from rh_kernel.syntax.signature import Location
from rh_kernel.syntax.types import Product, Real, Type, TypeMeta
from rh_kernel.syntax.unhandled_hints import with_handlers
from rh_kernel.syntax.values import tuple_of
from rh_kernel.typing.elaboration.items import ClosedCommand, ClosedTerm

STEPS_BETWEEN_LOOKS = 10

_DOES = {
    Evaluator.COMPILED: "compiling",
    Evaluator.STEPPED: "reducing",
    Evaluator.DENOTED: "making the string diagram",
}
"""What an evaluator does first."""


@dataclass(frozen=True, slots=True)
class Evaluated:
    """A closed value, and the new content of each location that was written."""

    value: Term
    changes: Mapping[Location, Array]


def evaluate(
    subject: ClosedTerm | ClosedCommand, heap: Mapping[Location, Array], settings: Settings
) -> Generator[Working, None, Evaluated]:
    """What the evaluator that is set makes of it. Raises ``Stuck``, with a place, where evaluation cannot go on."""
    yield Working(_DOES[settings.evaluator])
    try:
        match settings.evaluator:
            case Evaluator.COMPILED:
                # The program and its plan are gone when this is over, before a search for cycles can go through them.
                with gc_paused():
                    return (yield from _computed(subject, heap, settings))
            case Evaluator.STEPPED:
                return (yield from _reduced(subject, heap, settings))
            case Evaluator.DENOTED:
                from rh_kernel.denotational.commands import interpret
                from rh_kernel.denotational.evaluate import run as run_arrow
                from rh_kernel.denotational.recording import reals

                arrow = interpret((), Scope((), _command(subject)))
                check_size(reals(arrow), "what the wires hold all together", span_of(subject), settings)
                yield Working("running the string diagram", f"{len(arrow.boxes):,} boxes")
                outcome = run_arrow(arrow, (), heap, strict=settings.strict)
                return Evaluated(_value(iter(outcome.values), subject.type), _frozen(_changed(heap, outcome.heap)))
    except Stuck as failure:
        raise explained(failure, subject) from None


def _computed(
    subject: ClosedTerm | ClosedCommand, heap: Mapping[Location, Array], settings: Settings
) -> Generator[Working, None, Evaluated]:
    program = compiled(subject, settings)
    ready = machine(program, heap, settings.precision, backend_for(settings.device), runs=1)
    check_size(ready.size(most=allowed(settings)), "what is computed here", span_of(subject), settings)
    yield Working("running the program", f"{len(program.equations):,} equations")
    runner = ready.runner()
    runner.step()
    return Evaluated(_value(iter(leaves(runner.result())), subject.type), _frozen(ready.written()))


@gc_paused()
def compiled(subject: ClosedTerm | ClosedCommand, settings: Settings) -> Program:
    """The straight-line program. Raises ``Stuck``, with a place, if there is none."""
    return optimise(translated(subject, settings))


def translated(subject: ClosedTerm | ClosedCommand, settings: Settings) -> Program:
    """The program as symbolic execution leaves it. Raises ``Stuck``, as ``compiled`` does."""
    try:
        match subject:
            case ClosedTerm(M):
                return translate_term(M, strict=settings.strict, longest=longest(settings))
            case ClosedCommand(P):
                return translate(P, strict=settings.strict, longest=longest(settings))
    except Stuck as failure:
        raise explained(failure, subject) from None


def span_of(subject: ClosedTerm | ClosedCommand) -> Span | None:
    """Where it is written."""
    return subject.term.span if isinstance(subject, ClosedTerm) else subject.command.span


def explained(failure: Stuck, subject: ClosedTerm | ClosedCommand) -> Stuck:
    """The failure of an evaluation, with its place in the subject and, of an operation, the handlers around it there."""
    return placed(with_handlers(failure, _command(subject)), span_of(subject))


def frozen(array: Array) -> Array:
    """The array if nobody can write to it, nor to what it is a part of, else a copy of it that nobody can."""
    whole = cast(object, array.base)
    if not array.flags.writeable and (whole is None or (isinstance(whole, np.ndarray) and not whole.flags.writeable)):
        return array
    copy = when_large(array.size, lambda: np.array(array))
    copy.setflags(write=False)
    return copy


def _reduced(
    subject: ClosedTerm | ClosedCommand, heap: Mapping[Location, Array], settings: Settings
) -> Generator[Working, None, Evaluated]:
    position = Position(subject.term if isinstance(subject, ClosedTerm) else subject.command, None, Heap(heap), 0)
    bounds = limits(settings)
    while not isinstance(now := proceed(position, bounds, STEPS_BETWEEN_LOOKS), Reached):
        position = now
        yield Working("reducing", f"{now.count:,} steps")
    return Evaluated(materialise(now.value), _changed(heap, now.heap))


def _command(subject: ClosedTerm | ClosedCommand) -> Command:
    return subject.command if isinstance(subject, ClosedCommand) else Return(subject.term, span=subject.term.span)


def _changed(before: Mapping[Location, Array], after: Mapping[Location, Array]) -> dict[Location, Array]:
    return {location: content for location, content in after.items() if before.get(location) is not content}


def _frozen(changes: Mapping[Location, Array]) -> dict[Location, Array]:
    return {location: frozen(content) for location, content in changes.items()}


def _value(arrays: Iterator[Array], A: Type) -> Term:
    """The closed value of type A that the arrays are, from left to right."""
    match A:
        case Product(factors):
            return tuple_of(tuple([_value(arrays, B) for B in factors]))
        case Real() | TypeMeta():
            return Const(frozen(np.asarray(next(arrays), np.float64)))
