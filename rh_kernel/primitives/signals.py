"""Signals, channels first (RH Ex. 4.4, 4.5, E.3): ``conv1d maxpool1d pad1d upscale1d``, and what their derivatives need.

Entries are counted from 0. ``windows1d`` and ``overlap_add1d``, ``sumpool1d`` and ``spread1d``, ``pad1d`` and ``crop1d``,
``upscale1d`` and ``downsum1d`` are adjoint to one another: each is linear, and the derivative of one is the other.
"""

import math
from types import ModuleType

from rh_kernel.primitives import blocks
from rh_kernel.primitives.blocks import block_of
from rh_kernel.primitives.formulas import (
    CONV1D,
    CROP1D,
    DOWNSUM1D,
    MARK1D,
    OVERLAP_ADD1D,
    PAD1D,
    POOL1D,
    SPREAD1D,
    UPSCALE1D,
    WINDOWS1D,
    Typed,
    crop1d,
    downsum1d,
    first_max1d,
    overlap_add1d,
    pad1d,
    pair,
    reshape,
    spread1d,
    sumpool1d,
    transpose,
    upscale1d,
    windows1d,
    zero,
)
from rh_kernel.primitives.row import Kernel, Row
from rh_kernel.primitives.schemes import extent
from rh_kernel.primitives.windows import convolution_cost, convolution_kernel, overlap_add_kernel, windows_kernel
from rh_kernel.syntax.core import Array, Primitive


def _conv_derivative(f: Primitive, w: Typed, v: Typed) -> Typed:
    x, filters = v.parts
    d, c, k = filters.dims
    m = w.dims[1]
    seen = reshape((c * k, m), windows1d(k, x))
    met = transpose(reshape((d, c * k), filters)) @ w
    return pair(overlap_add1d(reshape((c, k, m), met)), reshape((d, c, k), w @ transpose(seen)))


def _maxpool_derivative(f: Primitive, w: Typed, x: Typed) -> Typed:
    p = block_of(f)
    return spread1d(p, x.dims[1], w) * first_max1d(p, x)


def _pad_kernel(f: Primitive, xp: ModuleType) -> Kernel:
    (_, n), (_, m) = extent(f.domain), extent(f.codomain)
    left = (m - n) // 2

    def kernel(x: Array) -> Array:
        padded = xp.zeros((*x.shape[:-1], m), dtype=x.dtype)
        padded[..., left : left + n] = x
        return padded

    return kernel


def _crop_kernel(f: Primitive, xp: ModuleType) -> Kernel:
    (_, n), (_, m) = extent(f.domain), extent(f.codomain)
    left = (n - m) // 2

    def kernel(x: Array) -> Array:
        return x[..., left : left + m]

    return kernel


def _upscale_kernel(f: Primitive, xp: ModuleType) -> Kernel:
    (_, n), (_, m) = extent(f.domain), extent(f.codomain)
    source = xp.arange(m) * n // max(m, 1)

    def kernel(x: Array) -> Array:
        return x[..., source]

    return kernel


def _downsum_kernel(f: Primitive, xp: ModuleType) -> Kernel:
    (_, m), (_, n) = extent(f.domain), extent(f.codomain)
    # The entries that come from source j are those from ceil(j m / n) on, up to where those of source j + 1 begin.
    begins = -(-xp.arange(n + 1) * m // n)
    at = begins[:-1, None] + xp.arange(-(-m // n))
    there = at < begins[1:, None]

    def kernel(y: Array) -> Array:
        if m == 0:
            return xp.zeros((*y.shape[:-1], n), dtype=y.dtype)
        return xp.where(there, y[..., xp.minimum(at, m - 1)], y.dtype.type(0)).sum(axis=-1)

    return kernel


def _entries(f: Primitive) -> int:
    return math.prod(extent(f.domain))


SIGNAL_ROWS: tuple[Row, ...] = (
    Row(
        "conv1d",
        "the cross-correlation of a signal x of c channels with d filters w of k entries each",
        "yₗᵢ = Σₖ Σⱼ xₖ,ᵢ₊ⱼ wₗₖⱼ",
        (CONV1D,),
        _conv_derivative,
        convolution_kernel,
        convolution_cost,
    ),
    Row(
        "windows1d",
        "windows1d[k](x): what a filter of k entries sees of x, at each place",
        "yᵢⱼₗ = xᵢ,ⱼ₊ₗ",
        (WINDOWS1D,),
        lambda f, w, x: overlap_add1d(w),
        windows_kernel,
        lambda f: 0,
    ),
    Row(
        "overlap_add1d",
        "windows of k entries, each added where windows1d[k] takes it from",
        "yᵢₜ = Σⱼ xᵢ,ⱼ,ₜ₋ⱼ",
        (OVERLAP_ADD1D,),
        lambda f, w, x: windows1d(x.dims[1], w),
        overlap_add_kernel,
        _entries,
    ),
    Row(
        "maxpool1d",
        "maxpool1d[p](x): the largest entry of each block of p; the last block may be smaller; a tie is the first's",
        "yᵢⱼ = max xᵢₜ for jp ≤ t < jp + p",
        (POOL1D,),
        _maxpool_derivative,
        blocks.max_kernel,
        _entries,
        blocks.max_rough,
    ),
    Row(
        "first_max1d",
        "first_max1d[p](x): 1 at the first largest entry of each block of p, else 0; slope 0",
        "[t is the first of its block with xᵢₜ largest]",
        (MARK1D,),
        lambda f, w, x: zero(x.type),
        blocks.first_max_kernel,
        _entries,
        blocks.max_rough,
    ),
    Row(
        "sumpool1d",
        "sumpool1d[p](x): the sum of each block of p; the last block may be smaller",
        "yᵢⱼ = Σ xᵢₜ for jp ≤ t < jp + p",
        (POOL1D,),
        lambda f, w, x: spread1d(block_of(f), x.dims[1], w),
        blocks.sum_kernel,
        _entries,
    ),
    Row(
        "spread1d",
        "spread1d[p, n](x): each entry p times, cut at n entries",
        "yᵢₜ = xᵢⱼ for j = ⌊t / p⌋",
        (SPREAD1D,),
        lambda f, w, x: sumpool1d(block_of(f), w),
        blocks.spread_kernel,
        lambda f: 0,
    ),
    Row(
        "pad1d",
        "pad1d[m](x): m entries, x in the middle and zeros on both sides, the extra one on the right",
        "yᵢⱼ = xᵢ,ⱼ₋ₗ for l = ⌊(m − n) / 2⌋, else 0",
        (PAD1D,),
        lambda f, w, x: crop1d(x.dims[1], w),
        _pad_kernel,
        lambda f: 0,
    ),
    Row(
        "crop1d",
        "crop1d[m](x): the m entries in the middle, which pad1d of m entries would put there",
        "yᵢⱼ = xᵢ,ⱼ₊ₗ for l = ⌊(n − m) / 2⌋",
        (CROP1D,),
        lambda f, w, x: pad1d(x.dims[1], w),
        _crop_kernel,
        lambda f: 0,
    ),
    Row(
        "upscale1d",
        "upscale1d[m](x): m entries, each that of x which is nearest",
        "yᵢⱼ = xᵢₜ for t = ⌊jn / m⌋",
        (UPSCALE1D,),
        lambda f, w, x: downsum1d(x.dims[1], w),
        _upscale_kernel,
        lambda f: 0,
    ),
    Row(
        "downsum1d",
        "downsum1d[n](x): n sums, each of the entries that upscale1d makes of one",
        "yᵢₜ = Σ xᵢⱼ for ⌊jn / m⌋ = t",
        (DOWNSUM1D,),
        lambda f, w, x: upscale1d(x.dims[1], w),
        _downsum_kernel,
        _entries,
    ),
)
