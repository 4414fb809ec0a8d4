"""Unification of types: the other half of the sum of ``inl(M)`` is found from how the injection is used, or never."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import cast

from rh_kernel.ad.language.binding import bottom_up
from rh_kernel.ad.language.core import Inject, Term
from rh_kernel.ad.language.types import SCALAR, UNIT, Function, Product, Real, Sum, Type


@dataclass(frozen=True, slots=True)
class _Unknown:
    """A type variable."""

    number: int

    def __str__(self) -> str:
        return "?"


class Unknowns:
    """The type variables of one item, and their solutions. They are hidden behind ``Type``; only these methods accept them."""

    __slots__ = ("_count", "_solved")

    def __init__(self) -> None:
        self._count = 0
        self._solved: dict[_Unknown, Type] = {}

    def fresh(self) -> Type:
        """A new type variable."""
        self._count += 1
        return cast(Type, _Unknown(self._count))

    def known(self, A: Type) -> Type | None:
        """A with its outermost form known, whatever is in it; ``None`` for a variable without solution."""
        found = self._last(A)
        return None if isinstance(found, _Unknown) else found

    def whole(self, A: Type) -> Type:
        """A with all variables solved; one without solution is the unit type."""
        return self._mapped(A, lambda _: UNIT)

    def shown(self, A: Type) -> str:
        """A as a message prints it, with ``?`` for variables without solution."""
        return str(self._mapped(A, lambda B: B))

    def numeric(self, A: Type) -> Type:
        """A, where variables outside of functions and sums are solved to be numbers."""
        match self.known(A):
            case None:
                self.unify(A, SCALAR)
                return SCALAR
            case Product(factors):
                return Product(tuple(map(self.numeric, factors)))
            case Sum() | Function() | Real() as B:
                return self.whole(B)

    def unify(self, A: Type, B: Type) -> bool:
        """Whether A and B have a common instance; if so, solve their variables."""
        one, other = self._last(A), self._last(B)
        if one == other:
            return True
        if isinstance(one, _Unknown):
            return self._solve(one, other)
        if isinstance(other, _Unknown):
            return self._solve(other, one)
        match one, other:
            case Product(many), Product(others):
                return len(many) == len(others) and all(self.unify(C, D) for C, D in zip(many, others, strict=True))
            case (Sum(C, D), Sum(E, F)) | (Function(C, D), Function(E, F)):
                return self.unify(C, E) and self.unify(D, F)
            case _:
                return False

    def _last(self, A: Type | _Unknown) -> Type | _Unknown:
        """A, or the solution of the variable that it is."""
        while isinstance(A, _Unknown) and A in self._solved:
            A = self._solved[A]
        return A

    def _mapped(self, A: Type, unsolved: Callable[[Type], Type]) -> Type:
        """A with all variables solved, and with ``unsolved`` of those without solution."""
        match self._last(A):
            case _Unknown() as last:
                return unsolved(cast(Type, last))
            case Product(factors):
                return Product(tuple(self._mapped(B, unsolved) for B in factors))
            case Sum(B, C):
                return Sum(self._mapped(B, unsolved), self._mapped(C, unsolved))
            case Function(B, C):
                return Function(self._mapped(B, unsolved), self._mapped(C, unsolved))
            case Real() as B:
                return B

    def _solve(self, unknown: _Unknown, A: Type | _Unknown) -> bool:
        """Solve a variable to be A, unless it occurs in A."""
        if self._occurs(unknown, A):
            return False
        self._solved[unknown] = cast(Type, A)
        return True

    def _occurs(self, unknown: _Unknown, A: Type | _Unknown) -> bool:
        match self._last(A):
            case _Unknown() as last:
                return last == unknown
            case Product(factors):
                return any(self._occurs(unknown, B) for B in factors)
            case Sum(B, C) | Function(B, C):
                return self._occurs(unknown, B) or self._occurs(unknown, C)
            case Real():
                return False


def with_solved_types(M: Term, unknowns: Unknowns) -> Term:
    """M with the solved types in its injections."""

    def solved(N: Term) -> Term:
        if not isinstance(N, Inject):
            return N
        return replace(N, type=Sum(unknowns.whole(N.type.left), unknowns.whole(N.type.right)))

    return bottom_up(M, solved)
