"""``%trace P``: the reduction of a term or a command, step by step (RH §5)."""

from collections.abc import Mapping

from rh_kernel.operational.heap import Heap
from rh_kernel.operational.step import Step
from rh_kernel.operational.trace import Result as Reached
from rh_kernel.operational.trace import State as Position
from rh_kernel.operational.trace import proceed
from rh_kernel.primitives.values import materialise
from rh_kernel.session.actions import Action, AnalysisContext, Closed, Run, State, typed
from rh_kernel.session.directives.directive import Directive
from rh_kernel.session.directives.words import needs_expression
from rh_kernel.session.evaluating import STEPS_BETWEEN_LOOKS, explained, span_of
from rh_kernel.session.limits.budget import check_size, limits
from rh_kernel.session.results import Result, Shown, TraceMade, Working
from rh_kernel.session.written import written
from rh_kernel.source.diagnostic import Diagnostic, Stuck
from rh_kernel.source.gc_pause import gc_paused
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.syntax import surface_items as items
from rh_kernel.syntax.core import Term
from rh_kernel.typing.elaboration.items import ClosedCommand, elaborate_evaluation

REALS_OF_STEP = 200
"""A step that is kept takes about as much memory as so many reals."""


@frozen
class Trace(Action):
    """``%trace P``; ``written`` is where the bodies of the declared names are"""

    closed: Closed
    written: Mapping[str, Span]

    @property
    def subject(self) -> Closed:
        """The term or command."""
        return self.closed

    def summary(self, text: str) -> Result:
        """The type."""
        return typed(text, self.closed.type)

    def run(self, number: int, state: State) -> Run:
        """Shows every step; the heap is then as after evaluation. Raises ``Stuck`` after the steps up to there are shown."""
        subject = self.closed
        start = subject.command if isinstance(subject, ClosedCommand) else subject.term
        steps: list[Step] = []
        heap = Heap(state.heap)
        position = Position(start, None, heap, 0)
        value: Term | None = None
        stuck: tuple[Diagnostic, ...] = ()
        bounds = limits(state.settings)
        try:
            with gc_paused():
                while not isinstance(now := proceed(position, bounds, STEPS_BETWEEN_LOOKS, steps), Reached):
                    position = now
                    what = f"a trace of {len(steps):,} steps"
                    check_size(len(steps) * REALS_OF_STEP, what, span_of(subject), state.settings)
                    yield Working("reducing", f"{len(steps):,} steps")
            value, heap = materialise(now.value), now.heap
        except Stuck as failure:
            stuck = explained(failure, subject).diagnostics
        yield Shown(number, TraceMade(start, subject.type, tuple(steps), value, stuck, state.heap, self.written))
        if stuck:
            raise Stuck(*stuck)
        return state.put({loc: a for loc, a in heap.items() if state.heap.get(loc) is not a})


def _analyze(item: items.Directive, context: AnalysisContext) -> Trace:
    return Trace(elaborate_evaluation(context.definitions, needs_expression(item)), written(context.definitions))


DIRECTIVES = (
    Directive(
        "trace",
        "P",
        "the stepper: every reduction step, redex and contractum marked, rule name, heap",
        _analyze,
    ),
)
