"""``%gradient P against Q``: the run of what P denotes, with every value kept, beside that of Q."""

from rh_kernel.session.actions import Action, AnalysisContext, Closed, Run, State, typed
from rh_kernel.session.directives.directive import Directive
from rh_kernel.session.directives.words import needs_expression
from rh_kernel.session.results import GradientMade, Result, Shown
from rh_kernel.source.records import frozen
from rh_kernel.syntax import surface_items as items
from rh_kernel.typing.elaboration.items import elaborate_evaluation


@frozen
class Gradient(Action):
    """``%gradient P against Q``: each program with its text; the first takes effect"""

    closed: Closed
    text: str
    against: tuple[Closed, str] | None

    @property
    def subject(self) -> Closed:
        """The term or command P."""
        return self.closed

    def summary(self, text: str) -> Result:
        """The type of P."""
        return typed(self.text, self.closed.type)

    def run(self, number: int, state: State) -> Run:
        """Runs P, and Q from the same heap. Raises ``Stuck``."""
        from rh_kernel.session.gradients import recorded

        made = yield from recorded(self.closed, self.text, state.heap, state.settings)
        others = () if self.against is None else ((yield from recorded(*self.against, state.heap, state.settings)),)
        yield Shown(number, GradientMade(self.text, self.closed.type, (made, *others)))
        return state.put({change.location: change.after for change in made.changes})


def _analyze(item: items.Directive, context: AnalysisContext) -> Gradient:
    e, Q = needs_expression(item), item.against
    other = None if Q is None else (elaborate_evaluation(context.definitions, Q), Q.span.text)
    return Gradient(elaborate_evaluation(context.definitions, e), e.span.text, other)


DIRECTIVES = (
    Directive(
        "gradient",
        "P [against Q]",
        "the pass as data: every box with its forward value and its cotangent; beside that of Q",
        _analyze,
        checks_live=False,
    ),
)
