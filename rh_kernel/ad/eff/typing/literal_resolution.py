"""Literals of a typed term, made what they are: ``2`` is the float ``2.0`` where a ``Float`` is."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TypeVar, cast

from rh_kernel.ad.eff.core import Clauses, Computation, Literal, LiteralPattern, Thunk
from rh_kernel.ad.eff.traversal import Node, bottom_up
from rh_kernel.ad.eff.types import FLOAT, ValueType

Settled = TypeVar("Settled", Computation, Thunk, Clauses)


def resolve_literals(M: Settled, types: Iterator[ValueType]) -> Settled:
    """M with its literals resolved. The types are taken in the order in which ``inference`` meets the literals."""

    def number(node: Node) -> Node:
        match node:
            case Literal(int(value)) | LiteralPattern(int(value)):
                return replace(node, value=float(value)) if next(types) == FLOAT else node
            case _:
                return node

    return cast(Settled, bottom_up(M, number))
