"""Images, channels first: ``conv2d maxpool2d avgpool2d``, and what their derivatives need; as signals, with two axes for one.

``windows2d`` and ``overlap_add2d``, ``sumpool2d`` and ``spread2d`` are adjoint to one another.
"""

import math

from rh_kernel.primitives import blocks
from rh_kernel.primitives.blocks import block_of
from rh_kernel.primitives.formulas import (
    CONV2D,
    MARK2D,
    OVERLAP_ADD2D,
    POOL2D,
    SPREAD2D,
    WINDOWS2D,
    Typed,
    fill,
    first_max2d,
    number,
    overlap_add2d,
    pair,
    reshape,
    spread2d,
    sumpool2d,
    transpose,
    windows2d,
    zero,
)
from rh_kernel.primitives.row import Row
from rh_kernel.primitives.schemes import extent
from rh_kernel.primitives.windows import convolution_cost, convolution_kernel, overlap_add_kernel, windows_kernel
from rh_kernel.syntax.core import Primitive


def _conv_derivative(f: Primitive, w: Typed, v: Typed) -> Typed:
    x, filters = v.parts
    d, c, p, q = filters.dims
    _, a, b = w.dims
    seen = reshape((c * p * q, a * b), windows2d(p, q, x))
    u = reshape((d, a * b), w)
    met = transpose(reshape((d, c * p * q), filters)) @ u
    return pair(overlap_add2d(reshape((c, p, q, a, b), met)), reshape((d, c, p, q), u @ transpose(seen)))


def _maxpool_derivative(f: Primitive, w: Typed, x: Typed) -> Typed:
    p, (_, h, b) = block_of(f), x.dims
    return spread2d(p, h, b, w) * first_max2d(p, x)


def _avgpool_derivative(f: Primitive, w: Typed, x: Typed) -> Typed:
    # How many entries a block has is itself a formula, so that it may depend on dimension variables.
    p, (_, h, b) = block_of(f), x.dims
    return spread2d(p, h, b, w / sumpool2d(p, fill(x.shape, number(1))))


def _sumpool_derivative(f: Primitive, w: Typed, x: Typed) -> Typed:
    _, h, b = x.dims
    return spread2d(block_of(f), h, b, w)


def _entries(f: Primitive) -> int:
    return math.prod(extent(f.domain))


IMAGE_ROWS: tuple[Row, ...] = (
    Row(
        "conv2d",
        "the cross-correlation of an image x of c channels with d filters f of p rows and q columns each",
        "yₗᵢⱼ = Σₖ Σₛ Σₜ xₖ,ᵢ₊ₛ,ⱼ₊ₜ fₗₖₛₜ",
        (CONV2D,),
        _conv_derivative,
        convolution_kernel,
        convolution_cost,
    ),
    Row(
        "windows2d",
        "windows2d[p, q](x): what a filter of p rows and q columns sees of x, at each place",
        "yₖₛₜᵢⱼ = xₖ,ᵢ₊ₛ,ⱼ₊ₜ",
        (WINDOWS2D,),
        lambda f, w, x: overlap_add2d(w),
        windows_kernel,
        lambda f: 0,
    ),
    Row(
        "overlap_add2d",
        "windows of p rows and q columns, each added where windows2d[p, q] takes it from",
        "yₖᵢⱼ = Σₛ Σₜ xₖ,ₛ,ₜ,ᵢ₋ₛ,ⱼ₋ₜ",
        (OVERLAP_ADD2D,),
        lambda f, w, x: windows2d(x.dims[1], x.dims[2], w),
        overlap_add_kernel,
        _entries,
    ),
    Row(
        "maxpool2d",
        "maxpool2d[p](x): the largest entry of each block of p by p, smaller at the ends; a tie is the first's, row by row",
        "yₖᵢⱼ = max xₖₛₜ for ip ≤ s < ip + p, jp ≤ t < jp + p",
        (POOL2D,),
        _maxpool_derivative,
        blocks.max_kernel,
        _entries,
        blocks.max_rough,
    ),
    Row(
        "first_max2d",
        "first_max2d[p](x): 1 at the first largest entry of each block of p by p, row by row, else 0; slope 0",
        "[s, t is the first of its block with xₖₛₜ largest]",
        (MARK2D,),
        lambda f, w, x: zero(x.type),
        blocks.first_max_kernel,
        _entries,
        blocks.max_rough,
    ),
    Row(
        "avgpool2d",
        "avgpool2d[p](x): the mean of each block of p by p; at the ends, of the entries that the block has",
        "yₖᵢⱼ = the mean of xₖₛₜ for ip ≤ s < ip + p, jp ≤ t < jp + p",
        (POOL2D,),
        _avgpool_derivative,
        blocks.mean_kernel,
        lambda f: _entries(f) + math.prod(extent(f.codomain)),
    ),
    Row(
        "sumpool2d",
        "sumpool2d[p](x): the sum of each block of p by p, smaller at the ends",
        "yₖᵢⱼ = Σ xₖₛₜ for ip ≤ s < ip + p, jp ≤ t < jp + p",
        (POOL2D,),
        _sumpool_derivative,
        blocks.sum_kernel,
        _entries,
    ),
    Row(
        "spread2d",
        "spread2d[p, h, w](x): each entry as a block of p by p, cut at h rows and w columns",
        "yₖₛₜ = xₖᵢⱼ for i = ⌊s / p⌋, j = ⌊t / p⌋",
        (SPREAD2D,),
        lambda f, w, x: sumpool2d(block_of(f), w),
        blocks.spread_kernel,
        lambda f: 0,
    ),
)
