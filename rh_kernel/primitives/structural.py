"""Symbols that broadcast, sum or rearrange entries: ``fill sum mean reshape broadcast_rows sum_rows``.

Each is linear, so its derivative is its adjoint, which is again composed of them.
"""

from functools import partial
from math import prod
from types import ModuleType

from rh_kernel.loops.context import LoweringContext
from rh_kernel.loops.ir import Fold
from rh_kernel.loops.layouts import Layout, as_scalar, broadcast_axis, permuted, reshaped
from rh_kernel.primitives import array_expressions as ae
from rh_kernel.primitives import array_operators as ao
from rh_kernel.primitives.formulas import Typed, number
from rh_kernel.primitives.schemes import Scheme, extent, rank
from rh_kernel.primitives.symbol import Family, FunctionSymbol, Kernel, entries, no_cost
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.syntax.core import Array, Primitive
from rh_kernel.syntax.dimensions import DimVar
from rh_kernel.syntax.types import SCALAR, Real, ShapeVar, real

_s, _t, _m, _n = ShapeVar("s"), ShapeVar("t"), DimVar("m"), DimVar("n")

FILL = Scheme((_s,), (_s,), SCALAR, Real(_s))
TO_SCALAR = Scheme((_s,), (), Real(_s), SCALAR)
RESHAPE = Scheme((_s, _t), (_s,), Real(_t), Real(_s), same_size=(_s, _t))
BROADCAST_ROWS = Scheme((_m, _n), (_m,), real("n"), real("m", "n"))
SUM_ROWS = Scheme((_m, _n), (), real("m", "n"), real("n"))


def _fill_kernel(f: Primitive, xp: ModuleType) -> Kernel:
    shape = extent(f.codomain)
    further = (1,) * (len(shape) - 1)

    def kernel(a: Array) -> Array:
        return xp.broadcast_to(a.reshape(a.shape + further), a.shape[:-1] + shape)

    return kernel


fill: FunctionSymbol = FunctionSymbol(
    name="fill",
    doc="fill[s…](a): the array of shape s all of whose entries are the scalar a",
    formula="yᵢ = a",
    example="fill[2, 3](7)",
    schemes=(FILL,),
    derivative=lambda f, w, a: sum_(w),
    kernel=_fill_kernel,
    lowering=LoweringContext.filled,
    translation=lambda f, a: ae.expand(a, extent(f.codomain)),
    cost=no_cost,
    costs=("0",),
    jointly_linear=True,
)


def _sum_kernel(f: Primitive, xp: ModuleType) -> Kernel:
    axes = tuple(range(-rank(f.domain), 0))

    def kernel(x: Array) -> Array:
        return xp.sum(x, axis=axes)[..., None]

    return kernel


def _sum_lowering(at: LoweringContext) -> Layout:
    x = at.argument(0)
    return as_scalar(at.loops.reduce(Fold.SUM, x, len(x.axes) - at.front))


sum_: FunctionSymbol = FunctionSymbol(
    name="sum",
    doc="the sum of all entries",
    formula="Σᵢ xᵢ",
    example="sum([[1, 2], [3, 4]])",
    schemes=(TO_SCALAR,),
    derivative=lambda f, w, x: fill[x.shape](w),
    kernel=_sum_kernel,
    lowering=_sum_lowering,
    translation=lambda f, x: ae.total(ao.Fold.SUM, x),
    cost=entries,
    costs=("|s|",),
    jointly_linear=True,
    sums_from_zero=True,
    python_names=("sum",),
)


def _mean_derivative(f: Primitive, w: Typed, x: Typed) -> Typed:
    # The number of entries is itself a term, so that it may depend on dimension variables; if it is 0, the quotient is empty.
    return fill[x.shape](w) / fill[x.shape](sum_(fill[x.shape](number(1))))


def _mean_kernel(f: Primitive, xp: ModuleType) -> Kernel:
    many = max(entries(f), 1)
    axes = tuple(range(-rank(f.domain), 0))

    def kernel(x: Array) -> Array:
        return xp.sum(x, axis=axes)[..., None] / many

    return kernel


def _mean_lowering(at: LoweringContext) -> Layout:
    x = at.argument(0)
    return as_scalar(at.loops.reduce(Fold.SUM, x, len(x.axes) - at.front, 1 / prod(x.shape[at.front :])))


mean: FunctionSymbol = FunctionSymbol(
    name="mean",
    doc="the mean of all N entries, 0 if there are none",
    formula="Σᵢ xᵢ / N",
    example="mean([[1, 2], [3, 4]])",
    schemes=(TO_SCALAR,),
    derivative=_mean_derivative,
    kernel=_mean_kernel,
    lowering=_mean_lowering,
    translation=lambda f, x: ae.total(ao.Fold.MEAN, x),
    cost=lambda f: entries(f) + 1,
    costs=("|s| + 1",),
    jointly_linear=True,
    sums_from_zero=True,
    python_names=("mean",),
)


def _reshape_kernel(f: Primitive, xp: ModuleType) -> Kernel:
    old, shape = rank(f.domain), extent(f.codomain)

    def kernel(x: Array) -> Array:
        return x.reshape(x.shape[: x.ndim - old] + shape)

    return kernel


def _reshape_lowering(at: LoweringContext) -> Layout:
    x, shape = at.argument(0), at.shape[at.front :]
    found = reshaped(x, shape, at.front)
    if found is None or (at.loops.matrices and found.plain() is None):
        # An axis of a matrix must have a single part.
        found = reshaped(at.loops.copied(x), shape, at.front)
    if found is None:
        raise KernelBug("a copy cannot be reshaped")
    return found


reshape: FunctionSymbol = FunctionSymbol(
    name="reshape",
    doc="reshape[s…](x): the entries of x in row-major order, in the shape s",
    formula="x",
    example="reshape[2, 3]([1, 2, 3, 4, 5, 6])",
    schemes=(RESHAPE,),
    derivative=lambda f, w, x: reshape[x.shape](w),
    kernel=_reshape_kernel,
    lowering=_reshape_lowering,
    translation=lambda f, x: ae.reshape(x, extent(f.codomain)),
    cost=no_cost,
    costs=("0",),
    jointly_linear=True,
    python_names=("reshape",),
    python_usage="reshape[2, 3](x)",
)


def _broadcast_rows_kernel(f: Primitive, xp: ModuleType) -> Kernel:
    shape = extent(f.codomain)

    def kernel(x: Array) -> Array:
        return xp.broadcast_to(x[..., None, :], x.shape[:-1] + shape)

    return kernel


def _broadcast_rows_lowering(at: LoweringContext) -> Layout:
    return broadcast_axis(at.argument(0), at.front, at.shape[at.front])


broadcast_rows: FunctionSymbol = FunctionSymbol(
    name="broadcast_rows",
    doc="broadcast_rows[m](x): the matrix whose m rows are all the vector x",
    formula="yᵢⱼ = xⱼ",
    example="broadcast_rows[2]([1, 2, 3])",
    schemes=(BROADCAST_ROWS,),
    derivative=lambda f, w, x: sum_rows(w),
    kernel=_broadcast_rows_kernel,
    lowering=_broadcast_rows_lowering,
    translation=lambda f, x: ae.expand(x, extent(f.codomain)),
    cost=no_cost,
    costs=("0",),
    jointly_linear=True,
)


def _sum_rows_lowering(at: LoweringContext) -> Layout:
    x = at.argument(0)
    order = [*range(at.front), at.front + 1, at.front]
    return at.loops.reduce(Fold.SUM, permuted(x, order), 1)


sum_rows: FunctionSymbol = FunctionSymbol(
    name="sum_rows",
    doc="the sum of the rows of a matrix",
    formula="yⱼ = Σᵢ xᵢⱼ",
    example="sum_rows([[1, 2], [30, 40]])",
    schemes=(SUM_ROWS,),
    derivative=lambda f, w, x: broadcast_rows[x.dims[0]](w),
    kernel=lambda f, xp: partial(xp.sum, axis=-2),
    lowering=_sum_rows_lowering,
    translation=lambda f, x: ae.without(ae.reduce(ao.Fold.SUM, x, (0,)), (0,)),
    cost=entries,
    costs=("m*n",),
    jointly_linear=True,
    sums_from_zero=True,
)

STRUCTURAL = Family("Whole arrays", (fill, sum_, mean, reshape, broadcast_rows, sum_rows))
