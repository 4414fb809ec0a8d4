"""The array function of each operator, over any array module with NumPy's interface, one sample or a batch."""

from collections.abc import Callable
from types import ModuleType

from rh_kernel.arrays.program import Alias, MeanOverBatch, Operator, OuterMean, ProductMean
from rh_kernel.primitives.table import kernel
from rh_kernel.syntax.core import Array, Primitive


def operation(f: Operator, xp: ModuleType) -> Callable[..., Array]:
    """The operator on arrays of ``xp``; samples are on axes in front of those that its types speak of."""
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
