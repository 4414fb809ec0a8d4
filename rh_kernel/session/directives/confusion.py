"""``%confusion P for (x, t) in data("…")``: which classes a net takes for which, with the samples behind each cell."""

from collections.abc import Generator
from dataclasses import replace

import numpy as np

from rh_kernel.session.actions import Action, AnalysisContext, Run, State
from rh_kernel.session.directives.directive import Directive
from rh_kernel.session.errors import CannotShow
from rh_kernel.session.limits.timing import working
from rh_kernel.session.predictions import NONE, ConfusionShown, Input, excess
from rh_kernel.session.results import Shown, Working
from rh_kernel.session.samples import Sampled, analyze_sampled
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.records import frozen
from rh_kernel.syntax import surface_items as items
from rh_kernel.syntax.types import Real, Type, concrete_shape
from rh_kernel.training.samples import summarising


@frozen
class ShowConfusion(Action):
    """``%confusion P for (x, t) in D``: ``target`` is the name of t"""

    sampled: Sampled
    target: str

    def run(self, number: int, state: State) -> Run:
        """Run P on all samples and show the result, without effect on the state. Raises ``Failure``."""
        sampled, data = self.sampled, self.sampled.data
        results = yield from sampled.outputs(state)
        try:
            found = yield from working(summarising(data), "reading data", lambda text: text or "")
        except Rejected as failure:
            raise Rejected(*[replace(d, span=d.span or sampled.span) for d in failure.diagnostics]) from None
        if found[self.target].counts is None:
            why = f'`{self.target}` of data("{data.name}") is no class: a one-hot target has one 1 and otherwise 0'
            hint = f'`%data "{data.name}"` shows what `{self.target}` is'
            raise Rejected(CannotShow(span=sampled.pattern, why=why, hint=hint))
        targets = data.sources[self.target].take(np.arange(data.size)).argmax(axis=1)
        predicted = np.where(np.isfinite(results).all(axis=1), results.argmax(axis=1), NONE)
        inputs = {
            name: Input(data.sources[name], found[name].low, found[name].high)
            for name, _ in sampled.run.sample
            if name in sampled.run.used
        }
        classes, far = results.shape[1], excess(results, targets)
        yield Shown(number, ConfusionShown(sampled.run.text, data.name, classes, targets, predicted, far, inputs))
        return state


def _analyze(item: items.Directive, context: AnalysisContext) -> Generator[Working, None, ShowConfusion]:
    sampled = yield from analyze_sampled(item, context)
    return ShowConfusion(sampled, _target(sampled))


def _target(sampled: Sampled) -> str:
    """Return the name of the target: the one that P does not depend on. Raises ``Rejected`` if it does not fit P."""
    run, data = sampled.run, sampled.data.name
    if len(run.unused) != 1:
        why = "the target is the one name of the pattern that the command does not use"
        found = f"all names used: {', '.join(run.used)}" if not run.unused else f"not used: {', '.join(run.unused)}"
        hint = 'for example `%confusion handle mlp(x) with infer for (x, t) in data("digits.test")`'
        if run.unused:
            hint = "leave the names that are not needed out of the pattern"
        raise Rejected(CannotShow(span=sampled.pattern, why=why, found=found, hint=hint))
    (target,) = run.unused
    wanted = dict(run.sample)[target]
    if not _is_of_classes(run.type):
        why = "the class is the place of the largest output, so there must be an output for each class"
        expected = str(wanted) if _is_of_classes(wanted) else "a vector of two or more numbers"
        hint = "give the net an output for each class, and the data a one-hot target"
        raise Rejected(CannotShow(span=sampled.span, why=why, found=_result(run.type), expected=expected, hint=hint))
    if not _is_of_classes(wanted):
        why = f'`{target}` of data("{data}") is no class: a one-hot target has an entry for each class'
        hint = f'`%data "{data}"` shows what `{target}` is'
        raise Rejected(CannotShow(span=sampled.pattern, why=why, found=str(wanted), expected=str(run.type), hint=hint))
    if wanted != run.type:
        why = f"the result of the command is no choice among the classes of `{target}`"
        hint = f"the net needs as many outputs as `{target}` has entries"
        expected = f"{wanted}, as `{target}`"
        raise Rejected(CannotShow(span=sampled.span, why=why, found=_result(run.type), expected=expected, hint=hint))
    return target


def _result(A: Type) -> str:
    return f"a result of type {A}"


def _is_of_classes(A: Type) -> bool:
    shape = concrete_shape(A) if isinstance(A, Real) else None
    return shape is not None and len(shape) == 1 and shape[0] > 1


DIRECTIVE = Directive(
    "confusion",
    "P for p in D",
    "which classes a net takes for which, and the samples behind each cell, the most wrong first",
    _analyze,
    checks_live=False,
    order=150,
    example="""
include "layers.rh"
loc w : Real(3, 4) = [[0, 0.1, -0.3, -0.2], [0, -0.2, 0.2, -0.2], [0, 0.1, 0.1, 0.3]]
net flowers(x : Real(4)) : Real(3) = FC[w](x)
%confusion handle flowers(x) with infer for (x, t) in data("iris.test")
""",
    details="""
It runs P on every sample of the data, from the heap as it is, and changes nothing. P is a command or a term with as many
results as there are classes; its class is the place of the largest one. The one name of the pattern that P does not use is the
target, which must be one-hot. A row of the matrix has the samples of a class, a column those that P takes for it.

A click on a cell shows its samples, as pictures if they are pictures, and so do the arrow keys; the numbers at the edges choose
a whole row or column. The most wrong samples come first: those in which the output for another class exceeds that for the
right one by most. Of more than 24 classes there are only the most frequent confusions. In the records these are `counts`, a row
for each class, and `wrong`, the first hundred samples. A sample with an output that is not finite is taken for no class.
""",
)
