"""The examples of primitives in the paper (§7.3): ``dot`` and ``gather``, with their transposed Jacobians."""

from functools import cache
from typing import cast

from rh_kernel.ad.language.names import Names
from rh_kernel.ad.language.values import Value
from rh_kernel.ad.unary_form.terms.terms import Map, Op, Primitive, Term, Use, Var
from rh_kernel.ad.unary_form.terms.types import R, Type, VectorType, numbers


def _row(value: Value) -> tuple[float, ...]:
    return cast(tuple[float, ...], value)


@cache
def dot() -> Primitive:
    """``dot e1 e2``; the cotangent of each array is the other one, scaled"""

    def result(given: tuple[Type, ...]) -> Type | None:
        match given:
            case (VectorType(entry) as A, B) if entry == R and A == B:
                return R
            case _:
                return None

    def kernel(V: Value, W: Value) -> Value:
        return sum(a * b for a, b in zip(_row(V), _row(W), strict=True))

    def transposed(arguments: tuple[Term, ...], z: Term, _: tuple[Type, ...], names: Names) -> tuple[Term, ...]:
        def scaled(M: Term) -> Term:
            b = names.fresh("b")
            return Map(b, Op("mul", (Var(b), z)), M)

        left, right = arguments
        return scaled(right), scaled(left)

    def operations(given: tuple[Type, ...]) -> int:
        match given:
            case (VectorType(_, n), _):
                return max(2 * n - 1, 0)
            case _:
                return 0

    return Primitive("dot", result, kernel, transposed, lambda given: 2 + 3 * operations(given), operations)


@cache
def gather(places: tuple[int, ...]) -> Primitive:
    """``gather[i1, …, im] e``: the entries at these places; cotangents are added up at these indices"""

    def result(given: tuple[Type, ...]) -> Type | None:
        match given:
            case (VectorType(entry, n),) if entry == R and all(i < n for i in places):
                return numbers(len(places))
            case _:
                return None

    def transposed(_: tuple[Term, ...], z: Term, given: tuple[Type, ...], __: Names) -> tuple[Term, ...]:
        (A,) = given
        return (Use(scatter(places, A.size if isinstance(A, VectorType) else 0), (z,)),)

    def kernel(V: Value) -> Value:
        return tuple(_row(V)[i] for i in places)

    return Primitive(f"gather{list(places)}", result, kernel, transposed, lambda _: len(places))


@cache
def scatter(places: tuple[int, ...], n: int) -> Primitive:
    """The transposed Jacobian of ``gather``: the array of n entries with the sums of the numbers for each index"""

    def kernel(V: Value) -> Value:
        out = [0.0] * n
        for i, a in zip(places, _row(V), strict=True):
            out[i] += a
        return tuple(out)

    def result(given: tuple[Type, ...]) -> Type | None:
        return numbers(n) if given == (numbers(len(places)),) else None

    def transposed(_: tuple[Term, ...], z: Term, __: tuple[Type, ...], ___: Names) -> tuple[Term, ...]:
        return (Use(gather(places), (z,)),)

    return Primitive(f"scatter{list(places)}", result, kernel, transposed, lambda _: n + 3 * len(places), lambda _: len(places))
