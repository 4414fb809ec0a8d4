"""``T ::= R | T × … × T | A[T]^n | T × … × T → T`` (Figs 2, 3, Notation 1); unlike in the common language, ``A[R]^1`` is not R.

Source has R, binary products and arrays of numbers. Target also has other products, other arrays, and functions of several
arguments, which are never partially applied.
"""

from dataclasses import dataclass
from typing import TypeAlias

from rh_kernel.ad.language import types as common
from rh_kernel.source.diagnostic import KernelBug


@dataclass(frozen=True, slots=True)
class Number:
    """``R``"""

    def __str__(self) -> str:
        return "R"


@dataclass(frozen=True, slots=True)
class Times:
    """``A1 × … × An``"""

    factors: tuple["Type", ...]

    def __str__(self) -> str:
        return " × ".join(_bracketed(A, Number, VectorType) for A in self.factors) or "1"


@dataclass(frozen=True, slots=True)
class VectorType:
    """``A[T]^n``: arrays of n ≥ 0 entries"""

    entry: "Type"
    size: int

    def __str__(self) -> str:
        return f"A[{self.entry}]^{self.size}"


@dataclass(frozen=True, slots=True)
class Arrow:
    """``A1 × … × An → ρ``"""

    domain: tuple["Type", ...]
    codomain: "Type"

    def __str__(self) -> str:
        return f"{Times(self.domain)} → {self.codomain}"


Type: TypeAlias = Number | Times | VectorType | Arrow

Context: TypeAlias = tuple[tuple[str, Type], ...]
"""``Γ = x1 : A1, …, xn : An``"""

R = Number()


def numbers(size: int) -> VectorType:
    """``A[R]^n``"""
    return VectorType(R, size)


def times(*factors: Type) -> Type:
    """``A1 × … × An``; for n = 1, ``A1``"""
    return factors[0] if len(factors) == 1 else Times(factors)


def is_ground(A: Type) -> bool:
    """Whether A is a ground type ``G ::= R | G × … × G | A[G]^n``."""
    match A:
        case Number():
            return True
        case Times(factors):
            return all(map(is_ground, factors))
        case VectorType(entry):
            return is_ground(entry)
        case Arrow():
            return False


def size(A: Type) -> int:
    """The dimension of a ground type."""
    match A:
        case Number():
            return 1
        case Times(factors):
            return sum(map(size, factors))
        case VectorType(entry, n):
            return n * size(entry)
        case Arrow():
            raise KernelBug(f"{A} is not ground")


def of_common(A: common.Type) -> Type:
    """Translate a type of the common language to Source: products become nested pairs, and ``Real(1)`` is ``R``."""
    match A:
        case common.Real(1):
            return R
        case common.Real(n):
            return numbers(n)
        case common.Product((first, *rest)) if rest:
            return Times((of_common(first), of_common(common.product(*rest))))
        case common.Product() | common.Sum() | common.Function():
            raise KernelBug(f"{A} is no type of Source")


def _bracketed(A: Type, *bare: type) -> str:
    return str(A) if isinstance(A, bare) else f"({A})"
