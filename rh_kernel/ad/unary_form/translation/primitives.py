"""Primitives added by the recipe of §7.3, each with its transposed Jacobian as a term of Target.

``index[i]``, ``units[i, …; n]``, ``array`` and ``constant`` are those that the common language needs.
"""

from functools import cache
from typing import cast

from rh_kernel.ad.language.names import Names
from rh_kernel.ad.language.values import Value
from rh_kernel.ad.unary_form.terms.terms import Primitive, Term, Use
from rh_kernel.ad.unary_form.terms.types import R, Type, VectorType, numbers


@cache
def index(i: int) -> Primitive:
    """``e[i]``, from 0; the pullback of a number is the array that has it at i, and 0 elsewhere"""

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
    """``[c1, …, cn]``, an array of literals"""

    def transposed(_: tuple[Term, ...], __: Term, ___: tuple[Type, ...], ____: Names) -> tuple[Term, ...]:
        return ()

    n = len(entries)
    text = f"[{', '.join(f'{c:g}' for c in entries)}]"
    return Primitive(text, lambda given: None if given else numbers(n), lambda: entries, transposed, lambda _: n)
