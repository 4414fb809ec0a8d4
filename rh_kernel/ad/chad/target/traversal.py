"""What occurs and binds in a term of the target: parts in order, all subterms, free variables, their number."""

from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from typing import Any

from rh_kernel.ad.chad.source import Supply
from rh_kernel.ad.chad.target.terms import LinearVariable, Scope, Term, Variable
from rh_kernel.source.descent import Descent, descend


@cache
def _places(kind: type[Any]) -> tuple[tuple[str, str], ...]:
    """The fields of a form that hold terms, and how: one, several, or one in which names are bound."""
    found: list[tuple[str, str]] = []
    for field in fields(kind):
        if field.type == "Term":
            found.append((field.name, "one"))
        elif field.type is Scope:
            found.append((field.name, "scope"))
        elif "Term" in str(field.type):
            found.append((field.name, "several"))
    return tuple(found)


def parts(t: Term) -> tuple[Scope, ...]:
    """The immediate subterms of t, each with the names that are bound in it."""
    found: list[Scope] = []
    for name, holds in _places(type(t)):
        inner = getattr(t, name)
        if holds == "one":
            found.append(Scope((), inner))
        elif holds == "scope":
            found.append(inner)
        else:
            found += (Scope((), s) for s in inner)
    return tuple(found)


def rebuilt(t: Term, new: tuple[Scope, ...]) -> Term:
    """The form of t with other subterms, in the order of ``parts``."""
    arguments: dict[str, Any] = {field.name: getattr(t, field.name) for field in fields(t)}
    rest = iter(new)
    for name, holds in _places(type(t)):
        if holds == "one":
            arguments[name] = next(rest).body
        elif holds == "scope":
            arguments[name] = next(rest)
        else:
            arguments[name] = tuple(next(rest).body for _ in arguments[name])
    return type(t)(**arguments)


def subterms(t: Term) -> Iterator[Term]:
    """Both t and all terms in it, t first."""
    pending = [t]
    while pending:
        s = pending.pop()
        yield s
        pending.extend(part.body for part in reversed(parts(s)))


def count(t: Term) -> int:
    """How many nodes t has; ``proj_i`` and ``coproj_i`` are one."""
    return sum(1 for _ in subterms(t))


def binders(t: Term) -> Iterator[str]:
    """The names that are bound in t."""
    for s in subterms(t):
        for part in parts(s):
            yield from part.names


def renamed(t: Term, supply: Supply) -> Term:
    """The same term with new names for all that it binds, so that it may stand beside itself."""
    new = {x: supply.fresh(x) for x in binders(t)}
    return descend(_renamed(t, new)) if new else t


def renamed_as(t: Term, new: dict[str, str]) -> Term:
    """The same term with these names for all that it binds."""
    return descend(_renamed(t, new))


def _renamed(t: Term, new: dict[str, str]) -> Descent[Term]:
    match t:
        case Variable(x):
            return Variable(new.get(x, x))
        case LinearVariable(x):
            return LinearVariable(new.get(x, x))
        case _:
            found: list[Scope] = []
            for part in parts(t):
                body = yield _renamed(part.body, new)
                found.append(Scope(tuple(new[x] for x in part.names), body))
            return rebuilt(t, tuple(found))
