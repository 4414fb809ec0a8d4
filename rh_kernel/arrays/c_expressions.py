"""Code generation for the body of a ``Map``: ``v₂ = f(v₀, v₁)`` becomes ``const double v2 = …;``, valid C, C++ and CUDA.

It only calls functions of ``math.h``, by their names for the precision, so it needs no overloading.
"""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from rh_kernel.arrays.plan import Instruction, Number, Precision, Scalar


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


def expression(function: Scalar, operands: Sequence[str], precision: Precision) -> str:
    """The function of operands that are names."""
    f = "" if precision == "float64" else "f"
    one, zero = f"1.0{f}", f"0.0{f}"
    x, y = (operands[0], operands[-1])
    match function:
        case Scalar.NEG:
            return f"-{x}"
        case Scalar.EXP | Scalar.LOG | Scalar.SQRT | Scalar.SIN | Scalar.COS | Scalar.TANH | Scalar.RINT:
            return f"{function.name.lower()}{f}({x})"
        case Scalar.ABS:
            return f"fabs{f}({x})"
        case Scalar.SIGN:
            return f"({x} > {zero} ? {one} : {x} < {zero} ? -{one} : {x} == {zero} ? {zero} : {x})"
        case Scalar.SIGMOID:
            return f"{one} / ({one} + exp{f}(-{x}))"
        case Scalar.SOFTPLUS:
            return f"({x} > {zero} ? {x} : {zero}) + log1p{f}(exp{f}(-fabs{f}({x})))"
        case Scalar.STEP:
            return f"({x} > {zero} ? {one} : {zero})"
        case Scalar.FINITE:
            return f"({x} - {x} == {zero} ? {x} : {zero})"
        case Scalar.ADD:
            return f"{x} + {y}"
        case Scalar.SUB:
            return f"{x} - {y}"
        case Scalar.MUL:
            return f"{x} * {y}"
        case Scalar.DIV:
            return f"{x} / {y}"
        case Scalar.MAX:
            return f"({x} > {y} || {x} != {x} ? {x} : {y})"
        case Scalar.MIN:
            return f"({x} < {y} || {x} != {x} ? {x} : {y})"
        case Scalar.EQUAL:
            return f"({x} == {y} || {x} != {x} ? {one} : {zero})"
