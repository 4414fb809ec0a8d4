"""Binary entrywise symbols ``f : Real(s…) × Real(s…) → Real(s…)``.

Where the arguments of ``maximum`` or ``minimum`` are equal, the first takes the whole cotangent.
"""

import numpy as np

from rh_kernel.loops import scalars
from rh_kernel.loops.builder import call
from rh_kernel.primitives.entrywise import step
from rh_kernel.primitives.formulas import Typed, let, pair
from rh_kernel.primitives.symbol import Family, FunctionSymbol, entrywise, nonsmooth_where
from rh_kernel.syntax.core import Array

add: FunctionSymbol = entrywise(
    "add",
    arguments=2,
    doc="the sum of two arrays of one shape",
    formula="x + y",
    example="add([1, 2], [10, 20])",
    value=call(scalars.ADD, 0, 1),
    derivative=lambda w, v: pair(w, w),
    jointly_linear=True,
    commutes=True,
    python_names=("add",),
)

sub: FunctionSymbol = entrywise(
    "sub",
    arguments=2,
    doc="the difference of two arrays of one shape",
    formula="x − y",
    example="sub([1, 2], [10, 20])",
    value=call(scalars.SUB, 0, 1),
    derivative=lambda w, v: pair(w, -w),
    jointly_linear=True,
    python_names=("sub", "subtract"),
)


def _mul_derivative(w: Typed, v: Typed) -> Typed:
    x, y = v.parts
    return pair(w * y, w * x)


mul: FunctionSymbol = entrywise(
    "mul",
    arguments=2,
    doc="the product of two arrays of one shape, entry by entry",
    formula="x ⊙ y",
    example="mul([1, 2], [10, 20])",
    value=call(scalars.MUL, 0, 1),
    derivative=_mul_derivative,
    linear_in=(0, 1),
    is_product=True,
    commutes=True,
    python_names=("mul", "multiply"),
)


def _div_derivative(w: Typed, v: Typed) -> Typed:
    def of(q: Typed, w: Typed, v: Typed) -> Typed:
        x, y = v.parts
        return pair(q, -(q * (x / y)))

    return let("q", w / v.parts[1], of, w, v)


div: FunctionSymbol = entrywise(
    "div",
    arguments=2,
    doc="the quotient of two arrays of one shape, entry by entry",
    formula="x / y",
    example="div([1, 2], [10, 20])",
    value=call(scalars.DIV, 0, 1),
    derivative=_div_derivative,
    nonsmooth=nonsmooth_where("y = 0", "div(1, 0)", lambda x, y: y == 0),
    linear_in=(0,),
    is_product=True,
    python_names=("div", "divide"),
    test_point=lambda x, y: (x, y + 0.3 * np.copysign(1, y)),
)


def _maximum_derivative(w: Typed, v: Typed) -> Typed:
    x, y = v.parts
    return let("u", w * step(y - x), lambda u, w, v: pair(w - u, u), w, v)


def _minimum_derivative(w: Typed, v: Typed) -> Typed:
    x, y = v.parts
    return let("u", w * step(x - y), lambda u, w, v: pair(w - u, u), w, v)


def _apart(x: Array, y: Array) -> tuple[Array, Array]:
    return x + 0.2 * np.copysign(1, x - y), y


maximum: FunctionSymbol = entrywise(
    "maximum",
    arguments=2,
    doc="the larger of two, entry by entry; a tie is the first's",
    formula="max(x, y)",
    example="maximum([1, 20], [10, 2])",
    value=call(scalars.MAX, 0, 1),
    derivative=_maximum_derivative,
    nonsmooth=nonsmooth_where("x = y", "maximum(1, 1)", lambda x, y: x == y),
    python_names=("maximum",),
    test_point=_apart,
)

minimum: FunctionSymbol = entrywise(
    "minimum",
    arguments=2,
    doc="the smaller of two, entry by entry; a tie is the first's",
    formula="min(x, y)",
    example="minimum([1, 20], [10, 2])",
    value=call(scalars.MIN, 0, 1),
    derivative=_minimum_derivative,
    nonsmooth=nonsmooth_where("x = y", "minimum(1, 1)", lambda x, y: x == y),
    python_names=("minimum",),
    test_point=_apart,
)

BINARY = Family("Two arrays of one shape", (add, sub, mul, div, maximum, minimum))
