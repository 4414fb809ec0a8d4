"""``%reset``: restore the initial contents of the locations."""

from rh_kernel.primitives.draws import count
from rh_kernel.session.actions import Action, AnalysisContext, Run, State
from rh_kernel.session.directives.arguments import expect_no_arguments
from rh_kernel.session.directives.directive import Directive
from rh_kernel.session.results import Notice, Shown, changed
from rh_kernel.source.records import frozen
from rh_kernel.syntax import surface_items as items
from rh_kernel.syntax.builtin import DRAWS


@frozen
class Reset(Action):
    """``%reset``"""

    def run(self, number: int, state: State) -> Run:
        """Restore the initial contents."""
        reset = len(changed(state.heap, state.initial))
        holds = "1 location holds" if reset == 1 else f"{reset} locations hold"
        yield Shown(number, Notice(f"{holds} the initial content again"))
        return state.put({**state.initial, DRAWS: count(0)} if DRAWS in state.heap else state.initial)


def _analyze(item: items.Directive, context: AnalysisContext) -> Reset:
    expect_no_arguments(item)
    return Reset()


DIRECTIVE = Directive(
    "reset",
    "",
    "put the initial contents back into all locations",
    _analyze,
    order=210,
    example="""
loc w : Real(2) = [1, 2]
Put[w]([5, 6])
%reset
Get[w]()
""",
    details="""
Redeclaring a location is different: it creates a new one. `Normal` and `Uniform` begin again with draw 0, with the same seed.
""",
)
