"""Scalar operations and literals as C expressions, and the C functions that are generated for them."""

import math
from collections.abc import Iterable, Sequence

from rh_kernel.arrays.c_expressions import expression as in_c
from rh_kernel.loops.ir import Instruction, Map, Number, Precision, Step, simple_steps


def literal(value: float) -> str:
    """A number, exactly, as an expression of the plan's precision."""
    if math.isnan(value):
        return '((real)__builtin_nan(""))'
    if math.isinf(value):
        return f"({'-' if value < 0 else ''}(real)__builtin_inf())"
    return f"((real){value.hex()})"


def expression(entry: Number | Instruction) -> str:
    """The value of one entry of a body, where the values before it are ``v0``, ``v1``, ….

    >>> from rh_kernel.loops import scalars
    >>> expression(Instruction(scalars.ADD, (0, 2)))
    'v0 + v2'
    >>> expression(Instruction(scalars.EXP, (1,)))
    'exponential(v1, ends)'
    >>> expression(Instruction(scalars.SIN, (1,)))
    'scalar_sin(v1)'
    """
    if isinstance(entry, Number):
        return literal(entry.value)
    f, arguments = entry.function, [f"v{i}" for i in entry.arguments]
    return f.native.format(*arguments) if f.native else f"scalar_{f.name}({', '.join(arguments)})"


def needs_ends(body: Sequence[Number | Instruction]) -> bool:
    """Whether a function in the body needs the ``ENDS`` of ``prelude.h``."""
    return any(isinstance(entry, Instruction) and "ends" in entry.function.native for entry in body)


def definitions(steps: Iterable[Step], precision: Precision) -> list[str]:
    """Return the C functions, sorted by name, for the scalar operations in ``steps`` that ``prelude.h`` does not define."""
    maps = [step for step in simple_steps(steps) if isinstance(step, Map)]
    used = {line.function for step in maps for line in step.body if isinstance(line, Instruction)}
    kind = "static inline __attribute__((always_inline)) real"
    made: list[str] = []
    for f in sorted(used, key=lambda f: f.name):
        if not f.native:
            operands = [f"x{i}" for i in range(f.arity)]
            declared = ", ".join(f"real {x}" for x in operands)
            made.append(f"{kind} scalar_{f.name}({declared}) {{ return {in_c(f, operands, precision)}; }}")
    return made
