"""Parser of the types of ``%%lambda`` cells: ``A -> B`` is the loosest, then ``A + B``, then ``A * B``."""

from rh_kernel.ad.language.types import Function, Real, Sum, Type, product
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.syntax.parsing.cursor import Cursor
from rh_kernel.syntax.parsing.tokens import Kind
from rh_kernel.typing.errors import BadDimension

MAX_ENTRIES = 1_000_000
"""The most entries of an array: programs of these cells are small examples."""

ARROWS = "`A -> B -> C` is read as `A -> (B -> C)`; a function that takes a function has the type `(A -> B) -> C`."
"""A hint on how ``->`` associates."""


def type_expression(c: Cursor) -> Type:
    """Parse a type."""
    c.deepen()
    A = _sum_type(c)
    if c.take("→"):
        A = Function(A, type_expression(c))
    c.depth -= 1
    return A


def _sum_type(c: Cursor) -> Type:
    A = _product_type(c)
    while c.take("+"):
        A = Sum(A, _product_type(c))
    return A


def _product_type(c: Cursor) -> Type:
    factors = [_factor(c)]
    while c.at("*", "×"):
        c.advance()
        factors.append(_factor(c))
    return product(*factors)


def _factor(c: Cursor) -> Type:
    match c.token.text:
        case "Real":
            c.advance()
            if not c.at("("):
                return Real()
            c.open("(")
            n = size(c, "how many entries the array has")
            c.close()
            return Real(n)
        case "1":
            c.advance()
            return product()
        case "(":
            c.open("(")
            A = type_expression(c)
            c.close(hint="a product type is written A * B")
            return A
        case _:
            raise c.fail("a type: Real, Real(n), 1, A * B, A + B or A -> B")


def size(c: Cursor, expected: str) -> int:
    """Parse a size or an index, which is a literal. Raises ``Rejected`` for anything else."""
    if not c.holds(Kind.NUMBER) or not c.token.text.isdecimal():
        raise c.fail(expected, "a number literal must be written here")
    if len(c.token.text) > len(str(MAX_ENTRIES)) or int(c.token.text) > MAX_ENTRIES:
        what = f"an array in a `%%lambda` cell has at most {MAX_ENTRIES:,} entries"
        expected, hint = f"a whole number from 0 to {MAX_ENTRIES:,}", "use larger arrays outside `%%lambda` cells"
        raise Rejected(BadDimension(span=c.here(), what=what, found=c.found(), expected=expected, hint=hint))
    return int(c.advance().text)
