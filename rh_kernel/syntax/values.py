"""Values ``U V W`` (RH Def. 3.4), and construction and projection of tuples of any length."""

import numpy as np
import numpy.typing as npt

from rh_kernel.syntax.core import Const, Proj, Term, Tuple, Zero
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
    return real(*c.value.shape)


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
