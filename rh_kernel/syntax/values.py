"""Values ``U V W`` (RH Def. 3.4), and construction and projection of tuples of any length."""

from collections.abc import Callable
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from rh_kernel.source.span import Span
from rh_kernel.syntax.core import Const, Proj, Term, Tuple, Zero
from rh_kernel.syntax.nodes import leave_loose, leave_span
from rh_kernel.syntax.types import Product, Type, real


def constant(value: npt.ArrayLike) -> Const:
    """The constant for a number or nested lists; a single number is an array of shape (1,)."""
    array = np.array(value, dtype=np.float64)
    if array.ndim == 0:
        array = array.reshape(1)
    array.setflags(write=False)
    return Const(array)


def constant_type(c: Const) -> Type:
    """``Real(shape)`` of the array."""
    return _real(c.value.shape)


@lru_cache(4_096)
def _real(shape: tuple[int, ...]) -> Type:
    return real(*shape)


UNIT_VALUE = constant([])


def tuple_of(items: tuple[Term, ...]) -> Term:
    """⟨M1, …, Mn⟩ for any n: ``()`` for none, M1 itself for one. The term counterpart of ``types.product``."""
    match items:
        case ():
            return UNIT_VALUE
        case (M,):
            return M
        case many:
            return Tuple(many)


def tuple_of_values(items: tuple[Term, ...], span: Span | None = None) -> Tuple:
    """``⟨V1, …, Vn⟩`` of n ≥ 2 closed values, which are not checked: reduction makes one in every other step."""
    made = Tuple.__new__(Tuple)
    _leave_items(made, items)
    _leave_of_values(made, _OF_VALUES)
    leave_loose(made, 0)
    leave_span(made, span)
    return made


_OF_VALUES = True
_leave_items: Callable[[Tuple, tuple[Term, ...]], None] = vars(Tuple)["items"].__set__
_leave_of_values: Callable[[Tuple, bool], None] = vars(Tuple)["of_values"].__set__


def component(M: Term, i: int, n: int) -> Term:
    """The i-th (from 0) of the n components of a term built by ``tuple_of``: itself if M is a tuple, else a projection."""
    if type(M) is Tuple and len(M.items) == n:
        return M.items[i]
    match M:
        case Zero(Product(factors)) if len(factors) == n:
            return Zero(factors[i])
        case _ if n == 1:
            return M
        case _:
            return Proj(i + 1, n, M)
