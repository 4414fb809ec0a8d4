"""Cotangents in a backward pass: a table from the registers of a region to the cotangents collected so far."""

from typing import TypeAlias

from rh_kernel.arrays.symbolic.builder import Builder
from rh_kernel.arrays.symbolic.values import Slot, Symbolic, SymbolicZero
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.syntax.types import real

Cotangents: TypeAlias = dict[int, Symbolic]


def accumulate(V: Symbolic, W: Symbolic, bit: int, cotangents: Cotangents, b: Builder) -> None:
    """Add W to the cotangents of the slots in V that depend on the region of ``bit``."""
    if isinstance(V, SymbolicZero) or isinstance(W, SymbolicZero):
        return
    if isinstance(V, Slot):
        if V.active & bit:
            before = cotangents.get(V.register)
            cotangents[V.register] = W if before is None else b.add(before, W)
    elif isinstance(W, tuple):
        for x, y in zip(V, W, strict=True):
            accumulate(x, y, bit, cotangents, b)
    else:
        raise KernelBug("a cotangent has another type than its value")


def collect(V: Symbolic, cotangents: Cotangents) -> Symbolic:
    """Remove the cotangent of V from ``cotangents`` and return it."""
    match V:
        case Slot(register, shape):
            w = cotangents.pop(register, None)
            return SymbolicZero(real(*shape)) if w is None else w
        case SymbolicZero():
            return V
        case tuple():
            return tuple([collect(W, cotangents) for W in V])
