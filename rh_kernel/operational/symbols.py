"""``Ev(f, V)`` (RH Def. 5.4) for primitive function symbols, and ``V + W``, with cached lookups.

Undefined points give ``nan`` or ``±inf``; the caller decides whether NumPy warns about them.
"""

from dataclasses import dataclass
from functools import lru_cache, partial
from math import prod

import numpy as np

from rh_kernel.operational.limits import Limits
from rh_kernel.operational.memo import Memo
from rh_kernel.primitives.derivative import derivative
from rh_kernel.primitives.evaluation import evaluate
from rh_kernel.primitives.schemes import arguments, extent
from rh_kernel.primitives.smoothness import has_row_numbers, require_at
from rh_kernel.primitives.symbol import Kernel
from rh_kernel.primitives.table import kernel
from rh_kernel.primitives.values import add_values, sum_values
from rh_kernel.source.diagnostic import Stuck
from rh_kernel.source.interruptible import LARGE, interruptible
from rh_kernel.source.span import Span
from rh_kernel.syntax.core import Array, Const, Function, Primitive, Scope, Term, Tuple
from rh_kernel.syntax.types import leaves


@dataclass(frozen=True, slots=True)
class Symbol:
    """The kernel of a symbol, its arity, the reals of its largest argument or result, and ``has_row_numbers`` of it."""

    kernel: Kernel
    arity: int
    reals: int
    has_row_numbers: bool


def applied(f: Primitive, V: Term, limits: Limits, span: Span | None) -> Const:
    """``Ev(f, V)``.

    Raises ``Stuck`` if f is not available, if an array is too large, if a row number of V is none, or if reduction is strict
    and f is not smooth at V.
    """
    try:
        symbol = _symbols.of(f)
    except (Stuck, ValueError):
        limits.check_arrays(f, span)
        raise
    if limits.strict or symbol.has_row_numbers or symbol.reals > limits.reals:
        limits.check_arrays(f, span)
        require_at(f, V, span, strict=limits.strict)
    if type(V) is Const and symbol.arity == 1:
        return _constant(symbol.kernel(V.value))
    if type(V) is Tuple and symbol.arity == len(V.items) == 2:
        x, y = V.items
        if type(x) is Const and type(y) is Const and x.value.dtype is y.value.dtype:
            return _constant(symbol.kernel(x.value, y.value))
    return evaluate(f, V)


def added(V: Term, W: Term, *, of_cotangents: bool = False) -> Term:
    """``V + W`` for closed values of one type."""
    if type(V) is Const and type(W) is Const and V.value.shape == W.value.shape:
        if V.value.size > LARGE:
            return _constant(interruptible(partial(np.add, V.value, W.value)))
        return _constant(np.add(V.value, W.value))
    return add_values(V, W) if of_cotangents else sum_values(V, W)


def _constant(result: Array) -> Const:
    result.setflags(write=False)
    return Const(result)


def rd_of(f: Function) -> Scope:
    """Return the closed scope ``w, v. N`` that defines ``rd[f]``."""
    return _derivatives.of(f)


def _symbol(f: Primitive) -> Symbol:
    sizes = [prod(extent(A)) for A in (f.codomain, *leaves(f.domain))]
    return Symbol(kernel(f, np), len(arguments(f)), max(sizes), has_row_numbers(f))


_symbols = Memo(lru_cache(4_096)(_symbol), 4_096)
_derivatives = Memo(derivative, 256)
