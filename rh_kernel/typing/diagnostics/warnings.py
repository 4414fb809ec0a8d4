"""Warnings about items without errors that are probably not what was meant."""

from collections.abc import Iterator

from rh_kernel.syntax import surface as s
from rh_kernel.syntax import surface_items as items
from rh_kernel.syntax.builtin import BUILT_IN_FAMILIES
from rh_kernel.syntax.signature import DimKind, Kind, LocFamilyKind, LocKind, ValueKind
from rh_kernel.syntax.surface_traversal import nodes
from rh_kernel.typing.definitions import Definitions, LocDefinition, LocFamilyDefinition, OpDefinition
from rh_kernel.typing.diagnostics.handlers import head_of


def remarks(definitions: Definitions, item: items.Item) -> tuple[str, ...]:
    """Warnings about clauses of ``item`` that are probably unintended, in source order, one or two sentences each.

    Such a clause is for a declared location, and its handler has no other clause for the operation: the location in
    ``FC[w0](x) -> …`` may have been meant as a parameter. There is no warning if the handler has a clause for all or for other
    locations, nor for ``Get`` and ``Put``, which the heap handles otherwise. ``definitions`` are those before the item.
    """
    if "{" not in item.span.text:
        return ()
    handlers = [node for node in nodes(item) if isinstance(node, s.HandlerLiteral)]
    return tuple([remark for h in handlers for remark in _of_handler(definitions, h)])


def _of_handler(definitions: Definitions, h: s.HandlerLiteral) -> Iterator[str]:
    clauses = [c for c in h.clauses if not isinstance(c, s.ReturnClause)]
    for clause in clauses:
        alone = sum(other.head.text == clause.head.text for other in clauses) == 1
        match definitions.get(clause.head.text):
            case OpDefinition(name, family) if alone and family not in BUILT_IN_FAMILIES:
                pairs = zip(clause.indices, family.parameters, strict=True)
                named = {i.span.text: p.name for i, p in pairs if _is_declared(definitions, i, p.kind)}
                if named:
                    parameters = {i: _parameter(definitions, clause, named[i]) for i in named}
                    yield _remark(clause, name, [*named], [parameters.get(i.span.text, i.span.text) for i in clause.indices])
            case _:
                pass


def _remark(clause: s.ReverseClause | s.OrdinaryClause, name: str, named: list[str], general: list[str]) -> str:
    listed = " and ".join(f"`{location}`" for location in named)
    what = f"the declared location {listed}" if len(named) == 1 else f"the declared locations {listed}"
    line, *_ = clause.span.position
    return (
        f"line {line}: the clause for `{head_of(clause)}` only covers {what}, "
        f"and this handler has no other clause for `{name}`. "
        f"To cover all locations, use an undeclared name: `{name}[{', '.join(general)}]`."
    )


def _is_declared(definitions: Definitions, index: s.ClauseIndex, kind: Kind) -> bool:
    match kind:
        case LocKind():
            return isinstance(index, s.Family) or isinstance(definitions.get(index.text), LocDefinition)
        case LocFamilyKind():
            return isinstance(index, s.Name) and isinstance(definitions.get(index.text), LocFamilyDefinition)
        case DimKind() | ValueKind():
            return False


def _parameter(definitions: Definitions, clause: s.ReverseClause | s.OrdinaryClause, name: str) -> str:
    """A parameter name that is not the name of a declared location."""
    while isinstance(definitions.get(name), LocDefinition | LocFamilyDefinition) or name in {
        s.text_of(i) for i in clause.indices
    }:
        name += "'"
    return name
