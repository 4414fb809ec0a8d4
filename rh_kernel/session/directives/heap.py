"""``%heap`` and ``%reset``: the contents of the locations, and their first contents again."""

from collections.abc import Mapping

from rh_kernel.session.actions import Action, AnalysisContext, Run, State
from rh_kernel.session.directives.directive import Directive
from rh_kernel.session.directives.words import expect_no_words, named_locations
from rh_kernel.session.results import Change, HeapShown, Notice, Shown, changed
from rh_kernel.source.records import frozen
from rh_kernel.syntax import surface_items as items
from rh_kernel.syntax.signature import Location
from rh_kernel.typing.definitions import Definitions, LocDefinition


@frozen
class ShowHeap(Action):
    """``%heap`` of these locations; of all if none is named, also of those that only older nets know"""

    locations: tuple[Location, ...] = ()

    def run(self, number: int, state: State) -> Run:
        """Shows each content beside the first one."""
        shown = [Change(loc, state.initial.get(loc), state.heap[loc]) for loc in self.locations or state.heap]
        yield Shown(number, HeapShown(tuple(shown)))
        return state


@frozen
class Reset(Action):
    """``%reset``"""

    def run(self, number: int, state: State) -> Run:
        """Puts the first contents back."""
        count = len(changed(state.heap, state.initial))
        words = "1 location holds" if count == 1 else f"{count} locations hold"
        yield Shown(number, Notice(f"{words} the initial content again"))
        return state.put(state.initial)


def declared_locations(definitions: Definitions) -> Mapping[str, Location]:
    """The locations by their names."""
    declared = [d.definition for d in definitions.named.values()]
    return {d.name: d.location for d in declared if isinstance(d, LocDefinition)}


def _heap(item: items.Directive, context: AnalysisContext) -> ShowHeap:
    return ShowHeap(named_locations(item, declared_locations(context.definitions)))


def _reset(item: items.Directive, context: AnalysisContext) -> Reset:
    expect_no_words(item)
    return Reset()


DIRECTIVES = (
    Directive("heap", "[location…]", "every location with its content, or those that are named", _heap),
    Directive("reset", "", "put the initial contents back into all locations", _reset),
)
