"""Unary entrywise symbols ``f : Real(s…) → Real(s…)``: ``rd[f](w, x) = w ⊙ f'(x)``.

Where a symbol is not differentiable, its derivative is 0: ``relu`` and ``abs`` at 0; ``sign``, ``step`` and ``round``
everywhere.
"""

import math
from types import ModuleType

import numpy as np

from rh_kernel.loops import scalars
from rh_kernel.loops.builder import call
from rh_kernel.loops.scalars import Unary
from rh_kernel.primitives import floats
from rh_kernel.primitives.formulas import Typed, let, number, zero
from rh_kernel.primitives.linear import scale
from rh_kernel.primitives.symbol import Family, FunctionSymbol, entrywise, nonsmooth_where
from rh_kernel.syntax.core import Array


def _zero_vjp(w: Typed, x: Typed) -> Typed:
    return zero(x.type)


def _positive(x: Array) -> tuple[Array]:
    return (0.3 + np.abs(x),)


def _away_from_zero(x: Array) -> tuple[Array]:
    return (x + 0.2 * np.copysign(1, x),)


neg: FunctionSymbol = entrywise(
    "neg",
    doc="the negative",
    formula="−x",
    example="neg([1, -2])",
    value=call(scalars.NEG, 0),
    derivative=lambda w, x: -w,
    jointly_linear=True,
    python_names=("neg", "negative"),
)

exp: FunctionSymbol = entrywise(
    "exp",
    doc="the exponential",
    formula="eˣ",
    example="exp([0, 1])",
    value=call(scalars.EXP, 0),
    derivative=lambda w, x: w * exp(x),
    python_names=("exp",),
    eff=floats.exp,
)

log: FunctionSymbol = entrywise(
    "log",
    doc="the natural logarithm",
    formula="ln x",
    example="log([1, 10])",
    value=call(scalars.LOG, 0),
    derivative=lambda w, x: w / x,
    nonsmooth=nonsmooth_where("x ≤ 0", "log(0)", lambda x: x <= 0),
    python_names=("log",),
    eff=floats.log,
    test_point=_positive,
)

sqrt: FunctionSymbol = entrywise(
    "sqrt",
    doc="the square root",
    formula="√x",
    example="sqrt([4, 2])",
    value=call(scalars.SQRT, 0),
    derivative=lambda w, x: scale(number(0.5), w / sqrt(x)),
    nonsmooth=nonsmooth_where("x ≤ 0", "sqrt(0)", lambda x: x <= 0),
    python_names=("sqrt",),
    eff=floats.sqrt,
    test_point=_positive,
)

square: FunctionSymbol = entrywise(
    "square",
    doc="the square",
    formula="x²",
    example="square([3, -2])",
    value=call(scalars.MUL, 0, 0),
    derivative=lambda w, x: scale(number(2), w * x),
    python_names=("square",),
)

recip: FunctionSymbol = entrywise(
    "recip",
    doc="the reciprocal",
    formula="1 / x",
    example="recip([2, -4])",
    value=call(scalars.DIV, 1.0, 0),
    derivative=lambda w, x: -(w * square(recip(x))),
    nonsmooth=nonsmooth_where("x = 0", "recip(0)", lambda x: x == 0),
    python_names=("reciprocal",),
    test_point=_away_from_zero,
)

abs_: FunctionSymbol = entrywise(
    "abs",
    doc="the absolute value; slope 0 at 0",
    formula="|x|",
    example="abs([3, -2])",
    value=call(scalars.ABS, 0),
    derivative=lambda w, x: w * sign(x),
    nonsmooth=nonsmooth_where("x = 0", "abs(0)", lambda x: x == 0),
    python_names=("abs", "absolute", "fabs"),
    test_point=_away_from_zero,
)

sign: FunctionSymbol = entrywise(
    "sign",
    doc="the sign, 0 at 0; slope 0",
    formula="x / |x|",
    example="sign([3, 0, -2])",
    value=call(scalars.SIGN, 0),
    derivative=_zero_vjp,
    nonsmooth=nonsmooth_where("x = 0", "sign(0)", lambda x: x == 0),
    python_names=("sign",),
    test_point=_away_from_zero,
)

sin: FunctionSymbol = entrywise(
    "sin",
    doc="the sine",
    formula="sin x",
    example="sin([0, 1])",
    value=call(scalars.SIN, 0),
    derivative=lambda w, x: w * cos(x),
    python_names=("sin",),
    eff=floats.sin,
)

cos: FunctionSymbol = entrywise(
    "cos",
    doc="the cosine",
    formula="cos x",
    example="cos([0, 1])",
    value=call(scalars.COS, 0),
    derivative=lambda w, x: -(w * sin(x)),
    python_names=("cos",),
    eff=floats.cos,
)

tanh: FunctionSymbol = entrywise(
    "tanh",
    doc="the hyperbolic tangent",
    formula="tanh x",
    example="tanh([0, 1])",
    value=call(scalars.TANH, 0),
    derivative=lambda w, x: w - w * square(tanh(x)),
    python_names=("tanh",),
    eff=math.tanh,
)

sigmoid: FunctionSymbol = entrywise(
    "sigmoid",
    doc="the logistic function σ",
    formula="1 / (1 + e⁻ˣ)",
    example="sigmoid([0, 2])",
    value=call(scalars.SIGMOID, 0),
    derivative=lambda w, x: w * sigmoid(x) * sigmoid(-x),
    python_names=("sigmoid", "expit"),
    eff=floats.sigmoid,
)

relu: FunctionSymbol = entrywise(
    "relu",
    doc="the rectifier; slope 0 at 0",
    formula="max(x, 0)",
    example="relu([2, -3])",
    value=call(scalars.MAX, 0, 0.0),
    derivative=lambda w, x: w * step(x),
    nonsmooth=nonsmooth_where("x = 0", "relu(0)", lambda x: x == 0),
    python_names=("relu",),
    test_point=_away_from_zero,
)


def _swish_derivative(w: Typed, x: Typed) -> Typed:
    # σ(−x) is 1 − σ(x) without cancellation where σ(x) is close to 1.
    return let("s", sigmoid(x), lambda s, w, x: w * (s + x * s * sigmoid(-x)), w, x)


def _swish_kernel(xp: ModuleType) -> Unary:
    # Where exp overflows, the quotient is 0, which is correct.
    return lambda x: x / (1 + xp.exp(-x))


swish: FunctionSymbol = entrywise(
    "swish",
    doc="x times its logistic",
    formula="x σ(x)",
    example="swish([0, 2])",
    kernel=_swish_kernel,
    decomposition=lambda x: x * sigmoid(x),
    derivative=_swish_derivative,
    python_names=("silu",),
)

softplus: FunctionSymbol = entrywise(
    "softplus",
    doc="the smooth rectifier",
    formula="ln(1 + eˣ)",
    example="softplus([0, 2])",
    value=call(scalars.SOFTPLUS, 0),
    derivative=lambda w, x: w * sigmoid(x),
    python_names=("softplus",),
    eff=floats.softplus,
)

# The tanh approximation of gelu: as ½(1 + tanh u) = σ(2u), it is x σ(kx + cx³).
_LINEAR = 2 * math.sqrt(2 / math.pi)
_CUBIC = 0.044715 * _LINEAR


def _gelu_argument(x: Typed) -> Typed:
    return scale(number(_LINEAR), x) + scale(number(_CUBIC), x * square(x))


def _gelu_derivative(w: Typed, x: Typed) -> Typed:
    def of(u: Typed, w: Typed, x: Typed) -> Typed:
        rise = scale(number(_LINEAR), x) + scale(number(3 * _CUBIC), x * square(x))
        return w * (sigmoid(u) + rise * (sigmoid(u) * sigmoid(-u)))

    return let("u", _gelu_argument(x), of, w, x)


def _gelu_kernel(xp: ModuleType) -> Unary:
    return lambda x: x / (1 + xp.exp(-x * (_LINEAR + _CUBIC * x * x)))


gelu: FunctionSymbol = entrywise(
    "gelu",
    doc="the Gaussian error linear unit, in its form with tanh",
    formula="½ x (1 + tanh(√(2/π) (x + 0.044715 x³)))",
    example="gelu([0, 2])",
    kernel=_gelu_kernel,
    decomposition=lambda x: x * sigmoid(_gelu_argument(x)),
    derivative=_gelu_derivative,
    python_names=("gelu",),
)

round_: FunctionSymbol = entrywise(
    "round",
    doc="the nearest integer, the even one of two; slope 0",
    formula="⌊x⌉",
    example="round([0.4, 0.5, 1.5])",
    value=call(scalars.RINT, 0),
    derivative=_zero_vjp,
    nonsmooth=nonsmooth_where("x half way between two whole numbers", "round(0.5)", lambda x: x % 1 == 0.5),
    python_names=("round", "rint"),
    test_point=lambda x: (np.rint(x) + 0.3 * np.tanh(x),),
)

step: FunctionSymbol = entrywise(
    "step",
    doc="1 where x > 0, else 0; slope 0",
    formula="[x > 0]",
    example="step([2, 0, -3])",
    value=call(scalars.STEP, 0),
    derivative=_zero_vjp,
    nonsmooth=nonsmooth_where("x = 0", "step(0)", lambda x: x == 0),
    test_point=_away_from_zero,
)

ENTRYWISE = Family(
    "Entry by entry",
    (neg, exp, log, sqrt, square, recip, abs_, sign, sin, cos, tanh, sigmoid, relu, swish, softplus, gelu, round_, step),
)
