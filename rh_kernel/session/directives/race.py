"""``%race train P with H1, H2 for …``: several handlers train from the same heap, which stays as it was."""

from rh_kernel.session.actions import Analysis, AnalysisContext
from rh_kernel.session.directives.directive import Directive
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.syntax import surface_items as items


def _analyze(item: items.Directive, context: AnalysisContext) -> Analysis:
    from rh_kernel.session.races.action import analyze_race

    if item.training is None:
        raise KernelBug("a race is parsed without a training run")
    return analyze_race(item.training, context)


DIRECTIVE = Directive(
    "race",
    "train P with H1, H2 for …",
    "train with several handlers from the same heap, and compare them; the heap stays as it is",
    _analyze,
    order=160,
    example="""
include "adam.rh"
loc w : Real(1, 2) = [[0.5, -0.5]]
net error(x : Real(2), t : Real) : Real = let y <= FC[w](x) in return dot(y - t, y - t)
%race train handle (rev handle (x, t) <x, t>. error(x, t) with backprop)
  with gradient_descent(0.1), gradient_descent(0.5), adam(0.1)
  for (x, t) in data("xor") epochs 20 batch 4
  measure handle error(x, t) with infer
""",
    runs_example=False,
    details="""
What follows `%race` is a training run with several handlers behind its last `with`, at most eight, and a `measure` at least.
Each handler trains from the heap as it is, on the same batches in the same order; the state that it keeps beside the weights
is its own. They take turns, so all curves grow together. Nothing of it stays in the heap: to keep what the winner learned,
put `train` for `%race train` and leave its handler alone. That gives the same weights, to the bit.

A second picture shows where each handler went, on a plane through the start with contour lines of the measure. Of two weights
it is the plane of all their values. Of more it is spanned by the two principal directions of all paths: those in which they go
furthest, as the sum of the squared distances of their points from the start; below the picture is which part of it lies in the
plane. Each heap of the plane differs from the one at the start in the weights that the measure reads. `moved` is the distance
from the start in these weights. If the measure reads more than a million numbers or takes too long, or if no plane fits the
paths, a line says that they are not drawn, and why.

Below is the source of the clauses in which the handlers differ, side by side. What is marked was found by comparing their
trees, so spaces, line ends and comments do not count; names count as they are written. Clauses that are the same in all of
them are folded away, and an operation that a handler has no clause for goes on to the handlers outside.

In a page with a kernel the line of a handler, its path and its row are marked together: point at one of them, or go through the
rows with the arrow keys; a click or Enter keeps the mark.

The handlers are compared by the last measure, as the runs of a sweep are, and the lowest is marked. `%race` works for both
kinds of handlers: `rev handle (x) <u>. mlp(u) with sgd(0.1, t), sgd(1, t)`, and optimisers around a net,
`handle (rev handle … with backprop) with momentum(0.1, 0.9), adam(0.01)`.
""",
)
