"""What binds and occurs in a term of Source and Target: parts, free variables, substitution, fresh binders."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TypeAlias

from rh_kernel.ad.language.names import Names
from rh_kernel.ad.unary_form.terms.terms import (
    App,
    Const,
    Fill,
    Fold,
    Fun,
    If,
    Let,
    Map,
    Map2,
    Nabla,
    Op,
    Pack,
    Plus,
    Proj,
    Scale,
    Shift,
    Term,
    Use,
    Var,
)

Part: TypeAlias = tuple[tuple[str, ...], Term]
"""A subterm and the names that are bound in it alone."""


def parts(M: Term) -> tuple[Part, ...]:
    """The immediate subterms of M in the order in which they are evaluated, each with what M binds in it."""
    match M:
        case Var() | Const():
            return ()
        case Let(names, bound, body):
            return ((), bound), (names, body)
        case Pack(many) | Op(_, many) | Use(_, many):
            return tuple(((), N) for N in many)
        case Proj(_, N) | Shift(_, N) | Fill(_, N):
            return (((), N),)
        case Map(x, body, N):
            return ((), N), ((x,), body)
        case Map2(x, y, body, N, L):
            return ((), N), ((), L), ((x, y), body)
        case Fold(_, a, x, body, start, N):
            return ((), start), ((), N), ((a, x), body)
        case If(smaller, larger, then, otherwise):
            return ((), smaller), ((), larger), ((), then), ((), otherwise)
        case Plus(N, L) | Scale(N, L):
            return ((), N), ((), L)
        case Fun(parameters, body):
            return ((tuple(x for x, _ in parameters), body),)
        case App(function, many):
            return ((), function), *(((), N) for N in many)
        case Nabla(_, context, body, _, seed):
            return ((), seed), (tuple(x for x, _ in context), body)


def rebuilt(M: Term, new: tuple[Part, ...]) -> Term:
    """M with other parts, given in the order of ``parts``, and the names that they bind."""
    terms = tuple(N for _, N in new)
    match M:
        case Var() | Const():
            return M
        case Let():
            return Let(new[1][0], terms[0], terms[1])
        case Pack():
            return Pack(terms)
        case Op() | Use():
            return replace(M, arguments=terms)
        case Proj():
            return Proj(M.index, *terms)
        case Shift():
            return Shift(M.side, *terms)
        case Fill():
            return Fill(M.size, *terms)
        case Map():
            return Map(new[1][0][0], terms[1], terms[0])
        case Map2():
            x, y = new[2][0]
            return Map2(x, y, terms[2], terms[0], terms[1])
        case Fold():
            a, x = new[2][0]
            return Fold(M.form, a, x, terms[2], terms[0], terms[1])
        case If():
            return If(*terms)
        case Plus():
            return Plus(*terms)
        case Scale():
            return Scale(*terms)
        case Fun():
            return Fun(tuple((y, A) for y, (_, A) in zip(new[0][0], M.parameters, strict=True)), *terms)
        case App():
            return App(terms[0], terms[1:])
        case Nabla():
            names = new[1][0]
            called = {x: y for (x, _), y in zip(M.context, names, strict=True)}
            context = tuple((y, A) for y, (_, A) in zip(names, M.context, strict=True))
            return Nabla(M.derive, context, terms[1], tuple(called[x] for x in M.wanted), terms[0])


def subterms(M: Term) -> Iterator[Term]:
    """M and all terms in it, M first."""
    pending = [M]
    while pending:
        N = pending.pop()
        yield N
        pending.extend(L for _, L in reversed(parts(N)))


def count(M: Term) -> int:
    """How many nodes M has."""
    return sum(1 for _ in subterms(M))


def free(M: Term) -> frozenset[str]:
    """The names that occur free in M. The context of a ``∇`` occurs free in it: it is what the gradient is taken at."""
    found: set[str] = set()
    pending: list[tuple[Term, frozenset[str]]] = [(M, frozenset())]
    while pending:
        N, bound = pending.pop()
        match N:
            case Var(x):
                if x not in bound:
                    found.add(x)
            case Nabla(_, context, _, _, seed):
                found.update(x for x, _ in context if x not in bound)
                pending.append((seed, bound))
            case _:
                pending.extend((L, bound.union(names) if names else bound) for names, L in parts(N))
    return frozenset(found)


def renamed(M: Term, called: Mapping[str, str], names: Names) -> Term:
    """M with other free names, and with binders that occur nowhere else."""
    spine: list[tuple[tuple[str, ...], Term]] = []
    within = dict(called)
    while isinstance(M, Let):
        bound = renamed(M.bound, within, names)
        fresh = tuple(map(names.fresh, M.names))
        within.update(zip(M.names, fresh, strict=True))
        spine.append((fresh, bound))
        M = M.body
    match M:
        case Var(x):
            N: Term = Var(within.get(x, x))
        case Nabla(derive, context, body, wanted, seed):
            at = tuple((within.get(x, x), A) for x, A in context)
            inner = {x: y for (x, _), (y, _) in zip(context, at, strict=True)}
            N = Nabla(derive, at, renamed(body, inner, names), tuple(inner[x] for x in wanted), renamed(seed, within, names))
        case _:
            new: list[Part] = []
            for bound_here, L in parts(M):
                fresh = tuple(map(names.fresh, bound_here))
                inner = within | dict(zip(bound_here, fresh, strict=True)) if fresh else within
                new.append((fresh, renamed(L, inner, names)))
            N = rebuilt(M, tuple(new))
    return lets(spine, N)


def lets(spine: list[tuple[tuple[str, ...], Term]], M: Term) -> Term:
    """``let … in let … in M``"""
    for names, bound in reversed(spine):
        M = Let(names, bound, M)
    return M


def substituted(M: Term, terms: Mapping[str, Term]) -> Term:
    """M with terms for some names, which are put in as they are: their binders should occur once."""
    return mapped(M, lambda N: terms.get(N.name, N) if isinstance(N, Var) else N)


def mapped(M: Term, change: Callable[[Term], Term]) -> Term:
    """M with ``change`` made to every subterm, from the leaves up."""
    done: list[Term] = []
    pending: list[tuple[Term, bool]] = [(M, False)]
    while pending:
        N, is_ready = pending.pop()
        inside = parts(N)
        if not is_ready:
            pending.append((N, True))
            pending.extend((L, False) for _, L in reversed(inside))
            continue
        if inside:
            new = done[len(done) - len(inside) :]
            del done[len(done) - len(inside) :]
            if any(L is not K for L, (_, K) in zip(new, inside, strict=True)):
                N = rebuilt(N, tuple((names, L) for (names, _), L in zip(inside, new, strict=True)))
        done.append(change(N))
    return done[0]
