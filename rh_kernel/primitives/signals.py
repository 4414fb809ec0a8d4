"""Signals, channels first (RH Ex. 4.4, 4.5, E.3): ``conv1d maxpool1d pad1d upscale1d``, and the symbols of their derivatives.

Entries are counted from 0. ``windows1d`` and ``overlap_add1d``, ``sumpool1d`` and ``spread1d``, ``pad1d`` and ``crop1d``,
``upscale1d`` and ``downsum1d`` are adjoint to one another: each is linear, and the derivative of one is the other.
"""

from functools import reduce
from types import ModuleType

import numpy as np

from rh_kernel.loops import scalars
from rh_kernel.loops.builder import UNROLLED, call
from rh_kernel.loops.context import LoweringContext
from rh_kernel.loops.ir import Fold, Gather
from rh_kernel.loops.layouts import Layout, known, repeated, sliced
from rh_kernel.primitives import array_compositions as ac
from rh_kernel.primitives import array_expressions as ae
from rh_kernel.primitives import array_operators as ao
from rh_kernel.primitives import blocks, windows
from rh_kernel.primitives.blocks import block_of
from rh_kernel.primitives.formulas import Typed, pair, zero
from rh_kernel.primitives.linear import transpose
from rh_kernel.primitives.schemes import AtMost, Scheme, extent, index
from rh_kernel.primitives.structural import reshape
from rh_kernel.primitives.symbol import Family, FunctionSymbol, Kernel, entries, no_cost
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.syntax.core import Array, Primitive
from rh_kernel.syntax.dimensions import DimVar, ceil, dim
from rh_kernel.syntax.types import Product, real

_c, _d, _k, _m, _n, _p = (DimVar(name) for name in "cdkmnp")
_WINDOW = (AtMost(dim(1), dim("k")),)
_BLOCK = (AtMost(dim(1), dim("p")),)
_BLOCKS = ceil(dim("n"), dim("p"))
_PLACES = dim("n") - dim("k") + dim(1)

CONV1D = Scheme((_c, _n, _d, _k), (), Product((real("c", "n"), real("d", "c", "k"))), real("d", _PLACES), needs=_WINDOW)
WINDOWS1D = Scheme((_k, _c, _n), (_k,), real("c", "n"), real("c", "k", _PLACES), needs=_WINDOW)
OVERLAP_ADD1D = Scheme((_c, _k, _m), (), real("c", "k", "m"), real("c", dim("m") + dim("k") - dim(1)), needs=_WINDOW)
POOL1D = Scheme((_p, _c, _n), (_p,), real("c", "n"), real("c", _BLOCKS), needs=_BLOCK)
MARK1D = Scheme((_p, _c, _n), (_p,), real("c", "n"), real("c", "n"), needs=_BLOCK)
SPREAD1D = Scheme((_p, _n, _c), (_p, _n), real("c", _BLOCKS), real("c", "n"), needs=_BLOCK)
PAD1D = Scheme((_m, _c, _n), (_m,), real("c", "n"), real("c", "m"), needs=(AtMost(dim("n"), dim("m")),))
CROP1D = Scheme((_m, _c, _n), (_m,), real("c", "n"), real("c", "m"), needs=(AtMost(dim("m"), dim("n")),))
UPSCALE1D = Scheme((_m, _c, _n), (_m,), real("c", "n"), real("c", "m"), needs=(AtMost(dim(1), dim("n")),))
DOWNSUM1D = Scheme((_n, _c, _m), (_n,), real("c", "m"), real("c", "n"), needs=(AtMost(dim(1), dim("n")),))

_POOL_SIZES = ((2, 1, 4), (2, 3, 5), (3, 2, 7), (5, 2, 3), (1, 2, 3))


def _conv_derivative(f: Primitive, w: Typed, v: Typed) -> Typed:
    x, filters = v.parts
    d, c, k = filters.dims
    m = w.dims[1]
    seen = reshape[c * k, m](windows1d[k](x))
    met = transpose(reshape[d, c * k](filters)) @ w
    return pair(overlap_add1d(reshape[c, k, m](met)), reshape[d, c, k](w @ transpose(seen)))


conv1d: FunctionSymbol = FunctionSymbol(
    name="conv1d",
    doc="the cross-correlation of a signal x of c channels with d filters w of k entries each",
    formula="yₗᵢ = Σₖ Σⱼ xₖ,ᵢ₊ⱼ wₗₖⱼ",
    example="conv1d([[1, 4, 9, 16]], [[[-1, 1]]])",
    schemes=(CONV1D,),
    derivative=_conv_derivative,
    kernel=windows.convolution_kernel,
    lowering=windows.convolution_lowering,
    translation=lambda f, x, w: ae.convolve(x, w),
    cost=windows.convolution_cost,
    costs=("2*d*c*k*(n - k + 1)",),
    linear_in=(0, 1),
    sums_from_zero=True,
    python_names=("conv1d",),
    python_usage="conv1d(x, w)",
    test_sizes=((1, 4, 1, 2), (2, 5, 3, 2), (3, 3, 2, 3), (2, 4, 1, 1)),
)

windows1d: FunctionSymbol = FunctionSymbol(
    name="windows1d",
    doc="windows1d[k](x): what a filter of k entries sees of x, at each place",
    formula="yᵢⱼₗ = xᵢ,ⱼ₊ₗ",
    example="windows1d[2]([[1, 2, 3]])",
    schemes=(WINDOWS1D,),
    derivative=lambda f, w, x: overlap_add1d(w),
    kernel=windows.windows_kernel,
    lowering=windows.windows_lowering,
    translation=lambda f, x: ae.windows(x, (index(f, 0),)),
    cost=no_cost,
    costs=("0",),
    jointly_linear=True,
    test_sizes=((2, 1, 4), (1, 2, 3), (3, 2, 5), (4, 1, 4)),
)

overlap_add1d: FunctionSymbol = FunctionSymbol(
    name="overlap_add1d",
    doc="windows of k entries, each added where windows1d[k] takes it from",
    formula="yᵢₜ = Σⱼ xᵢ,ⱼ,ₜ₋ⱼ",
    example="overlap_add1d([[[1, 2], [10, 20]]])",
    schemes=(OVERLAP_ADD1D,),
    derivative=lambda f, w, x: windows1d[x.dims[1]](w),
    kernel=windows.overlap_add_kernel,
    lowering=windows.overlap_add_lowering,
    translation=lambda f, x: ae.overlap_add(x),
    cost=entries,
    costs=("c*k*m",),
    jointly_linear=True,
    sums_from_zero=True,
    test_sizes=((1, 2, 3), (2, 1, 3), (2, 3, 3), (1, 4, 1)),
)


def _maxpool_derivative(f: Primitive, w: Typed, x: Typed) -> Typed:
    p = block_of(f)
    return spread1d[p, x.dims[1]](w) * first_max1d[p](x)


maxpool1d: FunctionSymbol = FunctionSymbol(
    name="maxpool1d",
    doc="maxpool1d[p](x): the largest entry of each block of p; the last block may be smaller; a tie is the first's",
    formula="yᵢⱼ = max xᵢₜ for jp ≤ t < jp + p",
    example="maxpool1d[2]([[1, 3, 2, 5, 4]])",
    schemes=(POOL1D,),
    derivative=_maxpool_derivative,
    kernel=blocks.max_kernel,
    lowering=blocks.pooled_lowering(scalars.MAX, Fold.MAX),
    translation=lambda f, x: ac.pool(ao.Fold.MAX, x, index(f, 0)),
    cost=entries,
    costs=("c*n",),
    nonsmooth=blocks.max_nonsmooth("maxpool1d[2]([[1, 1]])"),
    is_identity_at_equal_types=True,
    test_sizes=_POOL_SIZES,
    test_point=blocks.well_separated,
)

first_max1d: FunctionSymbol = FunctionSymbol(
    name="first_max1d",
    doc="first_max1d[p](x): 1 at the first largest entry of each block of p, else 0; slope 0",
    formula="[t is the first of its block with xᵢₜ largest]",
    example="first_max1d[2]([[1, 3, 2, 5, 4]])",
    schemes=(MARK1D,),
    derivative=lambda f, w, x: zero(x.type),
    kernel=blocks.first_max_kernel,
    lowering=blocks.first_max_lowering,
    translation=lambda f, x: ac.first_of_block(x, index(f, 0)),
    cost=entries,
    costs=("c*n",),
    nonsmooth=blocks.max_nonsmooth("first_max1d[2]([[1, 1]])"),
    test_sizes=_POOL_SIZES,
    test_point=blocks.well_separated,
)

sumpool1d: FunctionSymbol = FunctionSymbol(
    name="sumpool1d",
    doc="sumpool1d[p](x): the sum of each block of p; the last block may be smaller",
    formula="yᵢⱼ = Σ xᵢₜ for jp ≤ t < jp + p",
    example="sumpool1d[2]([[1, 3, 2, 5, 4]])",
    schemes=(POOL1D,),
    derivative=lambda f, w, x: spread1d[block_of(f), x.dims[1]](w),
    kernel=blocks.sum_kernel,
    lowering=blocks.pooled_lowering(scalars.ADD, Fold.SUM),
    translation=lambda f, x: ac.block_sums(x, index(f, 0)),
    cost=entries,
    costs=("c*n",),
    jointly_linear=True,
    sums_from_zero=True,
    test_sizes=_POOL_SIZES,
)

spread1d: FunctionSymbol = FunctionSymbol(
    name="spread1d",
    doc="spread1d[p, n](x): each entry p times, cut at n entries",
    formula="yᵢₜ = xᵢⱼ for j = ⌊t / p⌋",
    example="spread1d[2, 5]([[1, 2, 3]])",
    schemes=(SPREAD1D,),
    derivative=lambda f, w, x: sumpool1d[block_of(f)](w),
    kernel=blocks.spread_kernel,
    lowering=blocks.spread_lowering,
    translation=lambda f, x: ac.spread(x, index(f, 0), extent(f.codomain)),
    cost=no_cost,
    costs=("0",),
    jointly_linear=True,
    is_identity_at_equal_types=True,
    test_sizes=((2, 4, 1), (2, 5, 3), (3, 7, 2), (5, 3, 2), (1, 3, 2)),
)


def _pad_kernel(f: Primitive, xp: ModuleType) -> Kernel:
    (_, n), (_, m) = extent(f.domain), extent(f.codomain)
    left = (m - n) // 2

    def kernel(x: Array) -> Array:
        padded = xp.zeros((*x.shape[:-1], m), dtype=x.dtype)
        padded[..., left : left + n] = x
        return padded

    return kernel


def _pad_lowering(at: LoweringContext) -> Layout:
    # The margins are set to 0 once, before the first run.
    y = at.loops.margins(at.shape, samples=at.front == 1)
    n, m = at.arguments[0].shape[-1], at.shape[-1]
    left = (m - n) // 2
    at.loops.map([at.operand(0)], [(0, known(sliced(y, len(at.shape) - 1, left, left + n)))])
    return y


def _pad_translation(f: Primitive, x: ao.Expr) -> ao.Expr:
    n, m = x.shape[-1], extent(f.codomain)[-1]
    left = (m - n) // 2
    return ae.pad_along(x, x.rank - 1, left, m - n - left)


pad1d: FunctionSymbol = FunctionSymbol(
    name="pad1d",
    doc="pad1d[m](x): m entries, x in the middle and zeros on both sides, the extra one on the right",
    formula="yᵢⱼ = xᵢ,ⱼ₋ₗ for l = ⌊(m − n) / 2⌋, else 0",
    example="pad1d[5]([[1, 2]])",
    schemes=(PAD1D,),
    derivative=lambda f, w, x: crop1d[x.dims[1]](w),
    kernel=_pad_kernel,
    lowering=_pad_lowering,
    translation=_pad_translation,
    cost=no_cost,
    costs=("0",),
    jointly_linear=True,
    is_identity_at_equal_types=True,
    test_sizes=((4, 1, 4), (5, 2, 4), (6, 2, 3), (7, 1, 3)),
)


def _crop_kernel(f: Primitive, xp: ModuleType) -> Kernel:
    (_, n), (_, m) = extent(f.domain), extent(f.codomain)
    left = (n - m) // 2

    def kernel(x: Array) -> Array:
        return x[..., left : left + m]

    return kernel


def _crop_lowering(at: LoweringContext) -> Layout:
    last = len(at.shape) - 1
    x = at.loops.single_axes(at.argument(0), last)
    left = (x.shape[-1] - at.shape[-1]) // 2
    return known(sliced(x, last, left, left + at.shape[-1]))


def _crop_translation(f: Primitive, x: ao.Expr) -> ao.Expr:
    n, m = x.shape[-1], extent(f.codomain)[-1]
    left = (n - m) // 2
    return ae.part(x, x.rank - 1, left, left + m)


crop1d: FunctionSymbol = FunctionSymbol(
    name="crop1d",
    doc="crop1d[m](x): the m entries in the middle, which pad1d of m entries would put there",
    formula="yᵢⱼ = xᵢ,ⱼ₊ₗ for l = ⌊(n − m) / 2⌋",
    example="crop1d[2]([[1, 2, 3, 4, 5]])",
    schemes=(CROP1D,),
    derivative=lambda f, w, x: pad1d[x.dims[1]](w),
    kernel=_crop_kernel,
    lowering=_crop_lowering,
    translation=_crop_translation,
    cost=no_cost,
    costs=("0",),
    jointly_linear=True,
    is_identity_at_equal_types=True,
    test_sizes=((4, 1, 4), (4, 2, 5), (3, 2, 6), (3, 1, 7)),
)


def _gathered(at: LoweringContext, x: Layout, table: "np.ndarray[tuple[int, int], np.dtype[np.intp]]") -> Layout:
    y = at.fresh()
    source = x.plain() or at.loops.copied(x).plain()
    target = y.plain()
    if source is None or target is None:
        raise KernelBug("an axis has several parts")
    if 0 not in y.shape:
        at.loops.steps.append(Gather(target, source, table))
    return y


def _upscale_kernel(f: Primitive, xp: ModuleType) -> Kernel:
    (_, n), (_, m) = extent(f.domain), extent(f.codomain)
    source = xp.arange(m) * n // max(m, 1)

    def kernel(x: Array) -> Array:
        return x[..., source]

    return kernel


def _upscale_lowering(at: LoweringContext) -> Layout | None:
    x = at.argument(0)
    n, m = x.shape[-1], at.shape[-1]
    if m % n == 0:
        return repeated(x, len(x.axes) - 1, m // n)
    return _gathered(at, x, (np.arange(m) * n // max(m, 1))[:, None])


def _upscale_translation(f: Primitive, x: ao.Expr) -> ao.Expr:
    n, m = x.shape[-1], extent(f.codomain)[-1]
    return ae.rows(x, x.rank - 1, np.arange(m) * n // max(m, 1))


upscale1d: FunctionSymbol = FunctionSymbol(
    name="upscale1d",
    doc="upscale1d[m](x): m entries, each that of x which is nearest",
    formula="yᵢⱼ = xᵢₜ for t = ⌊jn / m⌋",
    example="upscale1d[5]([[1, 2]])",
    schemes=(UPSCALE1D,),
    derivative=lambda f, w, x: downsum1d[x.dims[1]](w),
    kernel=_upscale_kernel,
    lowering=_upscale_lowering,
    translation=_upscale_translation,
    cost=no_cost,
    costs=("0",),
    jointly_linear=True,
    is_identity_at_equal_types=True,
    test_sizes=((4, 1, 4), (5, 2, 3), (6, 1, 2), (2, 2, 5), (1, 1, 4)),
)


def _downsum_kernel(f: Primitive, xp: ModuleType) -> Kernel:
    (_, m), (_, n) = extent(f.domain), extent(f.codomain)
    # The entries of target j are those from ceil(j m / n) on, before the first of target j + 1.
    begins = -(-xp.arange(n + 1) * m // n)
    at = begins[:-1, None] + xp.arange(-(-m // n))
    there = at < begins[1:, None]

    def kernel(y: Array) -> Array:
        if m == 0:
            return xp.zeros((*y.shape[:-1], n), dtype=y.dtype)
        return xp.where(there, y[..., xp.minimum(at, m - 1)], y.dtype.type(0)).sum(axis=-1)

    return kernel


def _downsum_lowering(at: LoweringContext) -> Layout:
    x = at.argument(0)
    m, n = x.shape[-1], at.shape[-1]
    last = len(x.axes) - 1
    if m % n == 0 and m // n <= UNROLLED:
        x = at.loops.single_axes(x, last)
        phases = [known(sliced(x, last, j, m, m // n)) for j in range(m // n)]
        return at.entries(reduce(lambda M, i: call(scalars.ADD, M, i), range(m // n), 0.0), *phases)
    begins = -(-np.arange(n + 1) * m // n)
    table = begins[:-1, None] + np.arange(-(-m // n))
    terms = np.where(table < begins[1:, None], table, -1)
    # A table with one column would copy entries, but this is a sum, which starts from 0.0.
    return _gathered(at, x, terms if terms.shape[1] > 1 else np.pad(terms, ((0, 0), (0, 1)), constant_values=-1))


def _downsum_translation(f: Primitive, x: ao.Expr) -> ao.Expr:
    m, n = x.shape[-1], extent(f.codomain)[-1]
    source = np.arange(m) * n // max(m, 1)
    # A row of x times this matrix sums the entries that upscale1d takes from one.
    return ae.matmul(x, ae.constant((source[:, None] == np.arange(n)).astype(np.float64)))


downsum1d: FunctionSymbol = FunctionSymbol(
    name="downsum1d",
    doc="downsum1d[n](x): n sums, each of the entries that upscale1d makes of one",
    formula="yᵢₜ = Σ xᵢⱼ for ⌊jn / m⌋ = t",
    example="downsum1d[2]([[1, 2, 3, 4, 5]])",
    schemes=(DOWNSUM1D,),
    derivative=lambda f, w, x: upscale1d[x.dims[1]](w),
    kernel=_downsum_kernel,
    lowering=_downsum_lowering,
    translation=_downsum_translation,
    cost=entries,
    costs=("c*m",),
    jointly_linear=True,
    sums_from_zero=True,
    test_sizes=((4, 1, 4), (3, 2, 5), (2, 1, 6), (5, 2, 2), (4, 1, 1)),
)

SIGNALS = Family(
    "Signals",
    (conv1d, windows1d, overlap_add1d, maxpool1d, first_max1d, sumpool1d, spread1d, pad1d, crop1d, upscale1d, downsum1d),
)
