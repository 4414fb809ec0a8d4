"""Terms and commands as they are shown in passing: numbers to four digits, as one copies them from the board."""

from typing import TypeVar, cast

from rh_kernel.operational.contexts import Subject
from rh_kernel.syntax.core import Array, Const, Node, OrdinaryHandler, ReverseHandler, Term
from rh_kernel.syntax.printing.constants import array_doc, to_digits
from rh_kernel.syntax.printing.doc import plain
from rh_kernel.syntax.rebuild import Transform, rebuild

DIGITS = 4

ENTRIES = 12
"""Arrays of more entries are shown by their types."""

_S = TypeVar("_S", bound=Subject)


def rounded(M: _S) -> _S:
    """``M`` with the entries of its arrays at four significant digits, but for those that are too large to be shown."""
    return cast(_S, rebuild(M, 0, _Rounding()))


def round_array(array: Array) -> Array:
    """The array with its entries at four significant digits."""
    return to_digits(array, DIGITS)


def array_line(array: Array) -> str:
    """The array on one line, at four significant digits, or its type."""
    short = round_array(array) if array.size <= ENTRIES else array
    return plain(array_doc(short, ENTRIES), float("inf"))


class _Rounding(Transform):
    """Constants are rounded; handlers are closed and shown by their names, so they stay."""

    into_functions = False

    def skips(self, node: Node, depth: int) -> bool:
        """Whether nothing in ``node`` is shown."""
        return isinstance(node, ReverseHandler | OrdinaryHandler)

    def constant(self, c: Const) -> Term:
        """The constant at four digits, if its entries are shown."""
        return c if c.value.size > ENTRIES else Const(round_array(c.value), span=c.span)
