"""Traversals of EFF's terms: nodes, parts, free variables, and substitution ``M[V1/x1, …, Vn/xn]``.

Declared names are not variables. Substitution renames binders that would capture free variables of the values, unless the
values are ``closed``, as in a reduction.
"""

from collections.abc import Mapping
from typing import TypeAlias, cast

from rh_kernel.ad.eff.core import Adaptor, Apply, Branch, Clause, Computation, Handler, Pattern, ReturnClause, Value
from rh_kernel.source.traversal import Traversal

Node: TypeAlias = Value | Computation | Handler | Pattern | Adaptor | Branch | Clause | ReturnClause

TERMS = Traversal[Node](Value | Computation | Handler, Pattern | Adaptor | Branch | Clause | ReturnClause)

nodes, parts, bound, bottom_up = TERMS.nodes, TERMS.parts, TERMS.bound, TERMS.bottom_up
free, occurring = TERMS.free, TERMS.occurrences


def value(V: Value, values: Mapping[str, Value], *, closed: bool = False) -> Value:
    """``V[values]``"""
    return cast(Value, TERMS.substituted(V, values, captures=not closed))


def computation(M: Computation, values: Mapping[str, Value], *, closed: bool = False) -> Computation:
    """``M[values]``; it is M itself if none of the variables occurs."""
    return cast(Computation, TERMS.substituted(M, values, captures=not closed))


def handler(H: Handler, values: Mapping[str, Value], *, closed: bool = False) -> Handler:
    """``H[values]``"""
    return cast(Handler, TERMS.substituted(H, values, captures=not closed))


def spine(M: Computation) -> tuple[Computation, list[Value]]:
    """``M V…`` as M and V…"""
    arguments: list[Value] = []
    while isinstance(M, Apply):
        arguments.append(M.argument)
        M = M.function
    return M, arguments[::-1]
