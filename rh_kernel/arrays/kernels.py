"""The array function of each operator, over any array module with NumPy's interface, one sample or a batch."""

from collections.abc import Callable
from types import ModuleType

import numpy as np

from rh_kernel.arrays.program import Alias, MeanOverBatch, Operator, OuterMean, ProductMean, Smooth
from rh_kernel.primitives.smoothness import require_smooth
from rh_kernel.primitives.table import kernel
from rh_kernel.source.span import Span
from rh_kernel.syntax.core import Array, Primitive


def operation(f: Operator, xp: ModuleType) -> Callable[..., Array]:
    """The operator on arrays of ``xp``; samples are on axes in front of those that its types speak of.

    That of a ``Smooth`` raises ``Stuck`` where it is undefined.
    """
    match f:
        case Primitive():
            return kernel(f, xp)
        case Alias():
            return _same
        case MeanOverBatch():
            return _mean
        case OuterMean():
            return _outer_mean
        case ProductMean():
            return _product_mean
        case Smooth(g, span):
            return _required(g, span)


def _required(f: Primitive, span: Span | None) -> Callable[..., Array]:
    def required(*point: Array) -> Array:
        require_smooth(f, point, span)
        return _NOTHING

    return required


_NOTHING = np.zeros(0)


def _same(x: Array) -> Array:
    return x


def _mean(x: Array) -> Array:
    return x.sum(axis=0) / len(x)


def _outer_mean(y: Array, x: Array) -> Array:
    # The vectors are the smaller arrays, so it is one of them that is divided.
    return y.T @ (x / len(x)) if x.size < y.size else (y / len(y)).T @ x


def _product_mean(y: Array, x: Array) -> Array:
    b, m, k = y.shape
    return (y.swapaxes(0, 1).reshape(m, b * k) / b) @ x.reshape(b * k, x.shape[2])
