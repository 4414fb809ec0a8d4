"""``%seed``: the seed of the draws ``Normal`` and ``Uniform``."""

from rh_kernel.primitives.draws import MOST_DRAWS, count, draws_in, seed_in
from rh_kernel.session.actions import Action, AnalysisContext, Run, State
from rh_kernel.session.directives.arguments import invalid_arguments
from rh_kernel.session.directives.directive import Directive
from rh_kernel.session.results import Notice, Shown
from rh_kernel.source.records import frozen
from rh_kernel.syntax import surface_items as items
from rh_kernel.syntax.builtin import DRAWS, SEED

_MOST_DIGITS = len(str(MOST_DRAWS))


@frozen
class Seed(Action):
    """``%seed k``, or ``%seed`` without a number"""

    seed: int | None

    def run(self, number: int, state: State) -> Run:
        """Set the seed and begin again with draw 0, or show both."""
        if self.seed is None:
            made = draws_in(state.heap)
            text = f"the seed is {seed_in(state.heap)}, and {made:,} draw{' has' if made == 1 else 's have'} been made"
        else:
            text = f"the seed is {self.seed}, and the next draw is draw 0"
            state = state.put({SEED: count(self.seed), DRAWS: count(0)})
        yield Shown(number, Notice(text))
        return state


def _analyze(item: items.Directive, context: AnalysisContext) -> Seed:
    del context
    match item.words:
        case ():
            return Seed(None)
        case (word,) if word.isascii() and word.isdecimal() and len(word) <= _MOST_DIGITS and int(word) < MOST_DRAWS:
            return Seed(int(word))
        case words:
            wanted = f"a whole number from 0 to {MOST_DRAWS - 1:,}"
            hint = "`%seed 7` makes the draws that follow the same in every run; `%seed` shows the seed"
            raise invalid_arguments("seed", item.span, wanted, f"`{' '.join(words)}`", hint)


DIRECTIVE = Directive(
    "seed",
    "[k]",
    "the seed of `Normal` and `Uniform`; the draws begin again",
    _analyze,
    order=215,
    example="""
%seed 7
Normal[2]()
Uniform[2]()
%seed 7
Normal[2]()
""",
    details="""
The numbers of a draw depend on the seed and on the number of draws made before, which the heap holds; `%heap` shows it.
`%seed k` sets the seed, 0 at first, and begins again with draw 0; `%reset` begins again with the same seed. In `train`, the
draws of each sample are counted from 0, and depend on the number of the sample and of the epoch, too.
""",
)
