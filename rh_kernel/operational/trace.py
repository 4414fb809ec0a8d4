"""Traces ``(hp, P) →* (hp', ⌊V⌋)`` (RH Def. 5.4, 5.10): the steps of a closed term or command, one at a time.

The context stays a stack between steps and the next redex is looked for where the last one was, so a step costs what
its rule does, however deep it happens.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from rh_kernel.operational.commands import step
from rh_kernel.operational.contexts import Context, Subject
from rh_kernel.operational.focus import focus
from rh_kernel.operational.heap import Heap
from rh_kernel.operational.limits import Limits
from rh_kernel.operational.step import Step
from rh_kernel.syntax.core import (
    RH,
    Bind,
    Bound,
    Call,
    Const,
    Handle,
    Let,
    Perform,
    Plus,
    Proj,
    R,
    Rd,
    Resume,
    Return,
    RevHandle,
    Term,
    Tuple,
    Zero,
    is_value,
)

DEFAULT = Limits()


@dataclass(frozen=True, slots=True)
class State:
    """``(hp, K[M])`` after ``count`` steps, with M at an evaluation position of K."""

    subject: Subject
    context: Context | None
    heap: Heap
    count: int


@dataclass(frozen=True, slots=True)
class Result:
    """A closed value, the heap it was reached with, and the number of steps."""

    value: Term
    heap: Heap
    count: int


def advance(state: State, limits: Limits) -> tuple[Step, State] | Result:
    """The next step of a state and the state after it, or the result that it is. Raises ``Stuck``."""
    M, K = focus(state.subject, state.context)
    value = _result(M) if K is None else None
    if value is not None:
        return Result(value, state.heap, state.count)
    limits.check(state.count, M.span)
    taken = step(M, K, state.heap, limits)
    return taken, State(taken.contractum, taken.context, state.heap.after(taken.change), state.count + 1)


def steps(subject: Subject, heap: Heap, limits: Limits = DEFAULT) -> Iterator[Step]:
    """The steps of a closed term or command from ``heap``, as they are asked for. Raises ``Stuck``."""
    state = State(subject, None, heap, 0)
    while not isinstance(now := advance(state, limits), Result):
        taken, state = now
        yield taken


def run(subject: Subject, heap: Heap, limits: Limits = DEFAULT) -> Result:
    """The value of a closed term or command, keeping no step. Raises ``Stuck``."""
    state = State(subject, None, heap, 0)
    while not isinstance(now := advance(state, limits), Result):
        _, state = now
    return now


def _result(M: Subject) -> Term | None:
    match M:
        case Return(V):
            return V if is_value(V) else None
        case Perform() | Bind() | RevHandle() | RH() | Handle() | Resume():
            return None
        case Bound() | Const() | Zero() | Call() | Plus() | Tuple() | Proj() | Let() | Rd() | R():
            return M if is_value(M) else None
