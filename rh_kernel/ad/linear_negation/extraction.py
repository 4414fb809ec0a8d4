"""``t →* G``: the computational graph G of a term and the number ``m`` of steps to it, which Thm 15 presupposes.

The steps are call by value with the inputs as free variables. β alone gets stuck on pairs of terms that are no values; with
(16) it does not. Conditionals, an extension, are decided at a point, on which the graph then depends.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from rh_kernel.ad.linear_negation import calculus as c
from rh_kernel.ad.linear_negation.binding import size
from rh_kernel.ad.linear_negation.ground import is_ground
from rh_kernel.ad.linear_negation.reduction import Reduction
from rh_kernel.ad.linear_negation.refusal import outside
from rh_kernel.ad.linear_negation.rules import StepCounter
from rh_kernel.ad.linear_negation.source import Source


@dataclass(frozen=True, slots=True)
class Extracted:
    """A graph: substitutions of ground terms, the numbers of the result as ground terms under them, and m.

    ``operations`` counts the operations on numbers in these steps, on constants and to decide conditionals.
    """

    inputs: tuple[str, ...]
    stack: tuple[c.Binding, ...]
    results: tuple[c.Term, ...]
    steps: int
    operations: int = 0

    @property
    def term(self) -> c.Term:
        """G, for a result that is a single number."""
        (t,) = self.results
        return c.block(self.stack, t)

    @property
    def size(self) -> int:
        """``|G|``"""
        return len(self.stack) + sum(size(b.bound) for b in self.stack) + sum(map(size, self.results))


def extract(source: Source, point: Sequence[float] | None = None) -> Extracted:
    """The graph of a source; conditionals are decided at ``point``, which has a number for each number of the inputs."""
    inputs, t = flat_inputs(source)
    where = None if point is None else dict(zip(inputs, point, strict=True))
    reduction = Reduction(t, dict.fromkeys(inputs, c.R), point=where)
    counter = StepCounter()
    steps = counter.run(chain(reduction.evaluate(), reduction.collect()))
    stack, body = (reduction.term.stack, reduction.term.body) if isinstance(reduction.term, c.Block) else ((), reduction.term)
    results = tuple(c.leaves(body))
    if not all(map(is_ground, (*results, *(b.bound for b in stack)))) or any(isinstance(b, c.Open) for b in stack):
        raise outside("a conditional without a point", "which graph it has depends on the point")
    return Extracted(inputs, stack, results, steps, counter.operations)


def flat_inputs(source: Source) -> tuple[tuple[str, ...], c.Term]:
    """The names of the numbers of the inputs, and the source with tuples of them: ``t[x := ⟨x₁, x₂⟩]``."""
    source.dimension()
    supply = source.supply()
    stack: list[c.Binding] = []
    found: list[str] = []

    def number(x: str) -> c.Term:
        found.append(supply.fresh(x))
        return c.Var(found[-1])

    for x, A in source.inputs:
        if A == c.R:
            found.append(x)
        else:
            stack.append(c.Bang(x, A, c.shaped(A, lambda x=x: number(x))))
    return tuple(found), c.block(tuple(stack), source.term)
