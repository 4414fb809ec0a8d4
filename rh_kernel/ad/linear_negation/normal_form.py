"""The symbolic gradient (Thm 15): ``D(t)[x := ⟨x, λ°a. x′a⟩] →* ⟨G0, λ°a. (Σ x′ⱼ Gⱼ)α⟩β``.

Up to ≡ this is ``bp(G)`` for a graph G of t.
"""

from dataclasses import dataclass

from rh_kernel.ad.linear_negation import calculus as c
from rh_kernel.ad.linear_negation import reverse
from rh_kernel.ad.linear_negation.binding import names
from rh_kernel.ad.linear_negation.gradient import ground
from rh_kernel.ad.linear_negation.names import NameSupply
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
        """The types of its free variables."""
        types: dict[str, c.Type] = dict.fromkeys(self.inputs, c.R)
        return types | dict.fromkeys(self.tags, c.Negation(1))


@dataclass(frozen=True, slots=True)
class Symbolic:
    """The normal form, and the steps to it."""

    term: c.Term
    events: tuple[Event, ...]
    opened: Opened


def opened(source: Source) -> Opened:
    """The term that is normalized."""
    supply = NameSupply({*names(source.term), *(x for x, _ in source.inputs)})
    body = reverse.transform(source.term, supply)
    inputs: list[str] = []
    tags: list[str] = []
    stack: list[c.Binding] = []
    for x, A in source.inputs:
        ground(A)
        stack.append(c.Bang(x, reverse.reversed_type(A), _wrapper(A, x, supply, inputs, tags)))
    ground(source.result)
    core = _result(source.result, body, supply, stack)
    return Opened(c.block(tuple(stack), core), tuple(inputs), tuple(tags))


def normalize(source: Source, strategy: Strategy = S) -> Symbolic:
    """The normal form of the source's transform, reached by the strategy."""
    start = opened(source)
    reduction = Reduction(start.term, start.types, strategy)
    events = tuple(reduction.normalize())
    return Symbolic(reduction.term, events, start)


def _wrapper(A: c.Type, x: str, supply: NameSupply, inputs: list[str], tags: list[str]) -> c.Term:
    match A:
        case c.Times(B, C):
            left = _wrapper(B, x, supply, inputs, tags)
            return c.Pair(left, _wrapper(C, x, supply, inputs, tags))
        case c.Unit():
            return c.Nil()
        case c.Ground() | c.Arrow() | c.Negation():
            y, tag = supply.pair(x)
            inputs.append(y)
            tags.append(tag)
            a = supply.fresh("a")
            return c.Pair(c.Var(y), c.LinearLambda(a, c.App(c.Var(tag), c.Var(a))))


def _result(A: c.Type, t: c.Term, supply: NameSupply, stack: list[c.Binding]) -> c.Term:
    match A:
        case c.Times(B, C):
            x, y = supply.fresh("z"), supply.fresh("z")
            stack.append(c.Open(x, reverse.reversed_type(B), y, reverse.reversed_type(C), t))
            left = _result(B, c.Var(x), supply, stack)
            return c.Pair(left, _result(C, c.Var(y), supply, stack))
        case c.Unit():
            return t
        case c.Ground() | c.Arrow() | c.Negation():
            z, z1 = supply.pair("z")
            stack.append(c.Open(z, c.R, z1, c.Negation(1), t))
            a = supply.fresh("a")
            return c.Pair(c.Var(z), c.LinearLambda(a, c.App(c.Var(z1), c.Var(a))))
