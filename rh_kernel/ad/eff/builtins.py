"""The built-in functions g of EFF, each with its type ``A → … → F B`` and what it computes (the thesis' f̄, Fig. 7.19).

Floats are those of IEEE 754: where a function has no value it gives nan, and beyond the largest number there is inf. What has
no value at all raises ``Stuck`` without a place; who runs it knows the place.
"""

import math
import operator
from collections.abc import Callable, Mapping
from types import MappingProxyType

from rh_kernel.ad.eff.errors import DivisionByZero
from rh_kernel.ad.eff.tensor_functions import TENSOR_FUNCTIONS
from rh_kernel.ad.eff.types import BOOL, FLOAT, INT, TEXT, ValueType, Variable
from rh_kernel.ad.eff.values import FALSE, TRUE, Value, text
from rh_kernel.source.diagnostic import Stuck
from rh_kernel.source.records import frozen


@frozen
class BuiltInFunction:
    """``g : A -> … -> B``, for all types ``variables``, of which the ``numeric`` ones are only ``Float`` or ``Int``.

    ``function`` is what it does with values of the machine. ``is_total`` says that it never raises.
    """

    domain: tuple[ValueType, ...]
    codomain: ValueType
    function: Callable[..., Value]
    variables: tuple[str, ...] = ()
    numeric: tuple[str, ...] = ()
    is_total: bool = True


def divide(x: float, y: float) -> float:
    """``x / y``"""
    try:
        return x / y
    except ZeroDivisionError:
        return math.nan if x == 0 or x != x else math.copysign(math.inf, x) * math.copysign(1.0, y)


def exp(x: float) -> float:
    """``eˣ``"""
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


def log(x: float) -> float:
    """``ln x``"""
    return math.log(x) if x > 0 else (-math.inf if x == 0 else math.nan)


def sqrt(x: float) -> float:
    """``√x``"""
    return math.sqrt(x) if x >= 0 else math.nan


def sin(x: float) -> float:
    """``sin x``"""
    return math.sin(x) if math.isfinite(x) else math.nan


def cos(x: float) -> float:
    """``cos x``"""
    return math.cos(x) if math.isfinite(x) else math.nan


def sigmoid(x: float) -> float:
    """``1 / (1 + e⁻ˣ)``"""
    if x >= 0:
        return 1 / (1 + math.exp(-x))
    power = math.exp(x)
    return power / (1 + power)


def softplus(x: float) -> float:
    """``ln (1 + eˣ)``"""
    return x + math.log1p(math.exp(-x)) if x > 0 else math.log1p(exp(x))


def _less(x: float, y: float) -> Value:
    return TRUE if x < y else FALSE


def _less_or_equal(x: float, y: float) -> Value:
    return TRUE if x <= y else FALSE


def _equal(x: float, y: float) -> Value:
    return TRUE if x == y else FALSE


def _quotient(m: int, n: int) -> int:
    if not n:
        raise _by_zero("quotient", m)
    return m // n


def _remainder(m: int, n: int) -> int:
    if not n:
        raise _by_zero("remainder", m)
    return m % n


def _by_zero(name: str, m: int) -> Stuck:
    hint = "look first whether the divisor is 0; only Floats have inf"
    return Stuck(DivisionByZero(function=name, dividend=m, found="the divisor 0", expected="another divisor", hint=hint))


_NUMBER = Variable("a")


def _on_floats(function: Callable[[float], float]) -> BuiltInFunction:
    return BuiltInFunction((FLOAT,), FLOAT, function)


def _on_numbers(function: Callable[..., Value], count: int, codomain: ValueType = _NUMBER) -> BuiltInFunction:
    return BuiltInFunction((_NUMBER,) * count, codomain, function, ("a",), ("a",))


BUILT_INS: Mapping[str, BuiltInFunction] = MappingProxyType(
    {
        "add": _on_numbers(operator.add, 2),
        "sub": _on_numbers(operator.sub, 2),
        "mul": _on_numbers(operator.mul, 2),
        "div": BuiltInFunction((FLOAT, FLOAT), FLOAT, divide),
        "negate": _on_numbers(operator.neg, 1),
        "less": _on_numbers(_less, 2, BOOL),
        "lesseq": _on_numbers(_less_or_equal, 2, BOOL),
        "equal": _on_numbers(_equal, 2, BOOL),
        "sin": _on_floats(sin),
        "cos": _on_floats(cos),
        "exp": _on_floats(exp),
        "log": _on_floats(log),
        "sqrt": _on_floats(sqrt),
        "tanh": _on_floats(math.tanh),
        "sigmoid": _on_floats(sigmoid),
        "softplus": _on_floats(softplus),
        "float": BuiltInFunction((INT,), FLOAT, float),
        "quotient": BuiltInFunction((INT, INT), INT, _quotient, is_total=False),
        "remainder": BuiltInFunction((INT, INT), INT, _remainder, is_total=False),
        "append": BuiltInFunction((TEXT, TEXT), TEXT, operator.add),
        "show": BuiltInFunction((Variable("a"),), TEXT, text, ("a",)),
        **{name: BuiltInFunction(*typed, is_total=False) for name, typed in TENSOR_FUNCTIONS.items()},
    }
)
"""By the names that the core has for them; the infix ones are written ``+ - * / < <= == ++`` and unary ``-``."""

OPERATORS: Mapping[str, str] = MappingProxyType(
    {"+": "add", "-": "sub", "*": "mul", "/": "div", "<": "less", "<=": "lesseq", "==": "equal", "++": "append"}
)
"""The built-in function of an infix operator."""
