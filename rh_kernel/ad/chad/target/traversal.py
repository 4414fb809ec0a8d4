"""Parts, binders and renaming of the terms of the target."""

from rh_kernel.ad.chad.source import Supply
from rh_kernel.ad.chad.target.terms import Scope, Term
from rh_kernel.source.traversal import Traversal

_TERMS = Traversal[Term](Term, Scope)

parts, rebuilt, bottom_up, subterms = _TERMS.parts, _TERMS.rebuilt, _TERMS.bottom_up, _TERMS.subterms
count, binders, renamed_as = _TERMS.count, _TERMS.binders, _TERMS.renamed_as


def renamed(t: Term, supply: Supply) -> Term:
    """The same term with new names for all that it binds, so that it may stand beside itself."""
    return renamed_as(t, {x: supply.fresh(x) for x in binders(t)})
