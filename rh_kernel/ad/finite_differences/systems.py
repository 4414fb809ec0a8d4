"""``∂ᵢ⟨W, f(V)⟩ ≈ (⟨W, f(V + h eᵢ)⟩ − ⟨W, f(V − h eᵢ)⟩) / 2h`` for each of the n numbers in V: 2n further runs of f."""

from rh_kernel.ad.language.binding import count
from rh_kernel.ad.language.core import Program
from rh_kernel.ad.language.evaluation import OpCounter, run
from rh_kernel.ad.language.types import Product, is_ground
from rh_kernel.ad.language.values import Value, components, numbers, of_numbers
from rh_kernel.ad.system import Point, System, VjpResult, refuse

STEP = 1e-6
"""h, for which the truncation error h² and the rounding error ε / h are both small."""


def reverse(program: Program, point: Point, cotangent: Value) -> VjpResult:
    """Compute the gradient; about ten digits are exact if f is smooth and its numbers are near 1."""
    A = Product(tuple(B for _, B in program.parameters))
    if not is_ground(A) or not is_ground(program.result):
        refuse("finite-differences", "functions and sums as arguments or results")
    primal, shifted = OpCounter(), OpCounter()
    value = run(program, point, primal)
    where, w = tuple(numbers(point)), tuple(numbers(cotangent))

    def at(i: int, h: float) -> float:
        moved = of_numbers(A, iter([*where[:i], where[i] + h, *where[i + 1 :]]))
        result = numbers(run(program, components(moved), shifted))
        return sum(a * b for a, b in zip(result, w, strict=True))

    gradient = of_numbers(A, iter([(at(i, STEP) - at(i, -STEP)) / (2 * STEP) for i in range(len(where))]))
    # The quotients and the products with the cotangent count, too.
    quotients = len(where) * (2 * (2 * len(w) - 1) + 2) if w else 0
    total = primal.operations + shifted.operations + quotients
    counters = (("runs of f", 2 * len(where) + 1),)
    return VjpResult(value, components(gradient), primal.operations, total, count(program.body), counters)


SYSTEMS = (System("finite-differences", "Finite differences", "central differences, h = 10⁻⁶", reverse),)
