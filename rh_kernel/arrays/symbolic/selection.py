"""Choosing between symbolic values by a number that is 1 or 0: nothing leaks out of the value that is not chosen."""

from typing import Protocol

import numpy as np

from rh_kernel.arrays.program import Extent
from rh_kernel.arrays.symbolic.values import Slot, Symbolic, SymbolicZero, is_empty, unpack
from rh_kernel.primitives.formulas import OF_ONE_SHAPE
from rh_kernel.primitives.schemes import instantiate
from rh_kernel.primitives.selection import SELECT
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.syntax.core import Array, Primitive
from rh_kernel.syntax.dimensions import dim
from rh_kernel.syntax.types import Shape, real


class Emitter(Protocol):
    """What is needed of the program under construction."""

    def apply(self, f: Primitive, arguments: tuple[Symbolic, ...]) -> Symbolic:
        """Apply f."""
        ...

    def add(self, V: Symbolic, W: Symbolic) -> Symbolic:
        """Return ``V + W``."""
        ...

    def constant(self, array: Array) -> Symbolic:
        """Return the slot of a constant."""
        ...


def negated(b: Emitter, c: Slot) -> Slot:
    """``1 − c``"""
    return _slot(b.apply(instantiate("sub", OF_ONE_SHAPE, (_shape(c.shape),)), (b.constant(np.ones(1)), c)))


def selected(b: Emitter, c: Slot, V: Symbolic, W: Symbolic) -> Symbolic:
    """V where c is 1, W where it is 0; both have one type."""
    match V, W:
        case (SymbolicZero(), SymbolicZero()):
            return V
        case (Slot(), Slot()) if V.register == W.register:
            return V
        case (Slot(shape=shape), _) | (_, Slot(shape=shape)):
            if is_empty(V) or is_empty(W):
                return V if is_empty(V) else W
            return b.apply(instantiate("select", SELECT, (_shape(shape),)), (c, V, W))
        case _:
            n = len(V) if isinstance(V, tuple) else len(W) if isinstance(W, tuple) else 0
            return tuple([selected(b, c, x, y) for x, y in zip(unpack(V, n), unpack(W, n), strict=True)])


def kept(b: Emitter, c: Slot, w: Slot) -> Symbolic:
    """The cotangent w where c is 1, else 0, even if w is infinite or nan there."""
    return selected(b, c, w, SymbolicZero(real(*w.shape)))


def guarded(b: Emitter, guard: Slot, V: Slot, position: int) -> Slot:
    """Argument number ``position`` of a check that must not fail where the guard is 0.

    There it is replaced by an array at which every symbol is smooth: its entries are positive, differ from one another and
    from those of the other arguments, and are not half way between whole numbers.
    """
    n = int(np.prod(V.shape))
    if not n:
        return V
    harmless = position + 1.1 + 0.3 * np.arange(n).reshape(V.shape) / n
    return _slot(selected(b, guard, V, b.constant(harmless)))


def guarded_rows(b: Emitter, guard: Slot, V: Slot) -> Slot:
    """Numbers of rows of a check that must not fail where the guard is 0: there they are 0."""
    return _slot(selected(b, guard, V, SymbolicZero(real(*V.shape)))) if np.prod(V.shape) else V


def _shape(extent: Extent) -> Shape:
    return tuple([dim(n) for n in extent])


def _slot(V: Symbolic) -> Slot:
    if isinstance(V, Slot):
        return V
    raise KernelBug("an array was expected")
