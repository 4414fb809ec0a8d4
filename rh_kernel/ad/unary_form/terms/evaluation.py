"""Values of Source and Target (Figs 14, 15): call by value, from left to right; operations and moves are counted.

``scanl f v [a1, …, an] = [v, f(v, a1), …]`` and ``scanr f v [a1, …, an] = […, f(v, an), v]`` have n + 1 entries, and the
accumulator comes first in both. Moves are those of Fig 11, counted as they happen.
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
    """Operations on numbers, and moves."""

    operations: int = 0
    moves: int = 0


@dataclass(frozen=True, slots=True)
class Closure:
    """A function and the values of its free variables."""

    function: e.Fun
    environment: Environment


def run(M: e.Term, values: Mapping[str, Value], meter: OpCounter | None = None) -> Value:
    """The value of ``Γ ⊢ e : G`` at values of Γ."""
    return ground(evaluate(M, dict(values), meter or OpCounter()))


def evaluate(M: e.Term, environment: Environment, meter: OpCounter) -> "Value | Closure":
    """The value of M. A ``let`` adds to the environment: harmless, as every binder has a name of its own."""
    while isinstance(M, e.Let | e.App):
        if isinstance(M, e.Let):
            meter.moves += 1
            bound = evaluate(M.bound, environment, meter)
            if len(M.names) == 1:
                environment[M.names[0]] = bound
            else:
                environment.update(zip(M.names, cast("tuple[Value | Closure, ...]", bound), strict=True))
            M = M.body
            continue
        f = evaluate(M.function, environment, meter)
        if not isinstance(f, Closure):
            raise KernelBug("a function was expected")
        arguments = [evaluate(N, environment, meter) for N in M.arguments]
        names = (x for x, _ in f.function.parameters)
        environment = {**f.environment, **dict(zip(names, arguments, strict=True))}
        M = f.function.body
    match M:
        case e.Fun():
            return Closure(M, environment)
        case e.Var(x):
            meter.moves += 1
            return environment[x]
        case e.Pack(components):
            # A closure may stand in a tuple, between ``D`` and the ``let`` that takes it apart.
            return cast(Value, tuple(evaluate(N, environment, meter) for N in components))
        case _:
            return _ground_value(M, environment, meter)


def ground(V: "Value | Closure") -> Value:
    """V, which is no function."""
    if isinstance(V, Closure):
        raise KernelBug("a function where a value of a ground type was expected")
    return V


def _value(M: e.Term, environment: Environment, meter: OpCounter) -> Value:
    return ground(evaluate(M, environment, meter))


def _number(M: e.Term, environment: Environment, meter: OpCounter) -> float:
    return cast(float, _value(M, environment, meter))


def _array(M: e.Term, environment: Environment, meter: OpCounter) -> Tuples:
    return cast(Tuples, _value(M, environment, meter))


def _ground_value(M: e.Term, environment: Environment, meter: OpCounter) -> "Value | Closure":
    match M:
        case e.Const(c):
            meter.moves += 1
            return c
        case e.Proj(i, N):
            meter.moves += 1
            return cast("tuple[Value | Closure, ...]", evaluate(N, environment, meter))[i - 1]
        case e.Op(symbol, arguments):
            given = [_number(N, environment, meter) for N in arguments]
            meter.operations += 1
            meter.moves += 1 + len(given)
            return apply(symbol, *given)
        case e.If(smaller, larger, then, otherwise):
            holds = _number(smaller, environment, meter) <= _number(larger, environment, meter)
            return evaluate(then if holds else otherwise, environment, meter)
        case e.Plus(N, L):
            return plus(_value(N, environment, meter), _value(L, environment, meter), meter)
        case e.Scale(N, factor):
            return scaled(_value(N, environment, meter), _number(factor, environment, meter), meter)
        case e.Use(primitive, arguments):
            many = [_value(N, environment, meter) for N in arguments]
            types = tuple(_type_of(V) for V in many)
            meter.operations += primitive.operations(types)
            meter.moves += primitive.cost(types)
            return primitive.kernel(*many)
        case e.Map() | e.Map2() | e.Fold() | e.Shift() | e.Fill():
            return _of_array(M, environment, meter)
        case e.Let() | e.App() | e.Fun() | e.Var() | e.Pack() | e.Nabla():
            raise KernelBug("a ∇ that was not written out")


def _of_array(M: e.Map | e.Map2 | e.Fold | e.Shift | e.Fill, environment: Environment, meter: OpCounter) -> Value:
    match M:
        case e.Map(x, body, N):
            many = _array(N, environment, meter)
            meter.moves += 2 * len(many)
            return tuple(_value(body, {**environment, x: V}, meter) for V in many)
        case e.Map2(x, y, body, N, L):
            first, second = _array(N, environment, meter), _array(L, environment, meter)
            meter.moves += 2 * len(first)
            pairs = zip(first, second, strict=True)
            return tuple(_value(body, {**environment, x: V, y: W}, meter) for V, W in pairs)
        case e.Fold(form, a, x, body, start, N):
            through = [_value(start, environment, meter)]
            many = _array(N, environment, meter)
            meter.moves += len(many) * (3 if form in {"scanl", "scanr"} else 2)
            for V in reversed(many) if form == "scanr" else many:
                through.append(_value(body, {**environment, a: through[-1], x: V}, meter))
            if form == "scanr":
                through.reverse()
            return tuple(through) if form in {"scanl", "scanr"} else through[-1]
        case e.Shift(side, N):
            many = _array(N, environment, meter)
            meter.moves += len(many)
            return many[1:] if side == "L" else many[:-1]
        case e.Fill(n, N):
            meter.moves += n
            return (_value(N, environment, meter),) * n


def plus(V: Value, W: Value, meter: OpCounter) -> Value:
    """``V +̂ W``"""
    if isinstance(V, tuple):
        return tuple(plus(a, b, meter) for a, b in zip(cast(Tuples, V), cast(Tuples, W), strict=True))
    meter.operations += 1
    meter.moves += 3
    return cast(float, V) + cast(float, W)


def scaled(V: Value, factor: float, meter: OpCounter) -> Value:
    """``V *̂ c``"""
    if isinstance(V, tuple):
        return tuple(scaled(a, factor, meter) for a in cast(Tuples, V))
    meter.operations += 1
    meter.moves += 3
    return cast(float, V) * factor


def _type_of(V: Value) -> Type:
    """The type of the arguments of primitives, which are numbers and arrays of numbers."""
    return VectorType(R, len(cast(Tuples, V))) if isinstance(V, tuple) else R
