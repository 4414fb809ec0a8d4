"""The gradient by reduction (Cor. 16): ``z′ 1 [⟨z, z′⟩ := D(t)][x := ⟨x, λ°a. x′a⟩][x := r]`` reduces to ``Σ x′ⱼ gⱼ``.

The ``x′ⱼ`` are free variables, called tags, and the gradient is read off from their arguments. With ``injections``, they are
instead bound to ``λ°a. ⟨0, …, a, …, 0⟩`` and the result is a tuple, which takes n times as many additions of numbers.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from rh_kernel.ad.linear_negation import calculus as c
from rh_kernel.ad.linear_negation import reverse
from rh_kernel.ad.linear_negation.binding import size
from rh_kernel.ad.linear_negation.names import NameSupply
from rh_kernel.ad.linear_negation.reduction import Reduction
from rh_kernel.ad.linear_negation.rules import Event, Rule, S, StepCounter, Strategy
from rh_kernel.ad.linear_negation.source import Source
from rh_kernel.source.diagnostic import KernelBug


@dataclass(frozen=True, slots=True)
class Problem:
    """The term of the corollary, its tags, one for each number of the inputs, and the names of the numbers of the result."""

    term: c.Term
    tags: tuple[str, ...]
    results: tuple[str, ...]
    dimension: int = 1
    injected: bool = False

    @property
    def types(self) -> dict[str, c.Type]:
        """The types of the free variables of the term."""
        return dict.fromkeys(self.tags, c.Negation(self.dimension))


@dataclass(frozen=True, slots=True)
class Gradient:
    """A value and a gradient, with the number of steps before, in and after the calls of backpropagators, and of each rule."""

    value: tuple[float, ...]
    gradient: tuple[float, ...]
    forward: int
    backward: int
    garbage: int
    rules: Counter[Rule]
    operations: int

    @property
    def steps(self) -> int:
        """The number of steps."""
        return self.forward + self.backward + self.garbage


def problem(
    source: Source,
    point: Sequence[float],
    cotangent: Sequence[float],
    *,
    injections: bool = False,
    transformed: c.Term | None = None,
) -> Problem:
    """The term of the corollary for ``D(t)``, or for a reduct of it; for a result that is a tuple, ``Σ z′ᵢ wᵢ``."""
    n = source.dimension()
    d = max(n, 1) if injections else 1
    supply = source.supply(*([transformed] if transformed else []))
    body = transformed or reverse.transform(source.term, supply, d)
    opening = OpenedTransform(supply, d)
    wrappers = opening.wrappers(source)
    results: list[str] = []
    calls: list[c.Term] = []
    weights = iter(cotangent)

    def call(z: str, z1: str) -> c.Term:
        results.append(z)
        calls.append(c.App(c.Var(z1), c.Num(float(next(weights)))))
        return calls[-1]

    def bind(t: c.Term) -> c.Term:
        opening.stack.append(c.Bang(supply.fresh("z"), c.Unit(), t))
        return c.Nil()

    opening.open(source.result, body, call, bind)
    numerals = [c.Bang(y, c.R, c.Num(float(r))) for y, r in zip(opening.inputs, point, strict=True)]
    stack: list[c.Binding] = [*numerals, *wrappers, *opening.stack]
    if injections:
        stack = [*(c.Bang(x, c.Negation(d), _injection(supply, i, d)) for i, x in enumerate(opening.tags)), *stack]
    term = c.block(tuple(stack), c.total(tuple(calls), d))
    return Problem(term, tuple(opening.tags), tuple(results), d, injections)


def _injection(supply: NameSupply, i: int, d: int) -> c.Term:
    """``λ°a. ⟨0, …, a, …, 0⟩``, with a at the index i, from 0"""
    a = supply.fresh("a")
    return c.LinearLambda(a, c.tuple_of(tuple(c.Var(a) if j == i else c.ZERO for j in range(d))))


class OpenedTransform:
    """The substitutions around ``D(t)``: inputs are wrapped, and the components of the result get names."""

    def __init__(self, supply: NameSupply, d: int = 1) -> None:
        self.supply, self.d = supply, d
        self.inputs: list[str] = []
        self.tags: list[str] = []
        self.stack: list[c.Binding] = []

    def wrappers(self, source: Source) -> list[c.Bang]:
        """``[x := ⟨x, λ°a. x′a⟩]`` for each input, in the shape of its type; append each x to ``inputs``, x′ to ``tags``."""
        return [
            c.Bang(x, reverse.reversed_type(A, self.d), c.shaped(A, lambda x=x: self._wrapped(x))) for x, A in source.inputs
        ]

    def _wrapped(self, x: str) -> c.Term:
        y, tag = self.supply.pair(x)
        self.inputs.append(y)
        self.tags.append(tag)
        return c.Pair(c.Var(y), reverse.eta_expanded(tag, self.supply))

    def open(
        self, A: c.Type, t: c.Term, number: Callable[[str, str], c.Term], unit: Callable[[c.Term], c.Term] = lambda t: t
    ) -> c.Term:
        """Append ``[⟨z, z′⟩ := t]``, in the shape of A, to ``stack``; return the tuple of ``number(z, z′)`` and ``unit(t)``."""
        match A:
            case c.Times(B, C):
                x, y = self.supply.fresh("z"), self.supply.fresh("z")
                self.stack.append(c.Open(x, reverse.reversed_type(B, self.d), y, reverse.reversed_type(C, self.d), t))
                left = self.open(B, c.Var(x), number, unit)
                return c.Pair(left, self.open(C, c.Var(y), number, unit))
            case c.Unit():
                return unit(t)
            case c.Ground() | c.Arrow() | c.Negation():
                z, z1 = self.supply.pair("z")
                self.stack.append(c.Open(z, c.R, z1, c.Negation(self.d), t))
                return number(z, z1)


class Run:
    """The reduction of the corollary's term, in three parts that are run in this order."""

    def __init__(self, p: Problem, strategy: Strategy = S) -> None:
        off = strategy.off | {Rule.ZERO, Rule.DEAD} if p.injected else strategy.off
        self.problem = p
        self.reduction = Reduction(p.term, p.types, replace(strategy, off=off))
        self.value: tuple[float, ...] = ()

    def forward(self) -> Iterator[Event]:
        """Call by value."""
        yield from self.reduction.evaluate()
        self.value = tuple(map(self._number, self.problem.results))

    def backward(self) -> Iterator[Event]:
        """The calls of backpropagators."""
        frame = self.reduction.state.frames[-1]
        yield from self.reduction.calls(frame)
        yield from self.reduction.sum(frame)

    def garbage(self) -> Iterator[Event]:
        """(10)"""
        yield from self.reduction.collect()

    def all(self) -> Iterator[Event]:
        """The three parts."""
        return chain(self.forward(), self.backward(), self.garbage())

    def _number(self, x: str) -> float:
        bound = self.reduction.state.value(x)
        while isinstance(bound, c.Var):
            bound = self.reduction.state.value(bound.name)
        if not isinstance(bound, c.Num):
            raise KernelBug(f"{x} has no value")
        return bound.value

    def gradient(self) -> tuple[float, ...]:
        """The gradient in the last term."""
        frame = self.reduction.state.frames[-1]
        if self.problem.injected:
            return c.numbers(frame.core)[: len(self.problem.tags)]
        found = dict.fromkeys(self.problem.tags, 0.0)
        for t in frame.summands:
            match t:
                case c.App(c.Var(tag), c.Num(r)):
                    found[tag] += r
                case c.Num(r) if r == 0.0:
                    pass
                case _:
                    raise KernelBug("this is no sum of tags")
        return tuple(found.values())


def gradient(
    source: Source,
    point: Sequence[float],
    cotangent: Sequence[float] = (1.0,),
    *,
    strategy: Strategy = S,
    injections: bool = False,
) -> Gradient:
    """The value at a point, and the gradient for a cotangent of the result."""
    return reduce(problem(source, point, cotangent, injections=injections), strategy)


def reduce(p: Problem, strategy: Strategy = S) -> Gradient:
    """Reduce the corollary's term to its normal form."""
    run = Run(p, strategy)
    counter = StepCounter()
    ahead, back, garbage = [counter.run(part) for part in (run.forward(), run.backward(), run.garbage())]
    return Gradient(run.value, run.gradient(), ahead, back, garbage, counter.rules, counter.operations)


def code_size(p: Problem) -> int:
    """The number of symbols of the corollary's term."""
    return size(p.term)
