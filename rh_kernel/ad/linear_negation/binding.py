"""Names and binders of terms: ``fv(t)``, ``|t|``, ``t{u/x}``, copies with fresh names, α-equivalence, and floating out."""

from collections import Counter
from dataclasses import replace

from rh_kernel.ad.linear_negation import calculus as c
from rh_kernel.ad.linear_negation.names import NameSupply
from rh_kernel.source.children import Part
from rh_kernel.source.trampoline import Descent, descend
from rh_kernel.source.traversal import Traversal

TERMS = Traversal[c.Term](c.Term, c.Binding, make={c.Block: c.block})

parts, rebuilt, mapped, subterms = TERMS.parts, TERMS.rebuilt, TERMS.mapped, TERMS.subterms
binders, bound_names, substitute, alike = TERMS.binders, TERMS.bound, TERMS.substituted, TERMS.alike


def occurrences(t: c.Term) -> Counter[str]:
    """How often each variable occurs in t, free or bound; as binders are unique, no name is both."""
    return Counter([u.name for u in subterms(t) if isinstance(u, c.Var)])


def names(t: c.Term) -> set[str]:
    """All names in t, free and bound."""
    return {*occurrences(t), *binders(t)}


def size(t: c.Term) -> int:
    """``|t|``: the number of variables, numerals, constructors and substitutions"""
    return sum(len(u.stack) if isinstance(u, c.Block) else 1 for u in subterms(t))


def copy(t: c.Term, supply: NameSupply) -> c.Term:
    """Rename all binders of t to fresh names."""
    return TERMS.renamed(t, supply.fresh)


def float_out(t: c.Term) -> tuple[list[c.Binding], c.Term]:
    """Move all substitutions out of t, except from under a λ or out of a branch (≡, (18)–(22)); return them and the rest."""
    return descend(_floated(t))


def _floated(t: c.Term) -> Descent[tuple[list[c.Binding], c.Term]]:
    floated: list[c.Binding] = []
    match t:
        case c.Var() | c.Num() | c.Nil() | c.Lam() | c.LinearLambda() | c.Fix():
            return [], t
        case c.Block(stack, body):
            for b in stack:
                inner, bound = yield _floated(b.bound)
                floated += (*inner, replace(b, bound=bound) if inner else b)
            inner, body = yield _floated(body)
            return [*floated, *inner], body
        case c.Pair() | c.App() | c.Plus() | c.Fun() | c.If():
            new: list[Part[c.Term]] = []
            for i, (names, u) in enumerate(parts(t)):
                inner, rest = ([], u) if isinstance(t, c.If) and i > 1 else (yield _floated(u))
                floated += inner
                new.append((names, rest))
            return floated, rebuilt(t, tuple(new))
