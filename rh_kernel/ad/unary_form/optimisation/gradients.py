"""``∇_Γ e = π2(D_{Γ;Id}(e))(0_Γ, w)``, partially evaluated and optimised: a program without functions (Lemma 5.3)."""

from collections import Counter
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from rh_kernel.ad.language.names import Names
from rh_kernel.ad.unary_form.optimisation.residual import Residual, Residue, Static, term
from rh_kernel.ad.unary_form.optimisation.rules import ALL, Rule
from rh_kernel.ad.unary_form.terms.binding import lets, parts, rebuilt, subterms
from rh_kernel.ad.unary_form.terms.terms import Derive, If, Let, Map, Map2, Term, Var
from rh_kernel.ad.unary_form.terms.types import Context


@dataclass(frozen=True, slots=True)
class Problem:
    """``Γ ⊢ e``, the transformation D, and the cotangent of the result: 1, or a variable of the context ``outside``."""

    derive: Derive
    context: Context
    body: Term
    seed: Term
    names: Names
    outside: Context = ()


@dataclass(frozen=True, slots=True)
class Gradient:
    """A gradient as a term without functions, and the number of uses of each rule."""

    body: Term
    fired: Counter[Rule]


def gradient(problem: Problem, rules: AbstractSet[Rule] = ALL) -> Gradient:
    """``⟨∂e/∂x1, …, ∂e/∂xn⟩``; for n = 1, ``∂e/∂x1``"""
    residual, _, cotangents = _differentiated(problem, rules)
    result = cotangents[0] if len(cotangents) == 1 else Static(cotangents)
    return _optimised(residual, result, problem, rules)


def pulled(problem: Problem, rules: AbstractSet[Rule] = ALL) -> Gradient:
    """``⟨e, ∂e/∂x1, …, ∂e/∂xn⟩``"""
    residual, value, cotangents = _differentiated(problem, rules)
    return _optimised(residual, Static((value, *cotangents)), problem, rules)


def _differentiated(problem: Problem, rules: AbstractSet[Rule]) -> tuple[Residual, Residue, tuple[Residue, ...]]:
    residual = Residual((*problem.context, *problem.outside), problem.names, rules)
    derivation = problem.derive(problem.context, problem.body, problem.names)
    value, cotangents = residual.differentiated(derivation, problem.context, {}, residual.run(problem.seed, {}))
    return residual, value, tuple(cotangents)


def _optimised(residual: Residual, result: Residue, problem: Problem, rules: AbstractSet[Rule]) -> Gradient:
    """The block of a residual, evaluated again until there is nothing to fuse."""
    M = residual.closed(residual.spine, term(result))
    fired = residual.fired
    while Rule.FUSION in rules and (fused := _fused(M)) is not None:
        again = Residual((*problem.context, *problem.outside), problem.names, rules)
        M = again.block(fused, {})
        fired.update(again.fired)
    return Gradient(M, fired)


def _fused(M: Term) -> Term | None:
    """Fuse each ``map2`` that is used once, by a ``map``, with that; ``None`` if there is none."""
    uses = Counter(N.name for N in subterms(M) if isinstance(N, Var))
    spine: dict[tuple[str, ...], Term] = {}
    is_changed = False
    while isinstance(M, Let):
        bound = M.bound
        match bound:
            case Map(x, e1, Var(y)) if uses[y] == 1 and isinstance(N := spine.get((y,)), Map2):
                del spine[(y,)]
                bound = Map2(N.left_name, N.right_name, Let((x,), N.body, e1), N.left, N.right)
                is_changed = True
            case _:
                pass
        spine[M.names] = bound
        M = M.body
    return lets(list(spine.items()), M) if is_changed else None


def inlined(M: Term) -> Term:
    """Inline every definition that is used once and not in a loop or a branch (§A.6)."""
    here, everywhere = Counter[str](uses(M)), Counter(N.name for N in subterms(M) if isinstance(N, Var))
    spine: list[tuple[tuple[str, ...], Term]] = []
    terms: dict[str, Term] = {}
    while isinstance(M, Let):
        bound = _inlined_in(M.bound, terms)
        x = M.names[0]
        if len(M.names) == 1 and here[x] == everywhere[x] == 1:
            terms[x] = bound
        else:
            spine.append((M.names, bound))
        M = M.body
    return lets(spine, _inlined_in(M, terms))


def _inlined_in(M: Term, terms: dict[str, Term]) -> Term:
    if isinstance(M, Var):
        return terms.get(M.name, M)
    new = ((names, inlined(N) if is_inner else _inlined_in(N, terms)) for is_inner, names, N in _classified(M))
    return rebuilt(M, tuple(new))


def uses(M: Term) -> Iterator[str]:
    """Yield the variables that occur in M outside of bodies and branches."""
    pending = [M]
    while pending:
        N = pending.pop()
        if isinstance(N, Var):
            yield N.name
        pending.extend(L for is_inner, _, L in _classified(N) if not is_inner)


def _classified(M: Term) -> Iterator[tuple[bool, tuple[str, ...], Term]]:
    """Yield for each part of M whether it is a body or a branch, the names that are bound in it, and the part."""
    for i, (names, N) in enumerate(parts(M)):
        yield (bool(names) and not isinstance(M, Let)) or (isinstance(M, If) and i > 1), names, N
