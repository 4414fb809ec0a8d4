"""``W.R_V(x. N)`` for nested derivatives: Fig. 6 with an R-Let that does not duplicate its body.

As printed, R-Let mentions N twice, so a term with n successive lets takes 2ⁿ steps, and the other equations introduce lets for
each function. A derivative of a derivative would take a number of steps exponential in the size of N, in any order of
unfolding. So for nested derivatives the two summands of R-Let are combined:

- Derivatives in N are unfolded first, from left to right, at any position (``descended``). R-Rd rewrites them to
  ``let z ← M in let w ← L in z.R_w(y. N)`` (``entered``).
- So are conditionals, the first of both first: each is replaced by the branch that is chosen at the values of its variables.
- If N is a let without derivatives, it is converted to a chain ``let y1 ← M1 in … let yn ← Mn in U``, where each M_i is a
  function of a value, a sum of two, or a component of one. The values of ``y1, …, yn`` at V are computed once
  (``let_chains.straightened``).
- The last let is removed repeatedly: in ``⟨W1, …, Wk⟩.R_V(x. D[let y ← M in ⟨U1, …, Uk⟩])`` the W_i for which U_i is y are
  added to one cotangent, which is pulled back through M (``let_chains.pull_back_last_let``).

``known`` of an R is ``None`` if nothing is nested, so that Fig. 6 applies as printed; ``()`` if something is; and the values of
``y1, …, yn`` once N is a let chain. The design page shows that the result is the same.
"""

from typing import Protocol, cast

from rh_kernel.operational.binders import fixed, let, rewrite_scope
from rh_kernel.operational.contexts import Context, fill, plug, siblings, up_to, within
from rh_kernel.operational.let_chains import pull_back_last_let, straightened
from rh_kernel.operational.sequences import map_at
from rh_kernel.operational.telescopes import Telescope, inside
from rh_kernel.paper import Rule
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.syntax.binding import instantiate_term
from rh_kernel.syntax.core import Bound, Call, Const, If, Let, Map, Plus, R, Rd, Scope, Term, Tuple, Unary, Zero
from rh_kernel.syntax.traversal import nodes

# -- which derivative is unfolded first ----------------------------------------------------------------------------------------


def descended(M: Term, K: Context | None, *, maps: bool = True) -> tuple[Term, Context | None]:
    """Return the first ``rd``, ``if``, ``map`` or unfoldable ``R`` in a term M in the body of an R, and its context.

    If M has none, continue to the right of it in K, up to the next enclosing R; return that R if nothing comes before it, or at
    once if its body is a let that only renames. If there is none at all, return M and no context.
    """
    while True:
        if K is not None and type(K.form) is R and _renames(M):
            return cast(Term, fill(K, M, ())), K.outer
        # Descend to the leftmost candidate,
        while not (type(M) is Rd or type(M) is If or (type(M) is Map and maps) or (type(M) is R and not _waits(M))):
            first = _child(M, 0)
            if first is None:
                break
            position, N = first
            M, K = N, within(K, M, position)
        else:
            return M, K
        # and if it is not a derivative, climb to the next one on the right.
        while K is not None:
            form = cast(Term, K.form)
            if type(form) is R:
                return cast(Term, fill(K, M, ())), K.outer
            if not _is_renaming(K, M) and (following := _following(K, M)) is not None:
                M, K = following
                break
            M, K = cast(Term, fill(K, M, siblings(K))), K.outer
        else:
            return M, None


def _is_renaming(K: Context, M: Term) -> bool:
    """Whether the hole of K is the bound term of a let directly inside an R, and M is only a name or a constant."""
    return type(K.form) is Let and not K.position and _is_name(M) and K.outer is not None and type(K.outer.form) is R


def head_in(M: Term, K: Context) -> tuple[R, Context | None]:
    """Return the R to unfold next, for a term M in the hole of K, which is in the body of an R."""
    M, at = descended(M, K)
    while not isinstance(M, R):
        if at is None:
            raise KernelBug("a term in the body of an R has no R around it")
        M, at = cast(Term, fill(at, M, siblings(at))), at.outer
    return M, at


def innermost(M: R, K: Context | None) -> tuple[R, Context | None]:
    """Return the R to unfold before M, or M itself."""
    return head_in(cast(Term, M.scope.body), within(K, M, 1)) if _waits(M) else (M, K)


def has_derivative(M: Term) -> bool:
    """Whether M contains an ``rd`` or an ``R``, outside the bodies of maps."""
    found, _ = descended(M, None, maps=False)
    return isinstance(found, Rd | R) or (isinstance(found, If) and any(isinstance(N, Rd | R) for N in nodes(M)))


def _waits(M: R) -> bool:
    """Whether derivatives in the body of M, if any, are unfolded before M."""
    return M.known == () and not _renames(cast(Term, M.scope.body))


def _renames(N: Term) -> bool:
    return type(N) is Let and _is_name(N.bound)


def _is_name(M: Term) -> bool:
    return type(M) is Bound or type(M) is Const or type(M) is Zero


def _child(M: Term, position: int) -> tuple[int, Term] | None:
    """Return the child at this position or the first one after it."""
    if isinstance(M, Unary | Map):
        return None if position else (0, M.of)
    match M:
        case Call(_, N) if not position:
            return 0, N
        case Plus(L, N):
            return (position, (L, N)[position]) if position < 2 else None
        case Tuple(items) if not M.of_values:
            return (position, items[position]) if position < len(items) else None
        case Let(N, scope):
            return (position, (N, cast(Term, scope.body))[position]) if position < 2 else None
        case R(_, scope, _) if not position:
            return 1, cast(Term, scope.body)
        case _:
            return None


def _following(K: Context, M: Term) -> tuple[Term, Context] | None:
    """Return the child after the hole of K, and the context with the hole there and M in the old hole."""
    following = _child(cast(Term, K.form), K.position + 1)
    if following is None:
        return None
    position, N = following
    before = (M, K.before) if type(K.form) is Tuple else M
    return N, within(K.outer, K.form, position, before)


# -- the equations -------------------------------------------------------------------------------------------------------------


class BranchAt(Protocol):
    """Chooses the branch of a conditional where the variables of Γ have their values."""

    def __call__(self, M: If, gamma: Telescope | None, *, is_smooth: bool) -> Term:
        """Return the branch. Raises ``Stuck`` if ``is_smooth`` is asked for and reduction is strict, on the boundary."""
        ...


def unfold(form: R, gamma: Telescope | None, branch_at: BranchAt) -> tuple[Rule, Term] | None:
    """Return the equation for a form with a derivative around or inside it; ``None`` if Fig. 6 applies as printed."""
    if form.known:
        return pull_back_last_let(form, gamma)
    match cast(Term, form.scope.body):
        case Let(U, scope) as N if form.known is not None and _renames(N):
            return Rule.R_LET, _over(form, instantiate_term(scope, U))
        case N if (found := _with_branch(form, N, gamma, branch_at)) is not None:
            return Rule.R_IF, found
        case N if form.known is not None and isinstance(descended(N, None)[0], Map):
            return Rule.R_MAP, entered(form)
        case Let() | Rd() | R() as N if has_derivative(N):
            return Rule.R_RD, entered(form)
        case Let() if form.known is not None:
            return Rule.R_RD, straightened(form)
        case N if form.known is not None and has_derivative(N):
            return Rule.R_RD, entered(form)
        case _:
            return None


def _with_branch(form: R, N: Term, gamma: Telescope | None, branch_at: BranchAt) -> Term | None:
    """``W.R_V(x. C[if B then M else L])`` with the branch for the conditional, if that is unfolded before the derivatives.

    ``None`` if none is, or if it is the whole body.
    """
    if form.known is None and not isinstance(N, Let | Rd | R):
        return None
    M, K = descended(N, None)
    if not isinstance(M, If) or K is None or (form.known is None and not has_derivative(N)):
        return None
    local = inside(Telescope(form.point, gamma, gamma), K)
    bound = sum(isinstance(part.form, R) or (isinstance(part.form, Let) and part.position > 0) for part in up_to(K, None))
    depends = M.operands.loose & ((1 << bound + 1) - 1)
    return _over(form, cast(Term, plug(K, branch_at(M, local, is_smooth=bool(depends)))))


def entered(form: R) -> Term:
    """``W.R_V(x. C[M.rd(y. N)(L)])`` with ``let z ← M in let w ← L in z.R_w(y. N)`` for the first derivative in its body

    If derivatives are nested, a ``map`` counts as one and is unfolded by a round.
    """
    found, K = descended(cast(Term, form.scope.body), None, maps=form.known is not None)
    if isinstance(found, Map):
        found = map_at(found)
    elif isinstance(found, Rd):
        M, scope, L = fixed(found.cotangent), found.scope, fixed(found.point)
        found = let(M, "z", lambda z: let(L, "w", lambda w: rewrite_scope(z, scope, w, ())))(0)
    return _over(form, cast(Term, plug(K, found)))


def _over(form: R, N: Term) -> R:
    return R(form.cotangent, Scope(form.scope.hints, N), form.point, (), span=form.span)
