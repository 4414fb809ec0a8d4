"""Symbolic values ``V ::= slot | 0 | ⟨V₁, …, Vₙ⟩``, which the compiler computes with in place of arrays.

A slot is a register of the program being built; a zero gets a register only where its entries are needed.
"""

from dataclasses import dataclass
from typing import TypeAlias

from rh_kernel.arrays.program import Extent, Register
from rh_kernel.primitives.schemes import extent
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.source.records import frozen
from rh_kernel.syntax.types import UNIT, Product, Type, product, real


@dataclass(slots=True)
class Slot:
    """A register. ``active`` has a bit for each region (body of a derivative or reverse handler) that it depends on.

    Immutable by convention: there are thousands, and creating a frozen instance takes three times as long.
    """

    register: Register
    shape: Extent
    active: int = 0


@frozen
class SymbolicZero:
    """A symbolic zero at a type. As an operand it is 0.0; as a cotangent it is dropped from sums."""

    type: Type


Symbolic: TypeAlias = "Slot | SymbolicZero | tuple[Symbolic, ...]"

UNIT_SYMBOL = SymbolicZero(UNIT)


def shape_of(A: Type) -> Extent:
    """Return the shape of a base type. Raises ``Stuck`` if it has no arrays, ``KernelBug`` if it depends on a variable."""
    try:
        return extent(A)
    except ValueError as open_type:
        raise KernelBug(f"the compiler met {A}, whose shape is not known") from open_type


def is_empty(V: Symbolic) -> bool:
    """Whether V, of a base type, has no entries."""
    return isinstance(V, SymbolicZero) and 0 in shape_of(V.type)


def pack(items: tuple[Symbolic, ...]) -> Symbolic:
    """Return ⟨V₁, …, Vₙ⟩; for n = 0 the unit value, for n = 1 the value itself."""
    match items:
        case ():
            return UNIT_SYMBOL
        case (V,):
            return V
        case many:
            return many


def unpack(V: Symbolic, n: int) -> tuple[Symbolic, ...]:
    """Return the n components of a value made by ``pack``. Raises ``KernelBug`` if it has another number."""
    if n == 1:
        return (V,)
    if isinstance(V, tuple) and len(V) == n:
        return V
    match V:
        case SymbolicZero(Product(factors)) if len(factors) == n:
            return tuple([SymbolicZero(A) for A in factors])
        case SymbolicZero() if n == 0:
            return ()
        case Slot() | SymbolicZero() | tuple():
            raise KernelBug(f"{V} has not {n} components")


def type_of(V: Symbolic) -> Type:
    """Return the type of a symbolic value."""
    match V:
        case Slot(_, shape):
            return real(*shape)
        case SymbolicZero(A):
            return A
        case tuple():
            return product(type_of(W) for W in V)
