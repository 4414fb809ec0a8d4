"""Resolution of integer literals by their inferred types: ``2`` becomes ``2.0`` where a ``Float`` is expected."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TypeVar, cast

from rh_kernel.ad.eff.core import Clauses, Computation, Literal, LiteralPattern, Thunk
from rh_kernel.ad.eff.traversal import Node, bottom_up
from rh_kernel.ad.eff.types import FLOAT, ValueType

Resolvable = TypeVar("Resolvable", Computation, Thunk, Clauses)


def resolve_literals(M: Resolvable, types: Iterator[ValueType]) -> Resolvable:
    """Return M with its literals resolved. ``types`` are in the order in which ``inference`` visits the literals."""

    def resolved(node: Node) -> Node:
        match node:
            case Literal(int(value)) | LiteralPattern(int(value)):
                return replace(node, value=float(value)) if next(types) == FLOAT else node
            case _:
                return node

    return cast(Resolvable, bottom_up(M, resolved))
