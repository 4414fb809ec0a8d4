"""Concatenation and slicing along the leading axis (RH Ex. 4.5), a new leading axis, and the order of the axes.

``concat concat_last slice permute`` have ranks 1 to 4, and ``stack`` makes arrays of ranks 2 to 4.
"""

from collections.abc import Sequence
from dataclasses import replace
from types import ModuleType

import numpy as np

from rh_kernel.loops.context import LoweringContext
from rh_kernel.loops.layouts import Layout, known, permuted, sliced
from rh_kernel.primitives import array_expressions as ae
from rh_kernel.primitives.formulas import Typed, pair, zero
from rh_kernel.primitives.schemes import AtMost, Scheme, extent, index, rank
from rh_kernel.primitives.structural import reshape
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
CONCAT_LAST = tuple(
    Scheme(
        (_m, _n, *rest),
        (),
        Product((real(*map(dim, rest), "m"), real(*map(dim, rest), "n"))),
        real(*map(dim, rest), dim("m") + dim("n")),
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

STACK = tuple(
    Scheme(axes, (), Product((real(*map(dim, axes)), real(*map(dim, axes)))), real(2, *map(dim, axes))) for axes in _FURTHER[1:]
)
_NEW_ORDER = tuple(DimVar(name) for name in "pqrs")
_OLD_AXES = tuple(DimVar(f"n{i}") for i in range(4))
PERMUTE = tuple(
    Scheme(
        (*_NEW_ORDER[:r], *_OLD_AXES[:r]),
        _NEW_ORDER[:r],
        real(*map(dim, _OLD_AXES[:r])),
        real(*[f"n_{v.name}" for v in _NEW_ORDER[:r]]),
        order=_NEW_ORDER[:r],
    )
    for r in range(1, 5)
)


def _concat_derivative(f: Primitive, w: Typed, v: Typed) -> Typed:
    m, n = (M.dims[0] for M in v.parts)
    return pair(slice_[dim(0), m](w), slice_[m, m + n](w))


def _concat_kernel(f: Primitive, xp: ModuleType) -> Kernel:
    return _joined(f, xp, -rank(f.codomain))


def _joined(f: Primitive, xp: ModuleType, axis: int) -> Kernel:
    r = rank(f.codomain)

    def kernel(x: Array, y: Array) -> Array:
        if x.ndim != y.ndim or x.shape[: x.ndim - r] != y.shape[: y.ndim - r]:
            batch = np.broadcast_shapes(x.shape[: x.ndim - r], y.shape[: y.ndim - r])
            x, y = (xp.broadcast_to(z, batch + z.shape[z.ndim - r :]) for z in (x, y))
        return xp.concatenate((x, y), axis=axis)

    return kernel


def _concat_lowering(at: LoweringContext) -> Layout:
    return _written(at, at.front)


def _written(at: LoweringContext, axis: int) -> Layout:
    """The arguments one after the other along an axis."""
    y = at.fresh()
    start = 0
    for i in range(2):
        stop = start + at.argument(i).shape[axis]
        at.loops.map([at.operand(i)], [(0, known(sliced(y, axis, start, stop)))])
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
    translation=lambda f, x, y: ae.concat((x, y), 0),
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
    translation=lambda f, x: ae.part(x, 0, index(f, 0), index(f, 1)),
    cost=no_cost,
    costs=("0",),
    jointly_linear=True,
    is_identity_at_equal_types=True,
    test_sizes=((0, 4, 4), (1, 3, 4), (3, 4, 4), (1, 2, 3, 2), (0, 2, 2, 3), (1, 3, 3, 2, 2), (0, 1, 2, 1, 2, 2)),
)


def _permute_kernel(f: Primitive, xp: ModuleType) -> Kernel:
    order = _order(f)

    def kernel(x: Array) -> Array:
        front = x.ndim - len(order)
        return x.transpose(*range(front), *[front + i for i in order])

    return kernel


def _permute_lowering(at: LoweringContext) -> Layout:
    return permuted(at.argument(0), [*range(at.front), *[at.front + i for i in _order(at.function)]])


def _order(f: Primitive) -> tuple[int, ...]:
    r = rank(f.domain)
    return tuple([index(f, i) for i in range(r)])


def _permute_derivative(f: Primitive, w: Typed, x: Typed) -> Typed:
    listed = [d for d in f.at[: len(x.dims)] if isinstance(d, Dim)]
    return permute[_inverse(listed)](w)


def _inverse(listed: Sequence[Dim]) -> tuple[Dim, ...]:
    """The inverse of a permutation; of that of the generic member, which keeps the order, the names with ⁻¹."""
    if all(d.constant is not None for d in listed):
        return tuple([dim(listed.index(dim(i))) for i in range(len(listed))])
    names = [str(d) for d in listed]
    return tuple([dim(name.removesuffix("⁻¹") if name.endswith("⁻¹") else f"{name}⁻¹") for name in names])


permute: FunctionSymbol = FunctionSymbol(
    name="permute",
    doc="permute[p, q, …](x): x with its axes in another order; axis 0 of the result is axis p of x, axis 1 is axis q, …",
    formula="yᵢⱼ… = x with index i along axis p, j along axis q, …",
    example="permute[1, 0]([[1, 2, 3], [4, 5, 6]])",
    schemes=PERMUTE,
    derivative=_permute_derivative,
    kernel=_permute_kernel,
    lowering=_permute_lowering,
    translation=lambda f, x: ae.transpose(x, _order(f)),
    cost=no_cost,
    costs=("0",),
    jointly_linear=True,
    python_names=("permute", "moveaxis", "swapaxes"),
    python_usage="permute[1, 0, 2](x)",
    test_sizes=(
        *((0, 3), (0, 1, 2, 3), (1, 0, 2, 3), (1, 2, 0, 2, 3, 4), (2, 1, 0, 1, 3, 2), (2, 0, 1, 3, 2, 2)),
        *((3, 1, 0, 2, 2, 3, 1, 2), (1, 2, 3, 0, 2, 1, 3, 2)),
    ),
)


def _concat_last_derivative(f: Primitive, w: Typed, v: Typed) -> Typed:
    m, n = (M.dims[-1] for M in v.parts)
    axes = [dim(i) for i in range(len(w.dims))]
    turned = permute[axes[-1], *axes[:-1]](w)
    return pair(*[permute[*axes[1:], axes[0]](slice_[lo, hi](turned)) for lo, hi in ((dim(0), m), (m, m + n))])


concat_last: FunctionSymbol = FunctionSymbol(
    name="concat_last",
    doc="concat_last(x, y): the arrays x and y, which differ in the last axis at most, side by side; of matrices the columns",
    formula="…, xₘ₋₁, y₀, … along the last axis",
    example="concat_last([[1, 2], [3, 4]], [[5], [6]])",
    schemes=CONCAT_LAST,
    derivative=_concat_last_derivative,
    kernel=lambda f, xp: _joined(f, xp, -1),
    lowering=lambda at: _written(at, at.front + rank(at.function.codomain) - 1),
    translation=lambda f, x, y: ae.concat((x, y), x.rank - 1),
    cost=no_cost,
    costs=("0",),
    jointly_linear=True,
    python_names=("hstack",),
    python_usage="concat_last(x, y)",
    test_sizes=((1, 3), (2, 1), (2, 3, 2), (1, 1, 3), (1, 2, 3, 2), (2, 1, 1, 2, 2)),
)


def _stack_derivative(f: Primitive, w: Typed, v: Typed) -> Typed:
    _, *axes = w.dims
    x, y = [reshape[tuple(axes)](slice_[dim(i), dim(i + 1)](w)) for i in range(2)]
    return pair(x, y)


def _stack_kernel(f: Primitive, xp: ModuleType) -> Kernel:
    shape = extent(f.codomain)[1:]

    def kernel(x: Array, y: Array) -> Array:
        front = np.broadcast_shapes(x.shape[: x.ndim - len(shape)], y.shape[: y.ndim - len(shape)])
        return xp.stack([xp.broadcast_to(z, (*front, *shape)) for z in (x, y)], axis=len(front))

    return kernel


def _stack_lowering(at: LoweringContext) -> Layout:
    y = at.fresh()
    for i in range(2):
        row = known(sliced(y, at.front, i, i + 1))
        at.loops.map([at.operand(i)], [(0, replace(row, axes=(*row.axes[: at.front], *row.axes[at.front + 1 :])))])
    return y


stack: FunctionSymbol = FunctionSymbol(
    name="stack",
    doc="stack(x, y): the array whose rows, along a new leading axis, are the arrays x and y of one shape",
    formula="y₀ = x, y₁ = y",
    example="stack([1, 2, 3], [4, 5, 6])",
    schemes=STACK,
    derivative=_stack_derivative,
    kernel=_stack_kernel,
    lowering=_stack_lowering,
    translation=lambda f, x, y: ae.stack((x, y)),
    cost=no_cost,
    costs=("0",),
    jointly_linear=True,
    python_names=("stack", "vstack"),
    python_usage="stack(x, y)",
    test_sizes=((1,), (3,), (2, 3), (1, 2), (2, 1, 2)),
)

SLICING = Family("Putting together and taking apart", (concat, concat_last, slice_, stack, permute))
