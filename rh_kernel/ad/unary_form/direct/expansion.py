"""Expansion of derivations to terms of Target: nested pairs of a value and a continuation (Figs 5, 10)."""

from rh_kernel.ad.language.names import Names
from rh_kernel.ad.unary_form.direct.bodies import zero
from rh_kernel.ad.unary_form.terms.binding import lets, parts, rebuilt
from rh_kernel.ad.unary_form.terms.terms import App, Derivation, Fun, Nabla, Pack, Plus, Proj, Term, Transposed, Var
from rh_kernel.ad.unary_form.terms.types import Context
from rh_kernel.source.trampoline import Descent, descend


def transformed(derivation: Derivation, Y: str, names: Names) -> Term:
    """``D_{Γ;Y}(e) : A × (Γ × A → ρ)``"""
    return descend(_derivation(derivation, Y, names))


def applied(derivation: Derivation, context: Context, wanted: tuple[str, ...], seed: Term, names: Names) -> Term:
    """``π2(D_{Γ;Y}(e))(0_Γ, w)`` where Y is the projection to the components ``wanted``"""
    return descend(_applied(derivation, context, wanted, seed, names))


def expanded(M: Term, names: Names) -> Term:
    """Expand every ``∇`` in M."""
    return descend(_expanded(M, names))


def identity(context: Context, wanted: tuple[str, ...], names: Names) -> Fun:
    """``fun (y1, …, yn) → ⟨…⟩``, the projection to the components ``wanted``, which is ``Id_Γ`` for all of Γ"""
    ys = tuple((names.fresh("y"), A) for _, A in context)
    found = dict(zip((x for x, _ in context), (Var(y) for y, _ in ys), strict=True))
    several = tuple(found[x] for x in wanted)
    return Fun(ys, several[0] if len(several) == 1 else Pack(several))


def _derivation(D: Derivation, Y: str, names: Names) -> Descent[Term]:
    spine: list[tuple[tuple[str, ...], Term]] = []
    for x, inner in D.before:
        after = names.fresh("Y")
        if x is None and inner.transposed is not None:
            spine.append(((after,), (yield _continuation(inner.transposed, Y, names))))
        else:
            spine.append(((x or "_", after), (yield _derivation(inner, Y, names))))
        Y = after
    for x, N in D.lets:
        spine.append(((x,), (yield _expanded(N, names))))
    value = (yield _expanded(D.value, names)) if D.value is not None else Pack(())
    after_all = Var(Y) if D.transposed is None else (yield _continuation(D.transposed, Y, names))
    return lets(spine, Pack((value, after_all)))


def _continuation(J: Transposed, Y: str, names: Names) -> Descent[Term]:
    """``fun (y1, …, yk, z1, …, zm) → let … in Y(y1 +̂ …, …, yk, e1, …, el)``"""
    ys = tuple((names.fresh("y"), A) for A in J.lower)
    arguments: list[Term] = [Var(y) for y, _ in ys]
    spine: list[tuple[tuple[str, ...], Term]] = []
    for x, N in J.lets:
        spine.append(((x,), (yield _expanded(N, names))))
    for place, N in J.added:
        arguments[place] = Plus(arguments[place], (yield _expanded(N, names)))
    pushed: list[Term] = []
    for N in J.pushed:
        pushed += ((yield _expanded(N, names)),)
    return Fun((*ys, *J.taken), lets(spine, App(Var(Y), (*arguments, *pushed))))


def _applied(derivation: Derivation, context: Context, wanted: tuple[str, ...], seed: Term, names: Names) -> Descent[Term]:
    Y = names.fresh("Y")
    D = yield _derivation(derivation, Y, names)
    zeros = tuple(zero(A) for _, A in context)
    return App(Proj(2, lets([((Y,), identity(context, wanted, names))], D)), (*zeros, seed))


def _expanded(M: Term, names: Names) -> Descent[Term]:
    if isinstance(M, Nabla):
        seed = yield _expanded(M.seed, names)
        return (yield _applied(M.derive(M.context, M.body, names), M.context, M.wanted, seed, names))
    inside = parts(M)
    if not inside:
        return M
    new: list[tuple[tuple[str, ...], Term]] = []
    for bound, N in inside:
        new.append((bound, (yield _expanded(N, names))))
    return rebuilt(M, tuple(new))
