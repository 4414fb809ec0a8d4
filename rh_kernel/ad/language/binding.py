"""What binds and occurs in a term: parts in order, the names of binders, free variables, renaming."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TypeAlias

from rh_kernel.ad.language.core import (
    Apply,
    Array,
    Call,
    Case,
    Constant,
    Dot,
    Foldl,
    Generate,
    If,
    Index,
    Inject,
    Lambda,
    Let,
    Map,
    Map2,
    Projection,
    Reduce,
    Replicate,
    Scanl,
    Term,
    Total,
    Tuple,
    Variable,
)
from rh_kernel.ad.language.names import Names

Part: TypeAlias = tuple[tuple[str, ...], Term]
"""A subterm and the names that are bound in it alone."""


def parts(M: Term) -> tuple[Part, ...]:
    """The immediate subterms of M in the order in which they are evaluated, each with what M binds in it."""
    match M:
        case Constant() | Variable():
            return ()
        case Let(x, bound, body):
            return ((), bound), ((x,), body)
        case Apply(_, many) | Tuple(many) | Array(many):
            return tuple(((), N) for N in many)
        case Projection(_, N) | Inject(_, _, N) | Index(N, _) | Total(N) | Replicate(_, N):
            return (((), N),)
        case Lambda(x, _, body) | Generate(_, x, body):
            return (((x,), body),)
        case Call(N, L) | Dot(N, L):
            return ((), N), ((), L)
        case Case(N, x, left, y, right):
            return ((), N), ((x,), left), ((y,), right)
        case If(smaller, larger, then, otherwise):
            return ((), smaller), ((), larger), ((), then), ((), otherwise)
        case Map(x, body, N):
            return ((), N), ((x,), body)
        case Map2(x, y, body, left, right):
            return ((), left), ((), right), ((x, y), body)
        case Reduce(a, x, body, start, N) | Foldl(a, x, body, start, N) | Scanl(a, x, body, start, N):
            return ((), start), ((), N), ((a, x), body)


def rebuilt(M: Term, new: tuple[Part, ...]) -> Term:
    """M with other parts, given in the order of ``parts``, and the names that they bind."""
    terms = tuple(N for _, N in new)
    match M:
        case Constant() | Variable():
            return M
        case Let():
            return Let(new[1][0][0], *terms)
        case Apply(symbol):
            return Apply(symbol, terms)
        case Tuple():
            return Tuple(terms)
        case Array():
            return Array(terms)
        case Projection() | Inject() | Index() | Replicate():
            return replace(M, operand=terms[0])
        case Total():
            return Total(terms[0])
        case Lambda() | Generate():
            return replace(M, name=new[0][0][0], body=terms[0])
        case Call():
            return Call(*terms)
        case Dot():
            return Dot(*terms)
        case Case():
            return Case(terms[0], new[1][0][0], terms[1], new[2][0][0], terms[2])
        case If():
            return If(*terms)
        case Map():
            return Map(new[1][0][0], terms[1], terms[0])
        case Map2():
            x, y = new[2][0]
            return Map2(x, y, terms[2], terms[0], terms[1])
        case Reduce() | Foldl() | Scanl():
            a, x = new[2][0]
            return replace(M, accumulator=a, name=x, body=terms[2], start=terms[0], array=terms[1])


def subterms(M: Term) -> Iterator[Term]:
    """M and all terms in it, M first."""
    pending = [M]
    while pending:
        N = pending.pop()
        yield N
        pending.extend(L for _, L in reversed(parts(N)))


def binders(M: Term) -> Iterator[str]:
    """The names that are bound anywhere in M."""
    for N in subterms(M):
        for names, _ in parts(N):
            yield from names


def free(M: Term) -> frozenset[str]:
    """The names that occur free in M. Every binder has a name of its own, so none is both free and bound."""
    used = {N.name for N in subterms(M) if isinstance(N, Variable)}
    return frozenset(used.difference(binders(M)))


def count(M: Term) -> int:
    """How many nodes M has."""
    return sum(1 for _ in subterms(M))


def renaming(M: Term, renamed: Mapping[str, str], names: Names) -> Term:
    """M with fresh names for its binders, and with those of ``renamed`` for free variables."""
    new = {x: names.fresh(x) for x in binders(M)} | dict(renamed)

    def walk(N: Term) -> Term:
        spine: list[tuple[str, Term]] = []
        while isinstance(N, Let):
            spine.append((new[N.name], walk(N.bound)))
            N = N.body
        if isinstance(N, Variable):
            N = Variable(new.get(N.name, N.name))
        else:
            N = rebuilt(N, tuple((tuple(new[x] for x in bound), walk(L)) for bound, L in parts(N)))
        for x, L in reversed(spine):
            N = Let(x, L, N)
        return N

    return walk(M)
