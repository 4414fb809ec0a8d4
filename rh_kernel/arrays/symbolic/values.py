"""Symbolic values ``V ::= slot | 0 | ⟨V₁, …, Vₙ⟩``: what the compiler computes with in place of arrays.

A slot is a register of the program being built; a zero is never written out as long as nobody looks at its entries.
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
    """A register. ``active`` has a bit for each region (the body of a derivative or reverse handler) that it depends on.

    Nobody writes to a slot. It is not frozen because there are thousands, and a frozen one takes three times as long to make.
    """

    register: Register
    shape: Extent
    active: int = 0


@frozen
class Nought:
    """``0`` at a type. What a program computes with it is computed as with 0.0; as a cotangent it is nothing."""

    type: Type


Symbolic: TypeAlias = "Slot | Nought | tuple[Symbolic, ...]"

UNIT_SYMBOL = Nought(UNIT)


def shape_of(A: Type) -> Extent:
    """The shape of the arrays of a base type. Raises ``Stuck`` if there are none, ``KernelBug`` if it depends on a variable."""
    try:
        return extent(A)
    except ValueError as open_type:
        raise KernelBug(f"the compiler met {A}, whose shape is not known") from open_type


def is_empty(V: Symbolic) -> bool:
    """Whether V, of a base type, has no entries."""
    return isinstance(V, Nought) and 0 in shape_of(V.type)


def pack(items: tuple[Symbolic, ...]) -> Symbolic:
    """⟨V₁, …, Vₙ⟩ for any n: none is the unit, one is itself."""
    match items:
        case ():
            return UNIT_SYMBOL
        case (V,):
            return V
        case many:
            return many


def unpack(V: Symbolic, n: int) -> tuple[Symbolic, ...]:
    """The n components of a value that ``pack`` made. Raises ``KernelBug`` if it has not as many."""
    if n == 1:
        return (V,)
    if isinstance(V, tuple) and len(V) == n:
        return V
    match V:
        case Nought(Product(factors)) if len(factors) == n:
            return tuple([Nought(A) for A in factors])
        case Nought() if n == 0:
            return ()
        case Slot() | Nought() | tuple():
            raise KernelBug(f"{V} has not {n} components")


def type_of(V: Symbolic) -> Type:
    """The type of a symbolic value."""
    match V:
        case Slot(_, shape):
            return real(*shape)
        case Nought(A):
            return A
        case tuple():
            return product(type_of(W) for W in V)
