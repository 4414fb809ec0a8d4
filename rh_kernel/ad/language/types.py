"""``A B ::= Real | Real(n) | A * B | A -> B | A + B | 1``: the types of ``%%lambda`` cells.

``Real`` is ``Real(1)``, as everywhere (LANGUAGE §2): a number is an array of one entry.
"""

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Real:
    """``Real(n)``: arrays of ``size`` entries, n ≥ 0; ``Real`` for one"""

    size: int = 1

    def __str__(self) -> str:
        return "Real" if self.size == 1 else f"Real({self.size})"


@dataclass(frozen=True, slots=True)
class Product:
    """``A1 × … × An`` for n ≠ 1; the empty product is the unit type ``1``"""

    factors: tuple["Type", ...]

    def __str__(self) -> str:
        return " × ".join(_bracketed(A, Real) for A in self.factors) or "1"


@dataclass(frozen=True, slots=True)
class Sum:
    """``A + B``"""

    left: "Type"
    right: "Type"

    def __str__(self) -> str:
        return f"{_bracketed(self.left, Real, Product, Sum)} + {_bracketed(self.right, Real, Product)}"


@dataclass(frozen=True, slots=True)
class Function:
    """``A → B``"""

    domain: "Type"
    codomain: "Type"

    def __str__(self) -> str:
        return f"{_bracketed(self.domain, Real, Product, Sum)} → {self.codomain}"


Type: TypeAlias = Real | Product | Sum | Function

SCALAR = Real()
UNIT = Product(())


def product(*factors: Type) -> Type:
    """``A1 × … × An``; for n = 1, ``A1``"""
    return factors[0] if len(factors) == 1 else Product(factors)


def is_ground(A: Type) -> bool:
    """Whether A has arrays and products only, so that its values can be printed and have gradients."""
    match A:
        case Real():
            return True
        case Product(factors):
            return all(map(is_ground, factors))
        case Sum() | Function():
            return False


def _bracketed(A: Type, *bare: type) -> str:
    """A, in brackets unless it is the unit type or of one of these classes."""
    return str(A) if isinstance(A, bare) or A == UNIT else f"({A})"
