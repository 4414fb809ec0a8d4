"""Images, channels first: ``conv2d maxpool2d avgpool2d``, and the symbols of their derivatives; the 2D versions of ``signals``.

``windows2d`` and ``overlap_add2d``, ``sumpool2d`` and ``spread2d`` are adjoint to one another.
"""

import math

from rh_kernel.loops import scalars
from rh_kernel.loops.ir import Fold
from rh_kernel.primitives import array_compositions as ac
from rh_kernel.primitives import array_expressions as ae
from rh_kernel.primitives import array_operators as ao
from rh_kernel.primitives import blocks, windows
from rh_kernel.primitives.blocks import block_of
from rh_kernel.primitives.formulas import Typed, number, pair, zero
from rh_kernel.primitives.linear import transpose
from rh_kernel.primitives.schemes import AtMost, Scheme, extent, index
from rh_kernel.primitives.structural import fill, reshape
from rh_kernel.primitives.symbol import Family, FunctionSymbol, entries, no_cost
from rh_kernel.syntax.core import Primitive
from rh_kernel.syntax.dimensions import DimVar, ceil, dim
from rh_kernel.syntax.types import Product, real

_c, _d, _h, _m, _n, _p, _q, _w = (DimVar(name) for name in "cdhmnpqw")
_WINDOW = (AtMost(dim(1), dim("p")), AtMost(dim(1), dim("q")))
_BLOCK = (AtMost(dim(1), dim("p")),)
_BLOCKS = (ceil(dim("h"), dim("p")), ceil(dim("w"), dim("p")))
_PLACES = (dim("h") - dim("p") + dim(1), dim("w") - dim("q") + dim(1))

CONV2D = Scheme(
    (_c, _h, _w, _d, _p, _q), (), Product((real("c", "h", "w"), real("d", "c", "p", "q"))), real("d", *_PLACES), needs=_WINDOW
)
WINDOWS2D = Scheme((_p, _q, _c, _h, _w), (_p, _q), real("c", "h", "w"), real("c", "p", "q", *_PLACES), needs=_WINDOW)
OVERLAP_ADD2D = Scheme(
    (_c, _p, _q, _m, _n),
    (),
    real("c", "p", "q", "m", "n"),
    real("c", dim("m") + dim("p") - dim(1), dim("n") + dim("q") - dim(1)),
    needs=_WINDOW,
)
POOL2D = Scheme((_p, _c, _h, _w), (_p,), real("c", "h", "w"), real("c", *_BLOCKS), needs=_BLOCK)
MARK2D = Scheme((_p, _c, _h, _w), (_p,), real("c", "h", "w"), real("c", "h", "w"), needs=_BLOCK)
SPREAD2D = Scheme((_p, _h, _w, _c), (_p, _h, _w), real("c", *_BLOCKS), real("c", "h", "w"), needs=_BLOCK)

_POOL_SIZES = ((2, 1, 4, 2), (2, 2, 3, 5), (3, 1, 4, 2), (1, 2, 2, 3))


def _conv_derivative(f: Primitive, w: Typed, v: Typed) -> Typed:
    x, filters = v.parts
    d, c, p, q = filters.dims
    _, a, b = w.dims
    seen = reshape[c * p * q, a * b](windows2d[p, q](x))
    u = reshape[d, a * b](w)
    met = transpose(reshape[d, c * p * q](filters)) @ u
    return pair(overlap_add2d(reshape[c, p, q, a, b](met)), reshape[d, c, p, q](u @ transpose(seen)))


conv2d: FunctionSymbol = FunctionSymbol(
    name="conv2d",
    doc="the cross-correlation of an image x of c channels with d filters f of p rows and q columns each",
    formula="yₗᵢⱼ = Σₖ Σₛ Σₜ xₖ,ᵢ₊ₛ,ⱼ₊ₜ fₗₖₛₜ",
    example="conv2d([[[1, 2], [3, 4]]], [[[[1, 10]]]])",
    schemes=(CONV2D,),
    derivative=_conv_derivative,
    kernel=windows.convolution_kernel,
    lowering=windows.convolution_lowering,
    translation=lambda f, x, w: ae.convolve(x, w),
    cost=windows.convolution_cost,
    costs=("2*d*c*p*q*(h - p + 1)*(w - q + 1)",),
    linear_in=(0, 1),
    sums_from_zero=True,
    python_names=("conv2d",),
    python_usage="conv2d(x, w)",
    test_sizes=((1, 3, 4, 1, 2, 2), (2, 3, 3, 3, 2, 1), (2, 2, 3, 2, 2, 3), (1, 2, 2, 2, 1, 1)),
)

windows2d: FunctionSymbol = FunctionSymbol(
    name="windows2d",
    doc="windows2d[p, q](x): what a filter of p rows and q columns sees of x, at each place",
    formula="yₖₛₜᵢⱼ = xₖ,ᵢ₊ₛ,ⱼ₊ₜ",
    example="windows2d[1, 2]([[[1, 2, 3]]])",
    schemes=(WINDOWS2D,),
    derivative=lambda f, w, x: overlap_add2d(w),
    kernel=windows.windows_kernel,
    lowering=windows.windows_lowering,
    translation=lambda f, x: ae.windows(x, (index(f, 0), index(f, 1))),
    cost=no_cost,
    costs=("0",),
    jointly_linear=True,
    test_sizes=((2, 2, 1, 3, 4), (1, 2, 2, 2, 3), (2, 3, 2, 2, 3)),
)

overlap_add2d: FunctionSymbol = FunctionSymbol(
    name="overlap_add2d",
    doc="windows of p rows and q columns, each added where windows2d[p, q] takes it from",
    formula="yₖᵢⱼ = Σₛ Σₜ xₖ,ₛ,ₜ,ᵢ₋ₛ,ⱼ₋ₜ",
    example="overlap_add2d([[[[[1, 2]], [[10, 20]]]]])",
    schemes=(OVERLAP_ADD2D,),
    derivative=lambda f, w, x: windows2d[x.dims[1], x.dims[2]](w),
    kernel=windows.overlap_add_kernel,
    lowering=windows.overlap_add_lowering,
    translation=lambda f, x: ae.overlap_add(x),
    cost=entries,
    costs=("c*p*q*m*n",),
    jointly_linear=True,
    sums_from_zero=True,
    test_sizes=((1, 2, 2, 2, 3), (2, 1, 2, 2, 2), (2, 2, 3, 1, 1)),
)


def _maxpool_derivative(f: Primitive, w: Typed, x: Typed) -> Typed:
    p, (_, h, b) = block_of(f), x.dims
    return spread2d[p, h, b](w) * first_max2d[p](x)


maxpool2d: FunctionSymbol = FunctionSymbol(
    name="maxpool2d",
    doc="maxpool2d[p](x): the largest entry of each block of p by p, smaller at the ends; a tie is the first's, row by row",
    formula="yₖᵢⱼ = max xₖₛₜ for ip ≤ s < ip + p, jp ≤ t < jp + p",
    example="maxpool2d[2]([[[1, 2, 3], [4, 5, 6]]])",
    schemes=(POOL2D,),
    derivative=_maxpool_derivative,
    kernel=blocks.max_kernel,
    lowering=blocks.pooled_lowering(scalars.MAX, Fold.MAX),
    translation=lambda f, x: ac.pool(ao.Fold.MAX, x, index(f, 0)),
    cost=entries,
    costs=("c*h*w",),
    nonsmooth=blocks.max_nonsmooth("maxpool2d[2]([[[1, 1]]])"),
    is_identity_at_equal_types=True,
    test_sizes=_POOL_SIZES,
    test_point=blocks.well_separated,
)

first_max2d: FunctionSymbol = FunctionSymbol(
    name="first_max2d",
    doc="first_max2d[p](x): 1 at the first largest entry of each block of p by p, row by row, else 0; slope 0",
    formula="[s, t is the first of its block with xₖₛₜ largest]",
    example="first_max2d[2]([[[1, 2, 3], [4, 5, 6]]])",
    schemes=(MARK2D,),
    derivative=lambda f, w, x: zero(x.type),
    kernel=blocks.first_max_kernel,
    lowering=blocks.first_max_lowering,
    translation=lambda f, x: ac.first_of_block(x, index(f, 0)),
    cost=entries,
    costs=("c*h*w",),
    nonsmooth=blocks.max_nonsmooth("first_max2d[2]([[[1, 1]]])"),
    test_sizes=_POOL_SIZES,
    test_point=blocks.well_separated,
)


def _avgpool_derivative(f: Primitive, w: Typed, x: Typed) -> Typed:
    # The number of entries of a block is itself a term, so that it may depend on dimension variables.
    p, (_, h, b) = block_of(f), x.dims
    return spread2d[p, h, b](w / sumpool2d[p](fill[x.shape](number(1))))


avgpool2d: FunctionSymbol = FunctionSymbol(
    name="avgpool2d",
    doc="avgpool2d[p](x): the mean of each block of p by p; at the ends, of the entries that the block has",
    formula="yₖᵢⱼ = the mean of xₖₛₜ for ip ≤ s < ip + p, jp ≤ t < jp + p",
    example="avgpool2d[2]([[[1, 2, 3], [4, 5, 6]]])",
    schemes=(POOL2D,),
    derivative=_avgpool_derivative,
    kernel=blocks.mean_kernel,
    lowering=blocks.pooled_lowering(scalars.ADD, Fold.SUM, mean=True),
    translation=lambda f, x: ac.pool(ao.Fold.MEAN, x, index(f, 0)),
    cost=lambda f: entries(f) + math.prod(extent(f.codomain)),
    costs=("c*h*w + c*ceil(h/p)*ceil(w/p)",),
    jointly_linear=True,
    sums_from_zero=True,
    test_sizes=_POOL_SIZES,
)


def _sumpool_derivative(f: Primitive, w: Typed, x: Typed) -> Typed:
    _, h, b = x.dims
    return spread2d[block_of(f), h, b](w)


sumpool2d: FunctionSymbol = FunctionSymbol(
    name="sumpool2d",
    doc="sumpool2d[p](x): the sum of each block of p by p, smaller at the ends",
    formula="yₖᵢⱼ = Σ xₖₛₜ for ip ≤ s < ip + p, jp ≤ t < jp + p",
    example="sumpool2d[2]([[[1, 2, 3], [4, 5, 6]]])",
    schemes=(POOL2D,),
    derivative=_sumpool_derivative,
    kernel=blocks.sum_kernel,
    lowering=blocks.pooled_lowering(scalars.ADD, Fold.SUM),
    translation=lambda f, x: ac.block_sums(x, index(f, 0)),
    cost=entries,
    costs=("c*h*w",),
    jointly_linear=True,
    sums_from_zero=True,
    test_sizes=_POOL_SIZES,
)

spread2d: FunctionSymbol = FunctionSymbol(
    name="spread2d",
    doc="spread2d[p, h, w](x): each entry as a block of p by p, cut at h rows and w columns",
    formula="yₖₛₜ = xₖᵢⱼ for i = ⌊s / p⌋, j = ⌊t / p⌋",
    example="spread2d[2, 3, 3]([[[1, 2], [3, 4]]])",
    schemes=(SPREAD2D,),
    derivative=lambda f, w, x: sumpool2d[block_of(f)](w),
    kernel=blocks.spread_kernel,
    lowering=blocks.spread_lowering,
    translation=lambda f, x: ac.spread(x, index(f, 0), extent(f.codomain)),
    cost=no_cost,
    costs=("0",),
    jointly_linear=True,
    is_identity_at_equal_types=True,
    test_sizes=((2, 4, 2, 1), (2, 3, 5, 2), (3, 4, 2, 1), (1, 2, 3, 2)),
)

IMAGES = Family(
    "Images",
    (conv2d, windows2d, overlap_add2d, maxpool2d, first_max2d, avgpool2d, sumpool2d, spread2d),
)
