"""Parts, free names, renaming and substitution of the terms of Source and Target."""

from collections.abc import Mapping

from rh_kernel.ad.language.names import Names
from rh_kernel.ad.unary_form.terms.terms import Let, Term
from rh_kernel.source.traversal import Traversal

TERMS = Traversal[Term](Term)

parts, rebuilt, subterms, count = TERMS.parts, TERMS.rebuilt, TERMS.subterms, TERMS.count
free, substituted = TERMS.free, TERMS.substituted


def renamed(M: Term, called: Mapping[str, str], names: Names) -> Term:
    """M with other free names, and with binders that occur nowhere else."""
    return TERMS.renamed(M, names.fresh, called)


def lets(spine: list[tuple[tuple[str, ...], Term]], M: Term) -> Term:
    """``let … in let … in M``"""
    for names, bound in reversed(spine):
        M = Let(names, bound, M)
    return M
