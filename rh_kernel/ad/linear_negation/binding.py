"""``fv(t)``, ``|t|``, ``t{u/x}``, copies of t with new names, and equality up to the names of binders."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TypeAlias

from rh_kernel.ad.linear_negation.calculus import (
    App,
    Bang,
    Binding,
    Block,
    Colam,
    Dual,
    Fix,
    Fun,
    If,
    Lam,
    Nil,
    Num,
    Open,
    Pair,
    Plus,
    Term,
    Var,
    block,
)
from rh_kernel.ad.linear_negation.names import Supply

Renaming: TypeAlias = Mapping[str, Term]


def bound_names(b: Binding) -> tuple[str, ...]:
    """What a substitution binds."""
    match b:
        case Bang(x) | Dual(x):
            return (x,)
        case Open(x, _, y):
            return (x, y)


def children(t: Term) -> tuple[Term, ...]:
    """The immediate subterms of t; of a block, what is bound and then the body."""
    match t:
        case Var() | Num() | Nil():
            return ()
        case Pair(left, right) | App(left, right) | Plus(left, right):
            return left, right
        case Lam(_, _, body) | Colam(_, body) | Fix(_, _, body):
            return (body,)
        case Fun(_, arguments):
            return arguments
        case Block(stack, body):
            return (*(b.bound for b in stack), body)
        case If(smaller, larger, then, otherwise):
            return smaller, larger, then, otherwise


def subterms(t: Term) -> Iterator[Term]:
    """T and all terms in it."""
    pending = [t]
    while pending:
        u = pending.pop()
        yield u
        pending.extend(reversed(children(u)))


def binders(t: Term) -> Iterator[str]:
    """All names that are bound in t."""
    for u in subterms(t):
        match u:
            case Lam(x) | Colam(x) | Fix(x):
                yield x
            case Block(stack):
                for b in stack:
                    yield from bound_names(b)
            case Var() | Num() | Nil() | Pair() | App() | Plus() | Fun() | If():
                pass


def occurrences(t: Term) -> Counter[str]:
    """How often each name stands in t; those of binders are unique, so a name that is free is never bound."""
    return Counter([u.name for u in subterms(t) if isinstance(u, Var)])


def free(t: Term) -> frozenset[str]:
    """``fv(t)``"""
    return frozenset(occurrences(t)).difference(binders(t))


def names(t: Term) -> set[str]:
    """All names in t, free and bound."""
    return {*occurrences(t), *binders(t)}


def size(t: Term) -> int:
    """``|t|``: one for each variable, numeral, constructor and substitution"""
    return sum(len(u.stack) if isinstance(u, Block) else 1 for u in subterms(t))


def weight(t: Term) -> int:
    """``‖t‖``: the size in which variables count twice (Lemma 7)"""
    return size(t) + sum(isinstance(u, Var) for u in subterms(t))


def mapped(t: Term, f: Callable[[Term], Term]) -> Term:
    """T with f of each immediate subterm."""
    match t:
        case Var() | Num() | Nil():
            return t
        case Pair(left, right):
            return Pair(f(left), f(right))
        case App(left, right):
            return App(f(left), f(right))
        case Plus(left, right):
            return Plus(f(left), f(right))
        case Lam() | Colam() | Fix():
            return replace(t, body=f(t.body))
        case Fun(symbol, arguments):
            return Fun(symbol, tuple(map(f, arguments)))
        case Block(stack, body):
            return block(tuple(replace(b, bound=f(b.bound)) for b in stack), f(body))
        case If(smaller, larger, then, otherwise):
            return If(f(smaller), f(larger), f(then), f(otherwise))


def substitute(t: Term, images: Renaming) -> Term:
    """``t{u/x}`` for each x and u of ``images``; no name that is free in u is bound in t."""
    if isinstance(t, Var):
        return images.get(t.name, t)
    return mapped(t, lambda u: substitute(u, images))


def copy(t: Term, supply: Supply, images: Renaming | None = None) -> Term:
    """T with new names for all that it binds, and ``images`` for free variables."""
    images = images or {}
    match t:
        case Var(x):
            return images.get(x, t)
        case Lam(x, A, body):
            y = supply.fresh(x)
            return Lam(y, A, copy(body, supply, {**images, x: Var(y)}))
        case Colam(a, body):
            b = supply.fresh(a)
            return Colam(b, copy(body, supply, {**images, a: Var(b)}))
        case Fix(x, A, body):
            y = supply.fresh(x)
            return Fix(y, A, copy(body, supply, {**images, x: Var(y)}))
        case Block(stack, body):
            inner = dict(images)
            new: list[Binding] = []
            for b in stack:
                bound = copy(b.bound, supply, inner)
                match b:
                    case Bang(x):
                        y = supply.fresh(x)
                        inner[x] = Var(y)
                        new.append(replace(b, name=y, bound=bound))
                    case Dual(x):
                        y = supply.fresh(x)
                        inner[x] = Var(y)
                        new.append(Dual(y, bound))
                    case Open(x, A, x1, B):
                        y, y1 = supply.fresh(x), supply.fresh(x1)
                        inner |= {x: Var(y), x1: Var(y1)}
                        new.append(Open(y, A, y1, B, bound))
            return block(tuple(new), copy(body, supply, inner))
        case Num() | Nil() | Pair() | App() | Plus() | Fun() | If():
            given = images
            return mapped(t, lambda u: copy(u, supply, given))


def alike(t: Term, u: Term) -> bool:
    """Whether t and u are equal but for the names of binders."""
    return _canonical(t) == _canonical(u)


def _canonical(t: Term) -> str:
    """T as text, with binders numbered in the order in which they stand."""
    numbered: dict[str, str] = {}
    for x in binders(t):
        numbered.setdefault(x, f"#{len(numbered)}")
    pieces: list[str] = []
    for u in subterms(t):
        match u:
            case Var(x):
                pieces.append(numbered.get(x, x))
            case Num(value):
                pieces.append(repr(value))
            case Fun(symbol, arguments):
                pieces.append(f"{symbol}/{len(arguments)}")
            case Block(stack):
                pieces.append("block" + ",".join(type(b).__name__ for b in stack))
            case Lam(_, A) | Fix(_, A):
                pieces.append(f"{type(u).__name__}:{A}")
            case Nil() | Pair() | App() | Plus() | Colam() | If():
                pieces.append(type(u).__name__)
    return " ".join(pieces)


def float_out(t: Term) -> tuple[list[Binding], Term]:
    """The stack and the term that remains when all substitutions in t move out (≡, (18)–(22)); none leaves a λ or a branch."""
    match t:
        case Block(stack, body):
            floated: list[Binding] = []
            for b in stack:
                inner, bound = float_out(b.bound)
                floated += (*inner, replace(b, bound=bound) if inner else b)
            inner, body = float_out(body)
            return [*floated, *inner], body
        case Var() | Num() | Nil() | Lam() | Colam() | Fix():
            return [], t
        case Pair() | App() | Plus() | Fun():
            floated = []

            def part(u: Term) -> Term:
                inner, rest = float_out(u)
                floated.extend(inner)
                return rest

            return floated, mapped(t, part)
        case If(smaller, larger, then, otherwise):
            first, smaller = float_out(smaller)
            second, larger = float_out(larger)
            return [*first, *second], If(smaller, larger, then, otherwise)
