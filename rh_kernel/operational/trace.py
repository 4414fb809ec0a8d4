"""Traces ``(hp, P) →* (hp', ⌊V⌋)`` (RH Def. 5.4, 5.10): the steps of a closed term or command, one at a time.

The context remains a stack between steps, and the next redex is searched for from the last one, so the cost of a step does not
depend on its depth.
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
from rh_kernel.operational.substitution import substituted_within
from rh_kernel.syntax.core import Bind, Const, Let, R, Return, Term, Tuple, Zero

DEFAULT = Limits()

SHARED, EARNED, LEAST = 2_000, 2, 500
"""The base number of nodes built for states to share, how many more per step, and the least number worth trying."""


@dataclass(frozen=True, slots=True)
class State:
    """``(hp, K[M[ρ]])`` after ``count`` steps, with M at an evaluation position of K.

    ``made`` counts the nodes built for the states of a trace to share; ``unfolded`` counts the steps at an ``R``.
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
    """A closed value, the final heap, and the number of steps."""

    value: Term
    heap: Heap
    count: int


def proceed(state: State, limits: Limits, most: int, kept: list[Step] | None = None) -> State | Result:
    """Return the state after ``most`` steps, or the result if it comes earlier. Raises ``Stuck``.

    The steps are appended to ``kept``, including those before a step that gets stuck.
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


def _to_share(M: Let | Bind, rho: Environment, count: int, made: int) -> tuple[Subject, Environment, int]:
    """Return ``M[ρ]`` if the scope of M mentions ρ: built now once, not at every step that is displayed.

    M is returned unchanged if that would build more nodes than the steps so far pay for, so the cost of a trace stays
    proportional to its steps.
    """
    most = SHARED + EARNED * count - made
    if most < LEAST:
        return M, rho, made
    image, visited = substituted_within(M, rho, most)
    return (M, rho, made + visited) if image is None else (image, None, made + visited)
