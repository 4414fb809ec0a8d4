"""``Ev(f, V)`` (RH Def. 5.4) of a function symbol of the language, and ``V + W``, again and again.

What has to be known of a symbol is looked up once. Undefined points give ``nan`` or ``±inf``; whether NumPy warns of them is
for the caller to set.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import prod

import numpy as np

from rh_kernel.operational.known import Known
from rh_kernel.operational.limits import Limits
from rh_kernel.primitives.derivative import derivative
from rh_kernel.primitives.evaluation import evaluate
from rh_kernel.primitives.row import Kernel
from rh_kernel.primitives.schemes import arguments, extent
from rh_kernel.primitives.table import kernel
from rh_kernel.primitives.values import add_values
from rh_kernel.source.diagnostic import Stuck
from rh_kernel.source.span import Span
from rh_kernel.syntax.core import Const, Function, Primitive, Scope, Term, Tuple
from rh_kernel.syntax.types import leaves


@dataclass(frozen=True, slots=True)
class Symbol:
    """The kernel of a symbol, how many arguments it has, and how many reals the largest array has that comes or goes."""

    kernel: Kernel
    arity: int
    reals: int


def applied(f: Primitive, V: Term, limits: Limits, span: Span | None) -> Const:
    """``Ev(f, V)``. Raises ``Stuck`` if there is no such ``f``, or if an array is too large."""
    try:
        symbol = _symbols.of(f)
    except (Stuck, ValueError):
        limits.check_arrays(f, span)
        raise
    if symbol.reals > limits.reals:
        limits.check_arrays(f, span)
    match V:
        case Const(x) if symbol.arity == 1:
            result = symbol.kernel(x)
        case Tuple((Const(x), Const(y))) if symbol.arity == 2 and x.dtype is y.dtype:
            result = symbol.kernel(x, y)
        case _:
            return evaluate(f, V)
    result.setflags(write=False)
    return Const(result)


def added(V: Term, W: Term) -> Term:
    """``V + W`` for closed values of one type."""
    if isinstance(V, Const) and isinstance(W, Const) and V.value.shape == W.value.shape:
        total = np.add(V.value, W.value)
        total.setflags(write=False)
        return Const(total)
    return add_values(V, W)


def rd_of(f: Function) -> Scope:
    """The closed scope ``w, v. N`` that ``rd[f]`` is."""
    return _derivatives.of(f)


def _symbol(f: Primitive) -> Symbol:
    sizes = [prod(extent(A)) for A in (f.codomain, *leaves(f.domain))]
    return Symbol(kernel(f, np), len(arguments(f)), max(sizes))


_symbols = Known(lru_cache(4_096)(_symbol), 4_096)
_derivatives = Known(derivative, 256)
