"""``F(t)[x := ⟨r, s⟩] →* ⟨f(r), f′(r) s⟩`` (Prop. 1): one run for each tangent."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rh_kernel.ad.linear_negation import forward
from rh_kernel.ad.linear_negation.binding import names, size
from rh_kernel.ad.linear_negation.calculus import Arrow, Bang, Ground, Negation, Nil, Num, Pair, Term, Times, Type, Unit, block
from rh_kernel.ad.linear_negation.evaluation import evaluate
from rh_kernel.ad.linear_negation.gradient import ground
from rh_kernel.ad.linear_negation.names import NameSupply
from rh_kernel.ad.linear_negation.source import Source
from rh_kernel.source.diagnostic import KernelBug


@dataclass(frozen=True, slots=True)
class Pushing:
    """The value and the tangent of the result, flat, with steps, operations and the size of what was reduced."""

    value: tuple[float, ...]
    tangent: tuple[float, ...]
    steps: int
    operations: int
    size: int


def problem(source: Source, point: Sequence[float], tangent: Sequence[float]) -> Term:
    """``F(t)[x := ⟨r, s⟩]``"""
    ground(source.result)
    for _, A in source.inputs:
        ground(A)
    supply = NameSupply({*names(source.term), *(x for x, _ in source.inputs)})
    stream = zip(point, tangent, strict=True)
    stack = tuple([Bang(x, forward.forward_type(A), _seeded(A, stream)) for x, A in source.inputs])
    return block(stack, forward.transform(source.term, supply))


def push(source: Source, point: Sequence[float], tangent: Sequence[float]) -> Pushing:
    """The value at the point, and the derivative along the tangent."""
    t = problem(source, point, tangent)
    outcome = evaluate(t)
    both = list(_read(source.result, outcome.term))
    return Pushing(tuple(r for r, _ in both), tuple(s for _, s in both), outcome.steps, outcome.operations, size(t))


def _seeded(A: Type, stream: Iterator[tuple[float, float]]) -> Term:
    match A:
        case Times(B, C):
            left = _seeded(B, stream)
            return Pair(left, _seeded(C, stream))
        case Unit():
            return Nil()
        case Ground() | Arrow() | Negation():
            r, s = next(stream)
            return Pair(Num(float(r)), Num(float(s)))


def _read(A: Type, t: Term) -> Iterator[tuple[float, float]]:
    match A, t:
        case Times(B, C), Pair(left, right):
            yield from _read(B, left)
            yield from _read(C, right)
        case Ground(), Pair(Num(r), Num(s)):
            yield r, s
        case Unit(), _:
            return
        case _:
            raise KernelBug("this is no value with its tangent")
