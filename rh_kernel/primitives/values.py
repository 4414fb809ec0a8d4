"""Closed values ``V ::= c | 0 | ⟨V₁, …, Vₙ⟩`` (RH Def. 5.4): types, arrays, the monoid ``+`` at all types."""

from functools import partial

import numpy as np

from rh_kernel.primitives.schemes import extent
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.source.interruptible import when_large
from rh_kernel.syntax.core import Array, Const, Term, Tuple, Zero
from rh_kernel.syntax.types import Product


def read_only(array: Array) -> Const:
    """Make the array read-only and return it as a constant."""
    array.setflags(write=False)
    return Const(array)


def to_array(V: Term, dtype: "np.dtype[np.floating] | None" = None) -> Array:
    """Return the array of a closed value of base type; a zero becomes an array of zeros of ``dtype``.

    Raises ``KernelBug`` for any other term.
    """
    match V:
        case Const(array):
            return array
        case Zero(A):
            zeros = np.zeros(extent(A), dtype=dtype or np.float64)
            zeros.setflags(write=False)
            return zeros
        case _:
            raise _not_closed(V)


def materialise(V: Term) -> Term:
    """Replace every zero in the closed value V by arrays of zeros. Raises ``KernelBug`` for any other term."""
    match V:
        case Const():
            return V
        case Zero(Product(factors)):
            return Tuple(tuple(materialise(Zero(A)) for A in factors), span=V.span)
        case Zero():
            return Const(to_array(V), span=V.span)
        case Tuple(items):
            return Tuple(tuple(materialise(W) for W in items), span=V.span)
        case _:
            raise _not_closed(V)


def add_values(V: Term, W: Term) -> Term:
    """``V + W`` for two cotangents, closed values of one type, with symbolic zeros. Raises ``KernelBug`` for other terms."""
    match V, W:
        case Zero(), _:
            return W
        case _, Zero():
            return V
        case Const(x), Const(y) if x.shape == y.shape:
            with np.errstate(all="ignore"):
                return read_only(when_large(x.size, partial(np.add, x, y)))
        case Tuple(left), Tuple(right) if len(left) == len(right):
            return Tuple(tuple(add_values(M, N) for M, N in zip(left, right, strict=True)))
        case _:
            raise KernelBug(f"no sum of {V} and {W}")


def sum_values(V: Term, W: Term) -> Term:
    """``V + W`` in a program, for closed values of one type; zeros are arrays of 0.0. Raises ``KernelBug`` for other terms."""
    match V, W:
        case Zero(Product(factors)), Zero():
            return Tuple(tuple(sum_values(Zero(A), Zero(A)) for A in factors))
        case Zero(Product(factors)), Tuple(items):
            return Tuple(tuple(sum_values(Zero(A), N) for A, N in zip(factors, items, strict=True)))
        case Tuple(items), Zero(Product(factors)):
            return Tuple(tuple(sum_values(M, Zero(A)) for M, A in zip(items, factors, strict=True)))
        case Tuple(left), Tuple(right) if len(left) == len(right):
            return Tuple(tuple(sum_values(M, N) for M, N in zip(left, right, strict=True)))
        case Const() | Zero(), Const() | Zero():
            return add_values(Const(to_array(V)), Const(to_array(W)))
        case _:
            raise KernelBug(f"no sum of {V} and {W}")


def _not_closed(V: Term) -> KernelBug:
    return KernelBug(f"a {type(V).__name__} stands where a closed value of another form was expected")
