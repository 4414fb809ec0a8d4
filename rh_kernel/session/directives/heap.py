"""``%heap``: show the contents of locations."""

from collections.abc import Container, Mapping

from rh_kernel.primitives.contents import content
from rh_kernel.session.actions import Action, AnalysisContext, Run, State
from rh_kernel.session.directives.arguments import named_locations
from rh_kernel.session.directives.directive import Directive
from rh_kernel.session.results import Change, HeapShown, Shown
from rh_kernel.source.records import frozen
from rh_kernel.syntax import surface_items as items
from rh_kernel.syntax.signature import Location, members
from rh_kernel.typing.definitions import Definitions, LocFamilyDefinition, StateDefinition


@frozen
class ShowHeap(Action):
    """``%heap`` of these locations, or of all, including those that only earlier nets refer to"""

    locations: tuple[Location, ...] | None = None

    def run(self, number: int, state: State) -> Run:
        """Show the current and the initial contents."""
        shown = [
            Change(loc, content(state.initial, loc), array)
            for loc in (state.heap if self.locations is None else self.locations)
            if (array := content(state.heap, loc)) is not None
        ]
        yield Shown(number, HeapShown(tuple(shown)))
        return state


def held_locations(definitions: Definitions, heap: Container[Location]) -> Mapping[str, Location]:
    """Return the declared locations by name, and what the heap holds of the state beside them."""
    return {**definitions.locations(), **{name: at for name, at in definitions.states().items() if at in heap}}


def _analyze(item: items.Directive, context: AnalysisContext) -> ShowHeap:
    states = context.definitions.states()
    families: dict[str, tuple[Location, ...]] = {}
    for declared in context.definitions.named.values():
        match declared.definition:
            case LocFamilyDefinition(name, family):
                families[name] = members(family)
            case StateDefinition(name, family):
                families[name] = tuple([at for at in states.values() if at.state is not None and at.state.family == family])
            case _:
                pass
    named = named_locations(item, {**context.definitions.locations(), **states}, families)
    return ShowHeap(named if item.words else None)


DIRECTIVE = Directive(
    "heap",
    "[location…]",
    "every location with its content, or those that are named",
    _analyze,
    order=200,
    example="""
loc w : Real(2) = [1, 2]
loc v : Real(3) = zeros
%heap
%heap w
""",
    details="""
`%heap w v` shows only these, `%heap ws` those of a family, and `%heap velocity` the state beside every location. Without
names, a redeclared location appears twice as long as something still uses the older one.
""",
)
