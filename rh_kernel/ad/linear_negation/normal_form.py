"""The symbolic gradient (Thm 15): ``D(t)[x := ⟨x, λ°a. x′a⟩] →* ⟨G0, λ°a. (Σ x′ⱼ Gⱼ)α⟩β``.

Up to ≡ this is ``bp(G)`` for a graph G of t.
"""

from dataclasses import dataclass

from rh_kernel.ad.linear_negation import calculus as c
from rh_kernel.ad.linear_negation import reverse
from rh_kernel.ad.linear_negation.gradient import OpenedTransform
from rh_kernel.ad.linear_negation.reduction import Reduction
from rh_kernel.ad.linear_negation.rules import Event, S, Strategy
from rh_kernel.ad.linear_negation.source import Source


@dataclass(frozen=True, slots=True)
class Opened:
    """``⟨z, λ°a. z′a⟩[⟨z, z′⟩ := D(t)][x := ⟨x, λ°a. x′a⟩]``, with the numbers of the inputs and the tag of each."""

    term: c.Term
    inputs: tuple[str, ...]
    tags: tuple[str, ...]

    @property
    def types(self) -> dict[str, c.Type]:
        """The types of the free variables of the term."""
        types: dict[str, c.Type] = dict.fromkeys(self.inputs, c.R)
        return types | dict.fromkeys(self.tags, c.Negation(1))


@dataclass(frozen=True, slots=True)
class Symbolic:
    """A normal form, and the steps to it."""

    term: c.Term
    events: tuple[Event, ...]
    opened: Opened


def opened(source: Source) -> Opened:
    """The term to be normalized."""
    source.dimension()
    opening = OpenedTransform(source.supply())
    body = reverse.transform(source.term, opening.supply)
    wrappers = opening.wrappers(source)
    core = opening.open(source.result, body, lambda z, z1: c.Pair(c.Var(z), reverse.eta_expanded(z1, opening.supply)))
    term = c.block((*wrappers, *opening.stack), core)
    return Opened(term, tuple(opening.inputs), tuple(opening.tags))


def normalize(source: Source, strategy: Strategy = S) -> Symbolic:
    """Reduce the transform of a source to its normal form."""
    start = opened(source)
    reduction = Reduction(start.term, start.types, strategy)
    events = tuple(reduction.normalize())
    return Symbolic(reduction.term, events, start)
