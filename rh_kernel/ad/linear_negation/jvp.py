"""Forward mode by reduction (Prop. 1): ``F(t)[x := ⟨r, s⟩] →* ⟨f(r), f′(r) s⟩``, one reduction for each tangent."""

from collections.abc import Sequence
from dataclasses import dataclass

from rh_kernel.ad.linear_negation import calculus as c
from rh_kernel.ad.linear_negation import forward
from rh_kernel.ad.linear_negation.binding import size
from rh_kernel.ad.linear_negation.evaluation import evaluate
from rh_kernel.ad.linear_negation.source import Source


@dataclass(frozen=True, slots=True)
class Pushforward:
    """The value and the tangent of the result, flat, with steps, operations and the size of the term that was reduced."""

    value: tuple[float, ...]
    tangent: tuple[float, ...]
    steps: int
    operations: int
    size: int


def problem(source: Source, point: Sequence[float], tangent: Sequence[float]) -> c.Term:
    """``F(t)[x := ⟨r, s⟩]``"""
    source.dimension()
    stream = zip(point, tangent, strict=True)

    def dual_number() -> c.Term:
        r, s = next(stream)
        return c.Pair(c.Num(float(r)), c.Num(float(s)))

    stack = [c.Bang(x, forward.forward_type(A), c.shaped(A, dual_number)) for x, A in source.inputs]
    return c.block(tuple(stack), forward.transform(source.term, source.supply()))


def push(source: Source, point: Sequence[float], tangent: Sequence[float]) -> Pushforward:
    """The value at a point, and the derivative along a tangent."""
    t = problem(source, point, tangent)
    outcome = evaluate(t)
    values, tangents = outcome.numbers[::2], outcome.numbers[1::2]
    return Pushforward(values, tangents, outcome.steps, outcome.operations, size(t))
