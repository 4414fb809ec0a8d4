"""``if`` in reverse mode (§7.2): the two non-solutions, which use the continuation twice, as terms of Target.

The solution is in ``pullbacks``: the condition chooses one of the gradients of both branches.
"""

from rh_kernel.ad.language.names import Names
from rh_kernel.ad.unary_form.direct.expansion import transformed
from rh_kernel.ad.unary_form.terms.binding import renamed, subterms
from rh_kernel.ad.unary_form.terms.terms import ONE, ZERO, App, Derive, Fun, If, Op, Pack, Plus, Proj, Scale, Term, Var
from rh_kernel.ad.unary_form.terms.types import Context
from rh_kernel.ad.unary_form.terms.typing import type_of


def first_non_solution(derive: Derive, context: Context, e: If, Y: str, names: Names) -> Term:
    """``if e1 then D(e2) else D(e3)``: the type is that of a derivative, but Y occurs in both branches"""
    then, otherwise = (transformed(derive(context, M, names), Y, names) for M in (e.then, e.otherwise))
    return If(e.smaller, e.larger, then, otherwise)


def second_non_solution(derive: Derive, context: Context, e: If, Y: str, names: Names) -> Term:
    """``⟨if b …, fun (x⃗, z) → b *̂ D(e2).2(x⃗, z) +̂ (1 − b) *̂ D(e3).2(x⃗, z)⟩``: a blend, in which Y occurs twice as well"""
    ys = tuple((names.fresh("y"), A) for _, A in context)
    z = (names.fresh("z"), type_of(e, dict(context)))
    cotangents = tuple(Var(x) for x, _ in (*ys, z))
    first, second = (App(Proj(2, transformed(derive(context, M, names), Y, names)), cotangents) for M in (e.then, e.otherwise))
    b = If(e.smaller, e.larger, ONE, ZERO)
    blend = Plus(Scale(first, b), Scale(second, Op("sub", (ONE, b))))
    return Pack((renamed(e, {}, names), Fun((*ys, z), blend)))


def solution(derive: Derive, context: Context, e: If, Y: str, names: Names) -> Term:
    """``D_{Γ;Y}(e)``, as implemented"""
    return transformed(derive(context, e, names), Y, names)


def occurrences(x: str, M: Term) -> int:
    """How often a name occurs in M: a continuation once (Lemma 5.1), or partial evaluation would copy the work after it."""
    return sum(1 for N in subterms(M) if isinstance(N, Var) and N.name == x)
