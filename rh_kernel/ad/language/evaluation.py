"""``Γ ⊢ M : A`` and values of Γ give the value of M, left to right and by value; operations on numbers are counted.

An operation is one application of a function symbol of numbers. ``sum`` of n entries counts n − 1, ``dot`` 2n − 1.
"""

from dataclasses import dataclass
from typing import TypeAlias, cast

from rh_kernel.ad.language import core
from rh_kernel.ad.language.scalars import apply, quietly
from rh_kernel.ad.language.values import Injection, Value, array, entries
from rh_kernel.source.diagnostic import KernelBug

Environment: TypeAlias = dict[str, Value]
"""Values of variables. A ``let`` adds to the one it is evaluated in: harmless, as every binder has a name of its own."""


@dataclass(slots=True)
class OpCounter:
    """How many operations on numbers were done."""

    operations: int = 0


def run(program: core.Program, point: tuple[Value, ...], tally: OpCounter | None = None) -> Value:
    """``f(V1, …, Vn)``"""
    names = (name for name, _ in program.parameters)
    with quietly():
        return evaluate(program.body, dict(zip(names, point, strict=True)), tally or OpCounter())


def evaluate(M: core.Term, environment: Environment, tally: OpCounter) -> Value:
    """The value of M where its variables have the values of ``environment``."""
    while isinstance(M, core.Let):
        environment[M.name] = evaluate(M.bound, environment, tally)
        M = M.body
    match M:
        case core.Constant(c):
            return c
        case core.Variable(x):
            return environment[x]
        case core.Apply(symbol, arguments):
            numbers = [_number(N, environment, tally) for N in arguments]
            tally.operations += 1
            return apply(symbol, *numbers)
        case core.Tuple(components):
            return tuple(evaluate(N, environment, tally) for N in components)
        case core.Projection(index, N):
            return cast(tuple[Value, ...], evaluate(N, environment, tally))[index - 1]
        case core.Lambda(x, _, body):
            return lambda V: evaluate(body, {**environment, x: V}, tally)
        case core.Call(function, argument):
            f = evaluate(function, environment, tally)
            if not callable(f):
                raise KernelBug("a function was expected")
            return f(evaluate(argument, environment, tally))
        case core.Inject(side, _, N):
            return Injection(side, evaluate(N, environment, tally))
        case core.Case(N, x, left, y, right):
            V = cast(Injection, evaluate(N, environment, tally))
            name, branch = (x, left) if V.side == 1 else (y, right)
            return evaluate(branch, {**environment, name: V.value}, tally)
        case core.If(smaller, larger, then, otherwise):
            holds = _number(smaller, environment, tally) <= _number(larger, environment, tally)
            return evaluate(then if holds else otherwise, environment, tally)
        case _:
            return _of_array(M, environment, tally)


def _number(M: core.Term, environment: Environment, tally: OpCounter) -> float:
    return cast(float, evaluate(M, environment, tally))


def _entries(M: core.Term, environment: Environment, tally: OpCounter) -> tuple[float, ...]:
    return entries(evaluate(M, environment, tally))


def _of_array(M: core.ArrayTerm, environment: Environment, tally: OpCounter) -> Value:
    match M:
        case core.Array(items):
            return array([_number(N, environment, tally) for N in items])
        case core.Index(N, i):
            return _entries(N, environment, tally)[i]
        case core.Map(x, body, N):
            return array([_number(body, {**environment, x: c}, tally) for c in _entries(N, environment, tally)])
        case core.Map2(x, y, body, left, right):
            pairs = zip(_entries(left, environment, tally), _entries(right, environment, tally), strict=True)
            return array([_number(body, {**environment, x: c, y: d}, tally) for c, d in pairs])
        case core.Reduce(a, x, body, start, N) | core.Foldl(a, x, body, start, N):
            V = evaluate(start, environment, tally)
            for c in _entries(N, environment, tally):
                V = evaluate(body, {**environment, a: V, x: c}, tally)
            return V
        case core.Scanl(a, x, body, start, N):
            through = [_number(start, environment, tally)]
            for c in _entries(N, environment, tally):
                through.append(_number(body, {**environment, a: through[-1], x: c}, tally))
            return array(through)
        case core.Total(N):
            items = _entries(N, environment, tally)
            tally.operations += max(len(items) - 1, 0)
            return float(sum(items))
        case core.Replicate(n, N):
            return array([_number(N, environment, tally)] * n)
        case core.Generate(n, i, body):
            return array([_number(body, {**environment, i: float(k)}, tally) for k in range(n)])
        case core.Dot(left, right):
            first, second = _entries(left, environment, tally), _entries(right, environment, tally)
            tally.operations += max(2 * len(first) - 1, 0)
            return float(sum(c * d for c, d in zip(first, second, strict=True)))
