"""What names a term has, so that none that is printed can be taken for another."""

from collections.abc import Iterable
from typing import TypeAlias

from rh_kernel.ad.eff.core import (
    Adapt,
    AnyPattern,
    Apply,
    Branch,
    BuiltIn,
    Clause,
    Clauses,
    Computation,
    Constructed,
    ConstructorPattern,
    Force,
    Global,
    Handle,
    Lambda,
    Let,
    Literal,
    LiteralPattern,
    Match,
    Named,
    NamePattern,
    Pair,
    Pattern,
    Perform,
    Projection,
    Reference,
    Return,
    ReturnClause,
    Thunk,
    Tuple,
    TuplePattern,
    Value,
    Variable,
)
from rh_kernel.ad.eff.definitions import shown

Part: TypeAlias = Value | Computation | Branch | Clauses | Clause | ReturnClause | Named | Pattern


def names(start: Part) -> tuple[set[str], set[str]]:
    """The names of what is declared that stand in a term, and those that are bound in it or free."""
    declared: set[str] = set()
    local: set[str] = set()
    pending: list[Part] = [start]
    while pending:
        part = pending.pop()
        match part:
            case Variable(x) | NamePattern(x):
                local.add(x)
            case Global(f):
                declared.add(shown(f))
            case BuiltIn(g, arguments):
                declared.add(g)
                pending += arguments
            case Perform(_, op, arguments):
                declared.add(shown(op))
                pending += arguments
            case Let(x, M, N):
                local.add(x)
                pending += (M, N)
            case Lambda(x, M):
                local.add(x)
                pending.append(M)
            case Clause(_, _, patterns, k, M):
                local.add(k)
                pending += (*patterns, M)
            case _:
                pending += _parts(part)
    return declared, local


def _parts(part: Part) -> Iterable[Part]:
    match part:
        case Tuple(many) | TuplePattern(many) | Constructed(_, many) | ConstructorPattern(_, many) | Named(_, many):
            return many
        case Thunk(M) | Adapt(_, M) | Projection(_, M):
            return (M,)
        case Return(V) | Force(V):
            return (V,)
        case Apply(M, V):
            return (M, V)
        case Match(V, branches):
            return (V, *branches)
        case Branch(p, M) | ReturnClause(p, M):
            return (p, M)
        case Pair(M, N):
            return (M, N)
        case Handle(M, H):
            return (M, H)
        case Clauses(returns, clauses):
            return (returns, *clauses)
        case Literal() | Reference() | AnyPattern() | LiteralPattern():
            return ()
        case _:
            return ()


def renamed(start: Part) -> dict[str, str]:
    """New names for what is bound in a term under the name of something declared that stands in it too."""
    declared, local = names(start)
    found: dict[str, str] = {}
    for x in sorted(declared & local):
        y = f"{x}'"
        while y in declared or y in local:
            y += "'"
        found[x] = y
        local.add(y)
    return found


def made_up(silent: str, start: Part) -> str:
    """A name for an intermediate result that has none and cannot be printed where it is used."""
    declared, local = names(start)
    x = f"v{silent[1:]}"
    while x in declared or x in local:
        x += "'"
    return x
