"""Traversal of terms: parts, binders, free names and renaming."""

from collections.abc import Mapping

from rh_kernel.ad.language.core import Term
from rh_kernel.ad.language.names import Names
from rh_kernel.source.traversal import Traversal

TERMS = Traversal[Term](Term)

parts, rebuilt, mapped, bottom_up = TERMS.parts, TERMS.rebuilt, TERMS.mapped, TERMS.bottom_up
subterms, binders, free, count = TERMS.subterms, TERMS.binders, TERMS.free, TERMS.count


def renaming(M: Term, renamed: Mapping[str, str], names: Names) -> Term:
    """Rename the free variables of M as ``renamed`` says, and all binders to fresh names."""
    return TERMS.renamed_as(M, {x: names.fresh(x) for x in binders(M)} | dict(renamed))
