"""Functions of each entry, and of each row: symbols of the language, or formulas of them."""

import math
from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np

from rh_kernel.interchange.model import Number
from rh_kernel.interchange.sources import layers, moves, tensors
from rh_kernel.interchange.sources.builder import Builder, Known, Operand, Tensor, Typed, Unsupported
from rh_kernel.interchange.sources.libraries import Untyped

Options: TypeAlias = Mapping[str, Untyped]
Formula: TypeAlias = Callable[[Builder, Typed, Options], Typed]


def number(value: float) -> Typed:
    """Return a number."""
    return Typed(Number(float(value)), (1,))


def apply(b: Builder, name: str, x: Tensor, options: Options) -> Tensor:
    """Return an activation of a tensor, by the name that PyTorch has for it."""
    return Tensor(ACTIVATIONS[name](b, x.typed, options).term, x.shape, x.batch)


def along(b: Builder, function: str, x: Tensor, axis: int) -> Tensor:
    """Return a function of vectors, such as ``softmax``, along an axis."""
    if not x.shape:
        return Tensor(b.call(function, [x.typed], (1,)).term, x.shape, x.batch)
    tensors.not_over_samples(x, (axis,), "goes")
    return Tensor(moves.row_by_row(b, function, x.typed, tensors.inner(axis, x.batch)).term, x.shape, x.batch)


def power(b: Builder, x: Tensor, exponent: Untyped) -> Tensor:
    """Return a power with a constant exponent: 2, -1, a half, or a whole number of at most 8."""
    if isinstance(exponent, Known) and exponent.array.size == 1:
        exponent = float(exponent.array.reshape(()))
    if not isinstance(exponent, int | float):
        raise Unsupported("its exponent is not a number", "use exp and log")
    there = x.typed
    size = abs(exponent)
    if size == 0.5:
        done = b.call("sqrt", [there], there.shape)
    elif size == int(size) and 1 <= size <= 8:
        done = there if size % 2 else b.call("square", [there], there.shape)
        pair = b.call("square", [there], there.shape) if size > 2 else there
        for _ in range(int(size - 1) // 2):
            done = moves.binary(b, "*", done, pair, there.shape)
    else:
        raise Unsupported(f"its exponent is {exponent}", "use exp and log")
    done = done if exponent > 0 else b.call("recip", [done], there.shape)
    return Tensor(done.term, x.shape, x.batch)


def bent(b: Builder, x: Operand, slope: Operand) -> Tensor:
    """Return x where it is positive, and the slope times x elsewhere; the slope may be a parameter."""
    below = tensors.entrywise(b, "relu", tensors.entrywise(b, "neg", x))
    return tensors.binary(b, "-", tensors.entrywise(b, "relu", x), tensors.binary(b, "*", slope, below))


def zero_padded(b: Builder, x: Tensor, zeros: Mapping[int, tuple[int, int]]) -> Tensor:
    """Return x with zeros in front and behind along some axes."""
    for axis, (low, high) in zeros.items():
        if low < 0 or high < 0:
            raise Unsupported("its padding is negative", "cut the input instead")
        if not (low or high):
            continue
        tensors.not_over_samples(x, (axis,), "pads")
        there, at = x.typed, tensors.inner(axis, x.batch)
        front, n, behind = moves.split_at(there.shape, at)
        if behind == 1:
            done = layers.padded_1d(b, b.reshape(there, (front, n)), (low, high))
        else:
            turned = moves.permuted(b, b.reshape(there, (front, n, behind)), (0, 2, 1))
            rows = layers.padded_1d(b, b.reshape(turned, (front * behind, n)), (low, high))
            done = moves.permuted(b, b.reshape(rows, (front, behind, n + low + high)), (0, 2, 1))
        shape = (*x.shape[:axis], n + low + high, *x.shape[axis + 1 :])
        inside = (*there.shape[:at], n + low + high, *there.shape[at + 1 :])
        x = Tensor(b.reshape(done, inside).term, shape, x.batch)
    return x


def _symbol(name: str) -> Formula:
    return lambda b, x, _: b.call(name, [x], x.shape)


def _plus(b: Builder, sign: str, x: Typed, y: Typed) -> Typed:
    return moves.binary(b, sign, x, y, x.shape if np.prod(x.shape) >= np.prod(y.shape) else y.shape)


def _clamp(b: Builder, x: Typed, low: float | None, high: float | None) -> Typed:
    if low is not None:
        x = b.call("relu", [x], x.shape) if low == 0 else moves.binary(b, "maximum", x, number(low), x.shape)
    return x if high is None else moves.binary(b, "minimum", x, number(high), x.shape)


def _option(a: Untyped) -> float | None:
    if isinstance(a, Known):
        return float(a.array.reshape(()))
    if isinstance(a, Tensor):
        raise Unsupported("a limit of it depends on the input", "use maximum and minimum")
    return None if a is None else float(a)


def _leaky(b: Builder, x: Typed, a: Options) -> Typed:
    slope = float(a["negative_slope"])
    below = b.call("relu", [b.call("neg", [x], x.shape)], x.shape)
    return _plus(b, "-", b.call("relu", [x], x.shape), _plus(b, "*", number(slope), below))


def _elu(b: Builder, x: Typed, a: Options) -> Typed:
    scale, alpha, inside = (float(a.get(n, 1)) for n in ("scale", "alpha", "input_scale"))
    below = moves.binary(b, "minimum", x, number(0), x.shape)
    grown = b.call("exp", [below if inside == 1 else _plus(b, "*", number(inside), below)], x.shape)
    low = _plus(b, "-", grown, number(1))
    low = low if alpha == 1 else _plus(b, "*", number(alpha), low)
    done = _plus(b, "+", b.call("relu", [x], x.shape), low)
    return done if scale == 1 else _plus(b, "*", number(scale), done)


def _selu(b: Builder, x: Typed, a: Options) -> Typed:
    alpha, gamma = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946
    return _elu(b, x, {"alpha": a.get("alpha", alpha), "scale": a.get("gamma", gamma)})


def _gelu(b: Builder, x: Typed, a: Options) -> Typed:
    if a.get("approximate") != "tanh":
        raise Unsupported("it needs the error function", "use gelu with approximate='tanh'")
    return b.call("gelu", [x], x.shape)


def _softplus(b: Builder, x: Typed, a: Options) -> Typed:
    beta = float(a.get("beta", 1))
    if beta == 1:
        return b.call("softplus", [x], x.shape)
    return _plus(b, "/", b.call("softplus", [_plus(b, "*", number(beta), x)], x.shape), number(beta))


def _hard_sigmoid(b: Builder, x: Typed, a: Options) -> Typed:
    alpha, beta = float(a.get("alpha", 1 / 6)), float(a.get("beta", 0.5))
    return _clamp(b, _plus(b, "+", _plus(b, "*", number(alpha), x), number(beta)), 0, 1)


def _hard_swish(b: Builder, x: Typed, a: Options) -> Typed:
    return moves.binary(b, "*", x, _hard_sigmoid(b, x, {}), x.shape)


def _rsqrt(b: Builder, x: Typed, _: Options) -> Typed:
    return b.call("recip", [b.call("sqrt", [x], x.shape)], x.shape)


def _softsign(b: Builder, x: Typed, _: Options) -> Typed:
    return moves.binary(b, "/", x, _plus(b, "+", b.call("abs", [x], x.shape), number(1)), x.shape)


def _log_sigmoid(b: Builder, x: Typed, _: Options) -> Typed:
    below = b.call("softplus", [b.call("neg", [x], x.shape)], x.shape)
    return b.call("neg", [below], x.shape)


def _mish(b: Builder, x: Typed, _: Options) -> Typed:
    return moves.binary(b, "*", x, b.call("tanh", [b.call("softplus", [x], x.shape)], x.shape), x.shape)


def _scaled_exponent(base: float) -> Formula:
    return lambda b, x, _: b.call("exp", [_plus(b, "*", number(math.log(base)), x)], x.shape)


ACTIVATIONS: Mapping[str, Formula] = {
    **{name: _symbol(name) for name in ("relu", "tanh", "sigmoid", "exp", "log", "sqrt", "sin", "cos", "abs", "neg", "square")},
    "sign": _symbol("sign"),
    "round": _symbol("round"),
    "reciprocal": _symbol("recip"),
    "silu": _symbol("swish"),
    "gelu": _gelu,
    "softplus": _softplus,
    "leaky_relu": _leaky,
    "elu": _elu,
    "selu": _selu,
    "hardtanh": lambda b, x, a: _clamp(b, x, _option(a["min_val"]), _option(a["max_val"])),
    "relu6": lambda b, x, a: _clamp(b, x, 0, 6),
    "clamp": lambda b, x, a: _clamp(b, x, _option(a["min"]), _option(a["max"])),
    "clamp_min": lambda b, x, a: _clamp(b, x, _option(a["min"]), None),
    "clamp_max": lambda b, x, a: _clamp(b, x, None, _option(a["max"])),
    "hardsigmoid": _hard_sigmoid,
    "hardswish": _hard_swish,
    "rsqrt": _rsqrt,
    "softsign": _softsign,
    "log_sigmoid": _log_sigmoid,
    "mish": _mish,
    "exp2": _scaled_exponent(2),
}
