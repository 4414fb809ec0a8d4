"""``Ev(f, V)`` (RH Def. 5.4) of a function symbol of the language, and ``V + W``, again and again.

What is asked of a symbol before it is applied is looked up once. A symbol is known by its identity, and kept as long as it is
known. Undefined points give ``nan`` or ``±inf``; whether NumPy warns of them is for the caller to set.
"""

from dataclasses import dataclass
from math import prod

import numpy as np

from rh_kernel.operational.limits import Limits
from rh_kernel.primitives.evaluation import evaluate
from rh_kernel.primitives.row import Kernel
from rh_kernel.primitives.schemes import arguments, extent
from rh_kernel.primitives.table import kernel
from rh_kernel.primitives.values import add_values
from rh_kernel.source.span import Span
from rh_kernel.syntax.core import Const, Primitive, Term, Tuple
from rh_kernel.syntax.types import leaves

MOST = 4_096
"""So many symbols are known at a time."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """A symbol, its kernel, how many arguments that has, and how many reals the largest array has that comes or goes."""

    primitive: Primitive
    kernel: Kernel
    arity: int
    reals: int


_known: dict[int, Symbol] = {}


def applied(f: Primitive, V: Term, limits: Limits, span: Span | None) -> Const:
    """``Ev(f, V)``. Raises ``Stuck`` if there is no such ``f``, or if an array is too large."""
    symbol = _known.get(id(f))
    if symbol is None or symbol.reals > limits.reals:
        limits.check_arrays(f, span)
        symbol = _learned(f)
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


def _learned(f: Primitive) -> Symbol:
    if len(_known) >= MOST:
        _known.clear()
    sizes = [prod(extent(A)) for A in (f.codomain, *leaves(f.domain))]
    _known[id(f)] = symbol = Symbol(f, kernel(f, np), len(arguments(f)), max(sizes))
    return symbol
