"""Rounding of the numbers in terms, commands and arrays to four significant digits for display."""

from typing import TypeVar, cast

from rh_kernel.operational.contexts import Subject
from rh_kernel.syntax.core import Array, Const, Node, OrdinaryHandler, ReverseHandler, Term
from rh_kernel.syntax.printing.constants import array_doc, to_digits
from rh_kernel.syntax.printing.doc import plain
from rh_kernel.syntax.rebuild import Transform, rebuild

DIGITS = 4

ENTRIES = 12
"""Larger arrays are shown as their types."""

_S = TypeVar("_S", bound=Subject)


def rounded(M: _S) -> _S:
    """Round the entries of the arrays in M, except arrays that are shown as their types."""
    return cast(_S, rebuild(M, 0, _Rounding()))


def round_array(array: Array) -> Array:
    """Round the entries of an array."""
    return to_digits(array, DIGITS)


def array_line(array: Array) -> str:
    """The rounded array on one line, or its type if it is large."""
    short = round_array(array) if array.size <= ENTRIES else array
    return plain(array_doc(short, ENTRIES), float("inf"))


class _Rounding(Transform):
    """Rounds constants. Handlers are closed and shown by their names, so they are skipped."""

    into_functions = False

    def skips(self, node: Node, depth: int) -> bool:
        """Skip handlers."""
        return isinstance(node, ReverseHandler | OrdinaryHandler)

    def constant(self, c: Const) -> Term:
        """Round a constant if its entries are shown."""
        return c if c.value.size > ENTRIES else Const(round_array(c.value), span=c.span)
