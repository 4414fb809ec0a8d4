"""The cost of a program without functions (Fig 11).

A cost is (moves, additions, multiplications, nonlinear operations). For what Fig 11 leaves out: a
tuple costs the sum of its components, ``if`` its more expensive branch, an array of n equal entries n moves, and an added
primitive what its record says.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from rh_kernel.ad.unary_form.terms import terms as e
from rh_kernel.ad.unary_form.terms.binding import parts
from rh_kernel.ad.unary_form.terms.types import Type, VectorType, size
from rh_kernel.ad.unary_form.terms.typing import Checking
from rh_kernel.source.diagnostic import KernelBug


@dataclass(frozen=True, slots=True)
class Cost:
    """(MOVES, ADDS, MULTS, NLOPS)"""

    moves: int = 0
    adds: int = 0
    mults: int = 0
    others: int = 0

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(*(a + b for a, b in zip(self.parts, other.parts, strict=True)))

    def times(self, n: int) -> "Cost":
        """The cost of n repetitions."""
        return Cost(*(n * a for a in self.parts))

    @property
    def parts(self) -> tuple[int, int, int, int]:
        """The four numbers."""
        return self.moves, self.adds, self.mults, self.others

    @property
    def total(self) -> int:
        """The sum, for which the bounds of the paper hold: a product has no additions, but its gradient has."""
        return sum(self.parts)


_ADD, _MUL = Cost(3, 1, 0, 0), Cost(3, 0, 1, 0)


def cost(M: e.Term, types: Mapping[str, Type]) -> Cost:
    """``Cost(e)`` in a context with these types."""
    return _Costs(Checking(dict(types))).of(M)


@dataclass(frozen=True, slots=True)
class _Costs:
    """Computes costs; sizes of arrays are part of their types."""

    checking: Checking

    def of(self, M: e.Term) -> Cost:
        """``Cost(e)``"""
        total = Cost()
        while isinstance(M, e.Let):
            total += Cost(1) + self.of(M.bound)
            self.checking.of(e.Let(M.names, M.bound, e.Var(M.names[0])))
            M = M.body
        match M:
            case e.Const() | e.Var():
                return total + Cost(1)
            case e.Op("add" | "sub", _):
                total += _ADD
            case e.Op("mul", _):
                total += _MUL
            case e.Op(_, arguments):
                total += Cost(1 + len(arguments), 0, 0, 1)
            case e.Proj():
                total += Cost(1)
            case e.Shift(_, A):
                total += Cost(self._size(A))
            case e.Fill(n, e.Const()):
                return total + Cost(n)
            case e.Fill(n, _):
                total += Cost(n)
            case e.Use(primitive, arguments):
                given = tuple(map(self.checking.of, arguments))
                total += Cost(primitive.cost(given), primitive.operations(given))
            case e.Plus(N, _):
                total += _ADD.times(size(self.checking.of(N)))
            case e.Scale(N, _):
                total += _MUL.times(size(self.checking.of(N)))
            case e.If(smaller, larger, then, otherwise):
                branches = max(self.of(then), self.of(otherwise), key=lambda c: c.total)
                return total + self.of(smaller) + self.of(larger) + branches
            case e.Map() | e.Map2() | e.Fold():
                return total + self._array(M)
            case e.Pack():
                pass
            case _:
                raise KernelBug("functions have no cost")
        for _, N in parts(M):
            total += self.of(N)
        return total

    def _array(self, M: e.Map | e.Map2 | e.Fold) -> Cost:
        """``n * (Cost(e1) + (2, 0, 0, 0)) + …``; a scan moves its accumulator once more"""
        # Infers the types of the names that are bound in the body.
        self.checking.of(M)
        *outside, (_, body) = parts(M)
        n = self._size(outside[-1][1])
        each = 3 if isinstance(M, e.Fold) and M.form in {"scanl", "scanr"} else 2
        total = (self.of(body) + Cost(each)).times(n)
        for _, N in outside:
            total += self.of(N)
        return total

    def _size(self, A: e.Term) -> int:
        found = self.checking.of(A)
        return found.size if isinstance(found, VectorType) else 0
