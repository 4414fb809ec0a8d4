"""The built-in functions g of EFF, each with its type ``A → … → F B`` and what it computes (the thesis' f̄, Fig. 7.19).

Floats follow IEEE 754: a function of floats returns nan where it is undefined, and inf on overflow. Other functions raise
``Stuck`` where they are undefined, without a span, which the caller adds.
"""

import math
import operator
from collections.abc import Callable, Mapping
from types import MappingProxyType

from rh_kernel.ad.eff.errors import DivisionByZero, GivenUp
from rh_kernel.ad.eff.machine.tensor_functions import TENSOR_FUNCTIONS
from rh_kernel.ad.eff.machine.values import FALSE, TRUE, Value, text
from rh_kernel.ad.eff.types import BOOL, FLOAT, INT, TEXT, ValueType, Variable
from rh_kernel.primitives.table import SYMBOLS
from rh_kernel.source.diagnostic import Stuck
from rh_kernel.source.records import frozen
from rh_kernel.syntax.runtime_errors import TooLarge, readable


@frozen
class BuiltInFunction:
    """``g : A -> … -> B``, for all types ``variables``, of which the ``numeric`` ones are only ``Float`` or ``Int``.

    ``function`` works on values of the machine. ``is_total`` says that it raises nothing, unless a value is too large.
    """

    domain: tuple[ValueType, ...]
    codomain: ValueType
    function: Callable[..., Value]
    variables: tuple[str, ...] = ()
    numeric: tuple[str, ...] = ()
    is_total: bool = True


def bounded(value: Value) -> Value:
    """The value itself. Raises ``Stuck`` if it is an Int of more than ``LONGEST_INT`` bits."""
    if value.__class__ is int and value.bit_length() > LONGEST_INT:
        raise _too_large("an Int", value.bit_length() // 8, LONGEST_INT // 8)
    return value


def _too_large(what: str, size: int, limit: int) -> Stuck:
    hint = "look for a number, or a text, that is doubled again and again"
    return Stuck(TooLarge(what=what, needed=readable(size), expected=f"at most {readable(limit)}", hint=hint))


def add(x: float, y: float) -> float:
    """``x + y``"""
    return bounded(x + y)


def subtract(x: float, y: float) -> float:
    """``x - y``"""
    return bounded(x - y)


def multiply(x: float, y: float) -> float:
    """``x * y``"""
    return bounded(x * y)


def append(one: str, two: str) -> str:
    """``one ++ two``"""
    if len(one) + len(two) > LONGEST_TEXT:
        raise _too_large("a Text", len(one) + len(two), LONGEST_TEXT)
    return one + two


def to_float(n: int) -> float:
    """The nearest Float of an Int."""
    try:
        return float(n)
    except OverflowError:
        return math.inf if n > 0 else -math.inf


def show(value: Value) -> str:
    """The text of a value. Raises ``Stuck`` if it is too long."""
    written = text(bounded(value))
    if len(written) > LONGEST_TEXT:
        raise _too_large("a Text", len(written), LONGEST_TEXT)
    return written


def divide(x: float, y: float) -> float:
    """``x / y``"""
    try:
        return x / y
    except ZeroDivisionError:
        return math.nan if x == 0 or x != x else math.copysign(math.inf, x) * math.copysign(1.0, y)


def _fail(message: str) -> Value:
    words = " ".join(message.split())
    shown = words if len(words) <= _LONGEST_MESSAGE else f"{words[: _LONGEST_MESSAGE - 1]}…"
    raise Stuck(GivenUp(reason=shown, hint="the program called `fail`"))


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
    hint = "check that the divisor is not 0; only Float division gives inf"
    return Stuck(DivisionByZero(function=name, dividend=m, found="the divisor 0", expected="a nonzero divisor", hint=hint))


LONGEST_INT = 10_000
"""The most bits of an Int, about 3,000 digits."""

LONGEST_TEXT = 10_000_000
"""The most characters of a Text."""

_LONGEST_MESSAGE = 200

_NUMBER = Variable("a")


def _on_numbers(function: Callable[..., Value], count: int, codomain: ValueType = _NUMBER) -> BuiltInFunction:
    return BuiltInFunction((_NUMBER,) * count, codomain, function, ("a",), ("a",))


BUILT_INS: Mapping[str, BuiltInFunction] = MappingProxyType(
    {
        "add": _on_numbers(add, 2),
        "sub": _on_numbers(subtract, 2),
        "mul": _on_numbers(multiply, 2),
        "div": BuiltInFunction((FLOAT, FLOAT), FLOAT, divide),
        "negate": _on_numbers(operator.neg, 1),
        "less": _on_numbers(_less, 2, BOOL),
        "lesseq": _on_numbers(_less_or_equal, 2, BOOL),
        "equal": _on_numbers(_equal, 2, BOOL),
        **{f.name: BuiltInFunction((FLOAT,), FLOAT, f.eff) for f in SYMBOLS.values() if f.eff is not None},
        "float": BuiltInFunction((INT,), FLOAT, to_float),
        "quotient": BuiltInFunction((INT, INT), INT, _quotient, is_total=False),
        "remainder": BuiltInFunction((INT, INT), INT, _remainder, is_total=False),
        "append": BuiltInFunction((TEXT, TEXT), TEXT, append),
        "show": BuiltInFunction((Variable("a"),), TEXT, show, ("a",)),
        "fail": BuiltInFunction((TEXT,), Variable("a"), _fail, ("a",), is_total=False),
        **{name: BuiltInFunction(*typed, is_total=False) for name, typed in TENSOR_FUNCTIONS.items()},
    }
)
"""The built-in functions by their names in the core; some are written ``+ - * / < <= == ++`` and unary ``-``."""

OPERATORS: Mapping[str, str] = MappingProxyType(
    {"+": "add", "-": "sub", "*": "mul", "/": "div", "<": "less", "<=": "lesseq", "==": "equal", "++": "append"}
)
"""The built-in function of an infix operator."""
