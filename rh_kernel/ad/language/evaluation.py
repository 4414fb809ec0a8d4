"""Evaluation of terms, from left to right and by value, with a count of operations on numbers.

An operation is one application of a function symbol. ``sum`` of n entries counts n − 1, ``dot`` 2n − 1.
"""

from dataclasses import dataclass
from typing import TypeAlias, cast

from rh_kernel.ad.language import core
from rh_kernel.ad.language.scalars import apply, quietly
from rh_kernel.ad.language.values import Injection, Value, array, entries
from rh_kernel.source.diagnostic import KernelBug

Environment: TypeAlias = dict[str, Value]
"""Values of variables. A ``let`` extends it in place, which is safe as no two binders have the same name."""


@dataclass(slots=True)
class OpCounter:
    """A count of operations on numbers."""

    operations: int = 0


def run(program: core.Program, point: tuple[Value, ...], counter: OpCounter | None = None) -> Value:
    """``f(V1, …, Vn)``"""
    names = (name for name, _ in program.parameters)
    with quietly():
        return evaluate(program.body, dict(zip(names, point, strict=True)), counter or OpCounter())


def evaluate(M: core.Term, environment: Environment, counter: OpCounter) -> Value:
    """Evaluate M in an environment."""
    while isinstance(M, core.Let):
        environment[M.name] = evaluate(M.bound, environment, counter)
        M = M.body
    match M:
        case core.Constant(c):
            return c
        case core.Variable(x):
            return environment[x]
        case core.Apply(symbol, arguments):
            numbers = [_number(N, environment, counter) for N in arguments]
            counter.operations += 1
            return apply(symbol, *numbers)
        case core.Tuple(components):
            return tuple(evaluate(N, environment, counter) for N in components)
        case core.Projection(index, N):
            return cast(tuple[Value, ...], evaluate(N, environment, counter))[index - 1]
        case core.Lambda(x, _, body):
            return lambda V: evaluate(body, {**environment, x: V}, counter)
        case core.Call(function, argument):
            f = evaluate(function, environment, counter)
            if not callable(f):
                raise KernelBug("a function was expected")
            return f(evaluate(argument, environment, counter))
        case core.Inject(side, _, N):
            return Injection(side, evaluate(N, environment, counter))
        case core.Case(N, x, left, y, right):
            V = cast(Injection, evaluate(N, environment, counter))
            name, branch = (x, left) if V.side == 1 else (y, right)
            return evaluate(branch, {**environment, name: V.value}, counter)
        case core.If(smaller, larger, then, otherwise):
            holds = _number(smaller, environment, counter) <= _number(larger, environment, counter)
            return evaluate(then if holds else otherwise, environment, counter)
        case _:
            return _of_array(M, environment, counter)


def _number(M: core.Term, environment: Environment, counter: OpCounter) -> float:
    return cast(float, evaluate(M, environment, counter))


def _entries(M: core.Term, environment: Environment, counter: OpCounter) -> tuple[float, ...]:
    return entries(evaluate(M, environment, counter))


def _of_array(M: core.ArrayTerm, environment: Environment, counter: OpCounter) -> Value:
    match M:
        case core.Array(items):
            return array([_number(N, environment, counter) for N in items])
        case core.Index(N, i):
            return _entries(N, environment, counter)[i]
        case core.Map(x, body, N):
            return array([_number(body, {**environment, x: c}, counter) for c in _entries(N, environment, counter)])
        case core.Map2(x, y, body, left, right):
            pairs = zip(_entries(left, environment, counter), _entries(right, environment, counter), strict=True)
            return array([_number(body, {**environment, x: c, y: d}, counter) for c, d in pairs])
        case core.Reduce(a, x, body, start, N) | core.Foldl(a, x, body, start, N):
            V = evaluate(start, environment, counter)
            for c in _entries(N, environment, counter):
                V = evaluate(body, {**environment, a: V, x: c}, counter)
            return V
        case core.Scanl(a, x, body, start, N):
            through = [_number(start, environment, counter)]
            for c in _entries(N, environment, counter):
                through.append(_number(body, {**environment, a: through[-1], x: c}, counter))
            return array(through)
        case core.Total(N):
            items = _entries(N, environment, counter)
            counter.operations += max(len(items) - 1, 0)
            return float(sum(items))
        case core.Replicate(n, N):
            return array([_number(N, environment, counter)] * n)
        case core.Generate(n, i, body):
            return array([_number(body, {**environment, i: float(k)}, counter) for k in range(n)])
        case core.Dot(left, right):
            first, second = _entries(left, environment, counter), _entries(right, environment, counter)
            counter.operations += max(2 * len(first) - 1, 0)
            return float(sum(c * d for c, d in zip(first, second, strict=True)))
