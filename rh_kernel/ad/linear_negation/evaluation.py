"""Call by value of a term whose inputs are numerals: ``t[x := r] →* v``, then (10)."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rh_kernel.ad.linear_negation.calculus import Bang, Num, Pair, R, Term, block
from rh_kernel.ad.linear_negation.reduction import Reduction
from rh_kernel.ad.linear_negation.rules import Rule
from rh_kernel.source.diagnostic import KernelBug


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was reached, how often each rule was used, and how many operations on numbers were done."""

    term: Term
    rules: Counter[Rule]
    operations: int

    @property
    def steps(self) -> int:
        """All steps."""
        return self.rules.total()

    @property
    def numbers(self) -> tuple[float, ...]:
        """The numbers in what was reached, a tuple of numerals."""
        return tuple(_numbers(self.term))


def at(t: Term, names: Sequence[str], point: Sequence[float]) -> Term:
    """``t[x1 := r1]…[xn := rn]``, the first innermost"""
    return block(tuple([Bang(x, R, Num(float(r))) for x, r in zip(reversed(names), reversed(point), strict=True)]), t)


def evaluate(t: Term) -> Outcome:
    """The value of a closed term."""
    reduction = Reduction(t, {})
    rules: Counter[Rule] = Counter()
    operations = 0
    for part in (reduction.evaluate(), reduction.collect()):
        for event in part:
            rules[event.rule] += 1
            operations += event.operations
    return Outcome(reduction.term, rules, operations)


def _numbers(t: Term) -> Iterator[float]:
    match t:
        case Pair(left, right):
            yield from _numbers(left)
            yield from _numbers(right)
        case Num(r):
            yield r
        case _:
            raise KernelBug("this is no tuple of numbers")
