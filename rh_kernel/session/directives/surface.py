"""``%surface P for (x, t) in data("…")``: the decision surface of a net with two inputs, with the data."""

from collections.abc import Generator

from rh_kernel.session.actions import Action, AnalysisContext, Run, State
from rh_kernel.session.directives.directive import Directive
from rh_kernel.session.predictions import SurfaceShown
from rh_kernel.session.results import Shown, Working
from rh_kernel.session.samples import Sampled, analyze_sampled
from rh_kernel.session.surfaces import plane_of
from rh_kernel.source.records import frozen
from rh_kernel.syntax import surface_items as items
from rh_kernel.training.surfaces import Plane, Surface


@frozen
class ShowSurface(Action):
    """``%surface P for (x, t) in D``: P on the samples of the grid of the plane"""

    sampled: Sampled
    plane: Plane

    def run(self, number: int, state: State) -> Run:
        """Run P on the grid and show the result, without effect on the state. Raises ``Failure``."""
        values = yield from self.sampled.outputs(state)
        yield Shown(number, SurfaceShown(Surface(self.sampled.run.text, self.plane, values)))
        return state


def _analyze(item: items.Directive, context: AnalysisContext) -> Generator[Working, None, ShowSurface]:
    sampled = yield from analyze_sampled(item, context)
    plane = plane_of(sampled.run, sampled.data, sampled.span)
    return ShowSurface(Sampled(sampled.run, plane.grid, sampled.span, sampled.pattern), plane)


DIRECTIVE = Directive(
    "surface",
    "P for p in D",
    "what a net with two inputs makes of each point of the plane, with the data",
    _analyze,
    checks_live=False,
    order=151,
    details="""
P is a command or a term that depends on two numbers of a sample, x of type `Real(2)` or two components of type `Real(1)`. It
runs on a grid over the samples, from the heap as it is, and changes nothing. If its result is one number, the colour says on
which side of the middle of the targets it is; if there are several, which of them is the largest. The paler the colour, the
closer the decision. The target is the component that P does not depend on and that has the type of its result; samples have the
shape of their class.

`train … surface P` draws the same while the net learns, and keeps the surfaces after some of the epochs.
""",
    example="""
%surface softmax([[1, 0], [0, 1], [-1, -1]] @ x) for (x, t) in data("spiral")
""",
)
