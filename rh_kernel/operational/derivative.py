"""``W.R_V(x. N)``, the reverse derivative of a term by rewriting (RH Fig. 6).

Each equation is one step, taken when the form reaches an evaluation position; an ``R`` in the body is rewritten first.
The figure has no equation for sums and none for ``map``: ``R-Plus`` and ``R-Map`` are added. Cotangents precede points.
"""

from collections.abc import Callable
from functools import partial, reduce
from typing import cast

from rh_kernel.operational import nested_derivatives as nested
from rh_kernel.operational.binders import (
    TermAtDepth,
    call,
    fixed,
    let,
    let_tuple,
    opened,
    plus,
    rewrite,
    rewrite_scope,
    tuple_from,
)
from rh_kernel.operational.sequences import r_map
from rh_kernel.operational.telescopes import Telescope, type_of
from rh_kernel.paper import Rule
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.syntax import core
from rh_kernel.syntax.types import factors


def unfold(form: core.R, gamma: Telescope | None, branch_at: nested.BranchAt) -> tuple[Rule, core.Term]:
    """Return the name and the right side of the equation for ``W.R_V(x. N)``; Γ declares the free variables of W and V.

    ``branch_at`` chooses the branch of a conditional.
    """
    if (found := nested.unfold(form, gamma, branch_at)) is not None:
        return found
    W, V = fixed(form.cotangent), fixed(form.point)
    (x,) = form.scope.hints
    known = None if form.known is None else ()

    def through(W: TermAtDepth, M: core.Term) -> TermAtDepth:
        return rewrite_scope(W, core.Scope((x,), M), V, known)

    match cast(core.Term, form.scope.body):
        case core.Bound(0):
            return Rule.R_VAR, form.cotangent
        case core.Bound():
            return Rule.R_VAR, core.Zero(type_of(form.point, gamma))
        case core.Const() | core.Zero():
            return Rule.R_CONST, core.Zero(type_of(form.point, gamma))
        case core.Call(_, M) as N:
            return Rule.R_FUN, _call(W, N, core.Scope((x,), M), V, lambda y: through(y, M))(0)
        case core.Plus(M, N):
            return Rule.R_PLUS, plus(through(W, M), through(W, N))(0)
        case core.Let(M, scope):
            return Rule.R_LET, _let(W, core.Scope((x,), M), core.Scope((x, *scope.hints), scope.body), V)(0)
        case core.Tuple(items):
            return Rule.R_TUPLE, _tuple(W, [partial(through, M=M) for M in items])(0)
        case core.Proj(i, n, M):
            types = factors(type_of(M, Telescope(form.point, gamma, gamma)), n)
            U = [W if k == i else fixed(core.Zero(A)) for k, A in enumerate(types, start=1)]
            return Rule.R_PROJ, _proj(V, core.Scope((x,), M), through(tuple_from(*U), M))(0)
        case core.Map() as N:
            return Rule.R_MAP, r_map(form.cotangent, x, N, form.point, type_of(form.point, gamma))
        case core.If() as M:
            N = branch_at(M, Telescope(form.point, gamma, gamma), is_smooth=bool(M.operands.loose & 1))
            return Rule.R_IF, through(W, N)(0)
        case core.Rd() | core.R():
            raise KernelBug("a derivative is unfolded by R-Rd")


def _call(
    W: TermAtDepth, N: core.Call, M: core.Scope, V: TermAtDepth, through: Callable[[TermAtDepth], TermAtDepth]
) -> TermAtDepth:
    """``let x ← V in let y ← rd[f](⟨W, M⟩) in y.R_V(x. M)`` for ``N = f(M)``, with the span of N"""

    def body(x: TermAtDepth) -> TermAtDepth:
        return let(call(core.RdOf(N.function), tuple_from(W, opened(M, x)), N.span), "y", through)

    return let(V, M.hints[0], body)


def _let(W: TermAtDepth, M: core.Scope, N: core.Scope, V: TermAtDepth) -> TermAtDepth:
    """``let x ← V in let y ← M in W.R_V(x. N) + (let y' ← W.R_y(y. N) in y'.R_V(x. M))`` for ``x. M`` and ``x, y. N``"""
    x_hint, y_hint = N.hints

    def body(x: TermAtDepth, y: TermAtDepth) -> TermAtDepth:
        through_x = rewrite(W, x_hint, lambda x: opened(N, x, y), V)
        through_y = rewrite(W, y_hint, lambda y: opened(N, x, y), y)
        return plus(through_x, let(through_y, y_hint + "'", lambda w: rewrite_scope(w, M, V)))

    return let(V, x_hint, lambda x: let(opened(M, x), y_hint, lambda y: body(x, y)))


def _tuple(W: TermAtDepth, through: list[Callable[[TermAtDepth], TermAtDepth]]) -> TermAtDepth:
    """``let ⟨y1, …, yn⟩ ← W in y1.R_V(x. M1) + … + yn.R_V(x. Mn)``"""

    def body(*ys: TermAtDepth) -> TermAtDepth:
        return reduce(plus, [pull_back(y) for y, pull_back in zip(ys, through, strict=True)])

    return let_tuple(W, ("y",) * len(through), body)


def _proj(V: TermAtDepth, M: core.Scope, through: TermAtDepth) -> TermAtDepth:
    """``let x ← V in let y ← M in U.R_V(x. M)``, where U is W at i and zero elsewhere"""
    return let(V, M.hints[0], lambda x: let(opened(M, x), "y", lambda _: through))
