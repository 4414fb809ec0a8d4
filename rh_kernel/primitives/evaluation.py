"""``Ev(f, V)`` (RH Def. 5.4): a primitive function symbol applied to a closed value."""

import numpy as np

from rh_kernel.primitives.schemes import arguments
from rh_kernel.primitives.table import kernel
from rh_kernel.primitives.values import read_only, to_array
from rh_kernel.syntax.core import Array, Const, Primitive, Term
from rh_kernel.syntax.values import component


def evaluate(f: Primitive, V: Term) -> Const:
    """``Ev(f, V)`` for a concrete ``f : A → B`` and a closed ``V : A``, in the dtype of V; read-only.

    Undefined points give ``nan`` or ``±inf``, without a warning. Raises ``MemoryError`` if the result cannot be allocated.
    """
    values = _arrays(f, V)
    with np.errstate(all="ignore"):
        return read_only(kernel(f, np)(*values))


def _arrays(f: Primitive, V: Term) -> tuple[Array, ...]:
    n = len(arguments(f))
    items = [component(V, i, n) for i in range(n)]
    dtypes = [M.value.dtype for M in items if isinstance(M, Const)]
    dtype = np.result_type(*dtypes) if dtypes else None
    return tuple([to_array(M, dtype) for M in items])
