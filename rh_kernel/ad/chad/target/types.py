"""The types of the target language (CHAD §4), and the primal and tangent types ``D(A)_1``, ``D(A)_2`` of a type A (§7.3–7.5).

``τ σ ::= real | τ^n | τ1 × … × τn | τ + σ | τ → σ | L ⊸ M`` are Cartesian types.
``L M ::= real | L^n | L1 × … × Ln | τ → L | !τ ⊗ L | L ⊕ M`` are linear types, that is commutative monoids.
A context is the product of its entries, to which a new entry is added on the right.
"""

from enum import Enum
from typing import TypeAlias

from rh_kernel.ad.language import types as source
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.source.records import frozen


class Mode(Enum):
    """Forward mode maps tangents to tangents, reverse mode cotangents to cotangents."""

    FORWARD = "forward"
    REVERSE = "reverse"


@frozen
class Number:
    """``real``, Cartesian or linear"""

    def __str__(self) -> str:
        return "real"


@frozen
class Vector:
    """``A^n`` for n ≠ 1, Cartesian or linear as A is"""

    size: int
    element: "AnyType"

    def __str__(self) -> str:
        return f"{_tight(self.element)}^{self.size}"


@frozen
class Product:
    """``A1 × … × An``, Cartesian or linear as its factors are; as a context it may have one factor"""

    factors: tuple["AnyType", ...]

    def __str__(self) -> str:
        factors = [*map(_tight, self.factors)]
        return "×".join(factors if len(factors) > 1 else ["1", *factors])


@frozen
class Sum:
    """``τ + σ``"""

    left: "AnyType"
    right: "AnyType"

    def __str__(self) -> str:
        return f"{_tight(self.left)} + {_tight(self.right)}"


@frozen
class Function:
    """``τ → A``: a Cartesian type if A is one, else a power, which is linear"""

    domain: "AnyType"
    codomain: "AnyType"

    def __str__(self) -> str:
        return f"{_tight(self.domain)} → {self.codomain}"


@frozen
class LinearMap:
    """``L ⊸ M``, a Cartesian type"""

    domain: "AnyType"
    codomain: "AnyType"

    def __str__(self) -> str:
        return f"{_tight(self.domain)} ⊸ {self.codomain}"


@frozen
class Copower:
    """``!τ ⊗ L``"""

    key: "AnyType"
    value: "AnyType"

    def __str__(self) -> str:
        return f"!{_tight(self.key)}⊗{_tight(self.value)}"


@frozen
class Either:
    """``L ⊕ M``: the cotangents of a sum; zero has no side, and addition is defined for cotangents of the same side"""

    left: "AnyType"
    right: "AnyType"

    def __str__(self) -> str:
        return f"{_tight(self.left)} ⊕ {_tight(self.right)}"


AnyType: TypeAlias = Number | Vector | Product | Sum | Function | LinearMap | Copower | Either

NUMBER = Number()
UNIT = Product(())


def _tight(A: AnyType) -> str:
    return str(A) if isinstance(A, Number | Vector) or A == UNIT else f"({A})"


def vector(n: int, A: AnyType) -> AnyType:
    """``A^n``, or A itself for n = 1: an array of one entry is that entry"""
    return A if n == 1 else Vector(n, A)


def product_of(A: AnyType) -> Product:
    """A, which is a product"""
    if not isinstance(A, Product):
        raise KernelBug(f"{A} is not a product type")
    return A


def primal(A: source.Type, mode: Mode) -> AnyType:
    """``D(A)_1``; that of a function type includes the derivative with respect to the argument"""
    match A:
        case source.Real(n):
            return vector(n, NUMBER)
        case source.Product(factors):
            return Product(tuple(primal(B, mode) for B in factors))
        case source.Sum(B, C):
            return Sum(primal(B, mode), primal(C, mode))
        case source.Function(B, C):
            return Function(primal(B, mode), Product((primal(C, mode), linear_map(tangent(B, mode), tangent(C, mode), mode))))


def tangent(A: source.Type, mode: Mode) -> AnyType:
    """``D(A)_2``; that of a function type is the derivative with respect to the captured variables"""
    match A:
        case source.Real(n):
            return vector(n, NUMBER)
        case source.Product(factors):
            return Product(tuple(tangent(B, mode) for B in factors))
        case source.Sum(B, C):
            return Either(tangent(B, mode), tangent(C, mode))
        case source.Function(B, C) if mode is Mode.FORWARD:
            return Function(primal(B, mode), tangent(C, mode))
        case source.Function(B, C):
            return Copower(primal(B, mode), tangent(C, mode))


def linear_map(L: AnyType, M: AnyType, mode: Mode) -> LinearMap:
    """``L ⊸ M`` in forward mode, ``M ⊸ L`` in reverse mode"""
    return LinearMap(L, M) if mode is Mode.FORWARD else LinearMap(M, L)
