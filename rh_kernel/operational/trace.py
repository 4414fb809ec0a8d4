"""Traces ``(hp, P) →* (hp', ⌊V⌋)`` (RH Def. 5.4, 5.10): the steps of a closed term or command, one at a time.

The context remains a stack between steps, and the next redex is searched for from the last one, so the cost of a step does not
depend on its depth.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

import numpy as np

from rh_kernel.operational.commands import Reduct, reduct
from rh_kernel.operational.contexts import Context, Subject
from rh_kernel.operational.environments import Environment
from rh_kernel.operational.focus import Head, focus, inside
from rh_kernel.operational.heap import Heap
from rh_kernel.operational.limits import Limits
from rh_kernel.operational.step import Step
from rh_kernel.syntax.core import Const, R, Return, Term, Tuple, Zero

DEFAULT = Limits()


@dataclass(frozen=True, slots=True)
class State:
    """``(hp, K[M[ρ]])`` after ``count`` steps, with M at an evaluation position of K.

    ``unfolded`` counts the steps at an ``R``.
    """

    subject: Subject
    context: Context | None
    heap: Heap
    count: int
    rho: Environment = None
    unfolded: int = 0


@dataclass(frozen=True, slots=True)
class Result:
    """A closed value, the final heap, and the number of steps."""

    value: Term
    heap: Heap
    count: int


def proceed(state: State, limits: Limits, most: int, kept: list[Step] | None = None) -> State | Result:
    """Return the state after ``most`` steps, or the result if it comes earlier. Raises ``Stuck``.

    The steps are appended to ``kept``, including those before a step that gets stuck.
    """
    M, rho, K, hp, count = state.subject, state.rho, state.context, state.heap, state.count
    end, fuel, unfolded = count + most, limits.fuel, state.unfolded
    with np.errstate(all="ignore"):
        while count < end:
            head = focus(M, rho, K)
            if head[4] is None and (value := _result(head)) is not None:
                return Result(value, hp, count)
            if count >= fuel:
                limits.check(count, head[0].span, unfolded)
            if type(head[0]) is R:
                unfolded += 1
            found = reduct(head, hp, limits)
            if found is None:
                head = inside(head)
                found = cast(Reduct, reduct(head, hp, limits))
            rule, M, rho, K, change = found
            count += 1
            if change is not None:
                hp = hp.after(change)
            if kept is not None:
                kept.append(Step(rule, K, head, M, change, rho))
    return State(M, K, hp, count, rho, unfolded)


def advance(state: State, limits: Limits) -> tuple[Step, State] | Result:
    """Return the next step of a state and the state after it, or the result. Raises ``Stuck``."""
    kept: list[Step] = []
    now = proceed(state, limits, 1, kept)
    return now if isinstance(now, Result) else (kept[0], now)


def steps(subject: Subject, heap: Heap, limits: Limits = DEFAULT) -> Iterator[Step]:
    """Yield the steps of a closed term or command from ``heap`` on demand. Raises ``Stuck``."""
    state = State(subject, None, heap, 0)
    while not isinstance(now := advance(state, limits), Result):
        taken, state = now
        yield taken


def run(subject: Subject, heap: Heap, limits: Limits = DEFAULT) -> Result:
    """Return the value of a closed term or command, keeping no steps. Raises ``Stuck``."""
    state = State(subject, None, heap, 0)
    while not isinstance(now := proceed(state, limits, sys.maxsize), Result):
        state = now
    return now


def _result(head: Head) -> Term | None:
    """Return the value if the head is a result, else ``None``."""
    form, V, *_ = head
    if isinstance(form, Return):
        return V
    return form if isinstance(form, Const | Zero | Tuple) else None
