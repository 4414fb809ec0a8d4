"""Traversal of the terms of Source and Target: parts, free names, renaming and substitution."""

from collections.abc import Mapping

from rh_kernel.ad.language.names import Names
from rh_kernel.ad.unary_form.terms.terms import Let, Term
from rh_kernel.source.traversal import Traversal

TERMS = Traversal[Term](Term)

parts, rebuilt, subterms, count = TERMS.parts, TERMS.rebuilt, TERMS.subterms, TERMS.count
free, substituted = TERMS.free, TERMS.substituted


def renamed(M: Term, called: Mapping[str, str], names: Names) -> Term:
    """Rename the free variables of M as ``called`` says, and all binders to fresh names."""
    return TERMS.renamed(M, names.fresh, called)


def lets(spine: list[tuple[tuple[str, ...], Term]], M: Term) -> Term:
    """``let … in let … in M``"""
    for names, bound in reversed(spine):
        M = Let(names, bound, M)
    return M


def arguments(M: Term) -> tuple[Term, ...]:
    """The immediate subterms of an operation in which it binds no names."""
    return tuple(N for names, N in parts(M) if not names)


def with_arguments(M: Term, new: tuple[Term, ...]) -> Term:
    """An operation with other ``arguments``."""
    rest = iter(new)
    return rebuilt(M, tuple([(names, N) if names else ((), next(rest)) for names, N in parts(M)]))
