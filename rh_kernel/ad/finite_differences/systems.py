"""``∂ᵢ⟨W, f(V)⟩ ≈ (⟨W, f(V + h eᵢ)⟩ − ⟨W, f(V − h eᵢ)⟩) / 2h``, for every number in V: the program is run 2n times more."""

from rh_kernel.ad.language.binding import count
from rh_kernel.ad.language.core import Program
from rh_kernel.ad.language.evaluation import OpCounter, run
from rh_kernel.ad.language.types import Product, is_ground
from rh_kernel.ad.language.values import Value, components, numbers, of_numbers
from rh_kernel.ad.system import Point, System, VjpResult, refuse

STEP = 1e-6
"""h: its square and the rounding of f, divided by it, are about as large."""


def reverse(program: Program, point: Point, cotangent: Value) -> VjpResult:
    """The gradient by central differences, exact to about ten digits where f is smooth and its numbers are near 1."""
    A = Product(tuple(B for _, B in program.parameters))
    if not is_ground(A) or not is_ground(program.result):
        refuse("finite-differences", "functions and sums as arguments or results")
    once, all_of_them = OpCounter(), OpCounter()
    value = run(program, point, once)
    where, w = tuple(numbers(point)), tuple(numbers(cotangent))

    def at(i: int, h: float) -> float:
        moved = of_numbers(A, iter([*where[:i], where[i] + h, *where[i + 1 :]]))
        result = numbers(run(program, components(moved), all_of_them))
        return sum(a * b for a, b in zip(result, w, strict=True))

    gradient = of_numbers(A, iter([(at(i, STEP) - at(i, -STEP)) / (2 * STEP) for i in range(len(where))]))
    # What the quotient and the products with the cotangent take is counted too.
    around = len(where) * (2 * (2 * len(w) - 1) + 2) if w else 0
    total = once.operations + all_of_them.operations + around
    counters = (("runs of f", 2 * len(where) + 1),)
    return VjpResult(value, components(gradient), once.operations, total, count(program.body), counters)


SYSTEMS = (System("finite-differences", "Finite differences", "central differences, h = 10⁻⁶", reverse),)
