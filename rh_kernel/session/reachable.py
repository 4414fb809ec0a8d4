"""What leads to what: the declarations made from a name, and the locations that a program can still get at."""

from collections.abc import Collection, Iterable, Iterator

from rh_kernel.syntax.builtin import UNNAMED
from rh_kernel.syntax.census import locations_within, states_within
from rh_kernel.syntax.core import Node
from rh_kernel.syntax.signature import Location, StateFamily
from rh_kernel.syntax.surface_items import Item
from rh_kernel.syntax.surface_traversal import free_names
from rh_kernel.typing import definitions as d
from rh_kernel.typing.definitions import Definitions


def unreachable(heap: Iterable[Location], definitions: Definitions) -> frozenset[Location]:
    """Return the locations that no name, no net and no handler leads to, directly or as state beside another one."""
    named = _named_locations(definitions).union(UNNAMED)
    hidden = [loc for loc in heap if loc not in named]
    if not hidden:
        return frozenset()
    reachable = named.union(*[locations_within(body) for body in _bodies(definitions)])
    used = _states(definitions) if any(loc.state is not None for loc in hidden) else frozenset[StateFamily]()
    return frozenset([loc for loc in hidden if loc not in reachable and not _is_used_state(loc, used, reachable)])


def dependents(definitions: Definitions, name: str) -> tuple[str, ...]:
    """Return the names of what is declared with ``name`` as it is now, directly or through others, in their order."""
    reached, found = {(name, definitions.named[name].number)}, list[str]()
    for declared in sorted(definitions.named.values(), key=lambda declared: declared.number):
        if reached.intersection(declared.made_from):
            found.append(declared.definition.name)
            reached.add((declared.definition.name, declared.number))
    return tuple(found)


def depends_on(item: Item, definitions: Definitions, name: str) -> bool:
    """Whether the meaning of an item depends on a declared name, directly or through what is declared with it."""
    return not free_names(item).isdisjoint((name, *dependents(definitions, name)))


def _named_locations(definitions: Definitions) -> frozenset[Location]:
    found = [declared.definition for names in (definitions.named, definitions.locked) for declared in names.values()]
    return frozenset([location for definition in found for location in d.locations_of(definition)])


def _states(definitions: Definitions) -> frozenset[StateFamily]:
    found = [declared.definition for names in (definitions.named, definitions.locked) for declared in names.values()]
    declared = frozenset([definition.family for definition in found if isinstance(definition, d.StateDefinition)])
    return declared.union(*[states_within(body) for body in _bodies(definitions)])


def _is_used_state(loc: Location, used: Collection[StateFamily], reachable: Collection[Location]) -> bool:
    """Whether the location is state in use, beside a location that is reachable."""
    state = loc.state
    if state is None or state.family not in used or not isinstance(state.base, Location):
        return False
    return state.base in reachable or _is_used_state(state.base, used, reachable)


def _bodies(definitions: Definitions) -> Iterator[Node]:
    """Yield the bodies that may refer to locations without a name."""
    for declared in (*definitions.named.values(), *definitions.locked.values()):
        match declared.definition:
            case d.NetDefinition(body=body):
                yield body
            case d.HandlerDefinition(handler=H):
                yield H
            case d.DimDefinition() | d.ConstDefinition() | d.NumberDefinition():
                pass
            case d.LocDefinition() | d.LocFamilyDefinition() | d.StateDefinition() | d.FunDefinition() | d.OpDefinition():
                pass
