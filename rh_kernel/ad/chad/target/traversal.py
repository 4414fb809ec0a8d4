"""Traversal of target terms: parts, binders, renaming."""

from rh_kernel.ad.chad.names import NameSupply
from rh_kernel.ad.chad.target.terms import Scope, Term
from rh_kernel.source.traversal import Traversal

TERMS = Traversal[Term](Term, Scope)

parts, rebuilt, bottom_up, subterms = TERMS.parts, TERMS.rebuilt, TERMS.bottom_up, TERMS.subterms
count, binders, renamed_as = TERMS.count, TERMS.binders, TERMS.renamed_as


def renamed(t: Term, supply: NameSupply) -> Term:
    """Return the same term with fresh names for its bound variables, so that both may occur in one term."""
    return renamed_as(t, {x: supply.fresh(x) for x in binders(t)})
