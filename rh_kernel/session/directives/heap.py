"""``%heap``: show the contents of locations."""

from collections.abc import Mapping

from rh_kernel.session.actions import Action, AnalysisContext, Run, State
from rh_kernel.session.directives.arguments import named_locations
from rh_kernel.session.directives.directive import Directive
from rh_kernel.session.results import Change, HeapShown, Shown
from rh_kernel.source.records import frozen
from rh_kernel.syntax import surface_items as items
from rh_kernel.syntax.signature import Location, members
from rh_kernel.typing.definitions import Definitions, LocFamilyDefinition


@frozen
class ShowHeap(Action):
    """``%heap`` of these locations, or of all, including those that only earlier nets refer to"""

    locations: tuple[Location, ...] = ()

    def run(self, number: int, state: State) -> Run:
        """Show the current and the initial contents."""
        shown = [Change(loc, state.initial.get(loc), state.heap[loc]) for loc in self.locations or state.heap]
        yield Shown(number, HeapShown(tuple(shown)))
        return state


def declared_locations(definitions: Definitions) -> Mapping[str, Location]:
    """Return the declared locations by name."""
    return definitions.locations()


def _analyze(item: items.Directive, context: AnalysisContext) -> ShowHeap:
    named = [declared.definition for declared in context.definitions.named.values()]
    families = {d.name: members(d.family) for d in named if isinstance(d, LocFamilyDefinition)}
    return ShowHeap(named_locations(item, declared_locations(context.definitions), families))


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
`%heap w v` shows only these. Without names, a redeclared location appears twice as long as something still uses the older
one.
""",
)
