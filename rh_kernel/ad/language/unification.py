"""Types that are not known yet: ``inl(M)`` says nothing of the other half of its sum, and what it is shows later, or never."""

from dataclasses import dataclass, replace
from typing import cast

from rh_kernel.ad.language.binding import bottom_up
from rh_kernel.ad.language.core import Inject, Term
from rh_kernel.ad.language.types import SCALAR, UNIT, Function, Product, Real, Sum, Type


@dataclass(frozen=True, slots=True)
class _Hole:
    """The unknown type of a number."""

    number: int

    def __str__(self) -> str:
        return "?"


class Unknowns:
    """The unknown types of one item, and what is known of them so far."""

    __slots__ = ("_count", "_solved")

    def __init__(self) -> None:
        self._count = 0
        self._solved: dict[_Hole, Type] = {}

    def fresh(self) -> Type:
        """A type that is not known yet. It is a ``Type`` for ``known``, ``unify`` and ``whole`` alone."""
        self._count += 1
        return cast(Type, _Hole(self._count))

    def known(self, A: Type) -> Type | None:
        """The form of A as far as it is known: its parts may be unknown; ``None`` if nothing is."""
        found: object = A
        while isinstance(found, _Hole):
            if found not in self._solved:
                return None
            found = self._solved[found]
        return found

    def whole(self, A: Type) -> Type:
        """A with all that is known put in; what is not known stands for nothing, and is the unit type."""
        match self.known(A):
            case None:
                return UNIT
            case Product(factors):
                return Product(tuple(map(self.whole, factors)))
            case Sum(B, C):
                return Sum(self.whole(B), self.whole(C))
            case Function(B, C):
                return Function(self.whole(B), self.whole(C))
            case Real() as B:
                return B

    def numeric(self, A: Type) -> Type:
        """A, where what is not known is a number from here on."""
        match self.known(A):
            case None:
                self._solve(A, SCALAR)
                return SCALAR
            case Product(factors):
                return Product(tuple(map(self.numeric, factors)))
            case Sum() | Function() | Real() as B:
                return self.whole(B)

    def shown(self, A: Type) -> str:
        """A as a message shows it, with ``?`` for what is not known."""
        return str(self._written(A))

    def _written(self, A: Type) -> Type:
        match self.known(A):
            case None:
                return A
            case Product(factors):
                return Product(tuple(map(self._written, factors)))
            case Sum(B, C):
                return Sum(self._written(B), self._written(C))
            case Function(B, C):
                return Function(self._written(B), self._written(C))
            case Real() as B:
                return B

    def unify(self, A: Type, B: Type) -> bool:
        """Whether A and B can be one type; what follows is known from here on."""
        one, other = self.known(A), self.known(B)
        if one is None or other is None:
            return self._solve(A if one is None else B, B if one is None else A)
        match one, other:
            case Product(many), Product(others):
                return len(many) == len(others) and all(self.unify(C, D) for C, D in zip(many, others, strict=True))
            case (Sum(C, D), Sum(E, F)) | (Function(C, D), Function(E, F)):
                return self.unify(C, E) and self.unify(D, F)
            case _:
                return one == other

    def _solve(self, A: Type, B: Type) -> bool:
        """Whether A, of which nothing is known, can be B: it must not be a part of it."""
        hole: object = A
        while isinstance(hole, _Hole) and hole in self._solved:
            hole = self._solved[hole]
        other: object = B
        while isinstance(other, _Hole) and other in self._solved:
            other = self._solved[other]
        if not isinstance(hole, _Hole) or hole == other:
            return True
        if self._holds(cast(Type, other), hole):
            return False
        self._solved[hole] = cast(Type, other)
        return True

    def _holds(self, A: Type, hole: _Hole) -> bool:
        """Whether a type that is not known yet is a part of A."""
        match self.known(A):
            case None:
                last: object = A
                while isinstance(last, _Hole) and last in self._solved:
                    last = self._solved[last]
                return last == hole
            case Product(factors):
                return any(self._holds(B, hole) for B in factors)
            case Sum(B, C) | Function(B, C):
                return self._holds(B, hole) or self._holds(C, hole)
            case Real():
                return False


def settled(M: Term, unknowns: Unknowns) -> Term:
    """M with the types that are known by now in its injections."""

    def known(N: Term) -> Term:
        if not isinstance(N, Inject):
            return N
        return replace(N, type=Sum(unknowns.whole(N.type.left), unknowns.whole(N.type.right)))

    return bottom_up(M, known)
