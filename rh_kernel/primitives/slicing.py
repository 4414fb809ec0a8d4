"""Concatenation and slicing along the leading axis: ``concat slice`` (RH Ex. 4.5), at ranks 1 to 4."""

from types import ModuleType

import numpy as np

from rh_kernel.loops.context import LoweringContext
from rh_kernel.loops.layouts import Layout, known, sliced
from rh_kernel.primitives.formulas import Typed, pair, zero
from rh_kernel.primitives.schemes import AtMost, Scheme, index, rank
from rh_kernel.primitives.symbol import Family, FunctionSymbol, Kernel, no_cost
from rh_kernel.syntax.core import Array, Primitive
from rh_kernel.syntax.dimensions import Dim, DimVar, dim
from rh_kernel.syntax.types import Product, real

_m, _n, _lo, _hi = (DimVar(name) for name in ("m", "n", "lo", "hi"))
# The axes after the first, for each rank.
_FURTHER: tuple[tuple[DimVar, ...], ...] = tuple(tuple(DimVar(name) for name in "ijk"[:r]) for r in range(4))

CONCAT = tuple(
    Scheme(
        (_m, _n, *rest),
        (),
        Product((real("m", *map(dim, rest)), real("n", *map(dim, rest)))),
        real(dim("m") + dim("n"), *map(dim, rest)),
    )
    for rest in _FURTHER
)
SLICE = tuple(
    Scheme(
        (_lo, _hi, _n, *rest),
        (_lo, _hi),
        real("n", *map(dim, rest)),
        real(dim("hi") - dim("lo"), *map(dim, rest)),
        needs=(AtMost(dim(0), dim("lo")), AtMost(dim("lo"), dim("hi")), AtMost(dim("hi"), dim("n"))),
    )
    for rest in _FURTHER
)


def _concat_derivative(f: Primitive, w: Typed, v: Typed) -> Typed:
    m, n = (M.dims[0] for M in v.parts)
    return pair(slice_[dim(0), m](w), slice_[m, m + n](w))


def _concat_kernel(f: Primitive, xp: ModuleType) -> Kernel:
    r = rank(f.codomain)

    def kernel(x: Array, y: Array) -> Array:
        if x.ndim != y.ndim or x.shape[: x.ndim - r] != y.shape[: y.ndim - r]:
            batch = np.broadcast_shapes(x.shape[: x.ndim - r], y.shape[: y.ndim - r])
            x, y = (xp.broadcast_to(z, batch + z.shape[z.ndim - r :]) for z in (x, y))
        return xp.concatenate((x, y), axis=-r)

    return kernel


def _concat_lowering(at: LoweringContext) -> Layout:
    y = at.fresh()
    start = 0
    for i in range(2):
        stop = start + at.argument(i).shape[at.front]
        at.loops.map([at.operand(i)], [(0, known(sliced(y, at.front, start, stop)))])
        start = stop
    return y


concat: FunctionSymbol = FunctionSymbol(
    name="concat",
    doc="concat(x, y): the rows of x and then those of y, which differ in the leading axis at most",
    formula="x₀, …, xₘ₋₁, y₀, …, yₙ₋₁",
    example="concat([1, 2], [3, 4, 5])",
    schemes=CONCAT,
    derivative=_concat_derivative,
    kernel=_concat_kernel,
    lowering=_concat_lowering,
    cost=no_cost,
    costs=("0",),
    jointly_linear=True,
    python_names=("concatenate",),
    python_usage="concat(x, y)",
    test_sizes=((1, 3), (2, 1), (2, 3, 2), (1, 1, 3), (1, 2, 3, 2), (2, 1, 1, 2, 2)),
)


def _slice_derivative(f: Primitive, w: Typed, x: Typed) -> Typed:
    n, *rest = x.dims
    lo, hi = (a for a in f.at[:2] if isinstance(a, Dim))
    return concat(zero(real(lo, *rest)), concat(w, zero(real(n - hi, *rest))))


def _slice_kernel(f: Primitive, xp: ModuleType) -> Kernel:
    taken = (..., slice(index(f, 0), index(f, 1)), *(slice(None),) * (rank(f.codomain) - 1))

    def kernel(x: Array) -> Array:
        return x[taken]

    return kernel


def _slice_lowering(at: LoweringContext) -> Layout | None:
    x = at.loops.single(at.argument(0), at.front)
    return sliced(x, at.front, index(at.function, 0), index(at.function, 1))


slice_: FunctionSymbol = FunctionSymbol(
    name="slice",
    doc="slice[lo, hi](x): the rows lo, …, hi − 1 of x, counted from 0 along the leading axis",
    formula="yᵢ = xₗₒ₊ᵢ",
    example="slice[1, 3]([10, 20, 30, 40])",
    schemes=SLICE,
    derivative=_slice_derivative,
    kernel=_slice_kernel,
    lowering=_slice_lowering,
    cost=no_cost,
    costs=("0",),
    jointly_linear=True,
    is_identity_at_equal_types=True,
    test_sizes=((0, 4, 4), (1, 3, 4), (3, 4, 4), (1, 2, 3, 2), (0, 2, 2, 3), (1, 3, 3, 2, 2), (0, 1, 2, 1, 2, 2)),
)

SLICING = Family("Putting together and taking apart", (concat, slice_))
