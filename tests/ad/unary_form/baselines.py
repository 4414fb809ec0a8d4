"""The baselines of the paper (§2.3) for comparisons of counts: dense Jacobians, whole contexts, and a tape.

All are for programs of numbers, as straight lines ``x1, …, xn; w1 = op(…); w2 = op(…); …``. Step i is a map
``R^(n+i−1) → R^(n+i)`` that keeps its context, and the gradient is ``Jᵀf1(Jᵀf2(… (0, …, 0, 1)))``. The executed raw term of
Target, with its closures, is ``evaluation.run`` of ``systems.raw``.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from rh_kernel.ad.language.core import Variable
from rh_kernel.ad.language.scalars import apply, partial
from rh_kernel.ad.unary_form.optimisation.gradients import Problem
from rh_kernel.ad.unary_form.optimisation.residual import Residual, term
from rh_kernel.ad.unary_form.terms.evaluation import run
from rh_kernel.ad.unary_form.terms.terms import Const, Op, Term, Var
from rh_kernel.ad.unary_form.translation.from_core import scalar_term
from rh_kernel.source.diagnostic import KernelBug


@dataclass(frozen=True, slots=True)
class StraightLine:
    """``w_i = op_i(…)``: symbols with the indices of their arguments; the parameters are first, constants have no arguments"""

    parameters: tuple[str, ...]
    steps: tuple[tuple[str | float, tuple[int, ...]], ...]


@dataclass(frozen=True, slots=True)
class Counted:
    """A gradient, with the numbers of products, sums and moves of cotangents."""

    gradient: tuple[float, ...]
    products: int
    sums: int
    moves: int


def straight_line(problem: Problem) -> StraightLine:
    """Flatten a program of numbers to a straight line."""
    residual = Residual(problem.context, problem.names, frozenset())
    result = term(residual.run(problem.body, {}))
    places = {x: i for i, (x, _) in enumerate(problem.context)}
    steps: list[tuple[str | float, tuple[int, ...]]] = []

    def place(M: Term) -> int:
        match M:
            case Var(x):
                return places[x]
            case Const(c):
                steps.append((c, ()))
                return len(problem.context) + len(steps) - 1
            case _:
                raise KernelBug("a program of numbers was expected")

    for x, M in residual.spine:
        match M:
            case Op(symbol, arguments):
                at = tuple(map(place, arguments))
                steps.append((symbol, at))
                places[x] = len(problem.context) + len(steps) - 1
            case _:
                places[x] = place(M)
    # The last step is the result, as the gradient begins with (0, …, 0, 1).
    last = place(result)
    if last != len(problem.context) + len(steps) - 1:
        steps.append(("add", (last, place(Const(0.0)))))
    return StraightLine(tuple(x for x, _ in problem.context), tuple(steps))


def _run(line: StraightLine, point: Mapping[str, float]) -> list[float]:
    values = [point[x] for x in line.parameters]
    for symbol, at in line.steps:
        values.append(apply(symbol, *(values[i] for i in at)) if isinstance(symbol, str) else symbol)
    return values


def _slopes(symbol: str | float, at: tuple[int, ...], values: list[float]) -> list[tuple[int, float]]:
    """``∂op`` by each argument, with its index."""
    if not isinstance(symbol, str):
        return []
    names = tuple(f"x{i}" for i in range(len(at)))
    point = {x: values[i] for x, i in zip(names, at, strict=True)}
    slopes = (run(scalar_term(partial(symbol, i + 1, tuple(map(Variable, names)))), point) for i in range(len(at)))
    return [(i, d) for i, d in zip(at, slopes, strict=True) if isinstance(d, float)]


def dense(line: StraightLine, point: Mapping[str, float]) -> Counted:
    """Every ``Jᵀf_i`` as a matrix of ``(n+i−1) × (n+i)`` numbers: quadratic in each step"""
    values = _run(line, point)
    n, products, moves = len(line.parameters), 0, 0
    cotangent = [0.0] * (len(values) - 1) + [1.0]
    for size in range(len(values) - 1, n - 1, -1):
        symbol, at = line.steps[size - n]
        matrix = [[float(i == j) for j in range(size + 1)] for i in range(size)]
        for i, d in _slopes(symbol, at, values):
            matrix[i][size] += d
        cotangent = [sum(a * b for a, b in zip(row, cotangent, strict=True)) for row in matrix]
        products += size * (size + 1)
        moves += size
    return Counted(tuple(cotangent), products, products, moves)


def sparse(line: StraightLine, point: Mapping[str, float]) -> Counted:
    """``Jᵀf_i`` as ``(y⃗, z) ↦ y⃗ + [i]∂1op*z + …`` (Insight 2), but each step copies the whole context"""
    values = _run(line, point)
    n, products, moves = len(line.parameters), 0, 0
    cotangent = [0.0] * (len(values) - 1) + [1.0]
    for size in range(len(values) - 1, n - 1, -1):
        *before, z = cotangent
        for i, d in _slopes(*line.steps[size - n], values):
            before[i] += d * z
            products += 1
        moves += size
        cotangent = before
    return Counted(tuple(cotangent), products, products, moves)


def tape(line: StraightLine, point: Mapping[str, float]) -> Counted:
    """``x' += ∂op * z'``, with mutable state: the reference for the cost of the pure gradient"""
    values = _run(line, point)
    n, products = len(line.parameters), 0
    store = [0.0] * (len(values) - 1) + [1.0]
    for size in range(len(values) - 1, n - 1, -1):
        for i, d in _slopes(*line.steps[size - n], values):
            store[i] += d * store[size]
            products += 1
    return Counted(tuple(store[:n]), products, products, 0)
