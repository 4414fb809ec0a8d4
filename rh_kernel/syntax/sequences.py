"""The types of sequences, of their rows, and of stacked rows (LANGUAGE §9).

A sequence of n rows is an array with n entries along its leading axis, or a tuple of such arrays with one n. As ``Real`` is
``Real(1)``, the rows of a ``Real(n)`` are numbers, and n numbers stack to ``Real(n, 1)``. The unit is a sequence of no rows,
and units stack to the unit.

Rows of type ``Real(m)`` stack to ``Real(n, m)``, also where m turns out to be 0, so that the types of a program do not depend
on its dimensions. Therefore ``map`` and ``scan`` have the type of the stacked rows, and ``unstacked`` gives that of a row.
"""

from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.syntax.dimensions import Dim, dim
from rh_kernel.syntax.types import SCALAR, UNIT, Product, Real, Type, TypeMeta, leaves


def is_sequence(A: Type) -> bool:
    """Whether A is an array with known axes or a product of such types; its lengths may differ."""
    return all(isinstance(leaf, Real) and isinstance(leaf.shape, tuple) for leaf in leaves(A))


def lengths(A: Type) -> tuple[Dim, ...]:
    """The lengths of the arrays in a type of sequences, from left to right."""
    return tuple([_axes(leaf)[0] for leaf in leaves(A)])


def length(A: Type) -> Dim:
    """The length of a sequence whose arrays have one length."""
    return lengths(A)[0]


def rounds(A: Type) -> int:
    """The length of a sequence as a number. Raises ``KernelBug`` if it depends on a variable."""
    n = length(A).constant
    if n is None:
        raise KernelBug(f"the length of {A} is not known")
    return n


def row(A: Type) -> Type:
    """The type of the rows of a sequence."""
    match A:
        case Product(factors):
            return Product(tuple([row(B) for B in factors]))
        case Real() | TypeMeta():
            rest = _axes(A)[1:]
            return Real(rest) if rest else SCALAR


def stacked(n: Dim, B: Type) -> Type:
    """The type of n stacked rows of type B."""
    match B:
        case Product(factors):
            return Product(tuple([stacked(n, C) for C in factors]))
        case Real() | TypeMeta():
            return UNIT if B == UNIT else Real((n, *_axes(B)))


def unstacked(C: Type) -> Type:
    """The type of the rows that are stacked to C."""
    match C:
        case Product(factors):
            return Product(tuple([unstacked(B) for B in factors]))
        case Real() | TypeMeta():
            return UNIT if C == UNIT else Real(_axes(C)[1:])


def of_rows(n: Dim, C: Type) -> Type:
    """The type of n stacked rows, where C is that of any number of them."""
    match C:
        case Product(factors):
            return Product(tuple([of_rows(n, B) for B in factors]))
        case Real() | TypeMeta():
            return UNIT if C == UNIT else Real((n, *_axes(C)[1:]))


def without_first(A: Type) -> Type:
    """The type of a sequence without its first row."""
    return of_rows(length(A) - dim(1), A)


def _axes(A: Type) -> tuple[Dim, ...]:
    if isinstance(A, Real) and isinstance(A.shape, tuple):
        return A.shape
    raise KernelBug(f"{A} is no array whose axes are known")
