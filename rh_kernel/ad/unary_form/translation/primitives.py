"""Primitives added by the recipe of §7.3: each is given with its transposed Jacobian, as a term of Target.

``index[i]``, ``units[i, …; n]`` and ``array`` are those that the common language needs, ``constant`` an array of numbers that
are written there, ``dot`` and ``gather`` the examples of the paper.
"""

from functools import cache
from typing import cast

from rh_kernel.ad.language.names import Names
from rh_kernel.ad.language.values import Value
from rh_kernel.ad.unary_form.terms.terms import Map, Op, Primitive, Term, Use, Var
from rh_kernel.ad.unary_form.terms.types import R, Type, VectorType, numbers


def _row(value: Value) -> tuple[float, ...]:
    return cast(tuple[float, ...], value)


@cache
def index(i: int) -> Primitive:
    """``e[i]``, from 0; backwards a number becomes the array that has it at i, and 0 elsewhere"""

    def result(given: tuple[Type, ...]) -> Type | None:
        match given:
            case (VectorType(entry, n),) if i < n:
                return entry
            case _:
                return None

    def transposed(_: tuple[Term, ...], z: Term, given: tuple[Type, ...], __: Names) -> tuple[Term, ...]:
        (A,) = given
        return (Use(unit(i, A.size if isinstance(A, VectorType) else 0), (z,)),)

    def kernel(V: Value) -> Value:
        return cast(tuple[Value, ...], V)[i]

    return Primitive(f"index[{i}]", result, kernel, transposed, lambda _: 1, places=(i,))


@cache
def units(places: tuple[int, ...], n: int) -> Primitive:
    """``[i]e1 +̂ [j]e2 +̂ …`` in ``A[R]^n``: the array that has these at different places, and 0 elsewhere"""

    def result(given: tuple[Type, ...]) -> Type | None:
        return numbers(n) if given == (R,) * len(places) else None

    def kernel(*entries: Value) -> Value:
        found = dict(zip(places, entries, strict=True))
        return tuple(found.get(i, 0.0) for i in range(n))

    def transposed(_: tuple[Term, ...], z: Term, __: tuple[Type, ...], ___: Names) -> tuple[Term, ...]:
        return tuple(Use(index(i), (z,)) for i in places)

    return Primitive(f"units[{', '.join(map(str, places))}; {n}]", result, kernel, transposed, lambda _: n, places=places)


def unit(i: int, n: int) -> Primitive:
    """``[i]e`` in ``A[R]^n``"""
    return units((i,), n)


@cache
def array() -> Primitive:
    """``[e1, …, en]``"""

    def result(given: tuple[Type, ...]) -> Type | None:
        return numbers(len(given)) if all(A == R for A in given) else None

    def transposed(arguments: tuple[Term, ...], z: Term, _: tuple[Type, ...], __: Names) -> tuple[Term, ...]:
        return tuple(Use(index(i), (z,)) for i in range(len(arguments)))

    return Primitive("array", result, lambda *entries: entries, transposed, len)


@cache
def constant(entries: tuple[float, ...]) -> Primitive:
    """``[c1, …, cn]``, numbers that are written there"""

    def transposed(_: tuple[Term, ...], __: Term, ___: tuple[Type, ...], ____: Names) -> tuple[Term, ...]:
        return ()

    n = len(entries)
    text = f"[{', '.join(f'{c:g}' for c in entries)}]"
    return Primitive(text, lambda given: None if given else numbers(n), lambda: entries, transposed, lambda _: n)


@cache
def dot() -> Primitive:
    """``dot e1 e2``; backwards each array is the other one, scaled"""

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
    """``gather[i1, …, im] e``: the entries at these places; backwards they are added up where they came from"""

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
    """The transposed Jacobian of ``gather``: the array of n entries that has the sums of what goes to each place"""

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
