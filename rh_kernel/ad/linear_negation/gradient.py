"""The gradient by reduction (Cor. 16): ``z′ 1 [⟨z, z′⟩ := D(t)][x := ⟨x, λ°a. x′a⟩][x := r]`` reduces to ``Σ x′ⱼ gⱼ``.

The ``x′ⱼ`` are tags, and the gradient is what stands at each of them; or they are the injections ``λ°a. ⟨0, …, a, …, 0⟩``, and
the result is a tuple, for which n times as many additions of numbers are done.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rh_kernel.ad.linear_negation import calculus as c
from rh_kernel.ad.linear_negation import reverse
from rh_kernel.ad.linear_negation.binding import names, size
from rh_kernel.ad.linear_negation.names import NameSupply
from rh_kernel.ad.linear_negation.reduction import Reduction
from rh_kernel.ad.linear_negation.refusal import outside
from rh_kernel.ad.linear_negation.rules import Event, Rule, S, Strategy
from rh_kernel.ad.linear_negation.source import Source
from rh_kernel.source.diagnostic import KernelBug


@dataclass(frozen=True, slots=True)
class Problem:
    """The term of the corollary: its tags, one for each number of the inputs, and what the numbers of the result are called."""

    term: c.Term
    tags: tuple[str, ...]
    results: tuple[str, ...]
    dimension: int = 1
    injected: bool = False

    @property
    def types(self) -> dict[str, c.Type]:
        """The types of its free variables."""
        return dict.fromkeys(self.tags, c.Negation(self.dimension))


@dataclass(frozen=True, slots=True)
class Gradient:
    """What the reduction found, and how: its steps before, in and after the calls of backpropagators, and by rule."""

    value: tuple[float, ...]
    gradient: tuple[float, ...]
    forward: int
    backward: int
    garbage: int
    rules: Counter[Rule]
    operations: int

    @property
    def steps(self) -> int:
        """All steps."""
        return self.forward + self.backward + self.garbage


def ground(A: c.Type) -> int:
    """How many numbers a value of the type has; refuses functions."""
    match A:
        case c.Ground():
            return 1
        case c.Unit():
            return 0
        case c.Times(B, C):
            return ground(B) + ground(C)
        case c.Arrow() | c.Negation():
            raise outside("functions as parameters or as the result", "a gradient is computed between tuples of numbers")


def problem(
    source: Source,
    point: Sequence[float],
    cotangent: Sequence[float],
    *,
    injections: bool = False,
    transformed: c.Term | None = None,
) -> Problem:
    """The corollary's term for ``D(t)``, or for what ``D(t)`` was reduced to; for a result that is a tuple, ``Σ z′ᵢ wᵢ``."""
    n = sum(ground(A) for _, A in source.inputs)
    ground(source.result)
    d = max(n, 1) if injections else 1
    supply = NameSupply({*names(source.term), *(x for x, _ in source.inputs), *(names(transformed) if transformed else ())})
    body = transformed or reverse.transform(source.term, supply, d)
    build = _Building(supply, d, iter(point), iter(cotangent))
    wrappers = [c.Bang(x, reverse.reversed_type(A, d), build.wrapper(x, A)) for x, A in source.inputs]
    build.opened(source.result, body, "z")
    stack: list[c.Binding] = [*build.numerals, *wrappers, *build.stack]
    tags = tuple(build.tags)
    if injections:
        stack = [*(c.Bang(x, c.Negation(d), _injection(supply, i, d)) for i, x in enumerate(tags)), *stack]
    return Problem(c.block(tuple(stack), c.total(tuple(build.calls), d)), tags, tuple(build.results), d, injections)


def _injection(supply: NameSupply, i: int, d: int) -> c.Term:
    """``λ°a. ⟨0, …, a, …, 0⟩``, with a in the place i, from 0"""
    a = supply.fresh("a")
    return c.LinearLambda(a, c.tuple_of(tuple(c.Var(a) if j == i else c.ZERO for j in range(d))))


class _Building:
    """Collects the parts of the corollary's term."""

    def __init__(self, supply: NameSupply, d: int, point: Iterator[float], cotangent: Iterator[float]) -> None:
        self.supply, self.d, self.point, self.cotangent = supply, d, point, cotangent
        self.numerals: list[c.Binding] = []
        self.stack: list[c.Binding] = []
        self.tags: list[str] = []
        self.calls: list[c.Term] = []
        self.results: list[str] = []

    def wrapper(self, x: str, A: c.Type) -> c.Term:
        """``⟨x, λ°a. x′a⟩``, in the shape of A"""
        match A:
            case c.Times(B, C):
                left = self.wrapper(x, B)
                return c.Pair(left, self.wrapper(x, C))
            case c.Unit():
                return c.Nil()
            case c.Ground() | c.Arrow() | c.Negation():
                y, tag = self.supply.pair(x)
                self.numerals.append(c.Bang(y, c.R, c.Num(float(next(self.point)))))
                self.tags.append(tag)
                a = self.supply.fresh("a")
                return c.Pair(c.Var(y), c.LinearLambda(a, c.App(c.Var(tag), c.Var(a))))

    def opened(self, A: c.Type, t: c.Term, base: str) -> None:
        """``[⟨z, z′⟩ := t]``, in the shape of A, and ``z′ w`` for each number w of the cotangent"""
        match A:
            case c.Times(B, C):
                x, y = self.supply.fresh(base), self.supply.fresh(base)
                self.stack.append(c.Open(x, reverse.reversed_type(B, self.d), y, reverse.reversed_type(C, self.d), t))
                self.opened(B, c.Var(x), base)
                self.opened(C, c.Var(y), base)
            case c.Unit():
                self.stack.append(c.Bang(self.supply.fresh(base), A, t))
            case c.Ground() | c.Arrow() | c.Negation():
                z, z1 = self.supply.pair(base)
                self.stack.append(c.Open(z, c.R, z1, c.Negation(self.d), t))
                self.calls.append(c.App(c.Var(z1), c.Num(float(next(self.cotangent)))))
                self.results.append(z)


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
        """Everything."""
        yield from self.forward()
        yield from self.backward()
        yield from self.garbage()

    def _number(self, x: str) -> float:
        bound = self.reduction.state.value(x)
        while isinstance(bound, c.Var):
            bound = self.reduction.state.value(bound.name)
        if not isinstance(bound, c.Num):
            raise KernelBug(f"{x} has no value")
        return bound.value

    def gradient(self) -> tuple[float, ...]:
        """What was reached, read back."""
        summands = self.reduction.state.frames[-1].summands
        if self.problem.injected:
            return tuple(_numbers(self.reduction.state.frames[-1].core))[: len(self.problem.tags)]
        found = dict.fromkeys(self.problem.tags, 0.0)
        for t in summands:
            match t:
                case c.App(c.Var(tag), c.Num(r)):
                    found[tag] += r
                case c.Num(r) if r == 0.0:
                    pass
                case _:
                    raise KernelBug("this is no sum of tags")
        return tuple(found.values())


def _numbers(t: c.Term) -> Iterator[float]:
    match t:
        case c.Pair(left, right):
            yield from _numbers(left)
            yield from _numbers(right)
        case c.Num(r):
            yield r
        case _:
            raise KernelBug("this is no tuple of numbers")


def gradient(
    source: Source,
    point: Sequence[float],
    cotangent: Sequence[float] = (1.0,),
    *,
    strategy: Strategy = S,
    injections: bool = False,
) -> Gradient:
    """The value at the point, and the gradient for the cotangent."""
    return reduce(problem(source, point, cotangent, injections=injections), strategy)


def reduce(p: Problem, strategy: Strategy = S) -> Gradient:
    """The reduction of the corollary's term, to the end."""
    run = Run(p, strategy)
    rules: Counter[Rule] = Counter()
    lengths: list[int] = []
    operations = 0
    for part in (run.forward(), run.backward(), run.garbage()):
        n = 0
        for event in part:
            n += 1
            rules[event.rule] += 1
            operations += event.operations
        lengths.append(n)
    ahead, back, garbage = lengths
    return Gradient(run.value, run.gradient(), ahead, back, garbage, rules, operations)


def code_size(p: Problem) -> int:
    """How many symbols the corollary's term has."""
    return size(p.term)
