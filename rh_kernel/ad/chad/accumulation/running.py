"""Running backpropagators: commands on a state of accumulators, one for each variable in scope.

What is still to do is kept on a stack, so that programs may be as long as memory allows.
"""

from dataclasses import dataclass
from typing import TypeAlias, cast

from rh_kernel.ad.chad.accumulation import commands as do
from rh_kernel.ad.chad.accumulation.sparse import Sparse, entries_of, entry, family, full, plus
from rh_kernel.ad.chad.evaluation.evaluation import BackwardClosure, Environment, evaluate
from rh_kernel.ad.chad.evaluation.values import Counters, TargetValue, items_of
from rh_kernel.ad.chad.target import terms as to
from rh_kernel.ad.language.types import Real
from rh_kernel.ad.language.values import Injection
from rh_kernel.source.diagnostic import KernelBug

State: TypeAlias = dict[str, TargetValue]
"""The accumulators by their variables; one that is not there is zero."""


@dataclass(slots=True)
class _Task:
    """A command that is to be done; with a name, when the accumulator of that name is complete and has been bound."""

    command: do.Command
    environment: Environment
    scope: tuple[str, str] | None = None


def run(backward: BackwardClosure, cotangent: TargetValue, state: State, counters: Counters) -> None:
    """``b • W``, which is not zero, on these accumulators."""
    pending = [_sent(backward, cotangent)]
    while pending:
        task = pending.pop()
        counters.visits += 1
        environment = task.environment
        if task.scope is not None:
            name, result = task.scope
            environment[result] = state.pop(name, None)
        match task.command:
            case do.Done():
                pass
            case do.Then(C, D):
                pending += (_Task(D, environment), _Task(C, environment))
            case do.Add(x, t):
                state[x] = plus(state.get(x), value(t, environment, counters), counters)
            case do.Spread(names, t):
                for i, W in entries_of(-1, value(t, environment, counters)):
                    counters.visits += 1
                    state[names[i]] = plus(state.get(names[i]), W, counters)
            case do.Send(f, t):
                W = value(t, environment, counters)
                if W is not None:
                    pending.append(_sent(cast(BackwardClosure, evaluate(f, environment, counters)), W))
            case do.LetCotangent(v, t, C):
                environment[v] = value(t, environment, counters)
                pending.append(_Task(C, environment))
            case do.Scoped(x, C, v, D):
                pending += (_Task(D, environment, (x, v)), _Task(C, environment))
            case do.Returning(f, t, e, v, C):
                W = value(t, environment, counters)
                environment[e], environment[v] = _returned(
                    cast(BackwardClosure, evaluate(f, environment, counters)), W, counters
                )
                pending.append(_Task(C, environment))
            case do.ForEach() | do.FromTheRight():
                _loop(task.command, environment, state, counters)
                pending.append(_Task(task.command.rest, environment))


def _sent(backward: BackwardClosure, cotangent: TargetValue) -> _Task:
    return _Task(cast(do.Command, backward.backward.command), {**backward.environment, backward.backward.variable: cotangent})


def _returned(backward: BackwardClosure, cotangent: TargetValue, counters: Counters) -> tuple[TargetValue, TargetValue]:
    """The cotangents of what a function has captured, and of its argument."""
    if cotangent is None:
        return None, None
    own: State = {}
    run(backward, cotangent, own, counters)
    *captured, argument = backward.backward.names
    places = {x: i for i, x in enumerate(captured)}
    found = {places[x]: W for x, W in own.items() if x in places}
    counters.visits += len(found)
    return Sparse(found) if found else None, own.get(argument)


def _loop(command: do.ForEach | do.FromTheRight, environment: Environment, state: State, counters: Counters) -> None:
    """Runs the backpropagators of an array, and binds what the accumulators of its names have after each."""
    n = command.size
    array = items_of(n, evaluate(command.array, environment, counters))
    found: dict[str, dict[int, TargetValue]] = {x: {} for x in command.names}

    def step(i: int, W: TargetValue) -> None:
        counters.visits += 1
        if W is not None:
            run(array[i], W, state, counters)
            for x, entries in found.items():
                entries[i] = state.pop(x, None)

    match command:
        case do.ForEach(_, _, t, names, results):
            for i, W in entries_of(n, value(t, environment, counters)):
                step(i, W)
            for x, v in zip(names, results, strict=True):
                environment[v] = family(n, {i: W for i, W in found[x].items() if W is not None})
        case do.FromTheRight(_, _, t, outputs, (a, x), (w, v)):
            W = None if t is None else value(t, environment, counters)
            added = None if outputs is None else value(outputs, environment, counters)
            for i in reversed(range(n)):
                W = plus(W, added if n == 1 else entry(added, i), counters)
                step(i, W)
                W = found[a].pop(i, None)
            environment[w] = W
            environment[v] = family(n, {i: W for i, W in found[x].items() if W is not None})


def value(t: to.Term, environment: Environment, counters: Counters) -> TargetValue:
    """The value of a linear term, sparse."""
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
            pulled = operation.pull(values, full(Real(operation.codomain), V), counters)
            return pulled[0] if len(values) == 1 else pulled
        case to.LinearInject(side, _, s):
            V = value(s, environment, counters)
            return None if V is None else Injection(side, V)
        case to.LinearOut(side, _, s):
            V = cast(Injection | None, value(s, environment, counters))
            if V is not None and V.side != side:
                raise KernelBug("a cotangent is on the other side of a sum")
            return None if V is None else V.value
        case to.Slice(i, j, n, s):
            V = value(s, environment, counters)
            return family(j - i, {k - i: W for k, W in entries_of(n, V) if i <= k < j and W is not None})
        case _:
            raise KernelBug("not a term of cotangents")
