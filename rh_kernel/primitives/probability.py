"""Scores: ``softmax logsumexp log_softmax cross_entropy`` of vectors, and ``same_argmax`` to count correct answers.

The largest score is subtracted before the exponential, so that finite scores do not overflow.
"""

import math
from collections.abc import Callable
from types import ModuleType

from rh_kernel.loops import scalars
from rh_kernel.loops.builder import call
from rh_kernel.loops.context import LoweringContext
from rh_kernel.loops.ir import Fold
from rh_kernel.loops.layouts import Layout, as_scalar, broadcast_axis
from rh_kernel.primitives import array_expressions as ae
from rh_kernel.primitives import array_operators as ao
from rh_kernel.primitives.formulas import Typed, let, pair, zero
from rh_kernel.primitives.linear import TWO_TO_SCALAR, dot, scale
from rh_kernel.primitives.schemes import Scheme, arguments, extent, rank
from rh_kernel.primitives.structural import sum_
from rh_kernel.primitives.symbol import Family, FunctionSymbol, Kernel, NonSmooth
from rh_kernel.syntax.core import Array, Primitive
from rh_kernel.syntax.dimensions import DimVar
from rh_kernel.syntax.types import SCALAR, Product, real

VECTOR = Scheme((DimVar("n"),), (), real("n"), real("n"))
VECTOR_TO_SCALAR = Scheme((DimVar("n"),), (), real("n"), SCALAR)
TWO_VECTORS_TO_SCALAR = Scheme((DimVar("n"),), (), Product((real("n"), real("n"))), SCALAR)


def _entries(f: Primitive) -> int:
    return math.prod(extent(arguments(f)[0]))


def _largest(x: Array, xp: ModuleType) -> Array:
    """The largest score along the last axis, or 0 where it is not finite: ``-inf - -inf`` would be nan."""
    if x.shape[-1] == 0:
        return xp.zeros((*x.shape[:-1], 1), dtype=x.dtype)
    largest = x.max(axis=-1, keepdims=True)
    return xp.where(xp.isfinite(largest), largest, xp.zeros_like(largest))


def _shifted(at: LoweringContext) -> tuple[Layout, Layout]:
    """The scores, and the largest one of each vector, or 0 where that is not finite."""
    x = at.argument(0)
    largest = at.loops.reduce(Fold.MAX, x, 1)
    finite = at.loops.fresh(largest.shape)
    at.loops.map([largest], [(call(scalars.FINITE, 0), finite)])
    return x, finite


def _log_total(at: LoweringContext) -> tuple[Layout, Layout, Layout]:
    """The scores, the largest one, and the sum of the exponentials of their differences to it."""
    x, largest = _shifted(at)
    powers = at.loops.fresh(x.shape)
    at.loops.map([x, broadcast_axis(largest, at.front, x.shape[-1])], [(call(scalars.EXP, call(scalars.SUB, 0, 1)), powers)])
    return x, largest, at.loops.reduce(Fold.SUM, powers, 1)


def _softmax_derivative(f: Primitive, w: Typed, x: Typed) -> Typed:
    return let("y", softmax(x), lambda y, w, x: w * y - scale(dot(w, y), y), w, x)


def _softmax_kernel(f: Primitive, xp: ModuleType) -> Kernel:
    def kernel(x: Array) -> Array:
        e = xp.exp(x - _largest(x, xp))
        return e / e.sum(axis=-1, keepdims=True)

    return kernel


def _softmax_lowering(at: LoweringContext) -> Layout:
    x, largest = _shifted(at)
    n = x.shape[-1]
    powers = at.entries(call(scalars.EXP, call(scalars.SUB, 0, 1)), x, broadcast_axis(largest, at.front, n))
    total = at.loops.reduce(Fold.SUM, powers, 1)
    return at.entries(call(scalars.DIV, 0, 1), powers, broadcast_axis(total, at.front, n))


softmax: FunctionSymbol = FunctionSymbol(
    name="softmax",
    doc="the probabilities that a vector of scores stands for",
    formula="yᵢ = eˣⁱ / Σⱼ eˣʲ",
    example="softmax([0, 1])",
    schemes=(VECTOR,),
    derivative=_softmax_derivative,
    kernel=_softmax_kernel,
    lowering=_softmax_lowering,
    translation=lambda f, x: ae.normalise(ao.Normalising.SOFTMAX, x),
    cost=lambda f: 5 * _entries(f),
    costs=("5*n",),
    python_names=("softmax",),
)


def _logsumexp_kernel(f: Primitive, xp: ModuleType) -> Kernel:
    def kernel(x: Array) -> Array:
        largest = _largest(x, xp)
        return largest + xp.log(xp.exp(x - largest).sum(axis=-1, keepdims=True))

    return kernel


def _logsumexp_lowering(at: LoweringContext) -> Layout:
    _, largest, total = _log_total(at)
    return at.entries(call(scalars.ADD, 0, call(scalars.LOG, 1)), as_scalar(largest), as_scalar(total))


logsumexp: FunctionSymbol = FunctionSymbol(
    name="logsumexp",
    doc="the logarithm of the sum of the exponentials of a vector",
    formula="ln Σⱼ eˣʲ",
    example="logsumexp([0, 1])",
    schemes=(VECTOR_TO_SCALAR,),
    derivative=lambda f, w, x: scale(w, softmax(x)),
    kernel=_logsumexp_kernel,
    lowering=_logsumexp_lowering,
    translation=lambda f, x: ae.normalise(ao.Normalising.LOGSUMEXP, x),
    cost=lambda f: 4 * _entries(f) + 2,
    costs=("4*n + 2",),
    python_names=("logsumexp",),
)


def _log_softmax_derivative(f: Primitive, w: Typed, x: Typed) -> Typed:
    return w - scale(sum_(w), softmax(x))


def _log_softmax_kernel(f: Primitive, xp: ModuleType) -> Kernel:
    def kernel(x: Array) -> Array:
        below = x - _largest(x, xp)
        return below - xp.log(xp.exp(below).sum(axis=-1, keepdims=True))

    return kernel


def _log_softmax_lowering(at: LoweringContext) -> Layout:
    x, largest, total = _log_total(at)
    along = [broadcast_axis(v, at.front, x.shape[-1]) for v in (largest, total)]
    return at.entries(call(scalars.SUB, call(scalars.SUB, 0, 1), call(scalars.LOG, 2)), x, *along)


log_softmax: FunctionSymbol = FunctionSymbol(
    name="log_softmax",
    doc="the logarithms of the probabilities that a vector of scores stands for",
    formula="yᵢ = xᵢ − ln Σⱼ eˣʲ",
    example="log_softmax([0, 1])",
    schemes=(VECTOR,),
    derivative=_log_softmax_derivative,
    kernel=_log_softmax_kernel,
    lowering=_log_softmax_lowering,
    translation=lambda f, x: ae.normalise(ao.Normalising.LOG_SOFTMAX, x),
    cost=lambda f: 5 * _entries(f) + 1,
    costs=("5*n + 1",),
    python_names=("log_softmax",),
)


def _cross_entropy_derivative(f: Primitive, w: Typed, v: Typed) -> Typed:
    x, t = v.parts
    return pair(scale(w, scale(sum_(t), softmax(x)) - t), scale(w, -log_softmax(x)))


def _cross_entropy_kernel(f: Primitive, xp: ModuleType) -> Kernel:
    def kernel(x: Array, t: Array) -> Array:
        below = x - _largest(x, xp)
        return xp.sum(t * (xp.log(xp.exp(below).sum(axis=-1, keepdims=True)) - below), axis=-1)[..., None]

    return kernel


def _cross_entropy_of_log_softmax(v: Typed) -> Typed:
    x, t = v.parts
    return dot(t, -log_softmax(x))


cross_entropy: FunctionSymbol = FunctionSymbol(
    name="cross_entropy",
    doc="cross_entropy(x, t): the loss of scores x for a target t, a one-hot vector or probabilities",
    formula="Σᵢ tᵢ (ln Σⱼ eˣʲ − xᵢ)",
    example="cross_entropy([2, 1, 0], [1, 0, 0])",
    schemes=(TWO_VECTORS_TO_SCALAR,),
    derivative=_cross_entropy_derivative,
    kernel=_cross_entropy_kernel,
    decomposition=_cross_entropy_of_log_softmax,
    cost=lambda f: 7 * _entries(f) + 1,
    costs=("7*n + 1",),
    linear_in=(1,),
    python_names=("cross_entropy",),
    python_usage="cross_entropy(x, t)",
)


def _same_argmax_kernel(f: Primitive, xp: ModuleType) -> Kernel:
    flat = _flattened(f)

    def first(x: Array) -> Array:
        return flat(x).argmax(axis=-1)[..., None] if _entries(f) else flat(x).sum(axis=-1)[..., None]

    def kernel(x: Array, y: Array) -> Array:
        return (first(x) == first(y)).astype(x.dtype)

    return kernel


def _same_argmax_lowering(at: LoweringContext) -> Layout:
    places = [as_scalar(at.loops.reduce(Fold.ARGMAX, x, len(x.axes) - at.front)) for x in (at.argument(0), at.argument(1))]
    return at.entries(call(scalars.EQUAL, 0, 1), *places)


def _same_argmax_translation(f: Primitive, x: ao.Expr, y: ao.Expr) -> ao.Expr:
    first = [ae.reduce(ao.Fold.ARGMAX, ae.flat(z), (0,)) for z in (x, y)]
    return ae.scalar(scalars.EQUAL, *first)


def _same_argmax_nonsmooth(f: Primitive, xp: ModuleType) -> Kernel:
    flat = _flattened(f)

    def tied(x: Array) -> Array:
        largest = _largest(flat(x), xp)
        return xp.sum(flat(x) == largest, axis=-1)[..., None] > 1

    def nonsmooth(x: Array, y: Array) -> Array:
        return tied(x) | tied(y)

    return nonsmooth


def _flattened(f: Primitive) -> Callable[[Array], Array]:
    axes, entries = rank(arguments(f)[0]), _entries(f)
    return lambda x: x.reshape(*x.shape[: x.ndim - axes], entries)


same_argmax: FunctionSymbol = FunctionSymbol(
    name="same_argmax",
    doc="1 if the first largest entries of x and y stand at the same place, else 0: its mean is the accuracy; slope 0",
    formula="[argmax x = argmax y]",
    example="same_argmax([0.1, 0.9], [0, 1])",
    schemes=(TWO_TO_SCALAR,),
    derivative=lambda f, w, v: zero(v.type),
    kernel=_same_argmax_kernel,
    lowering=_same_argmax_lowering,
    translation=_same_argmax_translation,
    cost=lambda f: 2 * _entries(f) + 1,
    costs=("2*|s| + 1",),
    nonsmooth=NonSmooth(
        where="the largest entry of x, or of y, is there twice",
        example="same_argmax([1, 1], [0, 1])",
        at=_same_argmax_nonsmooth,
    ),
)

PROBABILITY = Family("Scores and probabilities", (softmax, logsumexp, log_softmax, cross_entropy, same_argmax))
