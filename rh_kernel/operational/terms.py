"""Steps ``M → N`` of closed terms (RH Def. 5.4).

``Ev(f, V)`` of a primitive symbol is a call of its kernel. For a definition ``x. M``, and for ``rd[f]`` with its derivative
``w, v. N``, it is the normal form of the body at V, and counts as one step.
"""

from dataclasses import replace
from functools import partial
from typing import cast

from rh_kernel.operational import derivative as fig_6
from rh_kernel.operational.binders import fixed
from rh_kernel.operational.conditionals import holds, holds_at, require_decided
from rh_kernel.operational.contexts import Context, is_in_derivative
from rh_kernel.operational.environments import Environment, extended, length, value_at
from rh_kernel.operational.focus import focus
from rh_kernel.operational.limits import Limits
from rh_kernel.operational.right_sides import constant_side, derivative_of, is_uniform, right_side
from rh_kernel.operational.sequences import unfolded_map
from rh_kernel.operational.straight_lines import straight_line
from rh_kernel.operational.substitution import substituted
from rh_kernel.operational.symbols import added, applied, rd_of
from rh_kernel.operational.telescopes import Telescope, telescope, type_of
from rh_kernel.paper import Rule
from rh_kernel.primitives.smoothness import base, has_row_numbers, require_at
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.source.span import Span
from rh_kernel.syntax.binding import instantiate_term, mentions, shift
from rh_kernel.syntax.core import (
    RH,
    Call,
    Const,
    Defined,
    Function,
    If,
    IfCommand,
    Let,
    Map,
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
)
from rh_kernel.syntax.values import component


def contract(
    form: Term, V: Term | None, W: Term | None, rho: Environment, K: Context | None, limits: Limits
) -> tuple[Rule, Term, Environment]:
    """Return the rule of Def. 5.4 for a redex in the context K that is not a call, and the contractum ``N[ρ]``."""
    if V is not None:
        if type(form) is Let:
            scope = form.scope
            return Rule.LET, cast(Term, scope.body), extended(rho if scope.loose else None, V)
        if type(form) is Proj:
            return Rule.PROJ, component(V, form.index - 1, form.arity), None
        if type(form) is Plus and W is not None:
            return Rule.PLUS, added(V, W, of_cotangents=form.of_cotangents), None
        if type(form) is If:
            return (Rule.IF_TRUE, form.then, rho) if holds(form, V) else (Rule.IF_FALSE, form.otherwise, rho)
        if type(form) is Map:
            M = replace(form, scope=substituted(form.scope, rho))
            return Rule.MAP, unfolded_map(M, fixed(V))(0), None
        if type(form) is Rd and W is not None:
            return Rule.RD, *derivative_of(form, V, W, rho)
    if type(form) is R:

        def equation(form: R | RH, gamma: Telescope | None) -> tuple[Rule, Term]:
            return fig_6.unfold(cast(R, form), gamma, partial(branch_at, limits=limits))

        if (K is None or not is_in_derivative(K)) and is_uniform(form, rho):
            if (zero := constant_side(form, rho)) is not None:
                return Rule.R_CONST, zero, None
            found = right_side(form, rho, equation)
            if found is not None:
                return cast(tuple[Rule, Term, Environment], found)
        return *equation(form, telescope(K)), None
    raise KernelBug(f"{type(form).__name__} is no redex")


def branch_at(M: If, gamma: Telescope | None, *, is_smooth: bool, limits: Limits) -> Term:
    """Return the branch of M that is chosen where the variables of Γ have their values.

    Raises ``Stuck`` if a limit is reached, or if reduction is strict, ``is_smooth`` is asked for and the condition is
    neither true nor false.
    """
    return M.then if decided_at(M, gamma, is_smooth=is_smooth, limits=limits) else M.otherwise


def decided_at(M: If | IfCommand, gamma: Telescope | None, *, is_smooth: bool, limits: Limits) -> bool:
    """Whether the condition of M holds; see ``branch_at``."""
    found, V = holds_at(M, gamma, lambda N, rho: value_of(N, rho, limits, M.span))
    if limits.strict and is_smooth:
        require_decided(M, V)
    return found


def ev(f: Function, V: Term, limits: Limits, span: Span | None = None) -> Term:
    """``Ev(f, V)``, a closed value. Raises ``Stuck`` at the call's ``span`` if a limit is reached.

    Fig. 6 doubles its work at every let unless derivatives are nested. Inside ``Ev`` that is avoided where the second half is
    zero: an ``R`` whose body does not mention its variable is replaced by zero at once or, if reduction is strict, after its
    body has been evaluated.
    """
    if isinstance(f, Primitive):
        return applied(f, V, limits, span)
    M, rho = apply(f, V, limits, span)
    if _is_derivative_of_primitive(f):
        # It is smooth where the primitive is, whichever symbols its term uses.
        limits = replace(limits, strict=False) if limits.strict else limits
    line = straight_line(M)
    if line is not None and line.count <= limits.fuel:
        return line.value(tuple([value_at(rho, i) for i in reversed(range(length(rho)))]), limits, span)
    return value_of(M, rho, limits, span)


def value_of(M: Term, rho: Environment, limits: Limits, span: Span | None = None) -> Term:
    """Return the closed value of ``M[ρ]``. Raises ``Stuck`` at ``span`` if a limit is reached."""
    K, count, unfolded = None, 0, 0
    while True:
        form, U, W, rho, K = focus(M, rho, K)
        if U is None and (type(form) is Const or type(form) is Tuple or type(form) is Zero):
            return form
        limits.check(count, form.span, unfolded)
        if type(form) is R:
            unfolded += 1
        if isinstance(form, Call) and U is not None:
            M, rho = _inside(form.function, U, limits, span)
        elif isinstance(form, R) and not mentions(form.scope, 0):
            zero = Zero(type_of(substituted(form.point, rho), telescope(K)))
            M = Let(instantiate_term(form.scope, form.point), Scope(("_",), zero)) if limits.strict else zero
        else:
            _, M, rho = contract(cast(Term, form), U, W, rho, K, limits)
        count += 1


def _inside(g: Function, W: Term, limits: Limits, span: Span | None) -> tuple[Term, Environment]:
    if limits.strict and _is_derivative_of_primitive(g):
        return ev(g, W, limits, span), None
    return apply(g, W, limits, span)


def apply(f: Function, V: Term, limits: Limits, span: Span | None = None) -> tuple[Term, Environment]:
    """``Ev(f, V)`` of a primitive symbol; for other symbols ``M[ρ]``, the body at V, still to be reduced.

    Raises ``Stuck`` if an array is too large, if a row number of V is none, or if reduction is strict and f is not smooth at V.
    """
    match f:
        case Primitive():
            return applied(f, V, limits, span), None
        case Defined(_, _, _, body, _):
            return cast(Term, body.body), extended(None, V)
        case RdOf(g):
            W, U = component(V, 0, 2), component(V, 1, 2)
            checks = limits.strict or has_row_numbers(g)
            if isinstance(W, Zero) and isinstance(g, Primitive):
                nothing = Zero(g.domain)
                return _where_defined(g, U, nothing, span, limits) if checks else nothing, None
            N = rd_of(g)
            if checks:
                return _where_defined(g, U, instantiate_term(N, W, U), span, limits), None
            return cast(Term, N.body), extended(extended(None, W), U)


def _is_derivative_of_primitive(f: Function) -> bool:
    return isinstance(f, RdOf) and isinstance(base(f)[0], Primitive)


def _where_defined(g: Function, U: Term, N: Term, span: Span | None, limits: Limits) -> Term:
    """Return N, which is ``rd[g]`` at U, after checking that g is defined at U: only there is ``rd[g]`` defined (Def. 6.8)."""
    g, depth = base(g)
    for _ in range(depth):
        U = component(U, 1, 2)
    match g:
        case Primitive():
            require_at(g, U, span, strict=limits.strict)
            return N
        case Defined(_, _, _, _, None) | RdOf():
            return N
        case Defined(_, _, _, body, _):
            return Let(instantiate_term(body, U), Scope(("_",), shift(N, 1)))
