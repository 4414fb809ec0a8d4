"""``M → N`` for closed terms (RH Def. 5.4).

``Ev(f, V)`` is the row of the table for a function symbol of the language. For a definition ``x. M``, and for ``rd[f]``
with its derivative ``w, v. N``, it is the normal form of the body at V, and counts as one step.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import cast

from rh_kernel.operational import derivative as fig_6
from rh_kernel.operational.contexts import Context
from rh_kernel.operational.focus import focus
from rh_kernel.operational.limits import Limits
from rh_kernel.operational.telescopes import telescope, type_of
from rh_kernel.paper import Rule
from rh_kernel.primitives.derivative import derivative
from rh_kernel.primitives.evaluation import evaluate
from rh_kernel.primitives.smoothness import base, require_smooth_at
from rh_kernel.primitives.values import add_values
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.source.span import Span
from rh_kernel.syntax.binding import instantiate_term, mentions, shift
from rh_kernel.syntax.core import (
    Bound,
    Call,
    Const,
    Defined,
    Function,
    Let,
    Plus,
    Primitive,
    Proj,
    R,
    Rd,
    RdOf,
    Scope,
    Term,
    Tuple,
    Zero,
    is_value,
)
from rh_kernel.syntax.values import component


def contract(M: Term, K: Context | None, apply: Callable[[Function, Term], Term]) -> tuple[Rule, Term]:
    """The rule of Def. 5.4 for a redex M in the context K, and what M becomes; ``f(V)`` becomes ``apply(f, V)``."""
    match M:
        case Call(f, V):
            return Rule.EV, apply(f, V)
        case Plus(V, W):
            return Rule.PLUS, add_values(V, W)
        case Proj(i, n, V):
            return Rule.PROJ, component(V, i - 1, n)
        case Let(V, scope):
            return Rule.LET, instantiate_term(scope, V)
        case Rd(W, scope, V):
            return Rule.RD, R(W, scope, V, span=M.span)
        case R():
            return fig_6.unfold(M, telescope(K))
        case Bound() | Const() | Zero() | Tuple():
            raise KernelBug("a value has no next step")


def ev(f: Function, V: Term, limits: Limits, span: Span | None = None) -> Term:
    """``Ev(f, V)``, a closed value. Raises ``Stuck``, with the place ``span`` of the call, where a limit is met.

    Fig. 6 doubles its work at every let. What nobody sees need not do so where the second half is zero: here an ``R``
    whose body does not mention its variable is zero at once, and if reduction is strict, once its body has a value.
    """
    M, K, count = apply(f, V, limits, span), None, 0
    if _is_derivative_of_primitive(f):
        # It is smooth where the primitive is, whatever symbols its term is written with.
        limits = replace(limits, strict=False)
    while True:
        M, K = focus(M, K)
        M = cast(Term, M)
        if K is None and is_value(M):
            return M
        limits.check(count, M.span)
        if isinstance(M, R) and not mentions(M.scope, 0):
            zero = Zero(type_of(M.point, telescope(K)))
            M = Let(instantiate_term(M.scope, M.point), Scope(("_",), zero)) if limits.strict else zero
        else:
            _, M = contract(M, K, lambda g, W: _inside(g, W, limits, span))
        count += 1


def _inside(g: Function, W: Term, limits: Limits, span: Span | None) -> Term:
    if limits.strict and _is_derivative_of_primitive(g):
        return ev(g, W, limits, span)
    return apply(g, W, limits, span)


def apply(f: Function, V: Term, limits: Limits, span: Span | None = None) -> Term:
    """``Ev(f, V)`` of a function symbol of the language; of any other the body at V, still to be reduced.

    Raises ``Stuck`` if an array is too large, or if reduction is strict and f is not smooth at V.
    """
    match f:
        case Primitive():
            limits.check_arrays(f, span)
            if limits.strict:
                require_smooth_at(f, V, span)
            return evaluate(f, V)
        case Defined(_, _, _, body, _):
            return instantiate_term(body, V)
        case RdOf(g):
            W, U = component(V, 0, 2), component(V, 1, 2)
            N = instantiate_term(derivative(g), W, U)
            return _where_defined(g, U, N, span) if limits.strict else N


def _is_derivative_of_primitive(f: Function) -> bool:
    return isinstance(f, RdOf) and isinstance(base(f)[0], Primitive)


def _where_defined(g: Function, U: Term, N: Term, span: Span | None) -> Term:
    """N, which is ``rd[g]`` at the point U, once it is known that g is defined there: nowhere else is ``rd[g]`` (Def. 6.8)."""
    g, depth = base(g)
    for _ in range(depth):
        U = component(U, 1, 2)
    match g:
        case Primitive():
            require_smooth_at(g, U, span)
            return N
        case Defined(_, _, _, _, None) | RdOf():
            return N
        case Defined(_, _, _, body, _):
            return Let(instantiate_term(body, U), Scope(("_",), shift(N, 1)))
