"""Constructors of target terms; those that bind a variable take a function of it and draw its name."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from rh_kernel.ad.chad.context import Derived
from rh_kernel.ad.chad.names import NameSupply
from rh_kernel.ad.chad.target import terms as to
from rh_kernel.ad.chad.target.types import AnyType, Mode

Terms: TypeAlias = tuple[to.Term, ...]
Unary: TypeAlias = Callable[[to.Term], to.Term]


class TermBuilder:
    """Builds terms of one mode, with names that are not in use."""

    def __init__(self, mode: Mode, used: Iterable[str]) -> None:
        self.mode, self.names = mode, NameSupply(used)

    def dual(self, value: to.Term, L: AnyType, M: AnyType, derivative: Unary) -> to.Term:
        """``⟨t, λ̲v. s⟩ : τ × (L ⊸ M)``, in reverse mode ``τ × (M ⊸ L)``, for the function ``derivative`` from v to s"""
        v = self.names.fresh("v")
        domain = L if self.mode is Mode.FORWARD else M
        return to.Tuple((value, to.LinearLambda(domain, to.Scope((v,), derivative(to.LinearVariable(v))))))

    def let_linear(self, bound: to.Term, body: Unary, wanted: str = "v") -> to.Term:
        """``let v = t in s``, for the function ``body`` from v to s"""
        v = self.names.fresh(wanted)
        return to.LetLinear(bound, to.Scope((v,), body(to.LinearVariable(v))))

    def map_linear(self, n: int, array: to.Term, body: Unary) -> to.Term:
        """``map(v. t, s)`` for a linear array s of n entries and the function ``body`` from v to t"""
        v = self.names.fresh("v")
        return to.LinearZipWith(n, (), array, to.Scope((v,), body(to.LinearVariable(v))))


def let(names: tuple[str, ...], bound: to.Term, body: to.Term) -> to.Term:
    """``let x = t in s``, ``let ⟨x, y⟩ = t in s``"""
    return to.Let(bound, to.Scope(names, body))


def lets(names: Sequence[tuple[str, str]], items: Sequence[Derived], body: to.Term) -> to.Term:
    """``let ⟨x1, x1'⟩ = D(M1) in … t``"""
    for pair, item in zip(reversed(names), reversed(items), strict=True):
        body = let(pair, item.term, body)
    return body


def variables(names: Sequence[tuple[str, str]]) -> Terms:
    """``x1, …, xn`` of the pairs ``x1, x1'``"""
    return tuple(to.Variable(x) for x, _ in names)


def call(function: str, *arguments: str) -> to.Term:
    """``f x …``"""
    t: to.Term = to.Variable(function)
    for x in arguments:
        t = to.Call(t, to.Variable(x))
    return t


def linear_call(function: str, operand: to.Term) -> to.Term:
    """``x' • t``"""
    return to.LinearCall(to.Variable(function), operand)


def first(t: to.Term) -> to.Term:
    """``t.1``"""
    return to.Projection(1, t)


def second(t: to.Term) -> to.Term:
    """``t.2``"""
    return to.Projection(2, t)
