"""Code generation for the body of a ``Map``: ``v₂ = f(v₀, v₁)`` becomes ``const double v2 = …;``, valid C, C++ and CUDA.

It only calls functions of ``math.h``, by their names for the precision, so it needs no overloading.
"""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from rh_kernel.loops.ir import Instruction, Number, Precision
from rh_kernel.loops.scalars import ScalarOp


def real(precision: Precision) -> str:
    """Return the C type of an entry."""
    match precision:
        case "float64":
            return "double"
        case "float32":
            return "float"


def literal(value: float, precision: Precision) -> str:
    """Return a C literal for the number nearest to ``value`` in that precision, exactly."""
    number, f, huge = (value, "", "1e300") if precision == "float64" else (_single(value), "f", "1e38f")
    if math.isfinite(number):
        return f"({number!r}{f})"
    infinity = f"({huge} * {huge})"
    if math.isnan(number):
        return f"({infinity} - {infinity})"
    return infinity if number > 0 else f"(-{infinity})"


def _single(value: float) -> float:
    with np.errstate(over="ignore"):
        return float(np.float32(value))


def statements(arguments: int, body: Sequence[Number | Instruction], precision: Precision) -> Iterator[str]:
    """Yield a C statement for each line of the body, given variables ``v0``, ``v1``, … for the arguments."""
    kind = real(precision)
    for i, line in enumerate(body, start=arguments):
        match line:
            case Number(value):
                yield f"const {kind} v{i} = {literal(value, precision)};"
            case Instruction(function, operands):
                yield f"const {kind} v{i} = {expression(function, [f'v{k}' for k in operands], precision)};"


def expression(function: ScalarOp, operands: Sequence[str], precision: Precision) -> str:
    """Return a C expression for the function applied to operands, which are names."""
    f = "" if precision == "float64" else "f"
    return function.c.format(*operands, f=f, one=f"1.0{f}", zero=f"0.0{f}")
