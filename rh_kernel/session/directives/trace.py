"""``%trace P``: the reduction of a term or a command, step by step (RH §5)."""

from collections.abc import Mapping

from rh_kernel.operational import trace
from rh_kernel.operational.heap import Heap
from rh_kernel.operational.step import Step
from rh_kernel.paper import Rule
from rh_kernel.primitives.contents import with_states
from rh_kernel.primitives.values import materialise
from rh_kernel.session.actions import AnalysisContext, ClosedAction, Run, State
from rh_kernel.session.directives.arguments import needs_expression
from rh_kernel.session.directives.directive import Directive
from rh_kernel.session.evaluate import STEPS_PER_SLICE, explained, span_of, written
from rh_kernel.session.limits.budget import check_size, limits
from rh_kernel.session.results import Shown, TraceMade, Working
from rh_kernel.source.diagnostic import Diagnostic, Stuck
from rh_kernel.source.gc_pause import gc_paused
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.syntax import surface_items as items
from rh_kernel.syntax.core import Perform, Term
from rh_kernel.syntax.signature import Location
from rh_kernel.typing import definitions as d
from rh_kernel.typing.elaboration.items import ClosedCommand, elaborate_evaluation

REALS_PER_STEP = 200
"""The memory that a kept step takes, in reals."""


@frozen
class Trace(ClosedAction):
    """``%trace P``; ``bodies`` are the spans of the bodies of declarations"""

    bodies: Mapping[str, Span]

    def run(self, number: int, state: State) -> Run:
        """Show every step; P takes effect. Raises ``Stuck`` after the steps so far are shown."""
        subject = self.closed
        start = subject.command if isinstance(subject, ClosedCommand) else subject.term
        steps: list[Step] = []
        heap = Heap(state.heap)
        at = trace.State(start, None, heap, 0)
        value: Term | None = None
        stuck: tuple[Diagnostic, ...] = ()
        bounds = limits(state.settings)
        try:
            with gc_paused():
                while not isinstance(now := trace.proceed(at, bounds, STEPS_PER_SLICE, steps), trace.Result):
                    at = now
                    what = f"a trace of {len(steps):,} steps"
                    check_size(len(steps) * REALS_PER_STEP, what, span_of(subject), state.settings)
                    yield Working("reducing", f"{len(steps):,} steps")
            value, heap = materialise(now.value), now.heap
        except Stuck as failure:
            stuck = explained(failure, subject).diagnostics
        accesses = [step.redex for step in steps if step.rule in (Rule.GET, Rule.PUT)]
        performed = [M.operation for M in accesses if isinstance(M, Perform)]
        before = with_states(state.heap, [i for op in performed for i in op.indices if isinstance(i, Location)])
        yield Shown(number, TraceMade(start, subject.type, tuple(steps), value, stuck, before, self.bodies))
        if stuck:
            raise Stuck(*stuck)
        return state.put(written(state.heap, heap))


def body_spans(definitions: d.Definitions) -> Mapping[str, Span]:
    """Return the spans of the bodies of nets, functions and handlers, to find the declaration that a term comes from."""
    found: dict[str, Span] = {}
    for name, declared in definitions.named.items():
        match declared.definition:
            case d.NetDefinition(body=body):
                spans = [body.body.span]
            case d.FunDefinition(body=body, own=own):
                spans = [body.body.span, None if own is None else own.body.span]
            case d.HandlerDefinition(handler=H):
                spans = [H.span]
            case d.DimDefinition() | d.ConstDefinition() | d.NumberDefinition() | d.OpDefinition():
                spans = []
            case d.LocDefinition() | d.LocFamilyDefinition() | d.StateDefinition():
                spans = []
        for span in spans:
            if span is not None:
                found[name] = found.get(name, span).to(span)
    return found


def _analyze(item: items.Directive, context: AnalysisContext) -> Trace:
    return Trace(elaborate_evaluation(context.definitions, needs_expression(item)), body_spans(context.definitions))


DIRECTIVE = Directive(
    "trace",
    "P",
    "the stepper: every reduction step, redex and contractum marked, rule name, heap",
    _analyze,
    order=100,
    example="%trace let x <- 2 in square(x) + 1",
    details="""
The program also takes effect, as without `%trace`. In the page this is the stepper: arrow keys move forward and back, `e`
shows the equation of the rule, `t` the types. It writes programs as one types them, a handled rest as `rev handle` again; `w`
switches to the notation of the paper, in which text and `rh trace` are. Of a longer pass it shows the steps of handlers and of
the heap first, and `a` shows all. All rules are on [one page](rules.md). Below a line `%%eff` it traces an
[expression of EFF](language.md#effects-and-handlers).
""",
)
