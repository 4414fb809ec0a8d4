"""``%sees P for (x, t) in data("…")``: the values on the wires of P as pictures, and the cotangents that come back to them."""

from collections.abc import Generator

import numpy as np

from rh_kernel.session.actions import Action, AnalysisContext, Run, State
from rh_kernel.session.directives.arguments import invalid_arguments
from rh_kernel.session.directives.directive import Directive
from rh_kernel.session.directives.gradient import recorded
from rh_kernel.session.evaluate import read_only
from rh_kernel.session.predictions import Seen, SeenShown
from rh_kernel.session.results import Shown, Working
from rh_kernel.session.samples import Sampled, analyze_sampled
from rh_kernel.source.records import frozen
from rh_kernel.syntax import surface_items as items
from rh_kernel.syntax.binding import instantiate_command
from rh_kernel.syntax.core import Const, Scope
from rh_kernel.typing.elaboration.items import ClosedCommand

FIRST = 6
"""How many samples are shown if none are chosen."""

MOST = 24
"""The most samples that can be chosen."""


LONGEST = 18
"""The most digits of the number of a sample."""


@frozen
class ShowSeen(Action):
    """``%sees P for (x, t) in D samples 12, 40``: ``numbers`` are those of the samples, each less than their count"""

    sampled: Sampled
    numbers: tuple[int, ...]

    def run(self, number: int, state: State) -> Run:
        """Run P on the samples, each from the heap as it is, and show the passes. Raises ``Stuck``, with a span."""
        run, data = self.sampled.run, self.sampled.data
        names = tuple([name for name, _ in run.sample])
        taken = {name: data.sources[name].take(np.array(self.numbers)) for name in names}
        scope = Scope(names, run.command)
        seen: list[Seen] = []
        for i, number_of_sample in enumerate(self.numbers):
            sample = {name: read_only(np.array(array[i], np.float64)) for name, array in taken.items()}
            P = instantiate_command(scope, *[Const(sample[name]) for name in names])
            made = yield from recorded(ClosedCommand(P, run.type), run.text, state.heap, state.settings)
            seen.append(Seen(number_of_sample, {name: sample[name] for name in names if name in run.used}, made))
        ranges = {name: (float(array.min()), float(array.max())) for name, array in taken.items()}
        yield Shown(number, SeenShown(run.text, data.name, data.size, tuple(seen), ranges))
        return state


def _analyze(item: items.Directive, context: AnalysisContext) -> Generator[Working, None, ShowSeen]:
    sampled = yield from analyze_sampled(item, context)
    return ShowSeen(sampled, _numbers(item, sampled.data.size))


def _numbers(item: items.Directive, size: int) -> tuple[int, ...]:
    """The numbers of the chosen samples, or of the first ones. Raises ``Rejected``."""
    if not item.words:
        return tuple(range(min(FIRST, size)))
    if len(item.words) > MOST:
        hint = "leave some out, or use several `%sees`"
        raise invalid_arguments("sees", item.span, f"at most {MOST} samples", f"{len(item.words)} samples", hint)
    beyond = next((word for word in item.words if len(word) > LONGEST or int(word) >= size), None)
    if beyond is not None:
        hint = f"there are {size:,} samples, counted from 0"
        raise invalid_arguments("sees", item.span, f"numbers from 0 to {size - 1}", f"`{beyond[:LONGEST]}`", hint)
    return tuple(dict.fromkeys([int(word) for word in item.words]))


DIRECTIVE = Directive(
    "sees",
    "P for p in D [samples i…]",
    "what a net makes of samples, box by box, the cotangents that come back, and its filters, as pictures",
    _analyze,
    checks_live=False,
    order=152,
    example="""
loc w : Real(2, 4) = [[1, 0, -1, 0], [0, 1, 0, -1]]
net two(x : Real(4)) : Real(2) = let v <= Get[w]() in return tanh(v @ x)
%sees rev handle (x) <u>. two(u) with { return y -> return softmax(y) - [1, 0] } for x in data("iris")
""",
    details="""
It runs P on the first six samples, or on those named by `samples 12, 40`, each from the heap as it is, and changes nothing.
Samples are counted from 0, as `%confusion` does. A column of the table is a box, as a row
of [`%gradient`](#gradient) is: above the value on its wire, below the cotangent that comes back to it, for each sample. The
first one is the input, if P is handled in reverse; its cotangent says which way, and how much, each pixel counts for what the
return clause of the handler begins with. Samples, values and cotangents that have the shape of a picture are shown as pictures,
those of several channels as a picture for each, other vectors in rows of eight numbers. Orange is positive and blue negative.
In the interactive view a click on a picture, or the arrow keys, show it enlarged with its numbers.

Below the table are the filters that P reads: those of a convolution, and the rows of a matrix with as many columns as a square
picture has pixels. In text there are the ranges of numbers for the first two samples, in the records all numbers.
""",
)
