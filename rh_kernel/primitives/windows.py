"""Convolution of signals and images as one matrix product, on arrays with a channel axis and s further axes.

A window has the entries under a filter at one position. The windows of ``x : Real(c, n…)`` are an array (c, k…, m…), with
``y[i, j…, l…] = x[i, (j + l)…]``, and each filter is a row of the matrix by which they are multiplied.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from types import ModuleType

from rh_kernel.loops.context import LoweringContext
from rh_kernel.loops.ir import Extent
from rh_kernel.loops.layouts import Layout, known, reshaped, sliced, windowed
from rh_kernel.primitives.schemes import arguments, extent, rank
from rh_kernel.primitives.symbol import Kernel
from rh_kernel.syntax.core import Array, Primitive


def windows_kernel(f: Primitive, xp: ModuleType) -> Kernel:
    """``(c, n…) ↦ (c, k…, m…)``, a view of the argument."""
    places = extent(f.codomain)[rank(f.domain) :]

    def kernel(x: Array) -> Array:
        return _windows(x, places, xp)

    return kernel


def overlap_add_kernel(f: Primitive, xp: ModuleType) -> Kernel:
    """``(c, k…, m…) ↦ (c, n…)``, the adjoint: each window is added at the position it was taken from."""
    s = rank(f.codomain) - 1

    def kernel(y: Array) -> Array:
        for axis in range(-1, -s - 1, -1):
            y = _overlapped(xp.moveaxis(y, -s - 1, 0), axis, xp)
        return y

    return kernel


def convolution_kernel(f: Primitive, xp: ModuleType) -> Kernel:
    """``(c, n…), (d, c, k…) ↦ (d, m…)``; if the samples share the filters, by a single matrix product."""
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
    """Count one product and one sum for each entry of a filter at each position."""
    return 2 * math.prod(extent(arguments(f)[1])) * math.prod(extent(f.codomain)[1:])


def _windows(x: Array, places: tuple[int, ...], xp: ModuleType) -> Array:
    # A sliding view whose windows have as many entries as there are positions has the positions last.
    return xp.lib.stride_tricks.sliding_window_view(x, places, axis=tuple(range(-len(places), 0)))


def _overlapped(y: Array, axis: int, xp: ModuleType) -> Array:
    """``Σⱼ y[j]``, with ``y[j]`` shifted by j along the axis, which is counted from the end."""
    k, m = len(y), y.shape[axis]
    shape = list(y.shape[1:])
    shape[axis] = m + k - 1
    total = xp.zeros(shape, dtype=y.dtype)
    after = (slice(None),) * (-axis - 1)
    for j in range(k):
        total[(..., slice(j, j + m), *after)] += y[j]
    return total


# -- lowering

_TAPS, _PLACES = "pq", "st"


def _window_views(x: Layout, taps: Sequence[int], channels: int) -> Layout:
    """View (…, c, n…) as (…, c, k…, m…), where ``channels`` is the number of axis c; each axis n has one part."""
    for i, k in enumerate(taps):
        x = known(windowed(x, channels + 1 + 2 * i, k, channels + 1 + i))
    return x


def convolution_lowering(at: LoweringContext) -> Layout:
    """Lower to a contraction of the filters with the windows."""
    front = 1 if at.batched[0] else 0
    x = at.loops.single_axes(at.arguments[0], front)
    taps = extent(arguments(at.function)[1])[2:]
    p, s = _TAPS[: len(taps)], _PLACES[: len(taps)]
    signal = (at.loops.windows(_window_views(x, taps, front), front, len(taps)), ("z" if front else "") + "c" + p + s)
    return at.loops.contract(at.factor(1, "dc" + p), signal, at.summed("d" + s))


def windows_lowering(at: LoweringContext) -> Layout:
    """Lower to a view, or to a copy if a matrix product needs it."""
    x = at.loops.single_axes(at.argument(0), at.front)
    s = len(x.axes) - at.front - 1
    return at.loops.windows(_window_views(x, at.shape[at.front + 1 : at.front + 1 + s], at.front), at.front, s)


def overlap_add_lowering(at: LoweringContext) -> Layout:
    """Lower to a loop for each index in a window, which accumulates in the output."""
    y = at.fresh()
    s = len(y.axes) - at.front - 1
    x = at.loops.single_axes(at.argument(0), at.front + 1)
    taps, places = x.shape[at.front + 1 : at.front + 1 + s], x.shape[at.front + 1 + s :]
    at.loops.map([0.0], [(0, y)])
    for tap in product(*map(range, taps)):
        seen, place = x, y
        for i, (j, m) in enumerate(zip(tap, places, strict=True)):
            seen = known(sliced(seen, at.front + 1 + i, j, j + 1))
            place = known(sliced(place, at.front + 1 + i, j, j + m))
        at.loops.map([replace(seen, axes=(*seen.axes[: at.front + 1], *seen.axes[-s:]))], [(0, place)], accumulate=True)
    return y


def overlapping(y: Layout, taps: Sequence[int], channels: int, shape: Extent) -> Layout:
    """View the overlapping windows of (…, c, n…) in another shape, such as (…, c · k…, m…)."""
    return known(reshaped(_window_views(y, taps, channels), shape, channels))
