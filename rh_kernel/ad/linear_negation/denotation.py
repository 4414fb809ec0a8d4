"""The denotational semantics ``⟦t⟧`` (Tab. 4): R is ℝ, arrows are functions, and ``R⊥d`` is the linear maps from ℝ to ℝᵈ."""

from collections.abc import Callable, Mapping
from typing import TypeAlias, cast

from rh_kernel.ad.linear_negation import calculus as c
from rh_kernel.ad.linear_negation.symbols import apply
from rh_kernel.source.diagnostic import KernelBug

Meaning: TypeAlias = "float | tuple[Meaning, ...] | Callable[[Meaning], Meaning]"
"""A number, ``()``, a pair, or a function."""


def meaning(t: c.Term, environment: Mapping[str, Meaning]) -> Meaning:
    """``⟦t⟧(g)``; a linear term is a linear map, applied to the value of its linear variable."""
    match t:
        case c.Var(x):
            return environment[x]
        case c.Num(value):
            return value
        case c.Nil():
            return ()
        case c.Pair(left, right):
            return meaning(left, environment), meaning(right, environment)
        case c.Lam(x, _, body) | c.LinearLambda(x, body):
            return lambda V: meaning(body, {**environment, x: V})
        case c.Fix(x, _, body):
            return _fixed(x, body, environment)
        case c.App(function, argument):
            return called(meaning(function, environment), meaning(argument, environment))
        case c.Plus(left, right):
            return plus(meaning(left, environment), meaning(right, environment))
        case c.Fun("mul", (left, right)):
            return _number(meaning(left, environment)) * _number(meaning(right, environment))
        case c.Fun(symbol, arguments):
            return apply(symbol, [_number(meaning(u, environment)) for u in arguments])
        case c.Block(stack, body):
            inner = dict(environment)
            for b in stack:
                V = meaning(b.bound, inner)
                match b:
                    case c.Bang(x) | c.Dual(x):
                        inner[x] = V
                    case c.Open(x, _, y):
                        inner[x], inner[y] = _pair(V)
            return meaning(body, inner)
        case c.If(smaller, larger, then, otherwise):
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
        (a, b), (a1, b1) = _pair(cast("tuple[Meaning, ...]", V)), _pair(W)
        return plus(a, a1), plus(b, b1)
    return _number(V) + _number(W)


def flat(V: Meaning) -> tuple[float, ...]:
    """The numbers in V, from left to right."""
    if isinstance(V, tuple):
        return tuple(r for W in cast("tuple[Meaning, ...]", V) for r in flat(W))
    return (_number(V),)


def _fixed(x: str, body: c.Term, environment: Mapping[str, Meaning]) -> Meaning:
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
