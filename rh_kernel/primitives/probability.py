"""Scores: ``softmax logsumexp log_softmax`` of vectors, and ``same_argmax`` to count right answers.

The largest score is subtracted before the exponential, so that no finite scores overflow.
"""

import math
from collections.abc import Callable
from types import ModuleType

from rh_kernel.primitives.formulas import (
    TWO_TO_SCALAR,
    VECTOR,
    VECTOR_TO_SCALAR,
    Typed,
    dot,
    let,
    scale,
    softmax,
    total,
    zero,
)
from rh_kernel.primitives.row import Kernel, Row
from rh_kernel.primitives.schemes import arguments, extent, rank
from rh_kernel.syntax.core import Array, Primitive


def _entries(f: Primitive) -> int:
    return math.prod(extent(arguments(f)[0]))


def _softmax_derivative(f: Primitive, w: Typed, x: Typed) -> Typed:
    return let("y", softmax(x), lambda y, w, x: w * y - scale(dot(w, y), y), w, x)


def _log_softmax_derivative(f: Primitive, w: Typed, x: Typed) -> Typed:
    return w - scale(total(w), softmax(x))


def _largest(x: Array, xp: ModuleType) -> Array:
    """The largest score along the last axis, or 0 where it is not finite: ``-inf - -inf`` would be nan."""
    if x.shape[-1] == 0:
        return xp.zeros((*x.shape[:-1], 1), dtype=x.dtype)
    largest = x.max(axis=-1, keepdims=True)
    return xp.where(xp.isfinite(largest), largest, xp.zeros_like(largest))


def _softmax_kernel(f: Primitive, xp: ModuleType) -> Kernel:
    def kernel(x: Array) -> Array:
        e = xp.exp(x - _largest(x, xp))
        return e / e.sum(axis=-1, keepdims=True)

    return kernel


def _logsumexp_kernel(f: Primitive, xp: ModuleType) -> Kernel:
    def kernel(x: Array) -> Array:
        largest = _largest(x, xp)
        return largest + xp.log(xp.exp(x - largest).sum(axis=-1, keepdims=True))

    return kernel


def _log_softmax_kernel(f: Primitive, xp: ModuleType) -> Kernel:
    def kernel(x: Array) -> Array:
        below = x - _largest(x, xp)
        return below - xp.log(xp.exp(below).sum(axis=-1, keepdims=True))

    return kernel


def _same_argmax_kernel(f: Primitive, xp: ModuleType) -> Kernel:
    flat = _flattened(f)

    def first(x: Array) -> Array:
        return flat(x).argmax(axis=-1)[..., None] if _entries(f) else flat(x).sum(axis=-1)[..., None]

    def kernel(x: Array, y: Array) -> Array:
        return (first(x) == first(y)).astype(x.dtype)

    return kernel


def _same_argmax_rough(f: Primitive, xp: ModuleType) -> Kernel:
    flat = _flattened(f)

    def tied(x: Array) -> Array:
        largest = _largest(flat(x), xp)
        return xp.sum(flat(x) == largest, axis=-1)[..., None] > 1

    def rough(x: Array, y: Array) -> Array:
        return tied(x) | tied(y)

    return rough


def _flattened(f: Primitive) -> Callable[[Array], Array]:
    axes, entries = rank(arguments(f)[0]), _entries(f)
    return lambda x: x.reshape(*x.shape[: x.ndim - axes], entries)


PROBABILITY_ROWS: tuple[Row, ...] = (
    Row(
        "softmax",
        "the probabilities that a vector of scores stands for",
        "yᵢ = eˣⁱ / Σⱼ eˣʲ",
        (VECTOR,),
        _softmax_derivative,
        _softmax_kernel,
        lambda f: 5 * _entries(f),
    ),
    Row(
        "logsumexp",
        "the logarithm of the sum of the exponentials of a vector",
        "ln Σⱼ eˣʲ",
        (VECTOR_TO_SCALAR,),
        lambda f, w, x: scale(w, softmax(x)),
        _logsumexp_kernel,
        lambda f: 4 * _entries(f) + 2,
    ),
    Row(
        "log_softmax",
        "the logarithms of the probabilities that a vector of scores stands for",
        "yᵢ = xᵢ − ln Σⱼ eˣʲ",
        (VECTOR,),
        _log_softmax_derivative,
        _log_softmax_kernel,
        lambda f: 5 * _entries(f) + 1,
    ),
    Row(
        "same_argmax",
        "1 if the first largest entries of x and y stand at the same place, else 0; slope 0",
        "[argmax x = argmax y]",
        (TWO_TO_SCALAR,),
        lambda f, w, v: zero(v.type),
        _same_argmax_kernel,
        lambda f: 2 * _entries(f) + 1,
        _same_argmax_rough,
    ),
)
