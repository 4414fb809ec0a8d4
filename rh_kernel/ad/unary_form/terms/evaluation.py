"""Evaluation of Source and Target (Figs 14, 15): call by value, from left to right, with counts of operations and moves.

``scanl f v [a1, …, an] = [v, f(v, a1), …]`` and ``scanr f v [a1, …, an] = […, f(v, an), v]`` have n + 1 entries, and the
accumulator is the first parameter of f in both. Moves are those of Fig 11.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias, cast

from rh_kernel.ad.language.scalars import apply
from rh_kernel.ad.language.values import Value
from rh_kernel.ad.unary_form.terms import terms as e
from rh_kernel.ad.unary_form.terms.types import R, Type, VectorType
from rh_kernel.source.diagnostic import KernelBug

Tuples: TypeAlias = tuple[Value, ...]
Environment: TypeAlias = dict[str, "Value | Closure"]


@dataclass(slots=True)
class OpCounter:
    """Counts of operations on numbers and of moves."""

    operations: int = 0
    moves: int = 0


@dataclass(frozen=True, slots=True)
class Closure:
    """A function with the values of its free variables."""

    function: e.Fun
    environment: Environment


def run(M: e.Term, values: Mapping[str, Value], counter: OpCounter | None = None) -> Value:
    """Evaluate ``Γ ⊢ e : G`` at values of Γ."""
    return ground(evaluate(M, dict(values), counter or OpCounter()))


def evaluate(M: e.Term, environment: Environment, counter: OpCounter) -> "Value | Closure":
    """Evaluate M. A ``let`` extends the environment in place, which is safe as no two binders have the same name."""
    while isinstance(M, e.Let | e.App):
        if isinstance(M, e.Let):
            counter.moves += 1
            bound = evaluate(M.bound, environment, counter)
            if len(M.names) == 1:
                environment[M.names[0]] = bound
            else:
                environment.update(zip(M.names, cast("tuple[Value | Closure, ...]", bound), strict=True))
            M = M.body
            continue
        f = evaluate(M.function, environment, counter)
        if not isinstance(f, Closure):
            raise KernelBug("a function was expected")
        arguments = [evaluate(N, environment, counter) for N in M.arguments]
        names = (x for x, _ in f.function.parameters)
        environment = {**f.environment, **dict(zip(names, arguments, strict=True))}
        M = f.function.body
    match M:
        case e.Fun():
            return Closure(M, environment)
        case e.Var(x):
            counter.moves += 1
            return environment[x]
        case e.Pack(components):
            # A tuple may have a closure: the result of ``D``, before a ``let`` destructures it.
            return cast(Value, tuple(evaluate(N, environment, counter) for N in components))
        case _:
            return _ground_value(M, environment, counter)


def ground(V: "Value | Closure") -> Value:
    """Return V. Raises ``KernelBug`` for a function."""
    if isinstance(V, Closure):
        raise KernelBug("a function where a value of a ground type was expected")
    return V


def _value(M: e.Term, environment: Environment, counter: OpCounter) -> Value:
    return ground(evaluate(M, environment, counter))


def _number(M: e.Term, environment: Environment, counter: OpCounter) -> float:
    return cast(float, _value(M, environment, counter))


def _array(M: e.Term, environment: Environment, counter: OpCounter) -> Tuples:
    return cast(Tuples, _value(M, environment, counter))


def _ground_value(M: e.Term, environment: Environment, counter: OpCounter) -> "Value | Closure":
    match M:
        case e.Const(c):
            counter.moves += 1
            return c
        case e.Proj(i, N):
            counter.moves += 1
            return cast("tuple[Value | Closure, ...]", evaluate(N, environment, counter))[i - 1]
        case e.Op(symbol, arguments):
            given = [_number(N, environment, counter) for N in arguments]
            counter.operations += 1
            counter.moves += 1 + len(given)
            return apply(symbol, *given)
        case e.If(smaller, larger, then, otherwise):
            holds = _number(smaller, environment, counter) <= _number(larger, environment, counter)
            return evaluate(then if holds else otherwise, environment, counter)
        case e.Plus(N, L):
            return plus(_value(N, environment, counter), _value(L, environment, counter), counter)
        case e.Scale(N, factor):
            return scaled(_value(N, environment, counter), _number(factor, environment, counter), counter)
        case e.Use(primitive, arguments):
            many = [_value(N, environment, counter) for N in arguments]
            types = tuple(_type_of(V) for V in many)
            counter.operations += primitive.operations(types)
            counter.moves += primitive.cost(types)
            return primitive.kernel(*many)
        case e.Map() | e.Map2() | e.Fold() | e.Shift() | e.Fill():
            return _of_array(M, environment, counter)
        case e.Let() | e.App() | e.Fun() | e.Var() | e.Pack() | e.Nabla():
            raise KernelBug("a ∇ that was not written out")


def _of_array(M: e.Map | e.Map2 | e.Fold | e.Shift | e.Fill, environment: Environment, counter: OpCounter) -> Value:
    match M:
        case e.Map(x, body, N):
            many = _array(N, environment, counter)
            counter.moves += 2 * len(many)
            return tuple(_value(body, {**environment, x: V}, counter) for V in many)
        case e.Map2(x, y, body, N, L):
            first, second = _array(N, environment, counter), _array(L, environment, counter)
            counter.moves += 2 * len(first)
            pairs = zip(first, second, strict=True)
            return tuple(_value(body, {**environment, x: V, y: W}, counter) for V, W in pairs)
        case e.Fold(form, a, x, body, start, N):
            through = [_value(start, environment, counter)]
            many = _array(N, environment, counter)
            counter.moves += len(many) * (3 if form in {"scanl", "scanr"} else 2)
            for V in reversed(many) if form == "scanr" else many:
                through.append(_value(body, {**environment, a: through[-1], x: V}, counter))
            if form == "scanr":
                through.reverse()
            return tuple(through) if form in {"scanl", "scanr"} else through[-1]
        case e.Shift(side, N):
            many = _array(N, environment, counter)
            counter.moves += len(many)
            return many[1:] if side == "L" else many[:-1]
        case e.Fill(n, N):
            counter.moves += n
            return (_value(N, environment, counter),) * n


def plus(V: Value, W: Value, counter: OpCounter) -> Value:
    """``V +̂ W``"""
    if isinstance(V, tuple):
        return tuple(plus(a, b, counter) for a, b in zip(cast(Tuples, V), cast(Tuples, W), strict=True))
    counter.operations += 1
    counter.moves += 3
    return cast(float, V) + cast(float, W)


def scaled(V: Value, factor: float, counter: OpCounter) -> Value:
    """``V *̂ c``"""
    if isinstance(V, tuple):
        return tuple(scaled(a, factor, counter) for a in cast(Tuples, V))
    counter.operations += 1
    counter.moves += 3
    return cast(float, V) * factor


def _type_of(V: Value) -> Type:
    """The type of an argument of a primitive, which is a number or an array of numbers."""
    return VectorType(R, len(cast(Tuples, V))) if isinstance(V, tuple) else R
