"""Convolution as one product of matrices, over signals and images alike: arrays with a channel axis and s more after it.

A window is what a filter sees at one place. Written out, the windows of ``x : Real(c, n…)`` are an array (c, k…, m…), with
``y[i, j…, l…] = x[i, (j + l)…]``, and a filter is a row that meets each of them.
"""

import math
from types import ModuleType

from rh_kernel.primitives.row import Kernel
from rh_kernel.primitives.schemes import arguments, extent, rank
from rh_kernel.syntax.core import Array, Primitive


def windows_kernel(f: Primitive, xp: ModuleType) -> Kernel:
    """``(c, n…) ↦ (c, k…, m…)``, a view of its argument."""
    places = extent(f.codomain)[rank(f.domain) :]

    def kernel(x: Array) -> Array:
        return _windows(x, places, xp)

    return kernel


def overlap_add_kernel(f: Primitive, xp: ModuleType) -> Kernel:
    """``(c, k…, m…) ↦ (c, n…)``, the adjoint: each window is added to what stands where it was taken from."""
    s = rank(f.codomain) - 1

    def kernel(y: Array) -> Array:
        for axis in range(-1, -s - 1, -1):
            y = _overlapped(xp.moveaxis(y, -s - 1, 0), axis, xp)
        return y

    return kernel


def convolution_kernel(f: Primitive, xp: ModuleType) -> Kernel:
    """``(c, n…), (d, c, k…) ↦ (d, m…)``; where samples share the filters, one product of matrices serves them all."""
    filters = extent(arguments(f)[1])
    d, entries = filters[0], math.prod(filters[1:])
    places = extent(f.codomain)[1:]
    s, many = len(places), math.prod(places)

    def one_for_all(x: Array, w: Array) -> Array:
        batch = x.shape[: x.ndim - s - 1]
        b = len(batch)
        seen = _windows(x, places, xp)
        last = b + 1 + s
        seen = seen.transpose(*range(b, last), *range(b), *range(last, last + s))
        product = xp.matmul(w.reshape(d, entries), seen.reshape(entries, math.prod(batch) * many))
        return xp.moveaxis(product.reshape(d, *batch, *places), 0, b)

    def one_each(x: Array, w: Array) -> Array:
        batch = x.shape[: x.ndim - s - 1]
        seen = _windows(x, places, xp).reshape(*batch, entries, many)
        product = xp.matmul(w.reshape(*w.shape[: w.ndim - s - 1], entries), seen)
        return product.reshape(*product.shape[:-1], *places)

    def kernel(x: Array, w: Array) -> Array:
        return one_for_all(x, w) if w.ndim == s + 2 else one_each(x, w)

    return kernel


def convolution_cost(f: Primitive) -> int:
    """A product and a sum for each entry of a filter at each place."""
    return 2 * math.prod(extent(arguments(f)[1])) * math.prod(extent(f.codomain)[1:])


def _windows(x: Array, places: tuple[int, ...], xp: ModuleType) -> Array:
    # A view that slides with as many entries as there are places has the places last.
    return xp.lib.stride_tricks.sliding_window_view(x, places, axis=tuple(range(-len(places), 0)))


def _overlapped(y: Array, axis: int, xp: ModuleType) -> Array:
    """``Σⱼ y[j]``, with ``y[j]`` moved by j along the axis, which counts from the end."""
    k, m = len(y), y.shape[axis]
    shape = list(y.shape[1:])
    shape[axis] = m + k - 1
    total = xp.zeros(shape, dtype=y.dtype)
    after = (slice(None),) * (-axis - 1)
    for j in range(k):
        total[(..., slice(j, j + m), *after)] += y[j]
    return total
