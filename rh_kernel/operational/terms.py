"""``M → N`` for closed terms (RH Def. 5.4).

``Ev(f, V)`` is the row of the table for a function symbol of the language. For a definition ``x. M``, and for ``rd[f]``
with its derivative ``w, v. N``, it is the normal form of the body at V, and counts as one step.
"""

from collections.abc import Callable
from typing import cast

import numpy as np

from rh_kernel.operational import derivative as fig_6
from rh_kernel.operational.contexts import Context
from rh_kernel.operational.errors import NotSmooth
from rh_kernel.operational.focus import focus
from rh_kernel.operational.limits import Limits
from rh_kernel.operational.telescopes import telescope, type_of
from rh_kernel.paper import Rule
from rh_kernel.primitives.derivative import derivative
from rh_kernel.primitives.evaluation import evaluate, is_smooth_at
from rh_kernel.primitives.values import add_values, materialise
from rh_kernel.source.diagnostic import KernelBug, Stuck
from rh_kernel.source.span import Span
from rh_kernel.syntax.binding import instantiate_term, mentions
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
    whose body does not mention its variable is zero at once.
    """
    M, K, count = apply(f, V, limits, span), None, 0
    while True:
        M, K = focus(M, K)
        M = cast(Term, M)
        if K is None and is_value(M):
            return M
        limits.check(count, M.span)
        if isinstance(M, R) and not mentions(M.scope, 0):
            M = Zero(type_of(M.point, telescope(K)))
        else:
            _, M = contract(M, K, lambda g, W: apply(g, W, limits, span))
        count += 1


def apply(f: Function, V: Term, limits: Limits, span: Span | None = None) -> Term:
    """``Ev(f, V)`` of a function symbol of the language; of any other the body at V, still to be reduced.

    Raises ``Stuck`` if an array is too large, or if reduction is strict and f is not smooth at V.
    """
    match f:
        case Primitive():
            limits.check_arrays(f, span)
            _check_smooth(f, V, limits)
            return evaluate(f, V)
        case Defined(_, _, _, body, _):
            return instantiate_term(body, V)
        case RdOf(g):
            W, U = component(V, 0, 2), component(V, 1, 2)
            if isinstance(g, Primitive):
                _check_smooth(g, U, limits)
            return instantiate_term(derivative(g), W, U)


def _check_smooth(f: Primitive, V: Term, limits: Limits) -> None:
    if limits.strict and not is_smooth_at(f, V):
        hint = "without `%strict on` it has a value and a derivative there"
        raise Stuck(NotSmooth(span=V.span, function=f.name, point=_show(V), hint=hint))


def _show(V: Term) -> str:
    match materialise(V):
        case Const(array):
            return np.array2string(array, threshold=6, separator=", ")
        case Tuple(items):
            return "⟨" + ", ".join(_show(W) for W in items) + "⟩"
        case Bound() | Zero() | Call() | Plus() | Proj() | Let() | Rd() | R():
            raise KernelBug("an open term is no point")
