"""Call by value of a term whose inputs are numerals: ``t[x := r] →* v``, then (10)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from rh_kernel.ad.linear_negation import calculus as c
from rh_kernel.ad.linear_negation.reduction import Reduction
from rh_kernel.ad.linear_negation.rules import Rule, StepCounter


@dataclass(frozen=True, slots=True)
class Outcome:
    """The last term of a reduction, the number of uses of each rule, and the number of operations on numbers."""

    term: c.Term
    rules: Counter[Rule]
    operations: int

    @property
    def steps(self) -> int:
        """The number of steps."""
        return self.rules.total()

    @property
    def numbers(self) -> tuple[float, ...]:
        """The numbers in the last term, a tuple of numerals."""
        return c.numbers(self.term)


def at(t: c.Term, names: Sequence[str], point: Sequence[float]) -> c.Term:
    """``t[x1 := r1]…[xn := rn]``, the first innermost"""
    return c.block(tuple([c.Bang(x, c.R, c.Num(float(r))) for x, r in zip(reversed(names), reversed(point), strict=True)]), t)


def evaluate(t: c.Term) -> Outcome:
    """Reduce a closed term to its value."""
    reduction = Reduction(t, {})
    counter = StepCounter()
    counter.run(chain(reduction.evaluate(), reduction.collect()))
    return Outcome(reduction.term, counter.rules, counter.operations)
