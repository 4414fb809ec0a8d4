"""Values of straight-line terms, whose reduction is the same at all values: ``Ev(f, V)`` of a symbol that is defined by one.

``Ev`` is one step, of which only the value is seen. The body of most definitions, and of all derivatives of primitive symbols,
consists of lets, calls of primitive symbols, sums, tuples and projections. It is compiled once, to a function of the values of
its variables; with it comes the number of steps of its reduction, which counts against the limit.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias, cast

from rh_kernel.operational.limits import Limits
from rh_kernel.operational.memo import Memo
from rh_kernel.operational.symbols import added, applied
from rh_kernel.source.span import Span
from rh_kernel.syntax.core import Bound, Call, Const, Let, Plus, Primitive, Proj, Term, Tuple, Zero
from rh_kernel.syntax.values import component

Values: TypeAlias = tuple[Term, ...]
"""The closed values of the variables, the last one with index 0."""

Evaluator: TypeAlias = Callable[[Values, Limits, Span | None], Term]
"""The closed value of a term. Raises ``Stuck`` at the span, as ``applied`` does."""

DEEPEST = 50
"""Terms that are nested deeper are reduced: a compiled one calls itself at each level."""


@dataclass(frozen=True, slots=True)
class StraightLine:
    """A compiled term, and the number of steps of its reduction."""

    value: Evaluator
    count: int


def straight_line(M: Term) -> StraightLine | None:
    """Return the compiled form of an open term, cached; ``None`` if it is nested too deep, or contains other forms."""
    return _compiled.of(M)


def _compile(M: Term) -> StraightLine | None:
    counts = [0]
    value = _evaluator(M, 0, counts)
    return None if value is None else StraightLine(value, counts[0])


def _evaluator(M: Term, depth: int, counts: list[int]) -> Evaluator | None:
    """Compile a term and add the number of its steps to the one number in ``counts``."""
    if depth > DEEPEST:
        return None
    match M:
        case Bound(index):
            return lambda rho, limits, span: rho[-1 - index]
        case Const() | Zero():
            return lambda rho, limits, span: M
        case Tuple(items):
            parts = [_evaluator(N, depth + 1, counts) for N in items]
            return None if None in parts else _tuple(cast(list[Evaluator], parts))
        case Call(Primitive() as f, N):
            counts[0] += 1
            of = _evaluator(N, depth + 1, counts)
            return None if of is None else lambda rho, limits, span: applied(f, of(rho, limits, span), limits, span)
        case Proj(i, n, N):
            counts[0] += 1
            of = _evaluator(N, depth + 1, counts)
            return None if of is None else lambda rho, limits, span: component(of(rho, limits, span), i - 1, n)
        case Plus(L, N):
            counts[0] += 1
            left, right = _evaluator(L, depth + 1, counts), _evaluator(N, depth + 1, counts)
            return None if left is None or right is None else _plus(left, right, of_cotangents=M.of_cotangents)
        case Let(N, scope):
            counts[0] += 1
            bound, body = _evaluator(N, depth + 1, counts), _evaluator(cast(Term, scope.body), depth + 1, counts)
            return None if bound is None or body is None else _let(bound, body)
        case _:
            return None


def _tuple(parts: list[Evaluator]) -> Evaluator:
    return lambda rho, limits, span: Tuple(tuple([part(rho, limits, span) for part in parts]))


def _plus(left: Evaluator, right: Evaluator, *, of_cotangents: bool) -> Evaluator:
    def value(rho: Values, limits: Limits, span: Span | None) -> Term:
        return added(left(rho, limits, span), right(rho, limits, span), of_cotangents=of_cotangents)

    return value


def _let(bound: Evaluator, body: Evaluator) -> Evaluator:
    return lambda rho, limits, span: body((*rho, bound(rho, limits, span)), limits, span)


_compiled = Memo(_compile, 1_000)
