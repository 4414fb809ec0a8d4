"""Several primitives of JAX that are one function of the language: ``softmax``, ``log_softmax``, ``swish``, rows of a table."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np

from rh_kernel.interchange.sources import activations, tensors
from rh_kernel.interchange.sources.builder import Builder, Known, Tensor
from rh_kernel.interchange.sources.jax.equations import Equation, Slot
from rh_kernel.interchange.sources.libraries import Untyped

Producers: TypeAlias = Mapping[Untyped, Equation]
Pattern: TypeAlias = Callable[[Builder, Equation, Producers, Callable[[Untyped], Slot]], Slot]

_MOVES = ("broadcast_in_dim", "stop_gradient", "reshape", "squeeze")
_SOFTPLUS = ("max", "sub", "ne", "add", "abs", "neg", "exp", "log1p", "add", "select_n")


def is_softplus(eqn: Untyped) -> bool:
    """Whether an equation is ``logaddexp(x, 0)``, which is ``softplus(x)``."""
    if eqn.primitive.name != "custom_jvp_call" or len(eqn.invars) != 2:
        return False
    inner = eqn.params["call_jaxpr"]
    body = getattr(inner, "jaxpr", inner)
    zero = eqn.invars[1]
    return tuple([e.primitive.name for e in body.eqns]) == _SOFTPLUS and hasattr(zero, "val") and not np.any(zero.val)


def _producer(producers: Producers, var: Untyped) -> Equation | None:
    """Return the equation whose result a variable is; literals are no variables."""
    return None if hasattr(var, "val") else producers.get(var)


def _behind(var: Untyped, producers: Producers, value: Callable[[Untyped], Slot]) -> Equation | None:
    """Return the equation whose result a variable is, behind moves and limits that change nothing."""
    equation = _producer(producers, var)
    while equation is not None:
        if equation.name in _MOVES:
            var = equation.arguments[0]
        elif equation.name == "max" and any(_is_lowest(value(v)) for v in equation.arguments):
            var = next(v for v in equation.arguments if not _is_lowest(value(v)))
        else:
            return equation
        equation = _producer(producers, var)
    return None


def _is_lowest(x: Slot) -> bool:
    return isinstance(x, Known) and bool(np.all(np.isneginf(x.array)))


def _shifted(var: Untyped, producers: Producers, value: Callable[[Untyped], Slot]) -> tuple[Untyped, int] | None:
    """Return x and the axis if a variable is ``x - max(x)`` along one axis."""
    difference = _producer(producers, var)
    if difference is None or difference.name != "sub":
        return None
    x, low = difference.arguments
    largest = _behind(low, producers, value)
    if largest is None or largest.name != "reduce_max" or largest.arguments[0] is not x or len(largest.params["axes"]) != 1:
        return None
    return x, int(largest.params["axes"][0])


def _softmax(b: Builder, e: Equation, producers: Producers, value: Callable[[Untyped], Slot]) -> Slot:
    powers, total = _producer(producers, e.arguments[0]), _behind(e.arguments[1], producers, value)
    if powers is None or total is None or powers.name != "exp" or total.name != "reduce_sum":
        return None
    shifted = _shifted(powers.arguments[0], producers, value)
    if shifted is None or total.arguments[0] is not e.arguments[0] or tuple(total.params["axes"]) != (shifted[1],):
        return None
    return _along(b, "softmax", value(shifted[0]), shifted[1])


def _log_softmax(b: Builder, e: Equation, producers: Producers, value: Callable[[Untyped], Slot]) -> Slot:
    shifted, log = _shifted(e.arguments[0], producers, value), _behind(e.arguments[1], producers, value)
    if shifted is None or log is None or log.name != "log":
        return None
    total = _behind(log.arguments[0], producers, value)
    if total is None or total.name != "reduce_sum" or tuple(total.params["axes"]) != (shifted[1],):
        return None
    powers = _producer(producers, total.arguments[0])
    if powers is None or powers.name != "exp" or powers.arguments[0] is not e.arguments[0]:
        return None
    return _along(b, "log_softmax", value(shifted[0]), shifted[1])


def _along(b: Builder, function: str, x: Slot, axis: int) -> Slot:
    return None if x is None else activations.along(b, function, tensors.tensor(b, x), axis)


def _swish(b: Builder, e: Equation, producers: Producers, value: Callable[[Untyped], Slot]) -> Slot:
    for x, y in (e.arguments, reversed(e.arguments)):
        gate = _producer(producers, y)
        found = value(x)
        if gate is not None and gate.name == "logistic" and gate.arguments[0] is x and isinstance(found, Tensor):
            return tensors.entrywise(b, "swish", found)
    return None


def _numbers_of_rows(b: Builder, e: Equation, producers: Producers, value: Callable[[Untyped], Slot]) -> Slot:
    """``i + n`` where i is below 0, else i: numbers from the end, which a program does not have."""
    del b
    if len(e.arguments) != 3:
        return None
    condition, i, wrapped = e.arguments
    below, sum_ = _producer(producers, condition), _producer(producers, wrapped)
    if below is None or sum_ is None or below.name != "lt" or sum_.name != "add":
        return None
    zero = value(below.arguments[1])
    is_zero = isinstance(zero, Known) and not np.any(zero.array)
    return value(i) if is_zero and below.arguments[0] is i and sum_.arguments[0] is i else None


PATTERNS: Mapping[str, tuple[Pattern, ...]] = {
    "div": (_softmax,),
    "sub": (_log_softmax,),
    "mul": (_swish,),
    "select_n": (_numbers_of_rows,),
}
"""The patterns by the primitives with which they end."""
