"""``t →* G``: a ground G with ``m`` steps, by call by value with the inputs as free variables (Thm 15 presupposes it).

β alone can get stuck on a pair of what are no values; with (16) it does not. What conditionals there are, an extension, are
decided at a point, which then the graph depends on.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rh_kernel.ad.linear_negation import calculus as c
from rh_kernel.ad.linear_negation.binding import names, size
from rh_kernel.ad.linear_negation.gradient import ground
from rh_kernel.ad.linear_negation.ground import is_ground
from rh_kernel.ad.linear_negation.names import NameSupply
from rh_kernel.ad.linear_negation.reduction import Reduction
from rh_kernel.ad.linear_negation.refusal import outside
from rh_kernel.ad.linear_negation.source import Source


@dataclass(frozen=True, slots=True)
class Extracted:
    """The graph: substitutions of ground terms, and the numbers of the result as ground terms under them; and m.

    ``operations`` on numbers were done on the way, on constants and to decide conditionals.
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
    """A graph of the source; ``point`` has a number for each number of the inputs, and decides conditionals."""
    inputs, t = flat_inputs(source)
    where = None if point is None else dict(zip(inputs, point, strict=True))
    reduction = Reduction(t, dict.fromkeys(inputs, c.R), point=where)
    events = [event for part in (reduction.evaluate(), reduction.collect()) for event in part]
    stack, body = (reduction.term.stack, reduction.term.body) if isinstance(reduction.term, c.Block) else ((), reduction.term)
    results = tuple(_leaves(body))
    if not all(map(is_ground, (*results, *(b.bound for b in stack)))) or any(isinstance(b, c.Open) for b in stack):
        raise outside("a conditional without a point", "which graph it has depends on the point")
    return Extracted(inputs, stack, results, len(events), sum(event.operations for event in events))


def flat_inputs(source: Source) -> tuple[tuple[str, ...], c.Term]:
    """The names of the numbers of the inputs, and the source with tuples of them: ``t[x := ⟨x₁, x₂⟩]``."""
    supply = NameSupply({*names(source.term), *(x for x, _ in source.inputs)})
    stack: list[c.Binding] = []
    found: list[str] = []
    for x, A in source.inputs:
        ground(A)
        if A == c.R:
            found.append(x)
        else:
            stack.append(c.Bang(x, A, _shape(A, x, supply, found)))
    ground(source.result)
    return tuple(found), c.block(tuple(stack), source.term)


def _shape(A: c.Type, x: str, supply: NameSupply, found: list[str]) -> c.Term:
    match A:
        case c.Times(B, C):
            left = _shape(B, x, supply, found)
            return c.Pair(left, _shape(C, x, supply, found))
        case c.Unit():
            return c.Nil()
        case _:
            found.append(supply.fresh(x))
            return c.Var(found[-1])


def _leaves(t: c.Term) -> Iterator[c.Term]:
    match t:
        case c.Pair(left, right):
            yield from _leaves(left)
            yield from _leaves(right)
        case c.Nil():
            return
        case _:
            yield t
