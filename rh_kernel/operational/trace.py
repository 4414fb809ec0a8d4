"""Traces ``(hp, P) →* (hp', ⌊V⌋)`` (RH Def. 5.4, 5.10): the steps of a closed term or command, one at a time.

The context stays a stack between steps and the next redex is looked for where the last one was, so a step costs what
its rule does, however deep it happens.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rh_kernel.operational.commands import reduct
from rh_kernel.operational.contexts import Context, Subject
from rh_kernel.operational.environments import Environment
from rh_kernel.operational.focus import Head, focus
from rh_kernel.operational.heap import Heap
from rh_kernel.operational.limits import Limits
from rh_kernel.operational.step import Step
from rh_kernel.operational.substitution import written_within
from rh_kernel.syntax.core import Bind, Const, Let, R, Return, Term, Tuple, Zero

DEFAULT = Limits()

SHARED, EARNED, LEAST = 2_000, 2, 500
"""So many nodes may be made for states to share, so many more at each step; and nothing is done for less than the last."""


@dataclass(frozen=True, slots=True)
class State:
    """``(hp, K[M[ρ]])`` after ``count`` steps, with M at an evaluation position of K.

    ``made`` is how many nodes were made for the states of a trace to share; ``unfolded`` of the steps were at an ``R``.
    """

    subject: Subject
    context: Context | None
    heap: Heap
    count: int
    rho: Environment = None
    made: int = 0
    unfolded: int = 0


@dataclass(frozen=True, slots=True)
class Result:
    """A closed value, the heap it was reached with, and the number of steps."""

    value: Term
    heap: Heap
    count: int


def proceed(state: State, limits: Limits, most: int, kept: list[Step] | None = None) -> State | Result:
    """The state after ``most`` steps, or the result that comes before. Raises ``Stuck``.

    The steps are put into ``kept``, those before one that cannot be taken as well.
    """
    M, rho, K, hp, count, made = state.subject, state.rho, state.context, state.heap, state.count, state.made
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
            rule, M, rho, K, change = reduct(head, hp, limits)
            count += 1
            if change is not None:
                hp = hp.after(change)
            if kept is not None:
                if rho is not None and isinstance(M, Let | Bind) and M.scope.loose:
                    M, rho, made = _to_share(M, rho, count, made)
                kept.append(Step(rule, K, head, M, change, rho))
    return State(M, K, hp, count, rho, made, unfolded)


def advance(state: State, limits: Limits) -> tuple[Step, State] | Result:
    """The next step of a state and the state after it, or the result that it is. Raises ``Stuck``."""
    kept: list[Step] = []
    now = proceed(state, limits, 1, kept)
    return now if isinstance(now, Result) else (kept[0], now)


def steps(subject: Subject, heap: Heap, limits: Limits = DEFAULT) -> Iterator[Step]:
    """The steps of a closed term or command from ``heap``, as they are asked for. Raises ``Stuck``."""
    state = State(subject, None, heap, 0)
    while not isinstance(now := advance(state, limits), Result):
        taken, state = now
        yield taken


def run(subject: Subject, heap: Heap, limits: Limits = DEFAULT) -> Result:
    """The value of a closed term or command, keeping no step. Raises ``Stuck``."""
    state = State(subject, None, heap, 0)
    while not isinstance(now := proceed(state, limits, sys.maxsize), Result):
        state = now
    return now


def _result(head: Head) -> Term | None:
    """The value, if the head is all there is and has come to an end."""
    form, V, *_ = head
    if isinstance(form, Return):
        return V
    return form if isinstance(form, Const | Zero | Tuple) else None


def _to_share(M: Let | Bind, rho: Environment, count: int, made: int) -> tuple[Subject, Environment, int]:
    """``M[ρ]``, for an M whose scope mentions what ρ has: written out now, not at each of the steps that are shown.

    It stays as it is where that would take more nodes than steps allow: so a trace costs what its steps cost.
    """
    most = SHARED + EARNED * count - made
    if most < LEAST:
        return M, rho, made
    image, visited = written_within(M, rho, most)
    return (M, rho, made + visited) if image is None else (image, None, made + visited)
