"""Elaboration of literals: numbers, vectors, matrices (LANGUAGE §1)."""

from typing import Any

from rh_kernel.source.diagnostic import Rejected
from rh_kernel.syntax import surface as s
from rh_kernel.syntax.core import Const
from rh_kernel.syntax.values import constant
from rh_kernel.typing.elaboration.dimensions import AXES, too_many_axes
from rh_kernel.typing.errors import BadArray

Nested = float | list[Any]


def number(e: s.Number | s.Negate) -> Const:
    """The constant of shape (1,) for a number."""
    c = constant(value_of(e))
    return Const(c.value, span=e.span)


def array_literal(e: s.ArrayLiteral) -> Const:
    """The constant for nested brackets of numbers.

    Raises ``Rejected`` if rows differ in length, or if brackets are nested more than ``AXES`` deep.
    """
    nested = _nested(e)
    axes = len(_check_regular(e))
    if axes > AXES:
        raise too_many_axes(axes, e.span)
    return Const(constant(nested).value, span=e.span)


def value_of(e: s.Expr) -> float:
    """The value of a number literal. Raises ``Rejected`` for any other expression."""
    match e:
        case s.Number(text):
            return float(text)
        case s.Negate(operand):
            return -value_of(operand)
        case _:
            hint = "array literals contain only numbers; use function symbols such as `concat` for variables"
            raise Rejected(BadArray(span=e.span, why="an array contains numbers", found=f"`{e.span.text}`", hint=hint))


def _nested(e: s.Expr) -> Nested:
    match e:
        case s.ArrayLiteral(items):
            return [_nested(item) for item in items]
        case _:
            return value_of(e)


def _check_regular(e: s.ArrayLiteral) -> tuple[int, ...]:
    shapes = [_check_regular(item) if isinstance(item, s.ArrayLiteral) else () for item in e.items]
    for item, shape in zip(e.items, shapes, strict=True):
        if shape != shapes[0]:
            found, expected = _entries(shape), _entries(shapes[0])
            why = "the rows of an array must have the same shape"
            hint = "give each row the same number of entries, or make a tuple of arrays, `([1, 2], [3])`"
            expected = f"{expected}, as in the first row"
            raise Rejected(BadArray(span=item.span, why=why, found=found, expected=expected, hint=hint))
    return (len(e.items), *(shapes[0] if shapes else ()))


def _entries(shape: tuple[int, ...]) -> str:
    match shape:
        case ():
            return "a number"
        case (n,):
            return f"{n} entr{'y' if n == 1 else 'ies'}"
        case _:
            return f"an array of shape {shape}"
