"""Traversals of surface syntax, derived from the declarations of its classes: the nodes of an item, and its free names."""

from collections.abc import Set as AbstractSet

from rh_kernel.source.traversal import Traversal
from rh_kernel.syntax import surface as s
from rh_kernel.syntax import surface_items as items

_EXPRESSIONS = s.Expr | s.Pattern | s.Name | s.Kind | s.HandlerExpr | s.Clause | s.Condition
_PARTS = (
    items.SweepParameter
    | items.StaticParameter
    | items.TypedParameter
    | items.OwnDerivative
    | items.Initial
    | items.NamedArgument
)
_SURFACE = Traversal[s.Written](
    _EXPRESSIONS | _PARTS | items.ArrowType | items.HandlerType | items.DataExpr | items.Measure | items.Item
)

nodes = _SURFACE.nodes


def free_names(item: items.Item) -> AbstractSet[str]:
    """Return the names that the meaning of an item depends on: those that nothing inside it binds.

    They may include names of built-in functions; the caller looks them up among the definitions. The indices in the head of a
    clause are new variables or declared locations, and count as both.
    """
    free = _SURFACE.free(item)
    if "{" not in item.span.text:
        return free
    clauses = [c for c in nodes(item) if isinstance(c, s.ReverseClause | s.OrdinaryClause)]
    members = [i for c in clauses for i in c.indices if isinstance(i, s.Family)]
    heads = [c.head.text for c in clauses] + [s.text_of(i) for c in clauses for i in c.indices]
    return free.union(heads, *[_SURFACE.free(i) for i in members])
