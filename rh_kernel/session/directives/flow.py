"""``%flow train P for …``: train, and record how large the values, cotangents and changes in the net are."""

from collections.abc import Generator
from typing import ClassVar

from rh_kernel.session.actions import Action, Analysis, AnalysisContext, Interrupted, Run, State
from rh_kernel.session.directives.arguments import invalid_arguments
from rh_kernel.session.directives.directive import Directive
from rh_kernel.session.results import Result, Shown, Working
from rh_kernel.session.train import Train, analyze_training
from rh_kernel.source.diagnostic import Diagnostic
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Source
from rh_kernel.syntax import surface_items as items


@frozen
class Flow(Action):
    """``%flow train P for …``: the training item, and the text of P"""

    train: Train
    text: str

    last_item_hint: ClassVar[str] = Train.last_item_hint

    def summary(self, text: str) -> Result:
        """Return the summary of the training run."""
        return self.train.summary(text)

    def warnings(self, source: Source) -> tuple[Diagnostic, ...]:
        """Return the warnings about lost updates."""
        return self.train.warnings(source)

    def run(self, number: int, state: State) -> Run:
        """Train as ``Train`` does, and show the recording after its result. Raises ``Interrupted`` as it does."""
        # The string diagrams are imported only if one is recorded.
        from rh_kernel.session.flow.recorder import FlowRecorder

        recorder = FlowRecorder(self.train, self.text, state.settings)
        try:
            after = yield from self.train.watched(number, state, recorder)
        except Interrupted:
            if (made := recorder.made()) is not None:
                yield Shown(number, made)
            raise
        if (made := recorder.made()) is not None:
            yield Shown(number, made)
        return after


def _analyze(item: items.Directive, context: AnalysisContext) -> Analysis:
    if item.training is None:
        hint = (
            'write the whole training item: %flow train rev handle (x) <u>. mlp(u) with sgd(0.1, t) for (x, t) in data("xor")'
        )
        raise invalid_arguments("flow", item.span, "`train` and what follows it", "a term or a command", hint)
    return _training(item.training, context)


def _training(item: items.TrainItem, context: AnalysisContext) -> Generator[Working, None, Action]:
    return Flow((yield from analyze_training(item, context)), item.command.span.text)


DIRECTIVE = Directive(
    "flow",
    "train P for …",
    "train, and see how values, cotangents and changes of weights flow through the net, batch by batch",
    _analyze,
    checks_live=False,
    order=145,
    runs_example=False,
    example="""
op FC[l : Loc(m, n)] : Real(n) -> Real(m)
loc w0 : Real(4, 2) = normal(0.5, seed=1)
loc w1 : Real(1, 4) = normal(0.5, seed=2)
net mlp(x : Real(2)) : Real(1) = let h <= FC[w0](x) in FC[w1](relu(h))
handler sgd(alpha : Real, t : Real(k)) : rev handler(Real(k)) = {
  return y -> return alpha * (y - t)
  FC[l](x) -> let w <= Get[l]() in return (w @ x, (w, x))
    | y, (w, x) -> let _ <= Put[l](w - outer(y, x)) in return w^T @ y
}
%flow train rev handle (x) <u>. mlp(u) with sgd(0.1, t)
  for (x, t) in data("xor") epochs 200 batch 4
""",
    details="""
It trains as `train` does, with the same result, and stops between batches now and then to run up to four more passes, with the
weights of that moment, each on one sample of the next batch; these take no effect. Of them it keeps three sizes of each box of
the net: of its value, of the cotangent that comes back to it, and of the change of its weights that these samples ask for,
relative to the weights. The size of an array is the root of the mean of the squares of its entries. Arrays are not kept.

The picture is the diagram that the outermost reverse handler handles, as `%diagram` draws it, for a U-net the U. Its boxes are
tinted by one of the three sizes, on a logarithmic scale for the whole run; in the page one chooses which, drags through the
batches or plays them. A saved notebook has the first, the middle and the last frame. A table has the numbers.

Below it is said in words what to look at: units that are 0 on all of the last recorded samples, a cotangent that is less than a
ten-thousandth of the largest one in its pass or over a thousand times what it was at the start, boxes to which nothing comes
back, and numbers that are not finite, each with the lesson that explains it.

At most 120 frames are recorded, or fewer of a net with many boxes, so that no more than 100,000 sizes are kept. They are
evenly spaced, from the first batch to the last, unless recording would take more than 15 % of the time that training is
expected to take: then there are fewer, or they are of fewer samples. The first and the last batch are recorded in any case,
and six others in between unless a pass takes 25 ms. Below the picture it is said how many there are. At the end a few more
samples are run if units seem to be dead, for 0.05 s or for what is left of that time. In a loop the sizes are those of all
rounds together. What a pass draws at random differs from what the samples
of the batch draw.
""",
)
