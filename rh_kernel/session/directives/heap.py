"""``%heap`` and ``%reset``: show the contents of locations, or restore their initial contents."""

from collections.abc import Mapping

from rh_kernel.session.actions import Action, AnalysisContext, Run, State
from rh_kernel.session.directives.arguments import expect_no_arguments, named_locations
from rh_kernel.session.directives.directive import Directive
from rh_kernel.session.results import Change, HeapShown, Notice, Shown, changed
from rh_kernel.source.records import frozen
from rh_kernel.syntax import surface_items as items
from rh_kernel.syntax.signature import Location
from rh_kernel.typing.definitions import Definitions, LocDefinition


@frozen
class ShowHeap(Action):
    """``%heap`` of these locations, or of all, including those that only earlier nets refer to"""

    locations: tuple[Location, ...] = ()

    def run(self, number: int, state: State) -> Run:
        """Show the current and the initial contents."""
        shown = [Change(loc, state.initial.get(loc), state.heap[loc]) for loc in self.locations or state.heap]
        yield Shown(number, HeapShown(tuple(shown)))
        return state


@frozen
class Reset(Action):
    """``%reset``"""

    def run(self, number: int, state: State) -> Run:
        """Restore the initial contents."""
        count = len(changed(state.heap, state.initial))
        holds = "1 location holds" if count == 1 else f"{count} locations hold"
        yield Shown(number, Notice(f"{holds} the initial content again"))
        return state.put(state.initial)


def declared_locations(definitions: Definitions) -> Mapping[str, Location]:
    """Return the declared locations by name."""
    declared = [d.definition for d in definitions.named.values()]
    return {d.name: d.location for d in declared if isinstance(d, LocDefinition)}


def _heap(item: items.Directive, context: AnalysisContext) -> ShowHeap:
    return ShowHeap(named_locations(item, declared_locations(context.definitions)))


def _reset(item: items.Directive, context: AnalysisContext) -> Reset:
    expect_no_arguments(item)
    return Reset()


DIRECTIVES = (
    Directive("heap", "[location…]", "every location with its content, or those that are named", _heap),
    Directive("reset", "", "put the initial contents back into all locations", _reset),
)
