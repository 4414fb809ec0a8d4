"""Printing of constants: numbers, vectors, matrices, and of types (RH Def. 3.1, LANGUAGE §1, §2).

What is printed parses as the same array unless it is abridged. Empty arrays other than the unit, ``nan`` and ``inf`` have no
syntax: they are printed for people only.
"""

import numpy as np

from rh_kernel.syntax.core import Array
from rh_kernel.syntax.printing.doc import LINE, Annotated, Concat, Doc, Group, Line, Nest, Role, Text, concat, role
from rh_kernel.syntax.types import Type, real

_NEXT = Group(LINE)


def type_text(A: Type) -> str:
    """Print a type: ``Real(3, 2) × Real(1)``."""
    return str(A)


def type_doc(A: Type) -> Doc:
    """Print a type as a document."""
    return role(Role.TYPE, str(A))


def number_text(x: float) -> str:
    """The shortest decimal that parses as ``x`` at the precision of ``x``."""
    return str(x)


def is_number(array: Array) -> bool:
    """Whether the array is printed as a single number."""
    return array.shape == (1,)


def to_digits(array: Array, digits: int) -> Array:
    """Round the entries to ``digits`` significant digits."""
    short = np.array([float(f"{float(x):.{digits}g}") for x in array.ravel()], dtype=np.float64)
    return short.reshape(array.shape)


def array_doc(array: Array, abridge: int | None = None, digits: int | None = None) -> Doc:
    """``0.5``, ``[1.0, 2.0]``, ``[[1.0, 2.0], [3.0, 4.0]]``, ``()``; with more than ``abridge`` entries ``‹Real(64, 10)›``.

    With ``digits``, entries are rounded to that many significant digits.
    """
    if array.shape == (0,):
        return Text("()")
    if array.size == 0:
        return role(Role.CONSTANT, f"fill[{', '.join(map(str, array.shape))}](0.0)")
    if abridge is not None and array.size > abridge:
        return role(Role.CONSTANT, f"‹{real(*array.shape)}›")
    if digits is not None:
        array = to_digits(array, digits)
    if is_number(array):
        return role(Role.CONSTANT, number_text(array[0]))
    return Annotated(Role.CONSTANT, _brackets(array))


def _brackets(array: Array) -> Doc:
    items = [_brackets(row) if row.ndim else Text(number_text(row[()])) for row in array]
    separator = _NEXT if array.ndim == 1 else Line()
    parts: list[Doc] = []
    for i, item in enumerate(items):
        parts += (item,) if i == len(items) - 1 else (item, Text(","), separator)
    return Group(concat("[", Nest(1, Concat(tuple(parts))), "]"))
