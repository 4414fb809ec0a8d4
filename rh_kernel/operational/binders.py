"""Binder-taking constructors for the right sides of the equations of RH Fig. 6 and 7.

A ``TermAtDepth`` is a term, and a ``CommandAtDepth`` a command, as a function of the number of enclosing binders: so a variable
can be used at any depth, without computing de Bruijn indices by hand.
"""

from collections.abc import Callable
from typing import TypeAlias, cast

from rh_kernel.operational.substitution import instantiated
from rh_kernel.source.span import Span
from rh_kernel.syntax import core
from rh_kernel.syntax.binding import shift
from rh_kernel.syntax.values import tuple_of

TermAtDepth: TypeAlias = Callable[[int], core.Term]
CommandAtDepth: TypeAlias = Callable[[int], core.Command]


def variable(binder: int, hint: str) -> TermAtDepth:
    """Return the variable bound by the binder that has ``binder`` binders of the equation around it."""
    return lambda depth: core.Bound(depth - binder - 1, hint)


def fixed(M: core.Term) -> TermAtDepth:
    """Return a term that does not mention the variables of the equation, shifted as needed."""
    return lambda depth: shift(M, depth)


def opened(scope: core.Scope, *arguments: TermAtDepth) -> TermAtDepth:
    """``M[V1/x1, …, Vn/xn]``, for a scope over a term that does not mention the variables of the equation"""
    return lambda depth: cast(core.Term, instantiated(shift(scope, depth), *[V(depth) for V in arguments]))


def performed(scope: core.Scope, *arguments: TermAtDepth) -> CommandAtDepth:
    """``P[V1/x1, …, Vn/xn]``, for a scope over a command that does not mention the variables of the equation"""
    return lambda depth: cast(core.Command, instantiated(shift(scope, depth), *[V(depth) for V in arguments]))


def call(f: core.Function, M: TermAtDepth, span: Span | None = None) -> TermAtDepth:
    """``f(M)``"""
    return lambda depth: core.Call(f, M(depth), span=span)


def plus(M: TermAtDepth, N: TermAtDepth) -> TermAtDepth:
    """``M + N`` for cotangents, where ``0`` is a symbolic zero"""
    return lambda depth: core.Plus(M(depth), N(depth), of_cotangents=True)


def tuple_from(*items: TermAtDepth) -> TermAtDepth:
    """``⟨M1, …, Mn⟩`` for any n"""
    return lambda depth: tuple_of(tuple([M(depth) for M in items]))


def let(M: TermAtDepth, hint: str, body: Callable[[TermAtDepth], TermAtDepth]) -> TermAtDepth:
    """``let x ← M in N``"""
    return lambda depth: core.Let(M(depth), core.Scope((hint,), body(variable(depth, hint))(depth + 1)))


def let_tuple(M: TermAtDepth, hints: tuple[str, ...], body: Callable[..., TermAtDepth]) -> TermAtDepth:
    """``let ⟨x1, …, xn⟩ ← M in N``, n ≥ 2 (the sugar of Def. 3.4)"""

    def at(depth: int) -> core.Term:
        n = len(hints)
        N = body(*[variable(depth + 1 + i, hint) for i, hint in enumerate(hints)])(depth + 1 + n)
        for i in reversed(range(n)):
            N = core.Let(core.Proj(i + 1, n, core.Bound(i, PACKED)), core.Scope((hints[i],), N))
        return core.Let(M(depth), core.Scope((PACKED,), N))

    return at


def rd(W: TermAtDepth, hint: str, body: Callable[[TermAtDepth], TermAtDepth], V: TermAtDepth) -> TermAtDepth:
    """``W.rd(x. N)(V)``"""
    return lambda depth: core.Rd(W(depth), core.Scope((hint,), body(variable(depth, hint))(depth + 1)), V(depth))


def rewrite(W: TermAtDepth, hint: str, body: Callable[[TermAtDepth], TermAtDepth], V: TermAtDepth) -> TermAtDepth:
    """``W.R_V(x. N)``"""
    return lambda depth: core.R(W(depth), core.Scope((hint,), body(variable(depth, hint))(depth + 1)), V(depth))


def rewrite_scope(W: TermAtDepth, scope: core.Scope, V: TermAtDepth, known: tuple[()] | None = None) -> TermAtDepth:
    """``W.R_V(x. N)``, for a scope ``x. N`` that does not mention the variables of the equation"""
    return lambda depth: core.R(W(depth), shift(scope, depth), V(depth), known)


def returned(M: TermAtDepth) -> CommandAtDepth:
    """``⌊M⌋``"""
    return lambda depth: core.Return(M(depth))


def bind(P: CommandAtDepth, hint: str, body: Callable[[TermAtDepth], CommandAtDepth]) -> CommandAtDepth:
    """``let x ⇐ P in Q``"""
    return lambda depth: core.Bind(P(depth), core.Scope((hint,), body(variable(depth, hint))(depth + 1)))


def bind_tuple(P: CommandAtDepth, hints: tuple[str, ...], body: Callable[..., CommandAtDepth]) -> CommandAtDepth:
    """``let ⟨x1, …, xn⟩ ⇐ P in Q`` (the sugar of Def. 3.4); for one variable, ``let x1 ⇐ P in Q``"""
    if len(hints) == 1:
        return bind(P, hints[0], body)

    def at(depth: int) -> core.Command:
        n = len(hints)
        Q = body(*[variable(depth + 1 + i, hint) for i, hint in enumerate(hints)])(depth + 1 + n)
        for i in reversed(range(n)):
            Q = core.Bind(core.Return(core.Proj(i + 1, n, core.Bound(i, PACKED))), core.Scope((hints[i],), Q))
        return core.Bind(P(depth), core.Scope((PACKED,), Q))

    return at


def reverse(V: TermAtDepth, scope: core.Scope, H: core.ReverseHandler) -> CommandAtDepth:
    """``RH_H^V(⟨y1, …, ym⟩. P)``"""
    return lambda depth: core.RH(V(depth), shift(scope, depth), shift(H, depth))


PACKED = "p"
"""The name of a tuple between the let that binds it and the lets that project its components."""
