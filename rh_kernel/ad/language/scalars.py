"""Function symbols of numbers, ``f : Real × … × Real → Real``, and their partial derivatives as terms.

They are the entrywise symbols of the table of symbols (LANGUAGE §4) at ``Real``, with its kernels and derivatives: ``∂ᵢf(M)``
is component i of ``rd[f](1, M)``, translated to a term of ``%%lambda`` cells.
"""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from functools import cache
from types import MappingProxyType

import numpy as np

from rh_kernel.ad.language.core import Apply, Constant, Term, Tuple
from rh_kernel.primitives.derivative import derivative
from rh_kernel.primitives.formulas import ENTRYWISE, OF_ONE_SHAPE
from rh_kernel.primitives.schemes import Scheme, instantiate
from rh_kernel.primitives.symbol import Kernel
from rh_kernel.primitives.table import SYMBOLS as FUNCTION_SYMBOLS
from rh_kernel.primitives.table import kernel
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.syntax import core
from rh_kernel.syntax.dimensions import dim

_ARITIES: Mapping[tuple[Scheme, ...], int] = {(ENTRYWISE,): 1, (OF_ONE_SHAPE,): 2}

SYMBOLS: Mapping[str, int] = MappingProxyType(
    {name: _ARITIES[row.schemes] for name, row in FUNCTION_SYMBOLS.items() if row.schemes in _ARITIES}
)
"""The arity of each symbol."""


@cache
def _primitive(symbol: str) -> core.Primitive:
    return instantiate(symbol, FUNCTION_SYMBOLS[symbol].schemes[0], ((dim(1),),))


@cache
def _kernel(symbol: str) -> Kernel:
    return kernel(_primitive(symbol), np)


def quietly() -> AbstractContextManager[None]:
    """A context that silences NumPy's warnings: at undefined points ``apply`` gives ``nan`` or ``±inf``."""
    return np.errstate(all="ignore")


def apply(symbol: str, *numbers: float) -> float:
    """``f(x1, …, xk)``"""
    return float(_kernel(symbol)(*map(np.float64, numbers)))


def partial(symbol: str, i: int, arguments: tuple[Term, ...]) -> Term:
    """``∂ᵢf(M1, …, Mk)``, i from 1. The arguments may be duplicated, so they should be variables or constants."""
    scope = derivative(_primitive(symbol))
    point = arguments[0] if len(arguments) == 1 else Tuple(arguments)
    cotangent = _translated(scope.body, (point, Constant(1.0)))
    if len(arguments) == 1:
        return cotangent
    if not isinstance(cotangent, Tuple):
        raise KernelBug(f"the derivative of {symbol} is no tuple")
    return cotangent.components[i - 1]


def _translated(M: core.Term | core.Command, environment: tuple[Term, ...]) -> Term:
    """Translate a derivative of the table; ``environment`` has the terms for its variables, the innermost first."""
    match M:
        case core.Bound(index):
            return environment[index]
        case core.Const(value):
            return Constant(float(value[0]))
        case core.Zero():
            return Constant(0.0)
        case core.Call(core.Primitive(name), argument):
            N = _translated(argument, environment)
            return applied(name, *(N.components if isinstance(N, Tuple) else (N,)))
        case core.Plus(left, right):
            return applied("add", _translated(left, environment), _translated(right, environment))
        case core.Tuple(items):
            return Tuple(tuple(_translated(N, environment) for N in items))
        case core.Proj(index, _, of):
            N = _translated(of, environment)
            if isinstance(N, Tuple):
                return N.components[index - 1]
        case core.Let(bound, scope):
            return _translated(scope.body, (_translated(bound, environment), *environment))
        case _:
            pass
    raise KernelBug("a derivative of the table is not of the expected form")


_ZERO, _ONE = Constant(0.0), Constant(1.0)


def applied(symbol: str, *arguments: Term) -> Term:
    """``f(M1, …, Mk)``, simplified: ``scale`` is ``mul``, and ``fill(M)``, ``1 * M``, ``0 + M``, ``M - 0`` are M."""
    match symbol, arguments:
        case "fill", (M,):
            return M
        case "mul" | "scale", (M, N):
            if M == _ONE:
                return N
            return M if N == _ONE else Apply("mul", (M, N))
        case "add", (M, N):
            if M == _ZERO:
                return N
            return M if N == _ZERO else Apply("add", (M, N))
        case "sub", (M, N) if N == _ZERO:
            return M
        case "neg", (Constant(value),):
            return Constant(-value)
        case _:
            return Apply(symbol, arguments)
