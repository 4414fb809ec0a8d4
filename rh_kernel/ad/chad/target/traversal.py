"""Parts, binders and renaming of the terms of the target."""

from rh_kernel.ad.chad.source import NameSupply
from rh_kernel.ad.chad.target.terms import Scope, Term
from rh_kernel.source.traversal import Traversal

TERMS = Traversal[Term](Term, Scope)

parts, rebuilt, bottom_up, subterms = TERMS.parts, TERMS.rebuilt, TERMS.bottom_up, TERMS.subterms
count, binders, renamed_as = TERMS.count, TERMS.binders, TERMS.renamed_as


def renamed(t: Term, supply: NameSupply) -> Term:
    """The same term with new names for all that it binds, so that it may stand beside itself."""
    return renamed_as(t, {x: supply.fresh(x) for x in binders(t)})
