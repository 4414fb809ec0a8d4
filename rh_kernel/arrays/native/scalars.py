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


OPERATORS: dict[Scalar, str] = {Scalar.ADD: "+", Scalar.SUB: "-", Scalar.MUL: "*", Scalar.DIV: "/"}
FUNCTIONS: dict[Scalar, str] = {
    Scalar.NEG: "-",
    Scalar.EXP: "exponential",
    Scalar.LOG: "LOG",
    Scalar.SQRT: "SQRT",
    Scalar.SIN: "SIN",
    Scalar.COS: "COS",
    Scalar.TANH: "hyperbolic_tangent",
    Scalar.ABS: "ABS",
    Scalar.SIGN: "signum",
    Scalar.RINT: "RINT",
    Scalar.SIGMOID: "sigmoid",
    Scalar.SOFTPLUS: "softplus",
    Scalar.STEP: "positive",
    Scalar.FINITE: "finite_or_zero",
    Scalar.MAX: "largest",
    Scalar.MIN: "smallest",
    Scalar.EQUAL: "equal",
}
ENDING = (Scalar.EXP, Scalar.SIGMOID, Scalar.TANH, Scalar.SOFTPLUS)
"""What is constant, or infinite, from somewhere on; these functions are told of the ``ENDS``."""


def expression(entry: Number | Instruction) -> str:
    """The value of one entry of a body, where the values before it are ``v0``, ``v1``, ….

    >>> expression(Instruction(Scalar.ADD, (0, 2)))
    'v0 + v2'
    >>> expression(Instruction(Scalar.EXP, (1,)))
    'exponential(v1, ends)'
    """
    if isinstance(entry, Number):
        return literal(entry.value)
    arguments = [f"v{i}" for i in entry.arguments]
    if entry.function in OPERATORS:
        return f" {OPERATORS[entry.function]} ".join(arguments)
    more = ["ends"] if entry.function in ENDING else []
    return f"{FUNCTIONS[entry.function]}({', '.join([*arguments, *more])})"
