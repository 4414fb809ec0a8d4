"""The warning about a result that is inf or nan although the program was given finite numbers: where that began.

Numbers follow IEEE 754, so the program runs on. The place is found by reducing it once more, in small steps, up to a limit.
"""

import contextlib
from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import replace

import numpy as np

from rh_kernel.operational import trace
from rh_kernel.operational.contexts import Subject
from rh_kernel.operational.heap import Heap
from rh_kernel.operational.step import Step
from rh_kernel.operational.terms import apply
from rh_kernel.paper import Rule
from rh_kernel.session.limits.budget import limits
from rh_kernel.session.results import Working
from rh_kernel.session.settings import Settings
from rh_kernel.source.diagnostic import Diagnostic, Note, Stuck
from rh_kernel.source.gc_pause import gc_paused
from rh_kernel.source.span import Span
from rh_kernel.syntax.core import Array, Call, Const, Defined, Function, Node, Plus, RdOf, Tuple
from rh_kernel.syntax.printing.notation import Notation
from rh_kernel.syntax.printing.printer import show
from rh_kernel.syntax.runtime_errors import NumberNotFinite
from rh_kernel.syntax.signature import Location

MOST_STEPS, STEPS_PER_SLICE = 5_000, 100
"""Steps after which the search ends; steps between two chances to interrupt it."""

LARGEST = 12
"""Arrays with more entries are written as their types."""

_CAUSES = {
    "div": "a divisor is 0, or the quotient is too large for a number; add a small number to a divisor that may be 0",
    "recip": "1 is divided by 0 here; add a small number to what may be 0",
    "log": "a logarithm exists for positive numbers only; add a small number to what may be 0",
    "sqrt": "a square root exists for numbers from 0 on only, and has no slope at 0; add a small number to what may be 0",
    "exp": "the exponential of a number above 709 is too large; subtract the largest entry first, as `softmax` does",
}

_PLAIN = (
    "inf stands for a number that is too large, nan for one that is not defined; "
    "use smaller numbers or, where weights are updated, a smaller rate"
)


def warning(
    subject: Subject, value: Node, heap: Mapping[Location, Array], changes: Mapping[Location, Array], settings: Settings
) -> Generator[Working, None, Diagnostic | None]:
    """Return a warning if the value, or a changed content, is not finite and the program itself has made it so."""
    results = [*_arrays(value), *changes.values()]
    if _are_finite(results):
        return None
    found = yield from _search(trace.State(subject, None, Heap(heap), 0), settings)
    match found:
        case Step():
            return (yield from _at(found, subject.span, settings))
        case trace.Result(end, after):
            # What is too large for float32 is finite in the reduction.
            return _somewhere(subject, results) if _are_finite([*_arrays(end), *after.values()]) else None
        case None:
            return _somewhere(subject, results) if _are_finite(heap.values()) else None


def _search(state: trace.State, settings: Settings) -> Generator[Working, None, Step | trace.Result | None]:
    """Return the first step that makes a number inf or nan, or the result; ``None`` if the search ends early."""
    bounds = replace(limits(settings), fuel=MOST_STEPS)
    while True:
        yield Working("looking for where a number is no longer finite", f"{state.count:,} steps")
        steps: list[Step] = []
        now: trace.State | trace.Result | None = None
        with gc_paused(), contextlib.suppress(Stuck):
            now = trace.proceed(state, bounds, STEPS_PER_SLICE, steps)
        first = next(filter(_begins, steps), None)
        if first is not None:
            return first
        if not isinstance(now, trace.State):
            return now
        state = now


def _begins(step: Step) -> bool:
    """Whether a function, or a sum, of finite numbers is not finite."""
    if step.rule not in (Rule.EV, Rule.PLUS) or _are_finite(_arrays(step.contractum)):
        return False
    match step.redex:
        case Call(_, V):
            return _are_finite(_arrays(V))
        case Plus(V, W):
            return _are_finite([*_arrays(V), *_arrays(W)])
        case _:
            return False


def _at(step: Step, whole: Span | None, settings: Settings) -> Generator[Working, None, Diagnostic]:
    """Return the warning about a step; where that calls a declared function, about the step in its body."""
    M = step.redex
    notes: tuple[Note, ...] = ()
    while isinstance(M, Call) and isinstance(M.function, Defined):
        body, rho = apply(M.function, M.argument, limits(settings))
        inner = yield from _search(trace.State(body, None, Heap({}), 0, rho), settings)
        if not isinstance(inner, Step):
            break
        notes = (Note(span=M.span, text=f"in this call of `{M.function.name}`"), *notes) if M.span is not None else notes
        step, M = inner, inner.redex
    hint = _CAUSES.get(_name(M.function), _PLAIN) if isinstance(M, Call) else _PLAIN
    text = show(M, float("inf"), LARGEST, notation=Notation.SOURCE)
    return NumberNotFinite(span=M.span or whole, part=f"`{text}`", what=_what(_arrays(step.contractum)), notes=notes, hint=hint)


def _somewhere(subject: Subject, results: Iterable[Array]) -> Diagnostic:
    return NumberNotFinite(span=subject.span, part="a result of this", what=_what(results), hint=_PLAIN)


def _what(arrays: Iterable[Array]) -> str:
    """``is inf``, or for an array with several entries ``has the entry inf``."""
    for array in arrays:
        wrong = array[~np.isfinite(array)]
        if wrong.size:
            return f"{'is' if array.size == 1 else 'has the entry'} {wrong.flat[0]:g}"
    return "is not finite"


def _name(f: Function) -> str:
    while isinstance(f, RdOf):
        f = f.of
    return f.name


def _arrays(V: Node) -> Iterator[Array]:
    """The arrays of a value, from left to right."""
    match V:
        case Const(value):
            yield value
        case Tuple(items):
            for item in items:
                yield from _arrays(item)
        case _:
            pass


def _are_finite(arrays: Iterable[Array]) -> bool:
    return all(np.isfinite(array).all() for array in arrays)
