"""``%gradient P against Q``: run the denotation of P (RH Def. 7.13) and keep the values on all wires, beside those of Q."""

from collections.abc import Generator, Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING

from rh_kernel.session.actions import AnalysisContext, Closed, ClosedAction, Run, State, type_summary
from rh_kernel.session.directives.arguments import needs_expression
from rh_kernel.session.directives.directive import Directive
from rh_kernel.session.evaluate import command_of, explained, read_only, span_of, written
from rh_kernel.session.limits.budget import check_size
from rh_kernel.session.limits.timing import working
from rh_kernel.session.results import GradientMade, Pass, Result, Shown, Working, changed
from rh_kernel.session.settings import Settings
from rh_kernel.source.diagnostic import Stuck
from rh_kernel.source.records import frozen
from rh_kernel.syntax import surface_items as items
from rh_kernel.syntax.core import Array, Const, Scope, Term
from rh_kernel.syntax.signature import Location
from rh_kernel.syntax.values import tuple_of
from rh_kernel.typing.elaboration.items import elaborate_evaluation

if TYPE_CHECKING:
    from rh_kernel.denotational.wiring import Wires


@frozen
class Gradient(ClosedAction):
    """``%gradient P against Q``: each program with its text; only P takes effect"""

    text: str
    against: tuple[Closed, str] | None

    def summary(self, text: str) -> Result:
        """Return the type of P."""
        return type_summary(self.text, self.closed.type)

    def run(self, number: int, state: State) -> Run:
        """Run P, and Q from the same heap. Raises ``Stuck``."""
        made = yield from recorded(self.closed, self.text, state.heap, state.settings)
        others = () if self.against is None else ((yield from recorded(*self.against, state.heap, state.settings)),)
        yield Shown(number, GradientMade(self.text, self.closed.type, (made, *others)))
        return state.put({change.location: change.after for change in made.changes})


def recorded(subject: Closed, text: str, heap: Mapping[Location, Array], settings: Settings) -> Generator[Working, None, Pass]:
    """Run ``subject``, whose text is ``text``, from this heap and return the recorded pass.

    Raises ``Stuck``, with a span, if the run cannot go on, or the diagram or its values are too large.
    """
    from rh_kernel.denotational.commands import interpret
    from rh_kernel.denotational.recording import reals, record, runs
    from rh_kernel.denotational.rounds import Rounds
    from rh_kernel.denotational.wiring import nested

    yield Working("making the string diagram")
    try:
        arrow = interpret((), Scope((), command_of(subject)), Rounds.ONCE)
        check_size(reals(arrow), "what the wires hold all together", span_of(subject), settings)
        done, boxes = count(1), runs(arrow)
        run = record(arrow, (), heap, strict=settings.strict)
        recording = yield from working(run, "running the string diagram", lambda _: f"{next(done):,} of {boxes:,} boxes")
    except Stuck as failure:
        raise explained(failure, subject) from None
    value = _value(nested(subject.type, arrow.codomain), recording.values)
    return Pass(text, subject.type, arrow, recording, value, changed(heap, written(heap, recording.heap)))


def _value(wires: "Wires", values: Sequence[Array]) -> Term:
    """Return the closed value on these wires."""
    if isinstance(wires, int):
        return Const(read_only(values[wires]))
    return tuple_of(tuple([_value(inner, values) for inner in wires]))


def _analyze(item: items.Directive, context: AnalysisContext) -> Gradient:
    e, Q = needs_expression(item), item.against
    other = None if Q is None else (elaborate_evaluation(context.definitions, Q), Q.span.text)
    return Gradient(elaborate_evaluation(context.definitions, e), e.span.text, other)


DIRECTIVE = Directive(
    "gradient",
    "P [against Q]",
    "the pass as data: every box with its forward value and its cotangent; beside that of Q",
    _analyze,
    checks_live=False,
    order=140,
    example="""
op Double : Real -> Real
%gradient rev handle (3) <x>. Double(x) with {
  return y -> return y
  Double(x) -> return (2 * x, ()) | y, z -> return 2 * y
}
""",
    details="""
It runs the denotation of P and records the value on every wire; P takes effect. The rows of the table are the boxes of the
reverse-handled program: for an operation the forward value is the first component of the result of `Qᶠ`, and the cotangent is
the input of `Qᵇ`; for a pure map f they are those of f and `R'[f]`. A box that nothing comes back to has no cotangent, which
is not the same as the cotangent 0; the same holds without a reverse handler. If an outer ordinary handler runs the rest more
than once, a box has several cotangents. Nested handlers have separate rows. In a loop each box has a row for each round.

The player draws the forward pass from left to right and the backward pass below it, from right to left. Each clause is one
box at first, so that a whole pass is in view.

The player has one round of a loop in its drawing. It runs it once for each round, and back through the rounds in time; it names
the round, `round 37 of 100`, and jumps to one by its number. Of a choice the branch that does not run is faded. For each loop
there is a picture of the size of the cotangent of the state by round, on a logarithmic scale: the vanishing or exploding
gradient. Where the cotangent is 0 the picture has a pale dot, where it is not finite a cross. In the records these are
`cotangents_by_round`, the Euclidean norms after 0, 1, … rounds.

`P against Q` compares two handlers on one net, say the true gradient and a straight-through estimator: the k-th box with a
given text in P is shown beside the k-th in Q. Q starts from the same heap and does not take effect. `against` is a keyword
only here, so it can still be a name. All values must fit into memory together.
""",
)
