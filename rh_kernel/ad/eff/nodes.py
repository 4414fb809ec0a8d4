"""What occurs in a term: all its computations, values, patterns, handlers, clauses and adaptors, each before its parts."""

from collections.abc import Iterator
from typing import TypeAlias

from rh_kernel.ad.eff.core import (
    Adapt,
    Adaptor,
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
    Handler,
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

Part: TypeAlias = Value | Computation | Pattern | Handler | Adaptor | Branch | Clause | ReturnClause


def nodes(*parts: Part) -> Iterator[Part]:
    """Parts and all that occurs in them, from left to right, however deep they are."""
    waiting = list(reversed(parts))
    while waiting:
        part = waiting.pop()
        yield part
        waiting.extend(reversed(_parts(part)))


def _parts(part: Part) -> tuple[Part, ...]:
    match part:
        case Variable() | Global() | Literal() | Reference() | AnyPattern() | NamePattern() | LiteralPattern() | Adaptor():
            return ()
        case Tuple(parts) | Constructed(_, parts):
            return parts
        case TuplePattern(parts) | ConstructorPattern(_, parts):
            return parts
        case Perform(_, _, arguments) | BuiltIn(_, arguments) | Named(_, arguments):
            return arguments
        case Return(V) | Force(V):
            return (V,)
        case Thunk(body) | Lambda(_, body) | Projection(_, body):
            return (body,)
        case Let(_, bound, body):
            return bound, body
        case Apply(function, argument):
            return function, argument
        case Match(V, branches):
            return V, *branches
        case Branch(pattern, body) | ReturnClause(pattern, body):
            return pattern, body
        case Pair(M, N):
            return M, N
        case Handle(body, handler):
            return body, handler
        case Adapt(adaptors, body):
            return *adaptors, body
        case Clauses(returns, clauses):
            return returns, *clauses
        case Clause(_, _, patterns, _, body):
            return *patterns, body
