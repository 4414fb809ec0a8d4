"""``%norms [location…]``: the Euclidean norm of the content of each location, and of its change since the declaration."""

import numpy as np

from rh_kernel.session.actions import Action, AnalysisContext, Run, State
from rh_kernel.session.directives.arguments import named_locations
from rh_kernel.session.directives.directive import Directive
from rh_kernel.session.results import Notice, Shown
from rh_kernel.source.records import frozen
from rh_kernel.syntax import surface_items as items
from rh_kernel.syntax.signature import Location


@frozen
class ShowNorms(Action):
    """``%norms`` of these locations; of all if none is named"""

    locations: tuple[Location, ...]

    def run(self, number: int, state: State) -> Run:
        """Shows a line for each location."""
        lines = ["location  norm  change"]
        for location in self.locations or state.heap:
            content = state.heap[location]
            change = content - state.initial[location]
            lines.append(f"{location.name}  {np.linalg.norm(content):.6g}  {np.linalg.norm(change):.6g}")
        yield Shown(number, Notice("\n".join(lines)))
        return state


def _analyze(item: items.Directive, context: AnalysisContext) -> ShowNorms:
    return ShowNorms(named_locations(item, context.definitions.locations()))


NORMS = Directive("norms", "[location…]", "the norm of every location's content, and of its change", _analyze)
