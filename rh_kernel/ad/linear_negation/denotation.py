"""``⟦t⟧`` (Tab. 4): R is ℝ, functions are functions, and ``R⊥d`` is the linear maps from ℝ to ℝᵈ."""

from collections.abc import Callable, Mapping
from typing import TypeAlias, cast

from rh_kernel.ad.linear_negation import calculus
from rh_kernel.ad.linear_negation.symbols import apply
from rh_kernel.source.diagnostic import KernelBug

Meaning: TypeAlias = "float | tuple[Meaning, ...] | Callable[[Meaning], Meaning]"
"""A number, ``()``, a pair, or a function."""


def meaning(t: calculus.Term, environment: Mapping[str, Meaning]) -> Meaning:
    """``⟦t⟧(g)``: that of a linear variable is the number that it is given, so a linear term is its map at that number."""
    match t:
        case calculus.Var(x):
            return environment[x]
        case calculus.Num(value):
            return value
        case calculus.Nil():
            return ()
        case calculus.Pair(left, right):
            return meaning(left, environment), meaning(right, environment)
        case calculus.Lam(x, _, body) | calculus.LinearLambda(x, body):
            return lambda V: meaning(body, {**environment, x: V})
        case calculus.Fix(x, _, body):
            return _fixed(x, body, environment)
        case calculus.App(function, argument):
            return called(meaning(function, environment), meaning(argument, environment))
        case calculus.Plus(left, right):
            return plus(meaning(left, environment), meaning(right, environment))
        case calculus.Fun("mul", (left, right)):
            return _number(meaning(left, environment)) * _number(meaning(right, environment))
        case calculus.Fun(symbol, arguments):
            return apply(symbol, [_number(meaning(u, environment)) for u in arguments])
        case calculus.Block(stack, body):
            inner = dict(environment)
            for b in stack:
                V = meaning(b.bound, inner)
                match b:
                    case calculus.Bang(x) | calculus.Dual(x):
                        inner[x] = V
                    case calculus.Open(x, _, y):
                        inner[x], inner[y] = _pair(V)
            return meaning(body, inner)
        case calculus.If(smaller, larger, then, otherwise):
            holds = _number(meaning(smaller, environment)) <= _number(meaning(larger, environment))
            return meaning(then if holds else otherwise, environment)


def called(function: Meaning, argument: Meaning) -> Meaning:
    """``f(V)``"""
    if not callable(function):
        raise KernelBug("a function was expected")
    return function(argument)


def plus(V: Meaning, W: Meaning) -> Meaning:
    """The sum in ``ℝᵈ``."""
    if isinstance(V, tuple):
        (a, b), (c, d) = _pair(cast("tuple[Meaning, ...]", V)), _pair(W)
        return plus(a, c), plus(b, d)
    return _number(V) + _number(W)


def flat(V: Meaning) -> tuple[float, ...]:
    """The numbers in V, from left to right."""
    if isinstance(V, tuple):
        return tuple(r for W in cast("tuple[Meaning, ...]", V) for r in flat(W))
    return (_number(V),)


def _fixed(x: str, body: calculus.Term, environment: Mapping[str, Meaning]) -> Meaning:
    def unfolded(V: Meaning) -> Meaning:
        return called(meaning(body, {**environment, x: unfolded}), V)

    return unfolded


def _number(V: Meaning) -> float:
    if not isinstance(V, float):
        raise KernelBug("a number was expected")
    return V


def _pair(V: Meaning) -> "tuple[Meaning, Meaning]":
    if not isinstance(V, tuple):
        raise KernelBug("a pair was expected")
    first, second = cast("tuple[Meaning, Meaning]", V)
    return first, second
