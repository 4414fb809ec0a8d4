"""Execution of backpropagators: commands on a state of accumulators, one for each variable in scope.

Pending commands are kept on a stack, so programs may be as long as memory allows.
"""

from dataclasses import dataclass
from typing import TypeAlias, cast

from rh_kernel.ad.chad.accumulation import commands as do
from rh_kernel.ad.chad.accumulation.sparse import Sparse, entries_of, entry, family, full, plus
from rh_kernel.ad.chad.evaluation import BackwardClosure, Environment, evaluate
from rh_kernel.ad.chad.target import terms as to
from rh_kernel.ad.chad.values import Counters, TargetValue, items_of
from rh_kernel.ad.language.types import Real
from rh_kernel.ad.language.values import Injection
from rh_kernel.source.diagnostic import KernelBug

State: TypeAlias = dict[str, TargetValue]
"""The accumulators by their variables; one that is absent is zero."""


@dataclass(slots=True)
class _Task:
    """A pending command; ``scope`` is an accumulator whose content is bound to a name first."""

    command: do.Command
    environment: Environment
    scope: tuple[str, str] | None = None


def backpropagate(backward: BackwardClosure, cotangent: TargetValue, state: State, counters: Counters) -> None:
    """Execute ``b • W`` for a cotangent W that is not zero; updates the accumulators in ``state``."""
    pending = [_start(backward, cotangent)]
    while pending:
        task = pending.pop()
        counters.visits += 1
        environment = task.environment
        if task.scope is not None:
            name, result = task.scope
            environment[result] = state.pop(name, None)
        match task.command:
            case do.Pure():
                pass
            case do.Sequence(C, D):
                pending += (_Task(D, environment), _Task(C, environment))
            case do.Add(x, t):
                state[x] = plus(state.get(x), value(t, environment, counters), counters)
            case do.AddCaptured(names, t):
                for i, W in entries_of(-1, value(t, environment, counters)):
                    counters.visits += 1
                    state[names[i]] = plus(state.get(names[i]), W, counters)
            case do.Backpropagate(f, t):
                W = value(t, environment, counters)
                if W is not None:
                    pending.append(_start(cast(BackwardClosure, evaluate(f, environment, counters)), W))
            case do.LetCotangent(v, t, C):
                environment[v] = value(t, environment, counters)
                pending.append(_Task(C, environment))
            case do.WithAccumulator(x, C, v, D):
                pending += (_Task(D, environment, (x, v)), _Task(C, environment))
            case do.BackpropagateCall(f, t, e, v, C):
                W = value(t, environment, counters)
                environment[e], environment[v] = _call(cast(BackwardClosure, evaluate(f, environment, counters)), W, counters)
                pending.append(_Task(C, environment))
            case do.ForEach() | do.FoldRight():
                _loop(task.command, environment, state, counters)
                pending.append(_Task(task.command.rest, environment))


def _start(backward: BackwardClosure, cotangent: TargetValue) -> _Task:
    return _Task(cast(do.Command, backward.backward.command), {**backward.environment, backward.backward.variable: cotangent})


def _call(backward: BackwardClosure, cotangent: TargetValue, counters: Counters) -> tuple[TargetValue, TargetValue]:
    """Execute the backpropagator of a function; return the cotangents of its captured variables and of its argument."""
    if cotangent is None:
        return None, None
    own: State = {}
    backpropagate(backward, cotangent, own, counters)
    *captured, argument = backward.backward.names
    places = {x: i for i, x in enumerate(captured)}
    found = {places[x]: W for x, W in own.items() if x in places}
    counters.visits += len(found)
    return Sparse(found) if found else None, own.get(argument)


def _loop(command: do.ForEach | do.FoldRight, environment: Environment, state: State, counters: Counters) -> None:
    """Execute the backpropagators of an array; bind the arrays of what the accumulators of its names contain after each."""
    n = command.size
    array = items_of(n, evaluate(command.array, environment, counters))
    contents: dict[str, dict[int, TargetValue]] = {x: {} for x in command.names}

    def step(i: int, W: TargetValue) -> None:
        counters.visits += 1
        if W is not None:
            backpropagate(array[i], W, state, counters)
            for x, entries in contents.items():
                entries[i] = state.pop(x, None)

    match command:
        case do.ForEach(_, _, t, names, results):
            for i, W in entries_of(n, value(t, environment, counters)):
                step(i, W)
            for x, v in zip(names, results, strict=True):
                environment[v] = family(n, {i: W for i, W in contents[x].items() if W is not None})
        case do.FoldRight(_, _, t, outputs, (a, x), (w, v)):
            W = None if t is None else value(t, environment, counters)
            added = None if outputs is None else value(outputs, environment, counters)
            for i in reversed(range(n)):
                W = plus(W, added if n == 1 else entry(added, i), counters)
                step(i, W)
                W = contents[a].pop(i, None)
            environment[w] = W
            environment[v] = family(n, {i: W for i, W in contents[x].items() if W is not None})


def value(t: to.Term, environment: Environment, counters: Counters) -> TargetValue:
    """Return the value of a linear term, sparse."""
    counters.visits += 1
    match t:
        case to.LinearVariable(v):
            return environment[v]
        case to.Projection(i, s):
            return entry(value(s, environment, counters), i - 1)
        case to.Coprojection(i, _, s):
            V = value(s, environment, counters)
            return None if V is None else Sparse({i - 1: V})
        case to.Differential(_, operation, arguments, s):
            V = value(s, environment, counters)
            if V is None:
                return None
            values = tuple([evaluate(r, environment, counters) for r in arguments])
            counters.transposed += 1
            pulled = operation.vjp(values, full(Real(operation.codomain), V), counters)
            return pulled[0] if len(values) == 1 else pulled
        case to.LinearInject(side, _, s):
            V = value(s, environment, counters)
            return None if V is None else Injection(side, V)
        case to.LinearOut(side, _, s):
            V = cast(Injection | None, value(s, environment, counters))
            if V is not None and V.side != side:
                raise KernelBug("the cotangent belongs to the other side of the sum")
            return None if V is None else V.value
        case to.Slice(i, j, n, s):
            V = value(s, environment, counters)
            return family(j - i, {k - i: W for k, W in entries_of(n, V) if i <= k < j and W is not None})
        case _:
            raise KernelBug("not a linear term of accumulation")
