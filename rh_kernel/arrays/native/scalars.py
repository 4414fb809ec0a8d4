"""The functions of one or two numbers, and literals, as C expressions; ``prelude.h`` defines what C does not."""

import math

from rh_kernel.arrays.plan import Instruction, Number, Scalar


def literal(value: float) -> str:
    """A number, exactly, as an expression of the plan's precision."""
    if math.isnan(value):
        return '((real)__builtin_nan(""))'
    if math.isinf(value):
        return f"({'-' if value < 0 else ''}(real)__builtin_inf())"
    return f"((real){value.hex()})"


def expression(entry: Number | Instruction) -> str:
    """The value of one entry of a body, where the values before it are ``v0``, ``v1``, ….

    >>> expression(Instruction(Scalar.ADD, (0, 2)))
    'v0 + v2'
    """
    if isinstance(entry, Number):
        return literal(entry.value)
    return _apply(entry.function, *[f"v{i}" for i in entry.arguments])


def _apply(function: Scalar, x: str, y: str = "") -> str:
    match function:
        case Scalar.NEG:
            return f"-{x}"
        case Scalar.EXP:
            return f"exponential({x})"
        case Scalar.LOG:
            return f"LOG({x})"
        case Scalar.SQRT:
            return f"SQRT({x})"
        case Scalar.SIN:
            return f"SIN({x})"
        case Scalar.COS:
            return f"COS({x})"
        case Scalar.TANH:
            return f"hyperbolic_tangent({x})"
        case Scalar.ABS:
            return f"ABS({x})"
        case Scalar.SIGN:
            return f"signum({x})"
        case Scalar.RINT:
            return f"RINT({x})"
        case Scalar.SIGMOID:
            return f"sigmoid({x})"
        case Scalar.SOFTPLUS:
            return f"softplus({x})"
        case Scalar.STEP:
            return f"{x} > 0 ? 1 : 0"
        case Scalar.FINITE:
            return f"finite_or_zero({x})"
        case Scalar.ADD:
            return f"{x} + {y}"
        case Scalar.SUB:
            return f"{x} - {y}"
        case Scalar.MUL:
            return f"{x} * {y}"
        case Scalar.DIV:
            return f"{x} / {y}"
        case Scalar.MAX:
            return f"largest({x}, {y})"
        case Scalar.MIN:
            return f"smallest({x}, {y})"
        case Scalar.EQUAL:
            return f"equal({x}, {y})"
