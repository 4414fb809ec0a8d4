"""``f : Real(s…) → Real(s…)``, entry by entry: ``rd[f](w, x) = w ⊙ f'(x)``.

``gelu`` is the form with tanh, which needs no error function: as ``½(1 + tanh u) = σ(2u)``, it is ``x σ(kx + cx³)``. Where a
symbol is not differentiable its slope is 0: ``relu`` and ``abs`` at 0; ``sign``, ``step`` and ``round`` everywhere.
"""

import math
from collections.abc import Callable
from types import ModuleType

from rh_kernel.primitives.formulas import (
    ENTRYWISE,
    Typed,
    cos,
    exp,
    let,
    number,
    recip,
    scale,
    sigmoid,
    sign,
    sin,
    sqrt,
    square,
    step,
    tanh,
    zero,
)
from rh_kernel.primitives.row import Row, Slope, Unary
from rh_kernel.primitives.schemes import extent
from rh_kernel.syntax.core import Array

GELU_LINEAR = 2 * math.sqrt(2 / math.pi)
GELU_CUBIC = 0.044715 * GELU_LINEAR


def _row(
    name: str,
    doc: str,
    formula: str,
    derivative: Slope,
    kernel: Callable[[ModuleType], Unary],
    rough: Unary | None = None,
) -> Row:
    return Row(
        name,
        doc,
        formula,
        (ENTRYWISE,),
        lambda f, w, v: derivative(w, v),
        lambda f, xp: kernel(xp),
        lambda f: math.prod(extent(f.codomain)),
        None if rough is None else lambda f, xp: rough,
    )


def _swish(w: Typed, x: Typed) -> Typed:
    # σ(−x) is 1 − σ(x), and keeps its digits where σ(x) is close to 1.
    return let("s", sigmoid(x), lambda s, w, x: w * (s + x * s * sigmoid(-x)), w, x)


def _gelu(w: Typed, x: Typed) -> Typed:
    def of(u: Typed, w: Typed, x: Typed) -> Typed:
        rise = scale(number(GELU_LINEAR), x) + scale(number(3 * GELU_CUBIC), x * square(x))
        return w * (sigmoid(u) + rise * (sigmoid(u) * sigmoid(-u)))

    return let("u", scale(number(GELU_LINEAR), x) + scale(number(GELU_CUBIC), x * square(x)), of, w, x)


def _gelu_kernel(xp: ModuleType) -> Unary:
    def gelu(x: Array) -> Array:
        return x / (1 + xp.exp(-x * (GELU_LINEAR + GELU_CUBIC * x * x)))

    return gelu


def _flat(w: Typed, x: Typed) -> Typed:
    return zero(x.type)


# Where exp overflows in the kernels of sigmoid, swish and gelu, the quotient is 0, and that is what it should be.
ENTRYWISE_ROWS: tuple[Row, ...] = (
    _row("neg", "the negative", "−x", lambda w, x: -w, lambda xp: xp.negative),
    _row("exp", "the exponential", "eˣ", lambda w, x: w * exp(x), lambda xp: xp.exp),
    _row("log", "the natural logarithm", "ln x", lambda w, x: w / x, lambda xp: xp.log, lambda x: x <= 0),
    _row(
        "sqrt",
        "the square root",
        "√x",
        lambda w, x: scale(number(0.5), w / sqrt(x)),
        lambda xp: xp.sqrt,
        lambda x: x <= 0,
    ),
    _row("square", "the square", "x²", lambda w, x: scale(number(2), w * x), lambda xp: xp.square),
    _row(
        "recip",
        "the reciprocal",
        "1 / x",
        lambda w, x: -(w * square(recip(x))),
        lambda xp: lambda x: 1 / x,
        lambda x: x == 0,
    ),
    _row(
        "abs",
        "the absolute value; slope 0 at 0",
        "|x|",
        lambda w, x: w * sign(x),
        lambda xp: xp.abs,
        lambda x: x == 0,
    ),
    _row("sign", "the sign, 0 at 0; slope 0", "x / |x|", _flat, lambda xp: xp.sign, lambda x: x == 0),
    _row("sin", "the sine", "sin x", lambda w, x: w * cos(x), lambda xp: xp.sin),
    _row("cos", "the cosine", "cos x", lambda w, x: -(w * sin(x)), lambda xp: xp.cos),
    _row("tanh", "the hyperbolic tangent", "tanh x", lambda w, x: w - w * square(tanh(x)), lambda xp: xp.tanh),
    _row(
        "sigmoid",
        "the logistic function σ",
        "1 / (1 + e⁻ˣ)",
        lambda w, x: w * sigmoid(x) * sigmoid(-x),
        lambda xp: lambda x: 1 / (1 + xp.exp(-x)),
    ),
    _row(
        "relu",
        "the rectifier; slope 0 at 0",
        "max(x, 0)",
        lambda w, x: w * step(x),
        lambda xp: lambda x: xp.maximum(x, 0),
        lambda x: x == 0,
    ),
    _row("swish", "x times its logistic", "x σ(x)", _swish, lambda xp: lambda x: x / (1 + xp.exp(-x))),
    _row(
        "softplus",
        "the smooth rectifier",
        "ln(1 + eˣ)",
        lambda w, x: w * sigmoid(x),
        lambda xp: lambda x: xp.logaddexp(x, 0),
    ),
    _row(
        "gelu",
        "the Gaussian error linear unit, in its form with tanh",
        "½ x (1 + tanh(√(2/π) (x + 0.044715 x³)))",
        _gelu,
        _gelu_kernel,
    ),
    _row(
        "round",
        "the nearest integer, the even one of two; slope 0",
        "⌊x⌉",
        _flat,
        lambda xp: xp.rint,
        lambda x: x % 1 == 0.5,
    ),
    _row(
        "step",
        "1 where x > 0, else 0; slope 0",
        "[x > 0]",
        _flat,
        lambda xp: lambda x: (x > 0).astype(x.dtype),
        lambda x: x == 0,
    ),
)
