"""What is in a tree of the core: its types and built-in symbols, each with its place, and its locations."""

from typing import TypeAlias, TypeVar

from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.syntax.core import Bound, Call, Const, Node, Operation, OrdinaryClause, Primitive, RdOf, ReverseClause
from rh_kernel.syntax.rebuild import Transform, rebuild
from rh_kernel.syntax.signature import Location, LocationFamily, Member, StateFamily, StateOf, members, within
from rh_kernel.syntax.traversal import nodes
from rh_kernel.syntax.types import Type

Placed = TypeVar("Placed")
Within: TypeAlias = list[tuple[Span | None, Placed]]


def types_within(node: Node) -> Within[Type]:
    """Every type in ``node``, each with the span of the innermost enclosing node that has one."""
    return types_and_primitives_within(node)[0]


def locations_within(node: Node) -> frozenset[Location]:
    """Every location that ``node`` performs an operation at or has a clause for, and every member of the families in it."""
    heads = [n.indices if isinstance(n, Operation) else n.pattern.indices for n in nodes(node) if isinstance(n, _Indexed)]
    used = [within(i) if isinstance(i, StateOf) else i for head in heads for i in head]
    indices = [i.family if isinstance(i, Member) else i for i in used]
    families = [members(i) for i in indices if isinstance(i, LocationFamily)]
    return frozenset([i for i in indices if isinstance(i, Location)]).union(*families)


def states_within(node: Node) -> frozenset[StateFamily]:
    """Every state that ``node`` uses beside some location."""
    indices = [i for n in nodes(node) if isinstance(n, Operation) for i in n.indices]
    found = [i.state if isinstance(i, Location) else i for i in indices]
    return frozenset([i.family for i in found if isinstance(i, StateOf)])


_Indexed = Operation | ReverseClause | OrdinaryClause


def types_and_primitives_within(node: Node) -> tuple[Within[Type], Within[Primitive]]:
    """The types as in ``types_within``, and the built-in function symbols, each with the span of its application."""
    census = _Census([], [], [None])
    rebuild(node, 0, census)
    return census.types, census.primitives


@frozen
class _Census(Transform):
    types: list[tuple[Span | None, Type]]
    primitives: list[tuple[Span | None, Primitive]]
    place: list[Span | None]

    def skips(self, node: Node, depth: int) -> bool:
        if node.span is not None:
            self.place[0] = node.span
        if isinstance(node, Call):
            f = node.function
            while isinstance(f, RdOf):
                f = f.of
            if isinstance(f, Primitive):
                self.primitives.append((node.span, f))
        return isinstance(node, Bound | Const)

    def type(self, A: Type) -> Type:
        self.types.append((self.place[0], A))
        return A
